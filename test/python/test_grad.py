# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gradients against differences, in both styles."""
import numpy as np
import pytest

import weir
import weir.numpy as wnp
from conftest import close

D = np.float64


def numeric(function, *arguments, h=1e-6):
    """Central differences of a scalar function by each argument."""
    compiled = weir.jit(function)
    grads = []
    for i, argument in enumerate(arguments):
        grad = np.zeros_like(argument)
        for place in np.ndindex(argument.shape):
            moved = []
            for sign in (1, -1):
                x = argument.copy()
                x[place] += sign * h
                moved.append(float(compiled(*arguments[:i], x, *arguments[i + 1:])))
            grad[place] = (moved[0] - moved[1]) / (2 * h)
        grads.append(grad)
    return grads


def check(function, *arguments):
    actual = weir.grad(function, tuple(range(len(arguments))))(*arguments)
    for mine, expected in zip(actual, numeric(function, *arguments)):
        close(mine, expected, 1e-6)


CASES = {
    "arithmetic": lambda x, y: (x * y - x / (y * y + 1) + 3 * x - (-y)).sum(),
    "broadcast": lambda x, y: (x * y[0] + y[:, :1]).sum(),
    "exp and log": lambda x, y: (wnp.exp(x) * wnp.log(y * y + 1) + wnp.log1p(y * y) + wnp.expm1(x)).sum(),
    "powers": lambda x, y: ((y * y + 1) ** x + (x * x + 1) ** 1.5 + wnp.sqrt(x * x + 1) + wnp.rsqrt(y * y + 1)).sum(),
    "trigonometry": lambda x, y: (wnp.sin(x) * wnp.cos(y) + wnp.tanh(x) + wnp.erf(y)).sum(),
    "choice": lambda x, y: (wnp.where(x > y, x * 2, y) + wnp.maximum(x, y) + wnp.minimum(x, 0.1) + abs(x)).sum(),
    "matmul": lambda x, y: wnp.tanh(x @ y.T).sum(),
    "matmul left": lambda x, y: wnp.tanh(x.T @ y).sum(),
    "reductions": lambda x, y: x.mean() * y.sum(axis=0).max() + x.max(axis=1).sum() + x.min() + wnp.var(y),
    "shapes": lambda x, y: (x.reshape(4, 3) @ wnp.flip(y, 0) + wnp.concatenate([x, y], 1)[:, :4].sum()).sum(),
    "slices": lambda x, y: (x[1:, ::2] * y[:2, 1:3]).sum() + x[0, -1] * y[2, 0],
    "pad": lambda x, y: (wnp.pad(x, ((1, 0), (0, 2))) ** 2).sum() + (y * y).sum(),
    "gather": lambda x, y: (x[[0, 2, 0]] * y).sum(),
    "activations": lambda x, y: (weir.nn.sigmoid(x) + weir.nn.gelu(y) + weir.nn.relu(x) + weir.nn.softplus(y)).sum(),
    "softmax": lambda x, y: (weir.nn.softmax(x) * y + weir.nn.log_softmax(y, 0) * x).sum(),
    "cross entropy": lambda x, y: weir.nn.sparse_softmax_cross_entropy(x * y, np.array([0, 3, 1], np.int32)).mean(),
}


@pytest.mark.parametrize("name", CASES)
def test_against_differences(name, rng):
    check(CASES[name], rng.standard_normal((3, 4)), rng.standard_normal((3, 4)))


def test_images(rng):
    x, k = rng.standard_normal((2, 5, 5, 2)), rng.standard_normal((3, 3, 2, 3))
    check(lambda x, k: wnp.tanh(weir.nn.conv2d(x, k)).sum(), x, k)
    check(lambda x, k: wnp.tanh(weir.nn.conv2d(x, k, strides=2, padding="VALID")).sum(), x, k)
    image = rng.standard_normal((1, 4, 4, 2))
    check(lambda x: (weir.nn.max_pool(x) ** 2).sum() + (weir.nn.avg_pool(x) ** 2).sum(), image)


def test_trees_and_aux(rng):
    params = {"w": rng.standard_normal((4, 2)), "b": rng.standard_normal(2)}
    x = rng.standard_normal((3, 4))

    def loss(params, x):
        y = x @ params["w"] + params["b"]
        return (y * y).sum(), {"y": y}

    (value, aux), grad = weir.value_and_grad(loss, has_aux=True)(params, x)
    y = x @ params["w"] + params["b"]
    close(value, (y * y).sum())
    close(aux["y"], y)
    close(grad["w"], 2 * x.T @ y)
    close(grad["b"], 2 * y.sum(0))


def test_only_the_argument_counts():
    """A tensor that is used beside the argument is another value."""
    @weir.jit
    def f(x):
        return weir.grad(lambda a: (a * x).sum())(x)

    close(f(np.array([2.0, 3.0])), np.array([2.0, 3.0]))


def test_gradient_of_an_intermediate_value():
    @weir.jit
    def f(x):
        y = x * x
        loss = (y * 3).sum()
        return weir.grad(loss, [y, x])

    dy, dx = f(np.array([1.0, 2.0]))
    close(dy, np.array([3.0, 3.0]))
    close(dx, np.array([6.0, 12.0]))


def test_seed():
    f = weir.jit(lambda x, s: weir.gradients(x * x, x, seed=s))
    close(f(np.array([1.0, 2.0]), np.array([1.0, 10.0])), np.array([2.0, 40.0]))


def test_stop_gradient():
    close(weir.grad(lambda x: (weir.stop_gradient(x) * x).sum())(np.array([3.0])), np.array([3.0]))


def test_zero_where_nothing_depends():
    close(weir.grad(lambda x, y: (y * y).sum(), 0)(np.ones(3), np.ones(2)), np.zeros(3))


def test_dynamic_batch(rng):
    @weir.jit(specs=[weir.spec((None, 4), "float64"), weir.spec((4, 2), "float64")])
    def f(x, w):
        return weir.grad(lambda w: wnp.tanh(x @ w).mean())(w)

    w = rng.standard_normal((4, 2))
    for n in (1, 5):
        x = rng.standard_normal((n, 4))
        close(f(x, w), numeric(lambda w: wnp.tanh(x @ w).mean(), w)[0], 1e-6)

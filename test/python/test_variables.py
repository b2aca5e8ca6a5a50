# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Variables: program order, sharing between functions, optimizers against hand-written NumPy."""
import numpy as np
import pytest

import weir
import weir.numpy as wnp
from conftest import close

F = np.float32


def test_order_is_that_of_the_code():
    v = weir.Variable(F(1), name="v")

    @weir.jit
    def f(x):
        a = v.read()
        v.assign(a * 10)
        b = v.read()
        v.assign_add(x)
        v.assign_sub(1.0)
        return a, b, v.read()

    assert [float(r) for r in f(F(5))] == [1, 10, 14]
    assert [float(r) for r in f(F(5))] == [14, 140, 144]
    assert float(v.numpy()) == 144


def test_swap():
    a, b = weir.Variable(np.arange(5, dtype=F), name="a"), weir.Variable(-np.arange(5, dtype=F), name="b")

    @weir.jit
    def swap():
        old = a.read()
        a.assign(b.read())
        b.assign(old)

    assert swap() is None
    close(a.numpy(), -np.arange(5, dtype=F))
    close(b.numpy(), np.arange(5, dtype=F))


def test_two_functions_share_a_variable():
    v = weir.Variable(np.zeros(3, F), name="v")
    add = weir.jit(lambda x: v.assign_add(x))
    double = weir.jit(lambda: v.assign(v * 2))
    expected = np.zeros(3, F)
    for i in range(5):
        x = np.full(3, i, F)
        add(x)
        double()
        expected = (expected + x) * 2
        close(v.numpy(), expected)
    v.assign(np.ones(3, F))
    double()
    close(v.numpy(), np.full(3, 2, F))


def test_shapes_of_one_function_share_a_variable():
    v = weir.Variable(F(0), name="v")
    f = weir.jit(lambda x: v.assign_add(x.sum()))
    f(np.ones(3, F))
    f(np.ones(4, F))
    f(np.ones(3, F))
    assert float(v.numpy()) == 10


def test_initial_functions():
    w = weir.Variable(lambda: weir.random.normal((4, 3), seed=5) * 0.1, name="w")
    assert w.shape == (4, 3) and w.dtype == F
    first = w.numpy()
    close(first, weir.jit(lambda: weir.random.normal((4, 3), seed=5) * 0.1)(), 0)
    weir.jit(lambda: w.assign_add(1.0))()
    close(w.numpy(), first + 1)


def test_initial_function_runs_at_the_first_use():
    w = weir.Variable(lambda: wnp.full((2,), 3.0), name="w")
    close(weir.jit(lambda: w.read() * 2)(), np.full(2, 6, F))


def test_outside_of_functions_a_variable_is_an_array():
    v = weir.Variable([1.0, 2.0], name="v")
    assert v.dtype == F
    close(np.asarray(v), np.array([1, 2], F))
    close(v + 1, np.array([2, 3], F))
    close(np.exp(v), np.exp(np.array([1, 2], F)))
    v.assign_add(1)
    v[:]  # a copy: changing it changes nothing
    v.numpy()[:] = 0
    close(v.numpy(), np.array([2, 3], F))


def test_operators_inside():
    v, w = weir.Variable(np.eye(2, dtype=F), name="v"), weir.Variable(np.full((2, 2), 2, F), name="w")
    x = np.array([[1, 2], [3, 4]], F)
    close(weir.jit(lambda x: x @ v + v * w - w.T / 2 + np.maximum(x, v))(x),
          x @ np.eye(2, dtype=F) + np.eye(2, dtype=F) * 2 - 1 + np.maximum(x, np.eye(2, dtype=F)))


# ---- Optimizers


def loss_and_grad(w, x, y):
    error = x @ w - y
    return (error * error).mean(), (2 * x.T @ error / error.size).astype(F)


@pytest.fixture
def problem(rng):
    return rng.standard_normal((4, 2)).astype(F), rng.standard_normal((8, 4)).astype(F), rng.standard_normal((8, 2)).astype(F)


def train(optimizer, w):
    @weir.jit
    def step(x, y):
        error = x @ w - y
        loss = (error * error).mean()
        optimizer.minimize(loss, [w])
        return loss

    return step


@pytest.mark.parametrize("momentum", [0.0, 0.9])
def test_sgd(problem, momentum):
    w0, x, y = problem
    w, expected, m = weir.Variable(w0, name="w"), w0.copy(), np.zeros_like(w0)
    step = train(weir.optim.SGD(0.1, momentum), w)
    for _ in range(5):
        loss, g = loss_and_grad(expected, x, y)
        close(step(x, y), F(loss))
        m = F(momentum) * m + g
        expected = expected - F(0.1) * m
        close(w.numpy(), expected)


def test_adam(problem):
    w0, x, y = problem
    w, expected = weir.Variable(w0, name="w"), w0.copy()
    m, v = np.zeros_like(w0), np.zeros_like(w0)
    optimizer = weir.optim.Adam(0.01)
    step = train(optimizer, w)
    for t in range(1, 6):
        loss, g = loss_and_grad(expected, x, y)
        close(step(x, y), F(loss))
        m, v = F(0.9) * m + F(0.1) * g, F(0.999) * v + F(0.001) * g * g
        expected = expected - F(0.01) * (m / F(1 - 0.9 ** t)) / (np.sqrt(v / F(1 - 0.999 ** t)) + F(1e-8))
        close(w.numpy(), expected, 1e-4)
    assert {s.name for s in optimizer.variables} == {"adam/beta1_power", "adam/beta2_power", "w/adam_m", "w/adam_v"}


def test_rate_that_changes(problem):
    w0, x, y = problem
    rate, w = weir.Variable(F(0.5), name="rate"), weir.Variable(w0, name="w")
    step = train(weir.optim.SGD(rate), w)
    step(x, y)
    after = w.numpy()
    close(after, w0 - F(0.5) * loss_and_grad(w0, x, y)[1])
    rate.assign(0.0)
    step(x, y)
    close(w.numpy(), after)


def mlp(p, x, y):
    h = weir.nn.relu(x @ p["w1"] + p["b1"])
    return weir.nn.sparse_softmax_cross_entropy(h @ p["w2"] + p["b2"], y).mean()


def cnn(p, x, y):
    h = weir.nn.relu(weir.nn.conv2d(x, p["k"]) + p["b"])
    h = weir.nn.max_pool(h).reshape(x.shape[0], -1)
    return weir.nn.sparse_softmax_cross_entropy(h @ p["w"], y).mean()


@pytest.mark.parametrize("model", [mlp, cnn])
def test_models_learn_in_both_styles(model, rng):
    """Variables with an optimizer, and a pure function with weir.value_and_grad, take the same steps."""
    y = rng.integers(0, 3, 16).astype(np.int32)
    if model is mlp:
        x = rng.standard_normal((16, 8)).astype(F)
        shapes = {"w1": (8, 16), "b1": (16,), "w2": (16, 3), "b2": (3,)}
    else:
        x = rng.standard_normal((16, 8, 8, 1)).astype(F)
        shapes = {"k": (3, 3, 1, 4), "b": (4,), "w": (64, 3)}
    params = {key: (0.3 * rng.standard_normal(shape)).astype(F) for key, shape in shapes.items()}
    variables = {key: weir.Variable(value, name=key) for key, value in params.items()}

    @weir.jit(specs=[weir.spec((None, *x.shape[1:])), weir.spec((None,), "int32")])
    def step(x, y):
        loss = model(variables, x, y)
        weir.optim.SGD(0.2).minimize(loss, list(variables.values()))
        return loss

    @weir.jit
    def pure(params, x, y):
        loss, grads = weir.value_and_grad(model)(params, x, y)
        return loss, {key: params[key] - 0.2 * grads[key] for key in params}

    losses = []
    for _ in range(30):
        loss, params = pure(params, x, y)
        close(step(x, y), loss, 1e-4)
        losses.append(float(loss))
    for key, variable in variables.items():
        close(variable.numpy(), params[key], 1e-3)
    assert losses[-1] < 0.6 * losses[0]

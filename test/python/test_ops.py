# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each function against NumPy, on the compiled code."""
import math

import numpy as np
import pytest

import weir
import weir.numpy as wnp
from conftest import close

F = np.float32


def run(function, *arguments):
    return weir.jit(function)(*arguments)


def both(function, *arguments, tolerance=1e-5):
    """The same code on tensors and on arrays."""
    expected = function(np, *arguments)
    close(run(lambda *tensors: function(wnp, *tensors), *arguments), expected, tolerance)


@pytest.fixture
def x(rng):
    return rng.standard_normal((3, 4)).astype(F)


@pytest.fixture
def y(rng):
    return rng.standard_normal((3, 4)).astype(F)


@pytest.mark.parametrize("name", ["exp", "expm1", "sin", "cos", "tanh", "floor", "ceil", "round", "negative", "abs",
                                  "sign", "square", "isfinite", "isnan"])
def test_unary(name, x):
    both(lambda n, a: getattr(n, name)(a), x)


@pytest.mark.parametrize("name", ["log", "log1p", "sqrt", "reciprocal"])
def test_unary_of_positive(name, x):
    both(lambda n, a: getattr(n, name)(a), np.abs(x) + F(0.1))


def test_rsqrt_and_erf(x):
    positive = np.abs(x) + F(0.1)
    close(run(wnp.rsqrt, positive), F(1) / np.sqrt(positive))
    close(run(wnp.erf, x), np.vectorize(math.erf)(x).astype(F))


@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "divide", "maximum", "minimum", "equal", "not_equal",
                                  "less", "less_equal", "greater", "greater_equal"])
@pytest.mark.parametrize("shape", [(3, 4), (4,), (3, 1), (1, 4), ()])
def test_binary_broadcasts(name, shape, x, rng):
    both(lambda n, a, b: getattr(n, name)(a, b), x, rng.standard_normal(shape).astype(F))


def test_power(x):
    both(lambda n, a, b: n.power(a, b), np.abs(x) + F(0.1), x)
    for exponent in (1, 2, 3, 0.5, -1, 1.5):
        close(run(lambda a: a ** exponent, np.abs(x) + F(0.1)), (np.abs(x) + F(0.1)) ** F(exponent))


def test_operators(x, y):
    close(run(lambda a, b: -a + 2 * b - a / (b * b + 1) + (3 - a) - (1 / (b ** 2 + 1)), x, y),
          -x + 2 * y - x / (y * y + 1) + (3 - x) - (1 / (y ** 2 + 1)))
    close(run(lambda a, b: (a > b) & (a < 1) | ~(b >= 0), x, y), (x > y) & (x < 1) | ~(y >= 0))


def test_integers():
    a, b = np.arange(-3, 5, dtype=np.int32), np.arange(8, dtype=np.int32)[::-1].copy()
    close(run(lambda a, b: a * b - a + 7, a, b), a * b - a + 7)
    close(run(lambda a: abs(a), a), abs(a))
    big = np.array([2 ** 31 - 1], np.int32)
    with np.errstate(over="ignore"):
        close(run(lambda a: a + 1, big), big + np.int32(1))


@pytest.mark.parametrize("name", ["sum", "mean", "max", "min", "prod"])
@pytest.mark.parametrize("axis", [None, 0, 1, -1, (0, 1)])
@pytest.mark.parametrize("keepdims", [False, True])
def test_reductions(name, axis, keepdims, x):
    both(lambda n, a: getattr(n, name)(a, axis=axis, keepdims=keepdims), x)


@pytest.mark.parametrize("axis", [None, 0, 1, -1])
def test_argmax(axis, x):
    both(lambda n, a: n.argmax(a, axis), x)
    both(lambda n, a: n.argmin(a, axis), x)


def test_any_all_var_std(x):
    both(lambda n, a: n.any(a > 1, axis=0), x)
    both(lambda n, a: n.all(a < 1, axis=1), x)
    both(lambda n, a: n.var(a, axis=1), x)
    both(lambda n, a: n.std(a), x)


@pytest.mark.parametrize("a,b", [((3, 4), (4, 5)), ((4,), (4, 5)), ((3, 4), (4,)), ((4,), (4,)), ((2, 3, 4), (2, 4, 5)),
                                 ((2, 3, 4), (4, 5)), ((5, 1, 3, 4), (2, 4, 5))])
def test_matmul(a, b, rng):
    both(lambda n, p, q: n.matmul(p, q), rng.standard_normal(a).astype(F), rng.standard_normal(b).astype(F))


def test_matmul_of_transposed(rng):
    p, q = rng.standard_normal((4, 3)).astype(F), rng.standard_normal((5, 4)).astype(F)
    close(run(lambda p, q: p.T @ q.T, p, q), p.T @ q.T)


@pytest.mark.parametrize("index", [0, -1, (1, 2), (slice(None), 1), (slice(1, 3), slice(None, None, 2)), (Ellipsis, 0),
                                   (None, Ellipsis), (slice(None), None, 2), slice(None, None, -1),
                                   (slice(2, None, -2), slice(3, 0, -1)), slice(5, 9), (-2, slice(-3, -1))],
                         ids=str)
def test_indexing(index, x):
    close(run(lambda a: a[index], x), x[index])


def test_indexing_with_arrays(x):
    indices = np.array([[2, 0], [1, 1]], np.int32)
    close(run(lambda a, i: a[i], x, indices), x[indices])
    close(run(lambda a, i: a[:, i], x, indices), x[:, indices])
    close(run(lambda a: a[1:, [3, 0]], x), x[1:, [3, 0]])
    both(lambda n, a, i: n.take(a, i, axis=1), x, indices)
    both(lambda n, a: n.take_along_axis(a, n.argmax(a, 1)[:, None], 1), x)


def test_shapes(x):
    both(lambda n, a: n.transpose(a), x)
    both(lambda n, a: n.reshape(a, (2, -1)), x)
    both(lambda n, a: n.ravel(a), x)
    both(lambda n, a: n.expand_dims(a, (0, 2)), x)
    both(lambda n, a: n.squeeze(n.reshape(a, (3, 1, 4, 1))), x)
    both(lambda n, a: n.swapaxes(n.reshape(a, (3, 2, 2)), 0, 2), x)
    both(lambda n, a: n.moveaxis(n.reshape(a, (3, 2, 2)), 0, -1), x)
    both(lambda n, a: n.broadcast_to(a[0], (2, 4)), x)
    both(lambda n, a: n.flip(a, 1), x)
    both(lambda n, a: n.pad(a, ((1, 0), (2, 3)), constant_values=5.0), x)


def test_joining(x, y):
    both(lambda n, a, b: n.concatenate([a, b], axis=1), x, y)
    both(lambda n, a, b: n.stack([a, b], axis=1), x, y)
    for part, expected in zip(run(lambda a: wnp.split(a, 2, axis=1), x), np.split(x, 2, axis=1)):
        close(part, expected)


def test_choosing(x, y):
    both(lambda n, a, b: n.where(a > b, a, b * 2), x, y)
    both(lambda n, a: n.clip(a, -0.5, 0.5), x)
    both(lambda n, a: n.tril(a), x)


def test_new_tensors():
    close(run(lambda: wnp.zeros((2, 3))), np.zeros((2, 3), F))
    close(run(lambda: wnp.ones(4, "int32")), np.ones(4, np.int32))
    close(run(lambda: wnp.full((2,), 1.5)), np.full((2,), 1.5, F))
    close(run(lambda: wnp.arange(5)), np.arange(5, dtype=np.int32))
    close(run(lambda: wnp.arange(1.0, 2.0, 0.25)), np.arange(1.0, 2.0, 0.25, dtype=F))
    close(run(lambda: wnp.eye(3)), np.eye(3, dtype=F))
    close(run(lambda: wnp.array([[1, 2], [3, 4]])), np.array([[1, 2], [3, 4]], np.int32))
    close(run(lambda a: wnp.array([a, 2.0]), F(1)), np.array([1, 2], F))


def test_casts(x):
    close(run(lambda a: (a * 100).astype("int32"), x), (x * 100).astype(np.int32))
    close(run(lambda a: a.astype("bool"), np.array([0, 2], np.int32)), np.array([False, True]))
    close(run(lambda a: a.astype(np.float64), x), x.astype(np.float64))
    close(run(lambda a: a.astype("int8"), np.array([1e9, -1e9, np.nan], F)), np.array([127, -128, 0], np.int8))


def test_functions_of_numpy_work_on_tensors(x, y):
    def f(a, b):
        return np.exp(a) + np.where(a > b, a, b).sum() * np.mean(b, axis=0) - np.concatenate([a, b])[:3]

    close(run(f, x, y), f(x, y))
    close(run(lambda a: np.ones((3, 4), F) - a, x), 1 - x)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8",
                                   "uint16", "uint32", "uint64", "bool"])
def test_every_dtype_comes_back(dtype):
    value = np.array([[1, 0], [1, 1]], dtype)
    close(run(lambda a: a.reshape(4), value), value.reshape(4))


def test_bfloat16(rng):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    value = rng.standard_normal(8).astype(ml_dtypes.bfloat16)
    close(run(lambda a: a + a, value), value + value)


def test_dynamic_extents(rng):
    @weir.jit(specs=[weir.spec((None, 4), "float32")])
    def f(x):
        return (x - x.mean(axis=0)).sum(axis=1), wnp.zeros_like(x) + 1, wnp.size(x, 0), x[:2], x.reshape(None, 2, 2)

    for n in (2, 3, 17):
        x = rng.standard_normal((n, 4)).astype(F)
        rows, ones, size, head, cut = f(x)
        close(rows, (x - x.mean(axis=0)).sum(axis=1))
        close(ones, np.ones((n, 4), F))
        close(size, np.int64(n))
        close(head, x[:2])
        close(cut, x.reshape(n, 2, 2))


# ---- weir.nn, weir.random


def test_activations(x):
    close(run(weir.nn.relu, x), np.maximum(x, 0))
    close(run(weir.nn.sigmoid, x), 1 / (1 + np.exp(-x)))
    close(run(weir.nn.silu, x), x / (1 + np.exp(-x)))
    close(run(weir.nn.softplus, x), np.log1p(np.exp(x)))
    exact = (0.5 * x * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))).astype(F)
    close(run(lambda a: weir.nn.gelu(a, approximate=False), x), exact)
    close(run(weir.nn.gelu, x), exact, 1e-3)


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def test_softmax(x):
    for axis in (0, 1, -1):
        close(run(lambda a: weir.nn.softmax(a, axis), x), softmax(x, axis))
        close(run(lambda a: weir.nn.log_softmax(a, axis), x), np.log(softmax(x, axis)))


def test_cross_entropy(rng):
    logits = rng.standard_normal((2, 3, 5)).astype(F)
    labels = rng.integers(0, 5, (2, 3)).astype(np.int32)
    expected = -np.log(np.take_along_axis(softmax(logits), labels[..., None], -1))[..., 0]
    close(run(weir.nn.sparse_softmax_cross_entropy, logits, labels), expected)
    close(run(weir.nn.sparse_softmax_cross_entropy, logits[0], labels[0]), expected[0])


def conv(x, k, stride, low, high, dilation=1):
    x = np.pad(x, ((0, 0), (low, high), (low, high), (0, 0)))
    h = (x.shape[1] - (k.shape[0] - 1) * dilation - 1) // stride + 1
    out = np.zeros((x.shape[0], h, h, k.shape[3]), F)
    for i in range(k.shape[0]):
        for j in range(k.shape[1]):
            part = x[:, i * dilation:i * dilation + (h - 1) * stride + 1:stride,
                     j * dilation:j * dilation + (h - 1) * stride + 1:stride]
            out += part @ k[i, j]
    return out


def test_conv2d(rng):
    x, k = rng.standard_normal((2, 7, 7, 3)).astype(F), rng.standard_normal((3, 3, 3, 4)).astype(F)
    close(run(weir.nn.conv2d, x, k), conv(x, k, 1, 1, 1))
    close(run(lambda a, b: weir.nn.conv2d(a, b, strides=2, padding="VALID"), x, k), conv(x, k, 2, 0, 0))
    close(run(lambda a, b: weir.nn.conv2d(a, b, padding=((2, 1), (2, 1)), dilations=2), x, k), conv(x, k, 1, 2, 1, 2))


def test_pools(rng):
    x = rng.standard_normal((2, 6, 6, 3)).astype(F)
    windows = x.reshape(2, 3, 2, 3, 2, 3)
    close(run(weir.nn.max_pool, x), windows.max(axis=(2, 4)))
    close(run(weir.nn.avg_pool, x), windows.mean(axis=(2, 4)))


def test_one_hot():
    close(run(lambda i: weir.nn.one_hot(i, 3), np.array([0, 2, 5], np.int32)),
          np.array([[1, 0, 0], [0, 0, 1], [0, 0, 0]], F))


def test_random_is_a_function_of_the_seed():
    draw = weir.jit(lambda: (weir.random.uniform((1000,), seed=1), weir.random.uniform((1000,), seed=2),
                             weir.random.normal((10000,), seed=3, mean=1.0, std=2.0)))
    a, b, normal = draw()
    again = draw()
    np.testing.assert_array_equal(a, again[0])
    assert (a != b).any() and a.min() >= 0 and a.max() < 1 and abs(a.mean() - 0.5) < 0.05
    assert abs(normal.mean() - 1) < 0.1 and abs(normal.std() - 2) < 0.1


def test_dropout(rng):
    x = np.ones((100, 100), F)
    result = run(lambda a: weir.nn.dropout(a, 0.25, seed=4), x)
    assert set(np.unique(result)) == {F(0), F(1) / F(0.75)}
    assert abs((result == 0).mean() - 0.25) < 0.02

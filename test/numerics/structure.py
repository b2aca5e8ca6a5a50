# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shapes, reductions, gathers and matrix products against NumPy."""

import itertools
import sys

import numpy as np

import harness
from elementwise import numbers
from harness import FLOATS, INTEGERS, NUMBERS, NUMPY, UNIT, tensor

ALL = NUMBERS + ["i1"]


def array(values):
    return f"array<i64{': ' if len(values) else ''}{', '.join(map(str, values))}>"


def closed(y):
    """The type of a result of which only the rank is known."""
    return tensor(y, range(np.ndim(y)))


def shapes(suite, rng):
    for dtype in ALL:
        x = numbers(rng, dtype, (2, 3, 4))
        for shape in [(24,), (4, 6), (2, 3, 4), (1, 24, 1), (-1, 6), (2, -1, 2)]:
            suite.op("reshape", [x], x.reshape(shape), f"shape = {array(shape)}")
        for permutation in itertools.permutations(range(3)):
            suite.op("transpose", [x], x.transpose(permutation), f"permutation = {array(permutation)}")
        for axes in [(), (0,), (1, 2), (0, 1, 2)]:
            suite.op("reverse", [x], np.flip(x, axes), f"axes = {array(axes)}")
        box = x[1:2, 0:3:2, 1:4]
        suite.op("slice", [x], box, "begin = array<i64: 1, 0, 1>, size = array<i64: 1, 2, 3>, strides = array<i64: 1, 2, 1>")
        suite.op("slice", [x], x[0:, 1:, 0::3], "begin = array<i64: 0, 1, 0>, size = array<i64: -1, -1, -1>, strides = array<i64: 1, 1, 3>",
                 dynamic=[(0, 1, 2)], result=closed(x))
        y = numbers(rng, dtype, (2, 1, 4))
        for axis, parts in [(1, [x, y]), (1, [x, y[:, :0], y, x]), (0, [x]), (2, [x, x])]:
            suite.op("concat", parts, np.concatenate(parts, axis), f"axis = {axis} : i64")
        suite.op("concat", [x, y], np.concatenate([x, y], 1), "axis = 1 : i64", dynamic=[(0, 1), (1, 2)],
                 result=tensor(x, (1,)))
        z = np.full((2 + 1 + 2 + 1, 3 + 2, 4 + 3), 1, NUMPY[dtype])
        z[1:5:3, 2:5, :7:2] = x
        suite.op("pad", [x], z, "low = array<i64: 1, 2, 0>, high = array<i64: 1, 0, 0>, interior = array<i64: 2, 0, 1>, value = 1.0 : f64")
        suite.op("expand_dims", [x], x[None, ..., None], "axes = array<i64: 0, 4>")
        suite.op("squeeze", [y], y[:, 0], "axes = array<i64: 1>")
        suite.op("broadcast_to", [y], np.broadcast_to(y, (5, 2, 3, 4)), "shape = array<i64: 5, -1, 3, -1>")
        suite.op("broadcast_like", [y, x], np.broadcast_to(y, x.shape), dynamic=[(0,), (0, 1, 2)], result=closed(x))
        suite.op("reshape_like", [x, x.reshape(6, 4)], x.reshape(6, 4), dynamic=[(0,), (0, 1)], result=tensor(x[0], (0, 1)))
        suite.op("identity", [x], x)
        suite.op("stop_gradient", [x], x)
        suite.op("shape_of", [x], np.array(x.shape, np.int64), dynamic=[(0, 1)])
        suite.op("dim_size", [x], np.array(3, np.int64), "axis = 1 : i64", dynamic=[(0, 1)])
    for dtype in NUMBERS:
        for axis in range(3):
            y = np.broadcast_to(np.arange(3 + axis).reshape([-1 if i == axis else 1 for i in range(3)]), [3 + axis] * 3)
            suite.op("iota", [], y.astype(NUMPY[dtype]), f"axis = {axis} : i64, type = {tensor(y.astype(NUMPY[dtype]))}")
    empty = np.zeros((0, 3), np.float32)
    suite.op("reshape", [empty], empty.reshape(3, 0), "shape = array<i64: 3, 0>")
    suite.op("transpose", [empty], empty.T, "permutation = array<i64: 1, 0>")
    suite.op("pad", [empty], np.full((2, 3), 7, np.float32), "low = array<i64: 1, 0>, high = array<i64: 1, 0>, interior = array<i64: 3, 0>, value = 7.0 : f64")
    suite.op("concat", [empty, empty], empty, "axis = 0 : i64")
    suite.op("reverse", [empty], empty, "axes = array<i64: 0, 1>")
    suite.op("pad", [empty], np.full((1, 3), 7, np.float32),
             "low = array<i64: 1, 0>, high = array<i64: 0, 0>, interior = array<i64: 0, 0>, value = 7.0 : f64")
    # A box of nothing behind the last element, which is said or computed.
    rows = np.ones((2, 3), np.float32)
    for size in (0, -1):
        attributes = f"begin = array<i64: 2, 0>, size = array<i64: {size}, -1>, strides = array<i64: 1, 1>"
        suite.op("slice", [rows], empty, attributes)
        suite.op("slice", [rows], empty, attributes, dynamic=[(1,)], result="tensor<0x?xf32>")
        suite.op("slice", [rows], empty, attributes, dynamic=[(0, 1)], result="tensor<?x?xf32>")
    suite.op("broadcast_to", [np.zeros((1, 3), np.float32)], empty, "shape = array<i64: 0, 3>")
    # Mismatches that only a run can see.
    x = np.zeros((4, 3), np.float32)
    suite.op("reshape", [x], "WEIR0332", "shape = array<i64: -1, 5>", dynamic=[(0,)], result="tensor<?x5xf32>")
    suite.op("reshape", [x], "WEIR0332", "shape = array<i64: 2, 5>", dynamic=[(0,)], result="tensor<2x5xf32>")
    suite.op("reshape_like", [x, x[0]], "WEIR0332", dynamic=[(0,), ()], result="tensor<3xf32>")
    suite.op("concat", [x, x[:, :2]], "WEIR0331", "axis = 0 : i64", dynamic=[(0, 1), (0, 1)], result="tensor<?x?xf32>")
    suite.op("slice", [x], "WEIR0331", "begin = array<i64: 5, 0>, size = array<i64: -1, 3>, strides = array<i64: 1, 1>",
             dynamic=[(0,)], result="tensor<?x3xf32>")
    suite.op("slice", [x], "WEIR0331", "begin = array<i64: 1, 0>, size = array<i64: 3, 3>, strides = array<i64: 2, 1>",
             dynamic=[(0,)], result="tensor<3x3xf32>")
    suite.op("broadcast_like", [x[:, :1], x[:3]], "WEIR0331", dynamic=[(0,), (0,)], result="tensor<?x3xf32>")


def extreme(function, identity):
    def reduce(x, axis, keepdims):
        return function(x, axis=axis, keepdims=keepdims, initial=identity(x.dtype))
    return reduce


def lowest(dtype):
    return dtype.type(-np.inf) if dtype.kind not in "iu" else np.iinfo(dtype).min


def highest(dtype):
    return dtype.type(np.inf) if dtype.kind not in "iu" else np.iinfo(dtype).max


def reductions(suite, rng):
    cases = [((4, 3, 5), axes) for axes in [(), (0,), (1,), (2,), (0, 2), (0, 1, 2)]] + [((0, 3), (0,)), ((0, 3), (1,)), ((), ()), ((257,), (0,))]
    for (shape, axes), keep in itertools.product(cases, [False, True]):
        attributes = f"axes = {array(axes)}" + (", keep_dims" if keep else "")
        for dtype in NUMBERS:
            x = numbers(rng, dtype, shape)
            if dtype in FLOATS:
                # Sums of at most 257 doubles, rounded once.
                wide, bound = x.astype(np.float64), {"rtol": 2 * UNIT[dtype], "atol": 1e-13}
                suite.op("reduce_sum", [x], np.sum(wide, axis=axes, keepdims=keep).astype(x.dtype), attributes, **bound)
                with np.errstate(all="ignore"):
                    mean = np.sum(wide, axis=axes, keepdims=keep) / np.float64(np.prod([shape[i] for i in axes]))
                suite.op("reduce_mean", [x], np.asarray(mean).astype(x.dtype), attributes, **bound)
                small = np.abs(x[:6] if shape else x) * NUMPY[dtype].type(0.5)
                y = np.prod(small.astype(np.float64), axis=axes, keepdims=keep).astype(x.dtype)
                suite.op("reduce_prod", [small], y, attributes, rtol=2 * UNIT[dtype], atol=1e-7)
            else:
                suite.op("reduce_sum", [x], np.sum(x, axis=axes, keepdims=keep, dtype=x.dtype), attributes)
                suite.op("reduce_prod", [x], np.prod(x, axis=axes, keepdims=keep, dtype=x.dtype), attributes)
            suite.op("reduce_max", [x], extreme(np.max, lowest)(x, axes, keep), attributes)
            suite.op("reduce_min", [x], extreme(np.min, highest)(x, axes, keep), attributes, dynamic=[range(x.ndim)],
                     result=closed(extreme(np.min, highest)(x, axes, keep)))
        x = numbers(rng, "i1", shape)
        suite.op("reduce_any", [x], np.any(x, axis=axes, keepdims=keep), attributes)
        suite.op("reduce_all", [x], np.all(x, axis=axes, keepdims=keep), attributes)
    for dtype, to in itertools.product(NUMBERS, ["i32", "i64"]):
        x = numbers(rng, dtype, (4, 3, 5))
        x[0, 1, :] = x[0, 1, 0]
        for axis in range(3):
            attributes = f"axis = {axis} : i64, to = {to}"
            suite.op("argmax", [x], np.argmax(x, axis).astype(NUMPY[to]), attributes)
            suite.op("argmin", [x], np.argmin(x, axis).astype(NUMPY[to]), attributes)
    for dtype in FLOATS:
        nan, inf = np.nan, np.inf
        x = np.array([[1, nan, 3, nan], [nan, nan, nan, nan], [-inf, 2, inf, 2], [nan, -inf, 0, -0.0], [0.0, -0.0, 0, -0.0]], NUMPY[dtype])
        for op, first, skip in [("argmax", [1, 0, 2, 0, 0], [2, 0, 2, 2, 0]), ("argmin", [1, 0, 0, 0, 0], [0, 0, 0, 1, 0])]:
            for rule, y in [("first", first), ("skip", skip)]:
                attributes = f"axis = 1 : i64, to = i32, nan = #weir.nan_rule<{rule}>"
                suite.op(op, [x], np.array(y, np.int32), attributes)
        suite.op("reduce_max", [x], np.max(x, 1), "axes = array<i64: 1>")
        suite.op("reduce_min", [x], np.min(x, 1), "axes = array<i64: 1>")
    suite.op("argmax", [np.zeros((2, 0), np.float32)], "WEIR0331", "axis = 1 : i64, to = i32", dynamic=[(1,)], result="tensor<2xi32>")


def gathers(suite, rng):
    for dtype in ALL:
        params = numbers(rng, dtype, (3, 4, 5))
        for axis, index in itertools.product(range(3), ["i32", "i64"]):
            for shape in [(), (6,), (2, 3), (0,)]:
                indices = rng.integers(0, 3 + axis, shape).astype(NUMPY[index])
                suite.op("gather", [params, indices], np.take(params, indices, axis), f"axis = {axis} : i64")
        rows, indices = params[:, :, 0], rng.integers(0, 4, 3).astype(np.int32)
        suite.op("take_along", [rows, indices], rows[np.arange(3), indices], dynamic=[(0,), (0,)], result=f"tensor<?x{dtype}>")
    for dtype in NUMBERS:
        for shape in [(6,), (2, 3), (0,)]:
            segments = rng.integers(0, 4, shape).astype(np.int64)
            data = numbers(rng, dtype, (*shape, 2))
            wide = np.zeros((5, 2), np.float64 if dtype in FLOATS else data.dtype)
            np.add.at(wide, segments.ravel(), data.reshape(-1, 2).astype(wide.dtype))
            suite.op("unsorted_segment_sum", [data, segments], wide.astype(data.dtype), "segment_count = 5 : i64", rtol=2 * UNIT.get(dtype, 0))
        indices = np.array([[0, 4, -1], [5, 2, 100]], np.int32)
        y = (indices[..., None] == np.arange(5)).astype(NUMPY[dtype])
        suite.op("one_hot", [indices], y, f"depth = 5 : i64, to = {dtype}")
    x, bad = np.zeros((3, 4), np.float32), np.array([0, 3, 1], np.int32)
    suite.op("gather", [x, bad], "WEIR0330", "axis = 0 : i64", result="tensor<3x4xf32>")
    suite.op("gather", [x, -bad], "WEIR0330", "axis = 0 : i64", result="tensor<3x4xf32>")
    suite.op("take_along", [x, bad + 1], "WEIR0330", result="tensor<3xf32>")
    suite.op("take_along", [x, bad[:2]], "WEIR0331", dynamic=[(0,), (0,)], result="tensor<?xf32>")
    suite.op("unsorted_segment_sum", [x, bad], "WEIR0330", "segment_count = 3 : i64", result="tensor<3x4xf32>")


def quotient(x, y):
    """Integers round towards zero; by 0 they give 0."""
    if x.dtype.kind not in "iu":
        return x / y
    safe = np.where(y == 0, 1, y).astype(object)
    whole = abs(x.astype(object)) // abs(safe) * np.where((x < 0) != (y < 0), -1, 1)
    bits = np.where(y == 0, 0, whole).astype(object) % 2 ** (8 * x.dtype.itemsize)
    return np.array(bits.tolist(), f"u{x.dtype.itemsize}").astype(x.dtype)


SCATTERS = {"assign": lambda x, y: y, "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": quotient, "min": np.minimum,
            "max": np.maximum}


def scatters(suite, rng):
    for dtype in ALL:
        x = numbers(rng, dtype, (5, 3))
        for kind in SCATTERS if dtype != "i1" else ["assign"]:
            attribute = f"kind = #weir.scatter_kind<{kind}>"
            shapes = [((2, 3), np.int64)] + [((6,), np.int32), ((), np.int32), ((0,), np.int64)] * (dtype == "f32")
            for shape, index in shapes:
                indices = rng.integers(0, 5, shape).astype(index)
                updates = numbers(rng, dtype, (*shape, 3))
                one = numbers(rng, dtype, (1,)).reshape(())
                y, z = x.copy(), x.copy()
                for place in np.ndindex(shape):
                    y[indices[place]] = SCATTERS[kind](y[indices[place]], updates[place])
                    z[indices[place]] = SCATTERS[kind](z[indices[place]], np.broadcast_to(one, 3))
                suite.op("scatter", [x, indices, updates], y, attribute)
                suite.op("scatter", [x, indices, one], z, attribute)
            row, places = x[:, 0], np.array([4, 0, 4], np.int32)
            y = row.copy()
            for place in places:
                y[place : place + 1] = SCATTERS[kind](y[place : place + 1], row[:1])
            suite.op("scatter", [row, places, np.repeat(row[:1], 3)], y, attribute, dynamic=[(0,), (0,), (0,)], result=f"tensor<?x{dtype}>")
    x, bad = np.zeros((3, 4), np.float32), np.array([0, 3, 1], np.int32)
    add = "kind = #weir.scatter_kind<add>"
    suite.op("scatter", [x, bad, x], "WEIR0330", add, result="tensor<3x4xf32>")
    suite.op("scatter", [x, -bad, x], "WEIR0330", add, result="tensor<3x4xf32>")
    suite.op("scatter", [x, bad[:2], x], "WEIR0331", add, dynamic=[(), (0,), ()], result="tensor<3x4xf32>")
    suite.op("scatter", [x, bad[:1], x[:1, :2]], "WEIR0331", add, dynamic=[(), (), (1,)], result="tensor<3x4xf32>")


def matmuls(suite, rng):
    pairs = [((2, 3), (3, 4)), ((1, 1), (1, 1)), ((7, 13), (13, 5)), ((0, 3), (3, 2)), ((2, 0), (0, 3)),
             ((4, 2, 3), (3, 5)), ((4, 2, 3), (4, 3, 5)), ((4, 1, 2, 3), (6, 3, 2)), ((1, 2, 3), (5, 3, 4))]
    for (a, b), transpose_lhs, transpose_rhs in itertools.product(pairs, [False, True], [False, True]):
        attributes = ", ".join(["transpose_lhs"] * transpose_lhs + ["transpose_rhs"] * transpose_rhs)
        for dtype in NUMBERS:
            x, y = numbers(rng, dtype, a), numbers(rng, dtype, b)
            if dtype in FLOATS:
                z, bound = (x.astype(np.float64) @ y.astype(np.float64)).astype(x.dtype), {"rtol": 2 * UNIT[dtype], "atol": 1e-13}
            else:
                z, bound = x @ y, {}
            feeds = [np.swapaxes(x, -1, -2) if transpose_lhs else x, np.swapaxes(y, -1, -2) if transpose_rhs else y]
            suite.op("matmul", feeds, z, attributes, **bound)
            if len(a) == 2:
                suite.op("matmul", feeds, z, attributes, dynamic=[(0, 1), (0, 1)], result=tensor(z, (0, 1)), **bound)
    x = np.zeros((2, 3), np.float32)
    suite.op("matmul", [x, x], "WEIR0331", dynamic=[(1,), (0,)], result="tensor<2x3xf32>")


def suites():
    made = []
    for part in (shapes, reductions, gathers, scatters, matmuls):
        suite = harness.Suite(part.__name__, sums=part is not shapes)
        part(suite, np.random.default_rng(11))
        made.append(suite)
    return made


if __name__ == "__main__":
    np.seterr(all="ignore")
    sys.exit(harness.main(suites()))

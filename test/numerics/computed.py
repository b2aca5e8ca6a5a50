# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shapes and places that are computed, and values whose extents depend on
elements, against NumPy."""

import itertools
import sys

import numpy as np

import harness
from elementwise import numbers
from harness import FLOATS, INTEGERS, NUMBERS, NUMPY, tensor
from structure import ALL, SCATTERS, array, closed


def vector(values, dtype=np.int64):
    return np.array(values, dtype)


def ranges(suite, rng):
    for dtype in INTEGERS:
        steps = [(0, 5, 1), (2, 11, 3), (3, 3, 1), (2, 3, 100)] + [(5, 0, -1), (-7, -20, -4), (0, 0, -3)] * (not dtype.startswith("u"))
        info = np.iinfo(NUMPY[dtype])
        steps.append((info.max - 3, info.max, 2))
        if not dtype.startswith("u"):
            steps.append((info.min + 2, info.min, -1))
        for bounds in steps:
            y = np.array(range(*(int(b) for b in bounds)), NUMPY[dtype])
            suite.op("range", [NUMPY[dtype].type(b) for b in bounds], y, result=closed(y))
        for bounds in [(0, 5, 0), (5, 0, 1)] + [(0, 5, -1)] * (not dtype.startswith("u")):
            suite.op("range", [NUMPY[dtype].type(b) for b in bounds], "WEIR0450", result=f"tensor<?x{dtype}>")
    wide = [np.int64(-(2**63)), np.int64(2**63 - 1), np.int64(2**62)]
    y = np.array([-(2**63), -(2**62), 0, 2**62], np.int64)
    suite.op("range", wide, y, result=closed(y))
    for dtype in FLOATS:
        for start, limit, delta in [(0, 5, 1), (0.5, 3, 0.75), (4, -1, -2), (1, 1, 1)]:
            count = int(np.ceil((limit - start) / delta))
            y = (start + np.arange(count) * delta).astype(NUMPY[dtype])
            suite.op("range", [NUMPY[dtype].type(v) for v in (start, limit, delta)], y, result=closed(y))
        for bounds in [(0, 5, 0), (0, 5, -1), (0, np.nan, 1), (0, np.inf, 1), (0, 0, 0)]:
            suite.op("range", [NUMPY[dtype].type(v) for v in bounds], "WEIR0450", result=f"tensor<?x{dtype}>")


def shapes(suite, rng):
    for dtype, index in [(dtype, np.int64) for dtype in ALL] + [("f32", np.int32)]:
        x = numbers(rng, dtype, (2, 3, 4))
        for shape in [(24,), (4, 6), (1, 24, 1), (-1, 6), (2, -1, 2)]:
            y = x.reshape(shape)
            suite.op("dynamic_reshape", [x, vector(shape, index)], y, dynamic=[(0, 1, 2), ()], result=closed(y))
        y = numbers(rng, dtype, (2, 1, 4))
        z = np.broadcast_to(y, (5, 2, 3, 4))
        suite.op("dynamic_broadcast", [y, vector(z.shape, index)], z, dynamic=[(0, 2), ()], result=closed(z))
    one, empty = np.float32(3), np.zeros((0, 3), np.float32)
    suite.op("dynamic_reshape", [one, vector([1, 1])], np.full((1, 1), 3, np.float32), result="tensor<?x?xf32>")
    suite.op("dynamic_reshape", [np.full((1, 1), 3, np.float32), vector([])], one, dynamic=[(0,), ()])
    suite.op("dynamic_reshape", [empty, vector([3, 0])], empty.reshape(3, 0), dynamic=[(0,), ()], result="tensor<?x?xf32>")
    suite.op("dynamic_broadcast", [one, vector([2, 3])], np.full((2, 3), 3, np.float32), result="tensor<?x?xf32>")
    suite.op("dynamic_broadcast", [one, vector([0, 3])], empty, result="tensor<?x?xf32>")
    suite.op("dynamic_broadcast", [one, vector([])], one)
    x = np.zeros((4, 3), np.float32)
    for shape, code in [((5, -1), "WEIR0332"), ((2, 5), "WEIR0332"), ((-1, -1), "WEIR0451"), ((-2, 6), "WEIR0451"),
                        ((0, -1), "WEIR0332"), ((2**32, 2**32), "WEIR0451")]:
        suite.op("dynamic_reshape", [x, vector(shape)], code, dynamic=[(0,), ()], result="tensor<?x?xf32>")
    suite.op("dynamic_reshape", [empty, vector([2**32, 2**32])], "WEIR0451", dynamic=[(0,), ()], result="tensor<?x?xf32>")
    suite.op("dynamic_reshape", [x, vector([6, 2])], "WEIR0331", result="tensor<4x?xf32>")
    for shape, code in [((4, 4), "WEIR0331"), ((5, 3), "WEIR0331"), ((4, -1), "WEIR0451")]:
        suite.op("dynamic_broadcast", [x, vector(shape)], code, dynamic=[(0,), ()], result="tensor<?x?xf32>")


def boxes(suite, rng):
    for dtype, index in [(dtype, np.int64) for dtype in ALL] + [("f32", np.int32)]:
        x = numbers(rng, dtype, (5, 4))
        for begin, size, strides in [((1, 0), (3, 4), (1, 1)), ((0, 1), (3, 1), (2, 3)), ((2, 3), (-1, -1), (1, 1)), ((5, 4), (0, 0), (1, 1)),
                                     ((1, 0), (-1, -1), (3, 2)), ((4, 0), (1, 2), (100, 3))]:
            y = x[begin[0] :: strides[0], begin[1] :: strides[1]]
            y = y[tuple(slice(None if n < 0 else n) for n in size)]
            attribute = f"strides = {array(strides)}"
            suite.op("dynamic_slice", [x, vector(begin, index), vector(size, index)], y, attribute, dynamic=[(0, 1), (), ()],
                     result=closed(y))
            update, z = numbers(rng, dtype, y.shape), x.copy()
            z[begin[0] :: strides[0], begin[1] :: strides[1]][tuple(slice(None if n < 0 else n) for n in size)] = update
            suite.op("dynamic_update_slice", [x, update, vector(begin, index)], z, attribute, dynamic=[(0, 1), (0, 1), ()], result=closed(z))
    x, ones = np.zeros((5, 4), np.float32), "strides = array<i64: 1, 1>"
    for begin, size in [((6, 0), (0, 1)), ((-1, 0), (1, 1)), ((0, 0), (6, 1)), ((3, 0), (3, 1)), ((0, 0), (-2, 1)), ((0, 2), (1, 2**62))]:
        suite.op("dynamic_slice", [x, vector(begin), vector(size)], "WEIR0331", ones, dynamic=[(0,), (), ()], result="tensor<?x?xf32>")
    for begin in [(4, 0), (-1, 0), (0, 3)]:
        suite.op("dynamic_update_slice", [x, x[:2, :2], vector(begin)], "WEIR0331", ones, result="tensor<5x4xf32>")


def places(suite, rng):
    for dtype in ALL:
        x = numbers(rng, dtype, (3, 4, 5))
        for depth, shape, index in itertools.product(range(4), [(), (6,), (2, 3), (0,)], [np.int32, np.int64]):
            if (index == np.int64 or dtype != "f32") and (depth, shape) != (2, (2, 3)):
                continue
            at = np.stack([rng.integers(0, 3 + d, shape) for d in range(depth)] or [np.zeros((*shape, 0))], -1)
            at = at.reshape(*shape, depth).astype(index)
            y = np.empty((*shape, *x.shape[depth:]), x.dtype)
            for place in np.ndindex(shape):
                y[place] = x[tuple(at[place])]
            suite.op("gather_nd", [x, at], y)
            for kind in SCATTERS if (depth, shape) == (2, (2, 3)) and dtype != "i1" else ["assign"]:
                updates, z = numbers(rng, dtype, y.shape), x.copy()
                for place in np.ndindex(shape):
                    where = tuple(at[place])
                    z[where] = SCATTERS[kind](np.atleast_1d(z[where]), np.atleast_1d(updates[place])).reshape(y.shape[len(shape):])
                suite.op("scatter_nd", [x, at, updates], z, f"kind = #weir.scatter_kind<{kind}>", dynamic=[(0, 1), range(len(shape)), range(updates.ndim)],
                         result=tensor(z, (0, 1)))
    x, add = np.zeros((3, 4), np.float32), "kind = #weir.scatter_kind<add>"
    for bad in [[[3, 0]], [[0, 4]], [[-1, 0]]]:
        suite.op("gather_nd", [x, vector(bad)], "WEIR0330", result="tensor<1xf32>")
        suite.op("scatter_nd", [x, vector(bad), x[0, :1]], "WEIR0330", add, result="tensor<3x4xf32>")
    suite.op("scatter_nd", [x, vector([[0], [1]]), x], "WEIR0331", add, dynamic=[(), (), (0,)], result="tensor<3x4xf32>")


def cumulative(suite, rng):
    for dtype in NUMBERS:
        # Products of whole numbers, so that every order gives the same.
        x = numbers(rng, dtype, (3, 4, 2)) if dtype not in FLOATS else rng.integers(-3, 4, (3, 4, 2)).astype(NUMPY[dtype])
        wide = x.astype(np.float64) if dtype in FLOATS else x
        for axis, exclusive, reverse in itertools.product(range(3) if dtype == "f32" else [1], [False, True], [False, True]):
            attributes = ", ".join([f"axis = {axis} : i64"] + ["exclusive"] * exclusive + ["reverse"] * reverse)
            for op, function, identity in [("cumulative_sum", np.cumsum, 0), ("cumulative_prod", np.cumprod, 1)]:
                y = np.flip(wide, axis) if reverse else wide
                y = function(y, axis, dtype=wide.dtype)
                if exclusive:
                    y = np.concatenate([np.full_like(y.take([0], axis), identity), y.take(range(y.shape[axis] - 1), axis)], axis)
                y = (np.flip(y, axis) if reverse else y).astype(x.dtype)
                suite.op(op, [x], y, attributes, dynamic=[(axis,)], result=tensor(y, (axis,)))
    suite.op("cumulative_sum", [np.zeros((0, 3), np.float32)], np.zeros((0, 3), np.float32), "axis = 0 : i64", dynamic=[(0,)], result="tensor<?x3xf32>")
    suite.op("cumulative_prod", [np.zeros((2, 0), np.float32)], np.zeros((2, 0), np.float32), "axis = 0 : i64")
    suite.op("cumulative_sum", [np.float32([1, np.nan, 2])], np.float32([1, np.nan, np.nan]), "axis = 0 : i64")


def node(suite, op, feeds, expected, attributes="", dynamic=None, results=None):
    """A case of a node that the runtime carries out."""
    feeds = [np.asarray(feed) for feed in feeds]
    given = dynamic or [()] * len(feeds)
    if results is None:
        results = [closed(y) for y in expected]
    names = ", ".join([f"%y{i}" for i in range(len(results))] + ["%c"])
    operands = ", ".join(f"%x{i}" for i in range(len(feeds)))
    types = ", ".join(tensor(x, d) for x, d in zip(feeds, given))
    body = f"{names} = weir.{op} {operands}{attributes} : ({types}) -> ({', '.join(results + ['!weir.control'])})"
    suite.graph(f"{op} ({types})", body, feeds, expected, dynamic=dynamic, results=results)


def elements(suite, rng):
    for dtype in NUMBERS:
        x = numbers(rng, dtype, (3, 6))
        x[1, 1:4] = x[1, 0]
        for k in [0, 1, 4, 6]:
            order = np.argsort(-x.astype(np.float64) if dtype in FLOATS else -x.astype(object), 1, kind="stable")[:, :k]
            node(suite, "top_k", [x, np.int32(k)], [np.take_along_axis(x, order, 1), order.astype(np.int32)])
    x = np.float32([[np.nan, 1, np.inf, -np.inf, np.nan, 0, -0.0]])
    node(suite, "top_k", [x, np.int32(7)], [x[:, [2, 1, 5, 6, 3, 0, 4]], np.int32([[2, 1, 5, 6, 3, 0, 4]])])
    for k in [-1, 4]:
        node(suite, "top_k", [np.zeros((2, 3), np.float32), np.int32(k)], "WEIR0452", results=["tensor<?x?xf32>", "tensor<?x?xi32>"])
    for dtype in ALL:
        x = numbers(rng, dtype, (5, 2))
        parts = np.int32([1, 0, 2, 1, 1])
        node(suite, "dynamic_partition", [x, parts], [x[parts == p] for p in range(4)], dynamic=[(0,), (0,)])
        node(suite, "dynamic_partition", [x, np.int32([[0, 1]] * 5)], [x[:, 0], x[:, 1]])
        few = x.ravel()[rng.integers(0, 4, 9)] if dtype != "i1" else x.ravel()
        values, first, where, counts = np.unique(few, return_index=True, return_inverse=True, return_counts=True)
        order = np.argsort(first)
        rank = np.argsort(order)
        node(suite, "unique", [few], [values[order], rank[where].astype(np.int32), counts[order].astype(np.int64)])
        left = ~np.isin(few, few[:2])
        node(suite, "list_difference", [few, few[:2]], [few[left], np.flatnonzero(left).astype(np.int32)])
        node(suite, "nonzero", [x], [np.argwhere(x)])
    node(suite, "unique", [np.float32([0.0, -0.0])], [np.float32([0.0]), np.int32([0, 0]), np.int64([2])])
    node(suite, "unique", [np.float32([])], [np.float32([]), np.int32([]), np.int64([])])
    node(suite, "unique", [np.zeros((2, 2), np.float32)], "WEIR0454", results=["tensor<*xf32>", "tensor<*xi32>", "tensor<*xi32>"])
    node(suite, "nonzero", [np.float32([-0.0, np.nan, 0])], [np.int64([[1]])])
    node(suite, "nonzero", [np.float32(2)], [np.zeros((1, 0), np.int64)])
    x = np.zeros((3, 2), np.float32)
    for parts, code in [(np.int32([0, 2, 1]), "WEIR0453"), (np.int32([0, -1, 1]), "WEIR0453"), (np.int32([0, 1]), "WEIR0453")]:
        node(suite, "dynamic_partition", [x, parts], code, results=["tensor<?x2xf32>", "tensor<?x2xf32>"])


def suites():
    made = []
    for part in (ranges, shapes, boxes, places, cumulative, elements):
        suite = harness.Suite(f"computed-{part.__name__}", sums=part is cumulative)
        part(suite, np.random.default_rng(11))
        made.append(suite)
    return made


if __name__ == "__main__":
    np.seterr(all="ignore")
    sys.exit(harness.main(suites()))

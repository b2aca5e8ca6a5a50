# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Element-wise ops of every element type, shape and special value."""

import sys

import numpy as np
import scipy.special

import harness
from harness import FLOATS, INTEGERS, NUMBERS, NUMPY, SIGNED, UNIT

SHAPES = [(), (1,), (7,), (0,), (3, 5), (2, 0, 3), (2, 3, 4)]
# Each pair broadcasts.
PAIRS = [((), ()), ((5,), (5,)), ((3, 5), (5,)), ((3, 1), (1, 5)), ((), (2, 3)), ((0, 3), (1, 3)), ((1,), (0,)), ((2, 1, 4), (3, 1))]
SPECIAL = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 0.5, -2.5, 1e-3, 3.5, 100.0]


def numbers(rng, dtype, shape, low=-4.0, high=4.0):
    dtype = NUMPY[dtype]
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        return rng.integers(info.min, info.max, shape, dtype, endpoint=True)
    if dtype.kind == "b":
        return rng.integers(0, 2, shape).astype(bool)
    return rng.uniform(low, high, shape).astype(dtype)


def exact(function, *arrays):
    """Computes in the type of the arrays, every operation rounded once."""
    dtype = arrays[0].dtype
    wide = np.float32 if dtype.itemsize == 2 and dtype.kind not in "iu" else dtype
    return np.asarray(function(*[a.astype(wide) for a in arrays])).astype(dtype)


def best(function, x):
    """Computes in float64 and rounds."""
    return np.asarray(function(x.astype(np.float64))).astype(x.dtype)


def total(function):
    """np.maximum and np.minimum, with 0 above -0."""
    def ordered(a, b):
        tie = np.signbit(a) if function is np.maximum else ~np.signbit(a)
        return np.where(a == b, np.where(tie, b, a), function(a, b))
    return ordered


def sign(x):
    return np.where(x > 0, np.ones_like(x), np.where(x < 0, np.zeros_like(x) - np.ones_like(x), x))


def wrapping_abs(x):
    return np.where(x < 0, np.zeros_like(x) - x, x) if x.dtype.kind == "i" else np.abs(x)


EXACT_UNARY = {
    "neg": (lambda x: np.zeros_like(x) - x if x.dtype.kind == "i" else -x, FLOATS + SIGNED),
    "abs": (wrapping_abs, FLOATS + SIGNED),
    "sign": (sign, FLOATS + SIGNED),
    "relu": (lambda x: np.maximum(x, np.zeros_like(x)), FLOATS + SIGNED),
    "square": (lambda x: x * x, NUMBERS),
    "reciprocal": (lambda x: 1 / x, FLOATS),
    "sqrt": (np.sqrt, FLOATS),
    "floor": (np.floor, FLOATS),
    "ceil": (np.ceil, FLOATS),
    "round": (np.rint, FLOATS),
}
# Bounds in roundings of the element type: the error of one or two C functions.
NEAR_UNARY = {
    "exp": (np.exp, 2),
    "expm1": (np.expm1, 3),
    "log": (np.log, 2),
    "log1p": (np.log1p, 3),
    "rsqrt": (lambda x: 1 / np.sqrt(x), 4),
    "sin": (np.sin, 2),
    "cos": (np.cos, 2),
    "tanh": (np.tanh, 4),
    "erf": (scipy.special.erf, 4),
    "sigmoid": (lambda x: 1 / (1 + np.exp(-x)), 6),
}
EXACT_BINARY = {
    "add": (np.add, NUMBERS),
    "sub": (np.subtract, NUMBERS),
    "mul": (np.multiply, NUMBERS),
    "div": (np.divide, FLOATS),
    "maximum": (total(np.maximum), NUMBERS),
    "minimum": (total(np.minimum), NUMBERS),
    "logical_and": (np.logical_and, ["i1"]),
    "logical_or": (np.logical_or, ["i1"]),
    "logical_xor": (np.logical_xor, ["i1"]),
}
COMPARE = {
    "eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal,
}


def open_axes(*arrays):
    """All axes that are not repeated, as only an extent of 1 known at compile time is."""
    return [tuple(i for i, n in enumerate(a.shape) if n != 1) for a in arrays]


def unary(suite, rng):
    for op, (function, dtypes) in EXACT_UNARY.items():
        for dtype in dtypes:
            for shape in SHAPES:
                x = numbers(rng, dtype, shape)
                suite.op(op, [x], exact(function, x))
            if dtype in FLOATS:
                x = np.array(SPECIAL, NUMPY[dtype])
                suite.op(op, [x], exact(function, x), dynamic=[(0,)], result=f"tensor<?x{dtype}>")
            else:
                info = np.iinfo(NUMPY[dtype])
                x = np.array([info.min, info.max, 0, 1], NUMPY[dtype])
                suite.op(op, [x], exact(function, x))
    for op, (function, roundings) in NEAR_UNARY.items():
        for dtype in FLOATS:
            bound = {"rtol": roundings * UNIT[dtype], "atol": float(np.finfo(np.float32).tiny)}
            if dtype == "f16":
                bound["atol"] = 2.0**-24
            for shape in SHAPES:
                x = numbers(rng, dtype, shape, 0.01 if op in ("log", "rsqrt") else -0.9 if op == "log1p" else -4.0)
                suite.op(op, [x], best(function, x), **bound)
            x = np.array([v for v in SPECIAL if np.isfinite(v) or op not in ("sin", "cos")], NUMPY[dtype])
            suite.op(op, [x], best(function, x), **bound)
    for dtype in FLOATS:
        x = np.array(SPECIAL, NUMPY[dtype])
        suite.op("is_finite", [x], np.isfinite(x.astype(np.float64)))
    for shape in SHAPES:
        x = numbers(rng, "i1", shape)
        suite.op("logical_not", [x], ~x)


def binary(suite, rng):
    for op, (function, dtypes) in EXACT_BINARY.items():
        for dtype in dtypes:
            for a, b in PAIRS:
                x, y = numbers(rng, dtype, a), numbers(rng, dtype, b)
                z = exact(function, x, y)
                suite.op(op, [x, y], z)
                suite.op(op, [x, y], z, dynamic=open_axes(x, y), result=harness.tensor(z, range(z.ndim)))
            if dtype in FLOATS:
                x, y = (m.ravel() for m in np.meshgrid(*[np.array(SPECIAL, NUMPY[dtype])] * 2))
                suite.op(op, [x, y], exact(function, x, y))
    for dtype in FLOATS:
        for a, b in PAIRS:
            x, y = numbers(rng, dtype, a, 0.1), numbers(rng, dtype, b)
            z = np.power(x.astype(np.float64), y.astype(np.float64)).astype(NUMPY[dtype])
            suite.op("pow", [x, y], z, rtol=4 * UNIT[dtype], atol=2.0**-24 if dtype == "f16" else 0.0)
        x, y = (m.ravel() for m in np.meshgrid(*[np.array(SPECIAL, NUMPY[dtype])] * 2))
        z = np.power(x.astype(np.float64), y.astype(np.float64)).astype(NUMPY[dtype])
        suite.op("pow", [x, y], z, rtol=4 * UNIT[dtype])


def compare(suite, rng):
    for predicate, function in COMPARE.items():
        attribute = f"predicate = #weir.compare<{predicate}>"
        for dtype in NUMBERS + ["i1"]:
            for a, b in PAIRS:
                x, y = numbers(rng, dtype, a), numbers(rng, dtype, b)
                suite.op("compare", [x, y], function(x, y), attribute)
            if dtype in FLOATS:
                x, y = (m.ravel() for m in np.meshgrid(*[np.array(SPECIAL, NUMPY[dtype])] * 2))
                suite.op("compare", [x, y], function(x, y), attribute)
    for dtype in NUMBERS + ["i1"]:
        for c, (a, b) in zip([(), (5,), (3, 1), (1, 5), (2, 3), (1, 1), (0,), (1,)], PAIRS):
            condition, x, y = numbers(rng, "i1", c), numbers(rng, dtype, a), numbers(rng, dtype, b)
            suite.op("select", [condition, x, y], np.where(condition, x, y))


def truncated(x, to, minimum):
    """A float as an integer, by the rules of weir.cast."""
    info, results = np.iinfo(NUMPY[to]), []
    for value in x.astype(np.float64).ravel():
        if np.isnan(value):
            results.append(info.min if minimum else 0)
        elif np.isinf(value) or not info.min <= int(value) <= info.max:
            results.append(info.min if minimum or value < 0 else info.max)
        else:
            results.append(int(value))
    return np.array(results, NUMPY[to]).reshape(x.shape)


def cast(suite, rng):
    edges = [0.0, -0.0, 0.99, -0.99, 1.5, -1.5, 127.5, 128.0, -128.9, -129.0, 255.9, 256.0, 65535.9, 65536.0, 2.0**31, -(2.0**31),
             2.0**32, 2.0**63, -(2.0**63), 2.0**64, 1e30, -1e30, np.inf, -np.inf, np.nan]
    for source in NUMBERS + ["i1"]:
        for to in NUMBERS + ["i1"]:
            x = numbers(rng, source, (4, 6))
            if source in FLOATS:
                x = np.concatenate([x.ravel(), np.array(edges).astype(NUMPY[source])])
            for rule in ("saturate", "minimum"):
                attributes = f"to = {to}, out_of_range = #weir.out_of_range<{rule}>"
                if source in FLOATS and to in INTEGERS:
                    y = truncated(x, to, rule == "minimum")
                elif to == "i1":
                    y = x.astype(np.float64) != 0 if source in FLOATS else x != 0
                elif to == "bf16" and source not in FLOATS:
                    # ml_dtypes rounds integers twice, by way of float32.
                    x = x if source == "i1" else x % NUMPY[source].type(100)
                    y = x.astype(NUMPY[to])
                else:
                    y = x.astype(NUMPY[to])
                suite.op("cast", [x], y, attributes)


def errors(suite):
    two, three = np.zeros(2, np.float32), np.zeros(3, np.float32)
    # An extent known at run time only has to be equal, even where it is 1.
    suite.op("add", [two, three], "WEIR0331", dynamic=[(0,), (0,)], result="tensor<?xf32>")
    suite.op("add", [np.zeros(1, np.float32), three], "WEIR0331", dynamic=[(0,), (0,)], result="tensor<?xf32>")
    suite.op("mul", [two, three], "WEIR0331", dynamic=[(0,), ()], result="tensor<3xf32>")


def suites():
    made = []
    for part in (unary, binary, compare, cast):
        suite = harness.Suite(part.__name__)
        part(suite, np.random.default_rng(7))
        made.append(suite)
    errors(made[1])
    return made


if __name__ == "__main__":
    np.seterr(all="ignore")
    sys.exit(harness.main(suites()))

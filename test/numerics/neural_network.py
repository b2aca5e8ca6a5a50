# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolution, pooling, softmax, losses and random numbers against JAX and
plain formulas."""

import itertools
import sys

import jax
import numpy as np

import harness
from elementwise import numbers
from gradients import WINDOWS, attributes_of, convolution, windowed
from harness import FLOATS, NUMPY, UNIT, tensor


def convolutions(suite, rng):
    cases = itertools.product(WINDOWS, [(1, 1), (2, 3)], [(1, 1), (2, 1)], [(2, 7, 6, 3), (0, 5, 5, 3)])
    for (padding, pads), strides, dilations, shape in cases:
        attributes = attributes_of(strides, padding, pads, dilations=dilations)
        for dtype in FLOATS:
            x, k = numbers(rng, dtype, shape), numbers(rng, dtype, (3, 2, 3, 4))
            wide = [a.astype(np.float64) for a in (x, k)]
            if shape[0] == 0:
                y = np.zeros((0, *np.shape(convolution(padding, pads, strides, dilations)(np.zeros((1, 5, 5, 3)), wide[1]))[1:]))
            else:
                y = np.asarray(convolution(padding, pads, strides, dilations)(*wide))
            bound = {"rtol": 2 * UNIT[dtype], "atol": 1e-12}
            suite.op("conv2d", [x, k], y.astype(x.dtype), attributes, **bound)
            suite.op("conv2d", [x, k], y.astype(x.dtype), attributes, dynamic=[(0,), ()], result=tensor(y.astype(x.dtype), (0,)), **bound)


def pools(suite, rng):
    for (padding, pads), (window, strides) in itertools.product(WINDOWS, [((2, 2), (2, 2)), ((3, 2), (1, 2)), ((2, 2), (3, 3))]):
        attributes = attributes_of(strides, padding, pads, window=window)
        for dtype, kind in itertools.product(FLOATS, ["max", "avg"]):
            x = numbers(rng, dtype, (2, 5, 6, 3))
            y = np.asarray(windowed(window, strides, padding, pads, kind)(x.astype(np.float64))).astype(x.dtype)
            bound = {"rtol": 2 * UNIT[dtype], "atol": 1e-12}
            suite.op(f"{kind}_pool", [x], y, attributes, **bound)
            suite.op(f"{kind}_pool", [x], y, attributes, dynamic=[(0,)], result=tensor(y, (0,)), **bound)


def losses(suite, rng):
    for dtype, shape in itertools.product(FLOATS, [(4, 10), (1, 1), (7,), (2, 3, 5), (0, 3), (3, 0)]):
        x = numbers(rng, dtype, shape)
        bound = {"rtol": 4 * UNIT[dtype], "atol": 2.0**-24 if dtype == "f16" else 1e-12}
        for op, reference in [("softmax", jax.nn.softmax), ("log_softmax", jax.nn.log_softmax)]:
            y = np.asarray(reference(x.astype(np.float64))) if x.size else x
            suite.op(op, [x], y.astype(x.dtype), **bound)
        if len(shape) == 2 and x.size:
            labels = rng.integers(0, shape[1], shape[0]).astype(np.int32)
            y = -np.asarray(jax.nn.log_softmax(x.astype(np.float64)))[np.arange(shape[0]), labels]
            suite.op("sparse_softmax_cross_entropy", [x, labels], y.astype(x.dtype), **bound)
    for dtype in FLOATS:
        # Far beyond what e to the x holds, and what makes NaN.
        x = np.array([[1e4, 0, -1e4], [-np.inf, 0, 1], [np.nan, 0, 1], [np.inf, 0, 1]], NUMPY[dtype])
        y = np.array([[1, 0, 0], [0, 1 / (1 + np.e), np.e / (1 + np.e)], [np.nan] * 3, [np.nan] * 3], NUMPY[dtype])
        suite.op("softmax", [x], y, rtol=4 * UNIT[dtype])
    x = np.zeros((2, 3), np.float32)
    suite.op("sparse_softmax_cross_entropy", [x, np.array([0, 3], np.int32)], "WEIR0330", result="tensor<2xf32>")
    suite.op("sparse_softmax_cross_entropy", [x, np.array([0, -1], np.int64)], "WEIR0330", result="tensor<2xf32>")
    suite.op("sparse_softmax_cross_entropy", [x, np.array([0], np.int32)], "WEIR0331", dynamic=[(0,), (0,)], result="tensor<?xf32>")


def philox(counter, key):
    """Philox 4x32-10 on arrays of uint64 that hold 32 bits."""
    c, k, low = list(counter), list(key), np.uint64(0xFFFFFFFF)
    for _ in range(10):
        a, b = np.uint64(0xD2511F53) * c[0], np.uint64(0xCD9E8D57) * c[2]
        c = [(b >> np.uint64(32)) ^ c[1] ^ k[0], b & low, (a >> np.uint64(32)) ^ c[3] ^ k[1], a & low]
        k = [(k[0] + np.uint64(0x9E3779B9)) & low, (k[1] + np.uint64(0xBB67AE85)) & low]
    return c


def words(seed, count):
    low = np.uint64(0xFFFFFFFF)
    parts = [np.uint64(int(s) & (2**64 - 1)) for s in seed]
    groups = np.arange((count + 3) // 4, dtype=np.uint64)
    ones = np.ones_like(groups)
    counter = [groups & low, groups >> np.uint64(32), ones * (parts[1] & low), ones * (parts[1] >> np.uint64(32))]
    return np.stack(philox(counter, [parts[0] & low, parts[0] >> np.uint64(32)]), -1).ravel()[:count]


def randoms(suite, rng):
    # The known answers of the paper's authors pin the generator itself.
    zero = philox([np.uint64(0)] * 4, [np.uint64(0)] * 2)
    assert [int(w) for w in zero] == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]
    for seed, shape in itertools.product([(0, 0), (1, 2), (-1, 2**40 + 5)], [(), (1,), (7,), (3, 5), (0,), (64, 3)]):
        count = int(np.prod(shape))
        feed = np.array(seed, np.int64)
        w = words(seed, count + 4)
        single = (w >> np.uint64(8)).astype(np.float32) * np.float32(2.0**-24)
        suite.op("random_uniform", [feed], single[:count].reshape(shape), f"type = {tensor(np.zeros(shape, np.float32))}")
        w = words(seed, 2 * count + 4)
        bits = ((w[0::2] << np.uint64(32)) | w[1::2]) >> np.uint64(11)
        double = bits.astype(np.float64) * 2.0**-53
        suite.op("random_uniform", [feed], double[:count].reshape(shape), f"type = {tensor(np.zeros(shape))}")
        u, v = double[0::2][: count // 2 + 1] + 2.0**-53, double[1::2][: count // 2 + 1]
        pairs = np.sqrt(-2 * np.log(u[: len(v)])) * np.stack([np.cos(2 * np.pi * v), np.sin(2 * np.pi * v)])
        suite.op("random_normal", [feed], pairs.T.ravel()[:count].reshape(shape), f"type = {tensor(np.zeros(shape))}", rtol=1e-14, atol=1e-14)
        u, v = single[0::2].astype(np.float64) + 2.0**-24, single[1::2].astype(np.float64)
        pairs = np.sqrt(-2 * np.log(u[: len(v)])) * np.stack([np.cos(2 * np.pi * v), np.sin(2 * np.pi * v)])
        suite.op("random_normal", [feed], pairs.T.ravel()[:count].reshape(shape).astype(np.float32),
                 f"type = {tensor(np.zeros(shape, np.float32))}", rtol=4 * UNIT["f32"], atol=1e-6)


def suites():
    made = []
    for part in (convolutions, pools, losses, randoms):
        suite = harness.Suite(part.__name__, sums=part is not randoms)
        part(suite, np.random.default_rng(3))
        made.append(suite)
    return made


if __name__ == "__main__":
    np.seterr(all="ignore")
    sys.exit(harness.main(suites()))

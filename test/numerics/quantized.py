# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arithmetic on int8, bit for bit: docs/spec/quantization.md in plain NumPy.

The formulas here are compared with ONNX Runtime while the cases are made. It
requantizes in f32, rounding to even, so that a result may differ by one.
"""

import itertools
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import helper

import harness
from gradients import WINDOWS, attributes_of
from harness import tensor
from structure import array

I32 = np.iinfo(np.int32)
# Multiplier and shift of each column, and what they are good for.
SCALINGS = [
    ([1518500250], [38]),
    ([0], [1]),
    ([I32.max], [1]),
    ([I32.max], [62]),
    ([1], [1]),
    ([1 << 30], [30]),
    ([I32.max, 1 << 30, 0, 1, 1518500250], [31, 40, 62, 1, 35]),
    ([I32.max], [33]),
    ([I32.max], [54]),
    ([I32.max, 1 << 30, 0, 1, 1518500250], [33, 40, 54, 33, 35]),
]


def rounded(x, scales, zeros, axis):
    """quantize, rules Q1 and Q2."""
    shape = [-1 if i == axis else 1 for i in range(x.ndim)] if axis >= 0 else [1] * x.ndim
    scales = np.array(scales, np.float32).reshape(shape)
    zeros = np.array(zeros, np.float32).reshape(shape)
    q = np.round((x / scales).astype(np.float32)) + zeros
    return np.where(np.isnan(x), zeros, np.clip(q, -128, 127)).astype(np.int8)


def real(q, scales, zeros, axis):
    """dequantize, rule Q3."""
    shape = [-1 if i == axis else 1 for i in range(q.ndim)] if axis >= 0 else [1] * q.ndim
    return (q.astype(np.int32) - np.array(zeros, np.int32).reshape(shape)).astype(np.float32) * np.array(
        scales, np.float32
    ).reshape(shape)


def requantized(sums, multipliers, shifts, zero, low=-128, high=127):
    """rules Q4 to Q6: sums wrap around to i32, then become int8."""
    sums = sums.astype(np.uint64).astype(np.uint32).astype(np.int32).astype(np.int64)
    shifts = np.array(shifts, np.int64)
    t = (sums * np.array(multipliers, np.int64) + (np.int64(1) << (shifts - 1))) >> shifts
    return np.clip(t + zero, low, high).astype(np.int8)


def geometry(extent, window, stride, dilation, padding, pads):
    """How much is padded before, and the extent of the result."""
    reach = (window - 1) * dilation + 1
    if padding == "SAME":
        result = -(-extent // stride)
        return max((result - 1) * stride + reach - extent, 0) // 2, result
    low, high = pads
    return low, (extent + low + high - reach) // stride + 1


def taps(x, window, strides, dilations, padding, pads, outside):
    """For each place of the window, the part of the image that it meets."""
    top, bottom, left, right = pads or (0, 0, 0, 0)
    sides = [(top, bottom), (left, right)]
    lows, extents = zip(*(geometry(x.shape[1 + d], window[d], strides[d], dilations[d], padding, sides[d]) for d in (0, 1)))
    room = [window[d] * dilations[d] + extents[d] * strides[d] + x.shape[1 + d] for d in (0, 1)]
    wide = np.full((x.shape[0], *room, x.shape[3]), outside, np.int64)
    wide[:, lows[0] : lows[0] + x.shape[1], lows[1] : lows[1] + x.shape[2]] = x
    for i, j in itertools.product(range(window[0]), range(window[1])):
        rows, columns = (slice(a * dilations[d], a * dilations[d] + (extents[d] - 1) * strides[d] + 1, strides[d])
                         for d, a in ((0, i), (1, j)))
        yield i, j, wide[:, rows, columns]


def convolved(x, w, bias, zero, *geometry_of):
    parts = [part @ w[i, j].astype(np.int64) for i, j, part in taps(x.astype(np.int64) - zero, w.shape[:2], *geometry_of, 0)]
    return sum(parts) + bias.astype(np.int64)


def int8(rng, *shape):
    """All numbers, the extreme ones often."""
    x = rng.integers(-128, 127, shape, np.int8, endpoint=True)
    x[rng.random(shape) < 0.2] = -128
    x[rng.random(shape) < 0.2] = 127
    return x


def biases(rng, columns):
    bias = rng.integers(-20000, 20000, columns).astype(np.int32)
    bias[:2] = I32.max, I32.min
    return bias


def numbers(kind, values):
    return f"array<{kind}: {', '.join(str(v) for v in values)}>"


def requantize_attributes(input_zero, multipliers, shifts, output_zero, low=-128, high=127):
    return (
        f"input_zero = {input_zero} : i32, multipliers = {numbers('i32', multipliers)}, shifts = {numbers('i32', shifts)}, "
        f"output_zero = {output_zero} : i32, min = {low} : i32, max = {high} : i32"
    )


def constant(name, value):
    return f'%{name} = weir.constant dense<"0x{value.tobytes().hex().upper()}"> : {tensor(value)}'


def onnx_run(node, operands):
    """What ONNX Runtime makes of one node; `operands` by name."""
    kinds = {np.dtype(np.int8): onnx.TensorProto.INT8, np.dtype(np.int32): onnx.TensorProto.INT32,
             np.dtype(np.float32): onnx.TensorProto.FLOAT}
    inputs = [helper.make_tensor_value_info(name, kinds[value.dtype], value.shape) for name, value in operands.items()]
    result = helper.make_tensor_value_info("y", onnx.TensorProto.INT8, None)
    graph = helper.make_graph([node], "g", inputs, [result])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, operands)[0]


def near(ours, theirs, equal):
    """At most one apart, and the share `equal` of them not even that."""
    apart = np.abs(ours.astype(int) - theirs)
    assert apart.max(initial=0) <= 1, apart.max()
    assert np.mean(apart == 0) >= equal, np.mean(apart == 0)


def scaled(scales):
    """Multipliers and shifts of scales below 1."""
    mantissas, exponents = np.frexp(np.asarray(scales, np.float64))
    return [int(m) for m in np.round(mantissas * 2**31)], [int(31 - e) for e in exponents]


def quantizations(suite, rng):
    halves = np.arange(-140, 140, dtype=np.float32) * np.float32(0.5)
    special = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 3e38, -3e38, 1e-45, 2.0**24 + 1, np.finfo(np.float32).tiny], np.float32)
    feeds = [halves, special, rng.normal(0, 20, 1000).astype(np.float32), np.zeros(0, np.float32), np.float32(-1.5)]
    storages = [(1.0, 0), (0.5, 3), (0.1, -128), (0.3, 127), (1e-38, 5), (3e38, -7), (1e-45, 1)]
    with np.errstate(all="ignore"):
        for x, (scale, zero) in itertools.product(feeds, storages):
            x = np.asarray(x)
            attributes = f"scales = array<f32: {np.float32(scale):.9e}>, zero_points = {numbers('i32', [zero])}"
            y = rounded(x, [scale], [zero], -1)
            if x.size and scale > 1e-37:
                theirs = onnx_run(helper.make_node("QuantizeLinear", ["x", "s", "z"], ["y"]),
                                  {"x": x, "s": np.array(scale, np.float32), "z": np.array(zero, np.int8)})
                assert np.array_equal(y[~np.isnan(x)], theirs[~np.isnan(x)])
            suite.op("quantize", [x], y, attributes)
            if x.ndim:
                suite.op("quantize", [x], y, attributes, dynamic=[(0,)], result="tensor<?xi8>")
        for axis, shape in [(0, (3, 5)), (1, (4, 3)), (1, (2, 3, 4)), (3, (2, 4, 4, 3))]:
            x = rng.normal(0, 30, shape).astype(np.float32)
            scales, zeros = np.array([0.25, 0.3, 7.0], np.float32), [-128, 0, 127]
            attributes = f"scales = {numbers('f32', scales)}, zero_points = {numbers('i32', zeros)}, axis = {axis} : i64"
            suite.op("quantize", [x], rounded(x, scales, zeros, axis), attributes)
            q = int8(rng, *shape)
            suite.op("dequantize", [q], real(q, scales, zeros, axis), attributes)
    q = np.arange(-128, 128, dtype=np.int8)
    for scale, zero in storages:
        attributes = f"scales = array<f32: {np.float32(scale):.9e}>, zero_points = {numbers('i32', [zero])}"
        with np.errstate(all="ignore"):
            y = real(q, [scale], [zero], -1)
        suite.op("dequantize", [q], y, attributes)
        suite.op("dequantize", [q], y, attributes, dynamic=[(0,)], result="tensor<?xf32>")


def products(suite, rng):
    bounds_in_turn = itertools.cycle([(-128, 127), (-5, 100), (-128, 127), (7, 7), (-128, 0)])
    for ((multipliers, shifts), zero), bounds in zip(itertools.product(SCALINGS, [0, -128, 127, 3]), bounds_in_turn):
        rows, depth, columns = rng.integers(1, 20), rng.integers(1, 80), 5
        x, w, bias = int8(rng, rows, depth), int8(rng, depth, columns), biases(rng, columns)
        output_zero = int(rng.integers(-128, 128))
        attributes = requantize_attributes(zero, multipliers, shifts, output_zero, *bounds)
        sums = (x.astype(np.int64) - zero) @ w.astype(np.int64) + bias
        y = requantized(sums, multipliers, shifts, output_zero, *bounds)
        suite.op("quantized_matmul", [x, w, bias], y, attributes)
        suite.op("quantized_matmul", [x, w, bias], y, attributes, dynamic=[(0, 1), (0,), ()], result=tensor(y, (0,)))
        text = (f"{constant('w', w)}\n    {constant('b', bias)}\n    %y0 = weir.quantized_matmul %x0, %w, %b {{{attributes}}} : "
                f"({tensor(x, (0,))}, {tensor(w)}, {tensor(bias)}) -> {tensor(y, (0,))}")
        suite.graph("constant weights: " + attributes, text, [x], [y], dynamic=[(0,)], results=[tensor(y, (0,))])
    for rows, depth, columns in [(0, 4, 3), (3, 0, 4), (1, 1, 1), (1, 700, 33), (65, 300, 17), (7, 64, 10), (128, 128, 128), (40, 1500, 20), (64, 2048, 24)]:
        x, w, bias = int8(rng, rows, depth), int8(rng, depth, columns), rng.integers(-9999, 9999, columns).astype(np.int32)
        scales = rng.uniform(1e-4, 1e-3, columns)
        multipliers, shifts = scaled(scales)
        sums = (x.astype(np.int64) + 17) @ w.astype(np.int64) + bias
        y = requantized(sums, multipliers, shifts, 9)
        suite.op("quantized_matmul", [x, w, bias], y, requantize_attributes(-17, multipliers, shifts, 9))
    mismatch = [np.zeros((2, 3), np.int8), np.zeros((4, 5), np.int8), np.zeros(5, np.int32)]
    suite.op("quantized_matmul", mismatch, "WEIR0331", requantize_attributes(1, [1], [1], 0), dynamic=[(1,), (0,), ()],
             result="tensor<2x5xi8>")
    x, w, zero = int8(rng, 64, 96), int8(rng, 96, 48), 5
    scale = np.float32(0.0007)
    theirs = onnx_run(
        helper.make_node("QLinearMatMul", ["a", "as", "az", "b", "bs", "bz", "ys", "yz"], ["y"]),
        {"a": x, "as": np.array(1, np.float32), "az": np.array(zero, np.int8), "b": w, "bs": np.array(scale),
         "bz": np.array(0, np.int8), "ys": np.array(1, np.float32), "yz": np.array(-3, np.int8)})
    multipliers, shifts = scaled([scale])
    near(requantized((x.astype(np.int64) - zero) @ w.astype(np.int64), multipliers, shifts, -3), theirs, 0.999)


def convolutions(suite, rng):
    layouts = [((2, 7, 6, 3), (3, 2, 3, 5)), ((0, 5, 5, 3), (3, 2, 3, 5)), ((3, 5, 5, 1), (3, 3, 1, 5))]
    cases = itertools.product(WINDOWS, [(1, 1), (2, 3)], [(1, 1), (2, 1)], layouts)
    for number, ((padding, pads), strides, dilations, (shape, filters)) in enumerate(cases):
        x, w, bias = int8(rng, *shape), int8(rng, *filters), biases(rng, filters[3])
        multipliers, shifts = SCALINGS[number % len(SCALINGS)]
        zero, output_zero = [(-128, 127), (0, -128), (127, 3), (-9, 0)][number % 4]
        low, high = [(-128, 127), (output_zero, 127)][number % 2]
        attributes = f"{requantize_attributes(zero, multipliers, shifts, output_zero, low, high)}, " + attributes_of(
            strides, padding, pads, dilations=dilations)
        sums = convolved(x, w, bias, zero, strides, dilations, padding, pads)
        y = requantized(sums, multipliers, shifts, output_zero, low, high)
        suite.op("quantized_conv2d", [x, w, bias], y, attributes)
        text = (f"{constant('w', w)}\n    {constant('b', bias)}\n    %y0 = weir.quantized_conv2d %x0, %w, %b {{{attributes}}} : "
                f"({tensor(x, (0,))}, {tensor(w)}, {tensor(bias)}) -> {tensor(y, (0,))}")
        suite.graph("constant weights: " + attributes, text, [x], [y], dynamic=[(0,)], results=[tensor(y, (0,))])
    for shape, filters in [((5, 8, 8, 1), (3, 3, 1, 16)), ((3, 8, 8, 16), (3, 3, 16, 32)), ((1, 12, 9, 8), (1, 1, 8, 24))]:
        x, w, bias = int8(rng, *shape), int8(rng, *filters), rng.integers(-999, 999, filters[3]).astype(np.int32)
        scales = rng.uniform(2e-4, 2e-3, filters[3]).astype(np.float32)
        multipliers, shifts = scaled(scales)
        y = requantized(convolved(x, w, bias, -77, (1, 1), (1, 1), "SAME", None), multipliers, shifts, 6)
        attributes = f"{requantize_attributes(-77, multipliers, shifts, 6)}, " + attributes_of((1, 1), "SAME", None, dilations=(1, 1))
        suite.op("quantized_conv2d", [x, w, bias], y, attributes, dynamic=[(0,), (), ()], result=tensor(y, (0,)))
        theirs = onnx_run(
            helper.make_node("QLinearConv", ["x", "xs", "xz", "w", "ws", "wz", "ys", "yz", "b"], ["y"], auto_pad="SAME_UPPER"),
            {"x": x.transpose(0, 3, 1, 2).copy(), "xs": np.array(1, np.float32), "xz": np.array(-77, np.int8),
             "w": w.transpose(3, 2, 0, 1).copy(), "ws": scales, "wz": np.zeros(filters[3], np.int8),
             "ys": np.array(1, np.float32), "yz": np.array(6, np.int8), "b": bias})
        near(y.transpose(0, 3, 1, 2), theirs, 0.999)


def pools(suite, rng):
    for (padding, pads), (window, strides) in itertools.product(WINDOWS, [((2, 2), (2, 2)), ((3, 2), (1, 2)), ((2, 2), (3, 3))]):
        for shape in [(2, 5, 6, 3), (1, 8, 8, 40), (0, 5, 5, 2)]:
            x = int8(rng, *shape)
            x[:, :2, :2] = -128
            parts = [part for _, _, part in taps(x, window, strides, (1, 1), padding, pads, -128)]
            y = np.max(parts, 0).astype(np.int8)
            attributes = attributes_of(strides, padding, pads, window=window)
            suite.op("quantized_max_pool", [x], y, attributes)
            suite.op("quantized_max_pool", [x], y, attributes, dynamic=[(0,)], result=tensor(y, (0,)))


def suites():
    made = []
    for part in (quantizations, products, convolutions, pools):
        suite = harness.Suite(f"quantized_{part.__name__}")
        part(suite, np.random.default_rng(5))
        made.append(suite)
    return made


if __name__ == "__main__":
    sys.exit(harness.main(suites()))

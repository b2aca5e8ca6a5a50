//===- QuantizedOps.td - Arithmetic on int8 -*- tablegen -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A real number r is stored as q, r = (q - zero_point) * scale. All that is
// done on stored numbers is integer arithmetic whose every bit is fixed here,
// so that a CPU and the accelerator give the same. docs/spec/quantization.md
// has the rules.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_QUANTIZED_OPS_TD
#define WEIR_QUANTIZED_OPS_TD

include "dialects/Weir/NeuralNetworkOps.td"

def Weir_Int8Tensor : RankedTensorOf<[I8]>;
def Weir_Int32Tensor : RankedTensorOf<[I32]>;
def Weir_Float32Tensor : RankedTensorOf<[F32]>;

class Weir_QuantizedNode<string mnemonic, dag inputs> : Weir_PureNode<mnemonic, inputs> {
  let deviceTypes = ["CPU", "MXU"];
}

// One scale and zero point, or one for each place along `axis`.
defvar Weir_QuantizedBy = (ins DenseF32ArrayAttr:$scales, DenseI32ArrayAttr:$zero_points, DefaultValuedAttr<I64Attr, "-1">:$axis);

def Weir_QuantizeOp : Weir_PureNode<"quantize", !con((ins Weir_Float32Tensor:$input), Weir_QuantizedBy)> {
  let summary = "stores real numbers in int8";
  let description = [{
    q = clamp(round(x / scale) + zero_point, -128, 127), where the division is
    of f32 and round takes the nearest integer, of two the even one. A NaN gives
    the zero point.

    - (C1) `scales` and `zero_points` have one entry, and `axis` is -1, or one
      for each place along `axis`, which is a dimension of static extent.
    - (C2) scales are finite and positive, zero points in -128 to 127.

    Example:
    ```mlir
    %q = weir.quantize %x {scales = array<f32: 0.5>, zero_points = array<i32: 3>} : (tensor<?x4xf32>) -> tensor<?x4xi8>
    ```
  }];
  let results = (outs Weir_Int8Tensor:$result);
}

def Weir_DequantizeOp : Weir_PureNode<"dequantize", !con((ins Weir_Int8Tensor:$input), Weir_QuantizedBy)> {
  let summary = "the real numbers that int8 stands for";
  let description = [{
    x = (q - zero_point) * scale, the product in f32.

    - (C1) as `weir.quantize` (C1).
    - (C2) as `weir.quantize` (C2).

    Example:
    ```mlir
    %x = weir.dequantize %q {scales = array<f32: 0.5>, zero_points = array<i32: 3>} : (tensor<?x4xi8>) -> tensor<?x4xf32>
    ```
  }];
  let results = (outs Weir_Float32Tensor:$result);
}

// How a sum of i32 becomes an i8: t = ((sum * multiplier in i64) + 2^(shift-1)) >> shift,
// then clamp(t + output_zero, min, max). `min` = `output_zero` makes a ReLU of it.
defvar Weir_Requantize = (ins I32Attr:$input_zero, DenseI32ArrayAttr:$multipliers, DenseI32ArrayAttr:$shifts, I32Attr:$output_zero,
  DefaultValuedAttr<I32Attr, "-128">:$min, DefaultValuedAttr<I32Attr, "127">:$max);

def Weir_QuantizedMatmulOp : Weir_QuantizedNode<"quantized_matmul",
    !con((ins Weir_Int8Tensor:$lhs, Weir_Int8Tensor:$rhs, Weir_Int32Tensor:$bias), Weir_Requantize)> {
  let summary = "a matrix product on int8, with bias, made int8 again";
  let description = [{
    sum[m, n] is bias[n] plus the sum over k of (lhs[m, k] - input_zero) *
    rhs[k, n], in i32 that wraps around. Then t = (sum * multiplier +
    2^(shift - 1)) >> shift in i64, and the result is clamp(t + output_zero,
    min, max). The zero point of `rhs` is 0.

    - (C1) lhs and rhs have rank 2, the contracted extents are equal, bias has
      one entry for each column, and columns are static.
    - (C2) `multipliers` and `shifts` have one entry, or one for each column;
      multipliers are not negative, 1 <= shift <= 62.
    - (C3) zero points, `min` and `max` are in -128 to 127, and min <= max.

    Example:
    ```mlir
    %y = weir.quantized_matmul %x, %w, %b {input_zero = 3 : i32, multipliers = array<i32: 1518500250>, shifts = array<i32: 38>,
      output_zero = -128 : i32, min = -128 : i32} : (tensor<?x64xi8>, tensor<64x10xi8>, tensor<10xi32>) -> tensor<?x10xi8>
    ```
  }];
  let results = (outs Weir_Int8Tensor:$result);
}

def Weir_QuantizedConv2dOp : Weir_QuantizedNode<"quantized_conv2d",
    !con((ins Weir_Int8Tensor:$input, Weir_Int8Tensor:$filter, Weir_Int32Tensor:$bias), Weir_Requantize, conv_attributes)> {
  let summary = "a convolution on int8, with bias, made int8 again";
  let description = [{
    As `weir.conv2d`, on stored numbers less their zero point: what lies outside
    of the image adds nothing. The sum becomes an int8 as in
    `weir.quantized_matmul`, with one multiplier and shift, or one for each
    channel of the result.

    - (C1) as `weir.conv2d` (C1) to (C6).
    - (C2) bias has one entry for each channel of the result; else as
      `weir.quantized_matmul` (C2), (C3).

    Example:
    ```mlir
    %y = weir.quantized_conv2d %x, %k, %b {input_zero = -128 : i32, multipliers = array<i32: 1518500250>, shifts = array<i32: 38>,
      output_zero = -128 : i32, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, padding = #weir.padding<SAME>}
      : (tensor<?x8x8x1xi8>, tensor<3x3x1x16xi8>, tensor<16xi32>) -> tensor<?x8x8x16xi8>
    ```
  }];
  let results = (outs Weir_Int8Tensor:$result);
}

def Weir_QuantizedMaxPoolOp : Weir_QuantizedNode<"quantized_max_pool", !con((ins Weir_Int8Tensor:$input), pool_attributes)> {
  let summary = "the largest stored number of each window";
  let description = [{
    As `weir.max_pool`; padding counts as -128.

    - (C1) as `weir.max_pool` (C1) to (C4).

    Example:
    ```mlir
    %y = weir.quantized_max_pool %x {window = array<i64: 2, 2>, strides = array<i64: 2, 2>, padding = #weir.padding<VALID>}
      : (tensor<?x8x8x16xi8>) -> tensor<?x4x4x16xi8>
    ```
  }];
  let results = (outs Weir_Int8Tensor:$result);
}

#endif // WEIR_QUANTIZED_OPS_TD

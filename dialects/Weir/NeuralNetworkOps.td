//===- NeuralNetworkOps.td - Convolution, pooling, losses -*- tablegen -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_NEURAL_NETWORK_OPS_TD
#define WEIR_NEURAL_NETWORK_OPS_TD

include "dialects/Weir/WeirBase.td"

// How an image is padded: SAME and VALID as TensorFlow has them, or EXPLICIT
// with `pads` = [top, bottom, left, right].
def Weir_PaddingEnum : Weir_Enum<"Padding", "how the border of an image is filled", [
    I32EnumAttrCase<"VALID", 0>, I32EnumAttrCase<"SAME", 1>, I32EnumAttrCase<"EXPLICIT", 2>]>;
def Weir_Padding : Weir_EnumAttr<Weir_PaddingEnum, "padding">;

defvar conv_attributes = (ins DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$dilations,
  Weir_Padding:$padding, OptionalAttr<DenseI64ArrayAttr>:$pads);
defvar pool_attributes = (ins DenseI64ArrayAttr:$window, DenseI64ArrayAttr:$strides,
  Weir_Padding:$padding, OptionalAttr<DenseI64ArrayAttr>:$pads);

def Weir_Conv2dOp : Weir_PureNode<"conv2d",
    !con((ins Weir_FloatTensor:$input, Weir_FloatTensor:$filter), conv_attributes),
    Weir_Gradient<[{b.conv2dGradientInput(*this, dy), b.conv2dGradientFilter(*this, dy)}]>> {
  let summary = "a two-dimensional convolution (correlation)";
  let description = [{
    Image NHWC, filter HWIO: out[n, y, x, o] is the sum over (i, j, c) of
    input[n, y*s0 + i*d0 - top, x*s1 + j*d1 - left, c] * filter[i, j, c, o],
    where what lies outside the image counts as 0.

    - (C1) both operands have rank 4 and one element type.
    - (C2) the channels of the image are those of the filter.
    - (C3) strides and dilations have two entries, all >= 1.
    - (C4) `pads` has four entries >= 0 and is there exactly when the padding is EXPLICIT.
    - (C5) all extents but the number of images are static.
    - (C6) the filter fits into the padded image.

    Example:
    ```mlir
    %y = weir.conv2d %x, %k {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, padding = #weir.padding<SAME>}
      : (tensor<?x8x8x1xf32>, tensor<3x3x1x16xf32>) -> tensor<?x8x8x16xf32>
    ```
  }];
  let results = (outs Weir_FloatTensor:$result);
}

def Weir_Conv2dBackpropInputOp : Weir_PureNode<"conv2d_backprop_input",
    !con((ins Weir_FloatTensor:$filter, Weir_FloatTensor:$dy, DenseI64ArrayAttr:$input_size), conv_attributes),
    Weir_NoGradient, [DeclareOpInterfaceMethods<Weir_DecomposeInterface>]> {
  let summary = "the gradient of `weir.conv2d` with respect to its image";
  let description = [{
    `input_size` is [height, width] of the image.

    - (C1) `dy` has the shape that `weir.conv2d` gives for such an image.
    - (C2) constraints on types and attributes are those of `weir.conv2d`.

    Example:
    ```mlir
    %dx = weir.conv2d_backprop_input %k, %dy {input_size = array<i64: 8, 8>, strides = array<i64: 1, 1>,
      dilations = array<i64: 1, 1>, padding = #weir.padding<SAME>} : (tensor<3x3x1x16xf32>, tensor<?x8x8x16xf32>) -> tensor<?x8x8x1xf32>
    ```
  }];
  let results = (outs Weir_FloatTensor:$result);
}

def Weir_Conv2dBackpropFilterOp : Weir_PureNode<"conv2d_backprop_filter",
    !con((ins Weir_FloatTensor:$input, Weir_FloatTensor:$dy, DenseI64ArrayAttr:$filter_size), conv_attributes)> {
  let summary = "the gradient of `weir.conv2d` with respect to its filter";
  let description = [{
    `filter_size` is [height, width] of the filter.

    - (C1) `dy` has the shape that `weir.conv2d` gives for such a filter.
    - (C2) constraints on types and attributes are those of `weir.conv2d`.

    Example:
    ```mlir
    %dk = weir.conv2d_backprop_filter %x, %dy {filter_size = array<i64: 3, 3>, strides = array<i64: 1, 1>,
      dilations = array<i64: 1, 1>, padding = #weir.padding<SAME>} : (tensor<?x8x8x1xf32>, tensor<?x8x8x16xf32>) -> tensor<3x3x1x16xf32>
    ```
  }];
  let results = (outs Weir_FloatTensor:$result);
}

def Weir_MaxPoolOp : Weir_PureNode<"max_pool", !con((ins Weir_FloatTensor:$input), pool_attributes),
    Weir_Gradient<[{b.maxPoolGradient(*this, dy)}]>> {
  let summary = "the largest element of each window";
  let description = [{
    Image NHWC. Padding counts as minus infinity.

    - (C1) the image has rank 4, height and width static.
    - (C2) window and strides have two entries, all >= 1.
    - (C3) `pads` as for `weir.conv2d` (C4), each smaller than the window.
    - (C4) the window fits into the padded image.

    Example:
    ```mlir
    %y = weir.max_pool %x {window = array<i64: 2, 2>, strides = array<i64: 2, 2>, padding = #weir.padding<VALID>}
      : (tensor<?x8x8x16xf32>) -> tensor<?x4x4x16xf32>
    ```
  }];
  let results = (outs Weir_FloatTensor:$result);
}

def Weir_MaxPoolGradOp : Weir_PureNode<"max_pool_grad",
    !con((ins Weir_FloatTensor:$input, Weir_FloatTensor:$output, Weir_FloatTensor:$dy), pool_attributes)> {
  let summary = "the gradient of `weir.max_pool`";
  let description = [{
    Each element of `dy` goes to the first place of its window, in row order,
    that holds the maximum.

    - (C1) `output` and `dy` have the type that `weir.max_pool` gives.

    Example:
    ```mlir
    %dx = weir.max_pool_grad %x, %y, %dy {window = array<i64: 2, 2>, strides = array<i64: 2, 2>, padding = #weir.padding<VALID>}
      : (tensor<?x8x8x16xf32>, tensor<?x4x4x16xf32>, tensor<?x4x4x16xf32>) -> tensor<?x8x8x16xf32>
    ```
  }];
  let results = (outs Weir_FloatTensor:$result);
}

def Weir_AvgPoolOp : Weir_PureNode<"avg_pool", !con((ins Weir_FloatTensor:$input), pool_attributes),
    Weir_Gradient<[{b.avgPoolGradient(*this, dy)}]>> {
  let summary = "the mean of each window";
  let description = [{
    Image NHWC. Padding does not count, neither in the sum nor in the number of
    elements. Constraints as for `weir.max_pool`.

    Example:
    ```mlir
    %y = weir.avg_pool %x {window = array<i64: 2, 2>, strides = array<i64: 2, 2>, padding = #weir.padding<VALID>}
      : (tensor<?x8x8x16xf32>) -> tensor<?x4x4x16xf32>
    ```
  }];
  let results = (outs Weir_FloatTensor:$result);
}

def Weir_AvgPoolGradOp : Weir_PureNode<"avg_pool_grad",
    !con((ins Weir_FloatTensor:$dy, DenseI64ArrayAttr:$input_size), pool_attributes)> {
  let summary = "the gradient of `weir.avg_pool`";
  let description = [{
    `input_size` is [height, width] of the image.

    - (C1) `dy` has the type that `weir.avg_pool` gives for such an image.

    Example:
    ```mlir
    %dx = weir.avg_pool_grad %dy {input_size = array<i64: 8, 8>, window = array<i64: 2, 2>, strides = array<i64: 2, 2>,
      padding = #weir.padding<VALID>} : (tensor<?x4x4x16xf32>) -> tensor<?x8x8x16xf32>
    ```
  }];
  let results = (outs Weir_FloatTensor:$result);
}

def Weir_SoftmaxOp : Weir_PureNode<"softmax", (ins Weir_FloatTensor:$input),
    Weir_Gradient<[{b.softmaxGradient(getResult(), dy)}]>, [DeclareOpInterfaceMethods<Weir_DecomposeInterface>]> {
  let summary = "e to the x over the sum of them, along the last dimension";
  let description = [{
    - (C1) the operand has rank 1 at least.

    Example:
    ```mlir
    %y = weir.softmax %x : (tensor<?x10xf32>) -> tensor<?x10xf32>
    ```
  }];
  let results = (outs Weir_FloatTensor:$result);
}

def Weir_LogSoftmaxOp : Weir_PureNode<"log_softmax", (ins Weir_FloatTensor:$input),
    Weir_Gradient<[{b.logSoftmaxGradient(getResult(), dy)}]>, [DeclareOpInterfaceMethods<Weir_DecomposeInterface>]> {
  let summary = "the logarithm of `weir.softmax`";
  let description = [{
    - (C1) the operand has rank 1 at least.

    Example:
    ```mlir
    %y = weir.log_softmax %x : (tensor<?x10xf32>) -> tensor<?x10xf32>
    ```
  }];
  let results = (outs Weir_FloatTensor:$result);
}

def Weir_SparseSoftmaxCrossEntropyOp : Weir_PureNode<"sparse_softmax_cross_entropy",
    (ins Weir_FloatTensor:$logits, Weir_IndexTensor:$labels),
    Weir_Gradient<[{b.crossEntropyGradient(*this, dys), ::mlir::Value()}]>, [DeclareOpInterfaceMethods<Weir_DecomposeInterface>]> {
  let summary = "the cross entropy of each row with its label";
  let description = [{
    loss[i] = -log_softmax(logits[i])[labels[i]]. A label that is no class is
    an error at run time.

    - (C1) `logits` has rank 2 and `labels` rank 1.
    - (C2) there is one label for each row.

    Example:
    ```mlir
    %loss = weir.sparse_softmax_cross_entropy %logits, %labels : (tensor<?x10xf32>, tensor<?xi32>) -> tensor<?xf32>
    ```
  }];
  let results = (outs Weir_FloatTensor:$loss);
}

#endif // WEIR_NEURAL_NETWORK_OPS_TD

//===- ShapeOps.td - Shapes and the places of elements -*- tablegen -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_SHAPE_OPS_TD
#define WEIR_SHAPE_OPS_TD

include "dialects/Weir/WeirBase.td"

def Weir_ReshapeOp : Weir_PureNode<"reshape", (ins Weir_PodTensor:$input, DenseI64ArrayAttr:$shape),
    Weir_Gradient<[{b.reshapeLike(dy, getInput())}]>> {
  let deviceTypes = ["CPU", "GPU", "MXU"];
  let summary = "the same elements in another shape";
  let description = [{
    One extent of `shape` may be -1: it is what is left.

    - (C1) at most one entry is -1, all others are >= 0; none is 0 where one
      is -1.
    - (C2) the number of elements stays the same, where it is known; at run
      time a mismatch is an error.

    Example:
    ```mlir
    %y = weir.reshape %x {shape = array<i64: -1, 64>} : (tensor<?x8x8xf32>) -> tensor<?x64xf32>
    ```
  }];
  let results = (outs Weir_PodTensor:$result);
  let hasFolder = 1;
}

def Weir_ReshapeLikeOp : Weir_PureNode<"reshape_like", (ins Weir_PodTensor:$input, Weir_PodTensor:$like),
    Weir_Gradient<[{b.reshapeLike(dy, getInput()), ::mlir::Value()}]>> {
  let summary = "the elements of `input` in the shape of `like`";
  let description = [{
    - (C1) the number of elements is the same; at run time a mismatch is an error.

    Example:
    ```mlir
    %y = weir.reshape_like %x, %z : (tensor<?xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
    ```
  }];
  let results = (outs Weir_PodTensor:$result);
}

def Weir_ExpandDimsOp : Weir_PureNode<"expand_dims", (ins Weir_PodTensor:$input, DenseI64ArrayAttr:$axes),
    Weir_Gradient<[{b.squeeze(dy, getAxes())}]>> {
  let summary = "inserts extents of 1";
  let description = [{
    - (C1) `axes` are places in the result, ascending, unique, in range.

    Example:
    ```mlir
    %y = weir.expand_dims %x {axes = array<i64: 1>} : (tensor<?xf32>) -> tensor<?x1xf32>
    ```
  }];
  let results = (outs Weir_PodTensor:$result);
}

def Weir_SqueezeOp : Weir_PureNode<"squeeze", (ins Weir_PodTensor:$input, DenseI64ArrayAttr:$axes),
    Weir_Gradient<[{b.expandDims(dy, getAxes())}]>> {
  let summary = "removes extents of 1";
  let description = [{
    - (C1) `axes` are places in the operand, ascending, unique, in range.
    - (C2) the extents there are statically 1.

    Example:
    ```mlir
    %y = weir.squeeze %x {axes = array<i64: 1>} : (tensor<?x1xf32>) -> tensor<?xf32>
    ```
  }];
  let results = (outs Weir_PodTensor:$result);
}

def Weir_TransposeOp : Weir_PureNode<"transpose", (ins Weir_PodTensor:$input, DenseI64ArrayAttr:$permutation),
    Weir_Gradient<[{b.transpose(dy, b.inverse(getPermutation()))}]>> {
  let summary = "permutes dimensions";
  let description = [{
    Dimension i of the result is dimension permutation[i] of the operand.

    - (C1) `permutation` is a permutation of the dimensions.

    Example:
    ```mlir
    %y = weir.transpose %x {permutation = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
    ```
  }];
  let results = (outs Weir_PodTensor:$result);
  let hasFolder = 1;
}

def Weir_BroadcastToOp : Weir_PureNode<"broadcast_to", (ins Weir_PodTensor:$input, DenseI64ArrayAttr:$shape),
    Weir_Gradient<[{b.reduceTo(dy, getInput())}]>> {
  let summary = "repeats elements up to a shape";
  let description = [{
    An entry of -1 keeps the operand's extent in that (aligned) dimension.

    - (C1) the operand's shape broadcasts to `shape`.

    Example:
    ```mlir
    %y = weir.broadcast_to %x {shape = array<i64: 2, 3>} : (tensor<3xf32>) -> tensor<2x3xf32>
    ```
  }];
  let results = (outs Weir_PodTensor:$result);
}

def Weir_BroadcastLikeOp : Weir_PureNode<"broadcast_like", (ins Weir_PodTensor:$input, Weir_PodTensor:$like),
    Weir_Gradient<[{b.reduceTo(dy, getInput()), ::mlir::Value()}]>> {
  let summary = "repeats the elements of `input` up to the shape of `like`";
  let description = [{
    - (C1) the operand's shape broadcasts to that of `like`.

    Example:
    ```mlir
    %y = weir.broadcast_like %x, %z : (tensor<f32>, tensor<?x8xf32>) -> tensor<?x8xf32>
    ```
  }];
  let results = (outs Weir_PodTensor:$result);
}

def Weir_ConcatOp : Weir_PureNode<"concat", (ins Variadic<Weir_PodTensor>:$inputs, I64Attr:$axis),
    Weir_NoGradient, [AttrSizedOperandSegments, DeclareOpInterfaceMethods<Weir_GradientInterface>]> {
  let summary = "joins tensors along a dimension";
  let description = [{
    - (C1) there is at least one operand; all have one element type and rank.
    - (C2) `axis` is a dimension.
    - (C3) all extents but that of `axis` are equal.

    Example:
    ```mlir
    %y = weir.concat %a, %b {axis = 0 : i64} : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<6x3xf32>
    ```
  }];
  let results = (outs Weir_PodTensor:$result);
}

def Weir_SliceOp : Weir_PureNode<"slice",
    (ins Weir_PodTensor:$input, DenseI64ArrayAttr:$begin, DenseI64ArrayAttr:$size, DenseI64ArrayAttr:$strides),
    Weir_Gradient<[{b.sliceGradient(*this, dy)}]>> {
  let summary = "a box of elements";
  let description = [{
    Element i of a dimension of the result is element begin + i * stride of the
    operand. A `size` of -1 takes all that follow `begin`.

    - (C1) `begin`, `size` and `strides` have one entry for each dimension;
      begin >= 0, size >= -1, strides >= 1.
    - (C2) the box lies inside the operand; at run time a mismatch is an error.

    Example:
    ```mlir
    %y = weir.slice %x {begin = array<i64: 0, 1>, size = array<i64: -1, 2>, strides = array<i64: 1, 1>}
      : (tensor<?x4xf32>) -> tensor<?x2xf32>
    ```
  }];
  let results = (outs Weir_PodTensor:$result);
}

def Weir_PadOp : Weir_PureNode<"pad",
    (ins Weir_PodTensor:$input, DenseI64ArrayAttr:$low, DenseI64ArrayAttr:$high, DenseI64ArrayAttr:$interior,
     DefaultValuedAttr<F64Attr, "0.0">:$value),
    Weir_Gradient<[{b.padGradient(*this, dy)}]>> {
  let summary = "puts a value around and between the elements";
  let description = [{
    `interior` elements go between each two.

    - (C1) `low`, `high` and `interior` have one entry for each dimension,
      each 0 <= entry <= 2^40.

    Example:
    ```mlir
    %y = weir.pad %x {low = array<i64: 1>, high = array<i64: 0>, interior = array<i64: 1>, value = 0.0 : f64}
      : (tensor<3xf32>) -> tensor<6xf32>
    ```
  }];
  let results = (outs Weir_PodTensor:$result);
}

def Weir_ReverseOp : Weir_PureNode<"reverse", (ins Weir_PodTensor:$input, DenseI64ArrayAttr:$axes),
    Weir_Gradient<[{b.reverse(dy, getAxes())}]>> {
  let summary = "turns dimensions around";
  let description = [{
    - (C1) `axes` are dimensions, ascending and unique.

    Example:
    ```mlir
    %y = weir.reverse %x {axes = array<i64: 0>} : (tensor<3xf32>) -> tensor<3xf32>
    ```
  }];
  let results = (outs Weir_PodTensor:$result);
}

def Weir_IotaOp : Weir_PureNode<"iota", (ins TypeAttrOf<Weir_NumberTensor>:$type, I64Attr:$axis)> {
  let summary = "counts along a dimension";
  let description = [{
    The element at (i0, i1, ...) is the index along `axis`.

    - (C1) `type` has static extents and `axis` is a dimension of it.

    Example:
    ```mlir
    %i = weir.iota {axis = 0 : i64, type = tensor<4xi32>} : () -> tensor<4xi32>
    ```
  }];
  let results = (outs Weir_NumberTensor:$result);
}

def Weir_ShapeOfOp : Weir_PureNode<"shape_of", (ins Weir_Tensor:$input)> {
  let summary = "the extents of a tensor";
  let description = [{
    Example:
    ```mlir
    %s = weir.shape_of %x : (tensor<?x8xf32>) -> tensor<2xi64>
    ```
  }];
  let results = (outs RankedTensorOf<[I64]>:$result);
  let hasFolder = 1;
}

def Weir_DimSizeOp : Weir_PureNode<"dim_size", (ins Weir_Tensor:$input, I64Attr:$axis)> {
  let summary = "one extent of a tensor";
  let description = [{
    - (C1) `axis` is a dimension.

    Example:
    ```mlir
    %n = weir.dim_size %x {axis = 0 : i64} : (tensor<?x8xf32>) -> tensor<i64>
    ```
  }];
  let results = (outs RankedTensorOf<[I64]>:$result);
  let hasFolder = 1;
}

#endif // WEIR_SHAPE_OPS_TD

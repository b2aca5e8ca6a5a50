//===- DynamicShapeOps.td - Shapes and places known in the step -*- tablegen -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What ShapeOps.td has with attributes, with operands: ranks are static, the
// extents come from values.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DYNAMIC_SHAPE_OPS_TD
#define WEIR_DYNAMIC_SHAPE_OPS_TD

include "dialects/Weir/GatherOps.td"

def Weir_RangeOp : Weir_PureNode<"range", (ins Weir_NumberTensor:$start, Weir_NumberTensor:$limit, Weir_NumberTensor:$delta)> {
  let summary = "numbers from `start` up to or down to `limit`, which is left out";
  let description = [{
    Element i is start + i * delta. A `delta` of 0, or one that leads away from
    `limit`, is an error at run time.

    - (C1) the operands are scalars of one element type.

    Example:
    ```mlir
    %r = weir.range %a, %b, %d : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<?xi32>
    ```
  }];
  let results = (outs Weir_NumberTensor:$result);
}

def Weir_DynamicReshapeOp : Weir_PureNode<"dynamic_reshape", (ins Weir_PodTensor:$input, Weir_IndexTensor:$shape),
    Weir_Gradient<[{b.reshapeLike(dy, getInput()), ::mlir::Value()}]>> {
  let summary = "the same elements in a shape that is computed";
  let description = [{
    One extent of `shape` may be -1: it is what is left. A number of elements
    that does not stay the same is an error at run time.

    - (C1) `shape` is a vector of static extent.

    Example:
    ```mlir
    %y = weir.dynamic_reshape %x, %s : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x?xf32>
    ```
  }];
  let results = (outs Weir_PodTensor:$result);
}

def Weir_DynamicBroadcastOp : Weir_PureNode<"dynamic_broadcast", (ins Weir_PodTensor:$input, Weir_IndexTensor:$shape),
    Weir_Gradient<[{b.reduceTo(dy, getInput()), ::mlir::Value()}]>> {
  let summary = "repeats elements up to a shape that is computed";
  let description = [{
    A static extent of 1 of the operand is repeated; a dynamic one has to be
    equal to that of `shape`, else it is an error at run time.

    - (C1) `shape` is a vector of static extent, no less than the operand's rank.

    Example:
    ```mlir
    %y = weir.dynamic_broadcast %x, %s : (tensor<f32>, tensor<2xi32>) -> tensor<?x?xf32>
    ```
  }];
  let results = (outs Weir_PodTensor:$result);
}

def Weir_DynamicSliceOp : Weir_PureNode<"dynamic_slice",
    (ins Weir_PodTensor:$input, Weir_IndexTensor:$begin, Weir_IndexTensor:$size, DenseI64ArrayAttr:$strides),
    Weir_Gradient<[{b.dynamicSliceGradient(*this, dy), ::mlir::Value(), ::mlir::Value()}]>> {
  let summary = "a box of elements at a place that is computed";
  let description = [{
    Element i of a dimension of the result is element begin + i * stride of the
    operand. A `size` of -1 takes all that follow `begin`. A box that does not
    lie inside the operand is an error at run time.

    - (C1) `begin` and `size` are vectors of one element type with one entry for
      each dimension; so are the strides, and each is >= 1.

    Example:
    ```mlir
    %y = weir.dynamic_slice %x, %b, %n {strides = array<i64: 1>} : (tensor<?xf32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>
    ```
  }];
  let results = (outs Weir_PodTensor:$result);
}

def Weir_DynamicUpdateSliceOp : Weir_PureNode<"dynamic_update_slice",
    (ins Weir_PodTensor:$operand, Weir_PodTensor:$update, Weir_IndexTensor:$begin, DenseI64ArrayAttr:$strides)> {
  let summary = "a tensor with a box of its elements changed";
  let description = [{
    The operand, but for elements begin + i * stride, which are those of
    `update`. A box that does not lie inside the operand is an error at run time.

    - (C1) `update` has the element type and the rank of the operand.
    - (C2) `begin` is a vector with one entry for each dimension; there are as
      many strides, and each is >= 1.

    Example:
    ```mlir
    %y = weir.dynamic_update_slice %x, %u, %b {strides = array<i64: 1>} : (tensor<8xf32>, tensor<?xf32>, tensor<1xi32>) -> tensor<8xf32>
    ```
  }];
  let results = (outs Weir_PodTensor:$result);
}

def Weir_GatherNdOp : Weir_PureNode<"gather_nd", (ins Weir_PodTensor:$params, Weir_IndexTensor:$indices),
    Weir_Gradient<[{b.gatherNdGradient(*this, dy), ::mlir::Value()}]>> {
  let summary = "slices of a tensor at places of several dimensions";
  let description = [{
    The last dimension of `indices` holds places in the first dimensions of
    `params`: result[i..., s...] = params[indices[i..., :], s...]. A place outside
    of `params` is an error at run time.

    - (C1) the last extent of `indices` is static, and at most the rank of
      `params`.

    Example:
    ```mlir
    %y = weir.gather_nd %p, %i : (tensor<4x5x8xf32>, tensor<?x2xi32>) -> tensor<?x8xf32>
    ```
  }];
  let results = (outs Weir_PodTensor:$result);
}

def Weir_ScatterNdOp : Weir_PureNode<"scatter_nd",
    (ins Weir_PodTensor:$operand, Weir_IndexTensor:$indices, Weir_PodTensor:$updates, Weir_ScatterKind:$kind)> {
  let summary = "a tensor with slices at places of several dimensions changed";
  let description = [{
    As `weir.scatter`, with places as `weir.gather_nd` has them.

    - (C1) the last extent of `indices` is static, and at most the rank of the
      operand.
    - (C2) `updates` has the shape of `indices` without its last dimension,
      followed by that of the operand without as many dimensions as a place has.
    - (C3) the element type is that of `updates`: a number, unless the kind is
      assign.

    Example:
    ```mlir
    %y = weir.scatter_nd %x, %i, %v {kind = #weir.scatter_kind<add>} : (tensor<4x5x8xf32>, tensor<?x2xi32>, tensor<?x8xf32>) -> tensor<4x5x8xf32>
    ```
  }];
  let results = (outs Weir_PodTensor:$result);
}

class Weir_CumulativeNode<string mnemonic, string what, Weir_Gradient gradient> : Weir_PureNode<mnemonic,
    (ins Weir_NumberTensor:$input, I64Attr:$axis, UnitAttr:$exclusive, UnitAttr:$reverse), gradient> {
  let summary = what # " along a dimension so far";
  let description = [{
    Element i is made of elements 0 to i of the operand; with `exclusive`, without
    i itself; with `reverse`, of those from i to the last.

    - (C1) `axis` is a dimension.

    Example:
    ```mlir
    %y = weir.}] # mnemonic # [{ %x {axis = 0 : i64} : (tensor<?x3xf32>) -> tensor<?x3xf32>
    ```
  }];
  let results = (outs Weir_NumberTensor:$result);
}
def Weir_CumulativeSumOp : Weir_CumulativeNode<"cumulative_sum", "sums",
    Weir_Gradient<[{b.cumulativeSum(dy, getAxis(), getExclusive(), !getReverse())}]>>;
def Weir_CumulativeProdOp : Weir_CumulativeNode<"cumulative_prod", "products", Weir_NoGradient>;

#endif // WEIR_DYNAMIC_SHAPE_OPS_TD

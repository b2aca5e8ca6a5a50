//===- GatherOps.td - Gather, scatter and what indexes -*- tablegen -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_GATHER_OPS_TD
#define WEIR_GATHER_OPS_TD

include "dialects/Weir/WeirBase.td"

def Weir_GatherOp : Weir_PureNode<"gather", (ins Weir_PodTensor:$params, Weir_IndexTensor:$indices, I64Attr:$axis),
    Weir_Gradient<[{b.gatherGradient(*this, dy), ::mlir::Value()}]>> {
  let summary = "slices of a tensor at given indices";
  let description = [{
    The dimension `axis` of `params` is replaced by the dimensions of
    `indices`. An index outside 0 <= i < extent is an error at run time.
    Source: OSDI 2016 section 4.2.

    - (C1) `axis` is a dimension of `params`.

    Example:
    ```mlir
    %y = weir.gather %p, %i {axis = 0 : i64} : (tensor<100x8xf32>, tensor<?xi32>) -> tensor<?x8xf32>
    ```
  }];
  let results = (outs Weir_PodTensor:$result);
}

def Weir_TakeAlongOp : Weir_PureNode<"take_along", (ins Weir_PodTensor:$rows, Weir_IndexTensor:$indices),
    Weir_Gradient<[{b.takeAlongGradient(*this, dy), ::mlir::Value()}]>> {
  let summary = "one element of each row";
  let description = [{
    result[i] = rows[i, indices[i]]. An index outside 0 <= j < columns is an
    error at run time.

    - (C1) `rows` has rank 2 and `indices` rank 1, one for each row.

    Example:
    ```mlir
    %y = weir.take_along %x, %i : (tensor<?x10xf32>, tensor<?xi32>) -> tensor<?xf32>
    ```
  }];
  let results = (outs Weir_PodTensor:$result);
}

def Weir_UnsortedSegmentSumOp : Weir_PureNode<"unsorted_segment_sum",
    (ins Weir_NumberTensor:$data, Weir_IndexTensor:$segments, I64Attr:$segment_count),
    Weir_Gradient<[{b.gather(dy, getSegments(), 0), ::mlir::Value()}]>> {
  let summary = "sums slices by their segment";
  let description = [{
    result[s] is the sum of data[i] over all i with segments[i] = s. A segment
    outside 0 <= s < segment_count is an error at run time.

    - (C1) the shape of `data` begins with that of `segments`.
    - (C2) segment_count >= 0.

    Example:
    ```mlir
    %y = weir.unsorted_segment_sum %d, %s {segment_count = 100 : i64} : (tensor<?x8xf32>, tensor<?xi32>) -> tensor<100x8xf32>
    ```
  }];
  let results = (outs Weir_NumberTensor:$result);
}

def Weir_OneHotOp : Weir_PureNode<"one_hot", (ins Weir_IndexTensor:$indices, I64Attr:$depth, TypeAttr:$to),
    Weir_NoGradient, [DeclareOpInterfaceMethods<Weir_DecomposeInterface>]> {
  let summary = "rows with a 1 at the index and 0 elsewhere";
  let description = [{
    An index outside 0 <= i < depth gives a row of zeros.

    - (C1) depth >= 0.
    - (C2) `to` is a numeric element type.

    Example:
    ```mlir
    %y = weir.one_hot %i {depth = 10 : i64, to = f32} : (tensor<?xi32>) -> tensor<?x10xf32>
    ```
  }];
  let results = (outs Weir_NumberTensor:$result);
}

def Weir_ScatterKindEnum : Weir_Enum<"ScatterKind", "what a scatter does to an element", [
  I32EnumAttrCase<"assign", 0>, I32EnumAttrCase<"add", 1>, I32EnumAttrCase<"sub", 2>, I32EnumAttrCase<"mul", 3>,
  I32EnumAttrCase<"div", 4>, I32EnumAttrCase<"min", 5>, I32EnumAttrCase<"max", 6>]>;
def Weir_ScatterKind : Weir_EnumAttr<Weir_ScatterKindEnum, "scatter_kind">;

def Weir_ScatterOp : Weir_PureNode<"scatter",
    (ins Weir_PodTensor:$operand, Weir_IndexTensor:$indices, Weir_PodTensor:$updates, Weir_ScatterKind:$kind)> {
  let summary = "a tensor with some of its slices changed";
  let description = [{
    result is the operand; then for each place i of `indices`, in row-major
    order, result[indices[i]] becomes the combination of itself and updates[i].
    An index outside 0 <= j < operand's first extent is an error at run time.

    - (C1) `updates` has the shape of `indices` followed by that of the operand
      without its first dimension; or it is a scalar, which is repeated.
    - (C2) the operand has a dimension at least, and its element type is that of
      `updates`: a number, unless the kind is assign; `div` of integers rounds
      towards zero.

    Example:
    ```mlir
    %y = weir.scatter %x, %i, %v {kind = #weir.scatter_kind<add>} : (tensor<100x8xf32>, tensor<?xi32>, tensor<?x8xf32>) -> tensor<100x8xf32>
    ```
  }];
  let results = (outs Weir_PodTensor:$result);
}

#endif // WEIR_GATHER_OPS_TD

//===- ValueOps.td - Values whose extents depend on elements -*- tablegen -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions of their operands that the runtime carries out: how large results
// are is known when they are made, or elements are strings or handles.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_VALUE_OPS_TD
#define WEIR_VALUE_OPS_TD

include "dialects/Weir/MathOps.td"

def Weir_TopKOp : Weir_RuntimeNode<"top_k",
    (ins Weir_AnyTensorOf<[Weir_Number]>:$input, Weir_AnyTensorOf<[I32]>:$k), [{}], [{}], []> {
  let summary = "the largest elements of each row and where they are";
  let description = [{
    Rows are along the last dimension. The largest element comes first; of equal
    ones that with the lower index. NaN is less than all others.

    Example:
    ```mlir
    %v, %i, %c = weir.top_k %x, %k : (tensor<?x10xf32>, tensor<i32>) -> (tensor<?x?xf32>, tensor<?x?xi32>, !weir.control)
    ```
  }];
  let results = (outs Weir_AnyTensorOf<[Weir_Number]>:$values, Weir_AnyTensorOf<[I32]>:$indices, Weir_Control:$control);
}

def Weir_DynamicPartitionOp : Weir_RuntimeNode<"dynamic_partition",
    (ins Weir_AnyTensor:$data, Weir_AnyTensorOf<[I32]>:$partitions), [{}], [{}], []> {
  let summary = "slices of a tensor, each to the part that its number says";
  let description = [{
    The shape of `data` begins with that of `partitions`. Part p holds the slices
    with the number p, in their order. A number that is no part is an error.

    Example:
    ```mlir
    %a, %b, %c = weir.dynamic_partition %x, %p : (tensor<?x8xf32>, tensor<?xi32>) -> (tensor<?x8xf32>, tensor<?x8xf32>, !weir.control)
    ```
  }];
  let results = (outs Variadic<Weir_AnyTensor>:$parts, Weir_Control:$control);
}

def Weir_UniqueOp : Weir_RuntimeNode<"unique",
    (ins Weir_AnyTensor:$input), [{}], [{}], []> {
  let summary = "the distinct elements of a vector";
  let description = [{
    `values` has each element once, in the order in which they come first;
    input[i] = values[indices[i]]; `counts` says how often each is there.

    Example:
    ```mlir
    %v, %i, %n, %c = weir.unique %x : (tensor<?xi32>) -> (tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, !weir.control)
    ```
  }];
  let results = (outs Weir_AnyTensor:$values, Weir_AnyTensorOf<[I32, I64]>:$indices, Weir_AnyTensorOf<[I32, I64]>:$counts, Weir_Control:$control);
}

def Weir_ListDifferenceOp : Weir_RuntimeNode<"list_difference",
    (ins Weir_AnyTensor:$input, Weir_AnyTensor:$without), [{}], [{}], []> {
  let summary = "the elements of a vector that are not in another";
  let description = [{
    They keep their order; values[i] = input[indices[i]].

    Example:
    ```mlir
    %v, %i, %c = weir.list_difference %x, %y : (tensor<?xi32>, tensor<?xi32>) -> (tensor<?xi32>, tensor<?xi32>, !weir.control)
    ```
  }];
  let results = (outs Weir_AnyTensor:$values, Weir_AnyTensorOf<[I32, I64]>:$indices, Weir_Control:$control);
}

def Weir_NonzeroOp : Weir_RuntimeNode<"nonzero",
    (ins Weir_AnyTensorOf<[Weir_Pod]>:$input), [{}], [{}], []> {
  let summary = "where elements are not zero";
  let description = [{
    One row for each, in row-major order: its index in every dimension.

    Example:
    ```mlir
    %i, %c = weir.nonzero %x : (tensor<?x4xi1>) -> (tensor<?x2xi64>, !weir.control)
    ```
  }];
  let results = (outs Weir_AnyTensorOf<[I64]>:$indices, Weir_Control:$control);
}

def Weir_SelectNOp : Weir_RuntimeNode<"select_n",
    (ins Weir_AnyTensorOf<[I32]>:$index, Variadic<Weir_Value>:$inputs), [{}], [{}], [AttrSizedOperandSegments]> {
  let summary = "one of its operands, by its number";
  let description = [{
    All operands are needed, whichever is taken. An `index` outside of
    0 <= index < n is an error.

    - (C1) there is at least one operand, and none contradicts the result.

    Example:
    ```mlir
    %q, %c = weir.select_n %i, %a, %b : (tensor<i32>, !weir.resource, !weir.resource) -> (!weir.resource, !weir.control)
    ```
  }];
  let results = (outs Weir_Value:$result, Weir_Control:$control);
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Strings
//===----------------------------------------------------------------------===//

def Weir_TakeStringsOp : Weir_RuntimeNode<"take_strings",
    (ins Weir_AnyTensorOf<[I64]>:$places, Variadic<Weir_AnyTensorOf<[Weir_String]>>:$inputs), [{}], [{}], [AttrSizedOperandSegments]> {
  let summary = "strings at given places";
  let description = [{
    `places` are numbers of the elements of all operands, one operand after the
    other, each in row-major order. All that only moves elements is this: a
    transpose of strings takes them at the transposed places. A place that is
    none is an error.

    Example:
    ```mlir
    %y, %c = weir.take_strings %i, %a, %b : (tensor<2x?xi64>, tensor<?x!weir.string>, tensor<?x!weir.string>) -> (tensor<2x?x!weir.string>, !weir.control)
    ```
  }];
  let results = (outs Weir_AnyTensorOf<[Weir_String]>:$result, Weir_Control:$control);
}

def Weir_CompareStringsOp : Weir_RuntimeNode<"compare_strings",
    (ins Weir_AnyTensorOf<[Weir_String]>:$lhs, Weir_AnyTensorOf<[Weir_String]>:$rhs, Weir_ComparePredicate:$predicate),
    [{static_cast<int64_t>(getPredicate())}], [{}], []> {
  let summary = "compares strings byte by byte";
  let description = [{
    Operands broadcast to each other as NumPy's do.

    Example:
    ```mlir
    %b, %c = weir.compare_strings %x, %y {predicate = #weir.compare<eq>} : (tensor<?x!weir.string>, tensor<!weir.string>) -> (tensor<?xi1>, !weir.control)
    ```
  }];
  let results = (outs Weir_AnyTensorOf<[I1]>:$result, Weir_Control:$control);
}

#endif // WEIR_VALUE_OPS_TD

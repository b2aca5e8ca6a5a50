//===- ListOps.td - Lists of tensors, optional values -*- tablegen -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A list or an optional travels as `!weir.resource`, but is a value: what
// changes a list gives a new one and leaves the old one as it was.
// docs/spec/resources.md has the rules.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIST_OPS_TD
#define WEIR_LIST_OPS_TD

include "dialects/Weir/WeirBase.td"

def Weir_TensorListOp : Weir_RuntimeNode<"tensor_list",
    (ins Weir_AnyTensorOf<[I32]>:$size, TypeAttr:$element), [{}], [{}], [], 1> {
  let summary = "a list of elements that are not set";
  let description = [{
    An element that is not set reads as zeros, where its shape is known.

    - (C1) `element` is a tensor of elements, or `!weir.resource` for lists in
      lists.

    Example:
    ```mlir
    %l, %c = weir.tensor_list %n {element = tensor<?x8xf32>} : (tensor<i32>) -> (!weir.resource, !weir.control)
    ```
  }];
  let results = (outs Weir_Resource:$list, Weir_Control:$control);
  let hasVerifier = 1;
}

def Weir_TensorListPushOp : Weir_RuntimeNode<"tensor_list_push",
    (ins Weir_Resource:$list, Weir_Value:$value), [{}], [{}], []> {
  let summary = "the list with an element more";
  let description = [{
    Example:
    ```mlir
    %m, %c = weir.tensor_list_push %l, %x : (!weir.resource, tensor<8xf32>) -> (!weir.resource, !weir.control)
    ```
  }];
  let results = (outs Weir_Resource:$result, Weir_Control:$control);
}

def Weir_TensorListPopOp : Weir_RuntimeNode<"tensor_list_pop",
    (ins Weir_Resource:$list), [{}], [{}], []> {
  let summary = "the list without its last element, and that";
  let description = [{
    A list without elements is an error.

    Example:
    ```mlir
    %m, %x, %c = weir.tensor_list_pop %l : (!weir.resource) -> (!weir.resource, tensor<8xf32>, !weir.control)
    ```
  }];
  let results = (outs Weir_Resource:$result, Weir_Value:$value, Weir_Control:$control);
}

def Weir_TensorListGetOp : Weir_RuntimeNode<"tensor_list_get",
    (ins Weir_Resource:$list, Weir_AnyTensorOf<[I32]>:$index), [{}], [{}], []> {
  let summary = "an element of a list";
  let description = [{
    Example:
    ```mlir
    %x, %c = weir.tensor_list_get %l, %i : (!weir.resource, tensor<i32>) -> (tensor<8xf32>, !weir.control)
    ```
  }];
  let results = (outs Weir_Value:$value, Weir_Control:$control);
}

def Weir_TensorListSetOp : Weir_RuntimeNode<"tensor_list_set",
    (ins Weir_Resource:$list, Weir_AnyTensorOf<[I32]>:$index, Weir_Value:$value, UnitAttr:$grow), [{getGrow()}], [{}], []> {
  let summary = "the list with another element at a place";
  let description = [{
    A place behind its end is an error, unless `grow`.

    Example:
    ```mlir
    %m, %c = weir.tensor_list_set %l, %i, %x : (!weir.resource, tensor<i32>, tensor<8xf32>) -> (!weir.resource, !weir.control)
    ```
  }];
  let results = (outs Weir_Resource:$result, Weir_Control:$control);
}

def Weir_TensorListStackOp : Weir_RuntimeNode<"tensor_list_stack",
    (ins Weir_Resource:$list), [{}], [{}], []> {
  let summary = "all elements of a list as one tensor";
  let description = [{
    Example:
    ```mlir
    %x, %c = weir.tensor_list_stack %l : (!weir.resource) -> (tensor<?x8xf32>, !weir.control)
    ```
  }];
  let results = (outs Weir_AnyTensor:$value, Weir_Control:$control);
}

def Weir_TensorListGatherOp : Weir_RuntimeNode<"tensor_list_gather",
    (ins Weir_Resource:$list, Weir_AnyTensorOf<[I32]>:$indices), [{}], [{}], []> {
  let summary = "elements of a list as one tensor";
  let description = [{
    Example:
    ```mlir
    %x, %c = weir.tensor_list_gather %l, %i : (!weir.resource, tensor<?xi32>) -> (tensor<?x8xf32>, !weir.control)
    ```
  }];
  let results = (outs Weir_AnyTensor:$value, Weir_Control:$control);
}

def Weir_TensorListFromTensorOp : Weir_RuntimeNode<"tensor_list_from_tensor",
    (ins Weir_AnyTensor:$value), [{}], [{}], []> {
  let summary = "a list of the slices of a tensor along its first dimension";
  let description = [{
    Example:
    ```mlir
    %l, %c = weir.tensor_list_from_tensor %x : (tensor<?x8xf32>) -> (!weir.resource, !weir.control)
    ```
  }];
  let results = (outs Weir_Resource:$list, Weir_Control:$control);
}

def Weir_TensorListScatterOp : Weir_RuntimeNode<"tensor_list_scatter",
    (ins Weir_Resource:$list, Weir_AnyTensorOf<[I32]>:$indices, Weir_AnyTensor:$value), [{}], [{}], []> {
  let summary = "the list with the slices of a tensor at given places";
  let description = [{
    The list grows to hold them all.

    Example:
    ```mlir
    %m, %c = weir.tensor_list_scatter %l, %i, %x : (!weir.resource, tensor<?xi32>, tensor<?x8xf32>) -> (!weir.resource, !weir.control)
    ```
  }];
  let results = (outs Weir_Resource:$result, Weir_Control:$control);
}

def Weir_TensorListConcatOp : Weir_RuntimeNode<"tensor_list_concat",
    (ins Weir_Resource:$list), [{}], [{}], []> {
  let summary = "all elements of a list joined along their first dimension";
  let description = [{
    Example:
    ```mlir
    %x, %n, %c = weir.tensor_list_concat %l : (!weir.resource) -> (tensor<?x8xf32>, tensor<?xi64>, !weir.control)
    ```
  }];
  let results = (outs Weir_AnyTensor:$value, Weir_AnyTensorOf<[I64]>:$lengths, Weir_Control:$control);
}

def Weir_TensorListSplitOp : Weir_RuntimeNode<"tensor_list_split",
    (ins Weir_AnyTensor:$value, Weir_AnyTensorOf<[I64]>:$lengths), [{}], [{}], []> {
  let summary = "a list of pieces of a tensor along its first dimension";
  let description = [{
    Example:
    ```mlir
    %l, %c = weir.tensor_list_split %x, %n : (tensor<?x8xf32>, tensor<?xi64>) -> (!weir.resource, !weir.control)
    ```
  }];
  let results = (outs Weir_Resource:$list, Weir_Control:$control);
}

def Weir_TensorListSizeOp : Weir_RuntimeNode<"tensor_list_size",
    (ins Weir_Resource:$list), [{}], [{}], []> {
  let summary = "the number of elements of a list";
  let description = [{
    Example:
    ```mlir
    %n, %c = weir.tensor_list_size %l : (!weir.resource) -> (tensor<i32>, !weir.control)
    ```
  }];
  let results = (outs Weir_AnyTensorOf<[I32]>:$size, Weir_Control:$control);
}

def Weir_TensorListResizeOp : Weir_RuntimeNode<"tensor_list_resize",
    (ins Weir_Resource:$list, Weir_AnyTensorOf<[I32]>:$size), [{}], [{}], []> {
  let summary = "the list with so many elements";
  let description = [{
    New ones are not set.

    Example:
    ```mlir
    %m, %c = weir.tensor_list_resize %l, %n : (!weir.resource, tensor<i32>) -> (!weir.resource, !weir.control)
    ```
  }];
  let results = (outs Weir_Resource:$result, Weir_Control:$control);
}

def Weir_TensorListElementShapeOp : Weir_RuntimeNode<"tensor_list_element_shape",
    (ins Weir_Resource:$list), [{}], [{}], []> {
  let summary = "what is known of the extents of the elements of a list";
  let description = [{
    -1 for an extent that is not known; the scalar -1 where not even the rank is.

    Example:
    ```mlir
    %s, %c = weir.tensor_list_element_shape %l : (!weir.resource) -> (tensor<?xi32>, !weir.control)
    ```
  }];
  let results = (outs Weir_AnyTensorOf<[I32, I64]>:$shape, Weir_Control:$control);
}

def Weir_TensorListAddOp : Weir_RuntimeNode<"tensor_list_add",
    (ins Weir_Resource:$lhs, Weir_Resource:$rhs), [{}], [{}], []> {
  let summary = "a list of the sums of two lists' elements";
  let description = [{
    An element that is not set counts as zeros.

    Example:
    ```mlir
    %m, %c = weir.tensor_list_add %a, %b : (!weir.resource, !weir.resource) -> (!weir.resource, !weir.control)
    ```
  }];
  let results = (outs Weir_Resource:$result, Weir_Control:$control);
}

def Weir_TensorListZerosOp : Weir_RuntimeNode<"tensor_list_zeros",
    (ins Weir_Resource:$list), [{}], [{}], []> {
  let summary = "a list of zeros like the elements of another";
  let description = [{
    Example:
    ```mlir
    %m, %c = weir.tensor_list_zeros %l : (!weir.resource) -> (!weir.resource, !weir.control)
    ```
  }];
  let results = (outs Weir_Resource:$result, Weir_Control:$control);
}

//===----------------------------------------------------------------------===//
// Optional values
//===----------------------------------------------------------------------===//

def Weir_OptionalFromValuesOp : Weir_RuntimeNode<"optional_from_values",
    (ins Variadic<Weir_Value>:$values), [{}], [{}], [AttrSizedOperandSegments]> {
  let summary = "an optional that has values";
  let description = [{
    Example:
    ```mlir
    %o, %c = weir.optional_from_values %x : (tensor<f32>) -> (!weir.resource, !weir.control)
    ```
  }];
  let results = (outs Weir_Resource:$optional, Weir_Control:$control);
}

def Weir_OptionalNoneOp : Weir_RuntimeNode<"optional_none", (ins), [{}], [{}], []> {
  let summary = "an optional that has none";
  let description = [{
    Example:
    ```mlir
    %o, %c = weir.optional_none : () -> (!weir.resource, !weir.control)
    ```
  }];
  let results = (outs Weir_Resource:$optional, Weir_Control:$control);
}

def Weir_OptionalHasValuesOp : Weir_RuntimeNode<"optional_has_values",
    (ins Weir_Resource:$optional), [{}], [{}], []> {
  let summary = "whether an optional has values";
  let description = [{
    Example:
    ```mlir
    %b, %c = weir.optional_has_values %o : (!weir.resource) -> (tensor<i1>, !weir.control)
    ```
  }];
  let results = (outs Weir_AnyTensorOf<[I1]>:$result, Weir_Control:$control);
}

def Weir_OptionalGetValuesOp : Weir_RuntimeNode<"optional_get_values",
    (ins Weir_Resource:$optional), [{}], [{}], []> {
  let summary = "the values of an optional";
  let description = [{
    One that has none is an error.

    Example:
    ```mlir
    %x, %c = weir.optional_get_values %o : (!weir.resource) -> (tensor<f32>, !weir.control)
    ```
  }];
  let results = (outs Variadic<Weir_Value>:$values, Weir_Control:$control);
}

#endif // WEIR_LIST_OPS_TD

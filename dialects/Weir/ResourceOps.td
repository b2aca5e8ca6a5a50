//===- ResourceOps.td - State by handle -*- tablegen -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RESOURCE_OPS_TD
#define WEIR_RESOURCE_OPS_TD

include "dialects/Weir/WeirBase.td"

def Weir_HandleOp : Op<Weir_Dialect, "handle", [Pure, DeclareOpInterfaceMethods<Weir_NodeInterface>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a handle of declared state";
  let description = [{
    As a constant it has no control operands and is there in every frame.

    - (C1) `symbol` names a variable, queue, barrier, accumulator or reader.

    Example:
    ```mlir
    %q = weir.handle @batches
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$symbol);
  let results = (outs Weir_Resource:$result);
  let assemblyFormat = "$symbol attr-dict";
}

//===----------------------------------------------------------------------===//
// Variables by handle
//===----------------------------------------------------------------------===//

def Weir_ReadResourceOp : Weir_RuntimeNode<"read_resource",
    (ins Weir_Resource:$handle), [{}], [{}], []> {
  let summary = "the value of the variable that a handle names";
  let description = [{
    As `weir.read`. A variable of another type is an error at run time.

    Example:
    ```mlir
    %w, %c = weir.read_resource %h : (!weir.resource) -> (tensor<2xf32>, !weir.control)
    ```
  }];
  let results = (outs Weir_AnyTensor:$value, Weir_Control:$control);
}

def Weir_AssignResourceOp : Weir_RuntimeNode<"assign_resource",
    (ins Weir_Resource:$handle, Weir_AnyTensor:$value), [{}], [{}], []> {
  let summary = "gives the variable that a handle names a value";
  let description = [{
    A value of another type than the variable has is an error at run time.

    Example:
    ```mlir
    %c = weir.assign_resource %h, %v : (!weir.resource, tensor<2xf32>) -> !weir.control
    ```
  }];
  let results = (outs Weir_Control:$control);
}

def Weir_AssignAddResourceOp : Weir_RuntimeNode<"assign_add_resource",
    (ins Weir_Resource:$handle, Weir_AnyTensorOf<[Weir_Number]>:$value), [{}], [{}], []> {
  let summary = "adds to the variable that a handle names";
  let description = [{
    A value of another type than the variable has is an error at run time.

    Example:
    ```mlir
    %c = weir.assign_add_resource %h, %v : (!weir.resource, tensor<2xf32>) -> !weir.control
    ```
  }];
  let results = (outs Weir_Control:$control);
}

def Weir_AssignSubResourceOp : Weir_RuntimeNode<"assign_sub_resource",
    (ins Weir_Resource:$handle, Weir_AnyTensorOf<[Weir_Number]>:$value), [{}], [{}], []> {
  let summary = "subtracts from the variable that a handle names";
  let description = [{
    A value of another type than the variable has is an error at run time.

    Example:
    ```mlir
    %c = weir.assign_sub_resource %h, %v : (!weir.resource, tensor<2xf32>) -> !weir.control
    ```
  }];
  let results = (outs Weir_Control:$control);
}

def Weir_IsInitializedResourceOp : Weir_RuntimeNode<"is_initialized_resource",
    (ins Weir_Resource:$handle), [{}], [{}], []> {
  let summary = "whether the variable that a handle names has a value";
  let description = [{
    Example:
    ```mlir
    %b, %c = weir.is_initialized_resource %h : (!weir.resource) -> (tensor<i1>, !weir.control)
    ```
  }];
  let results = (outs Weir_AnyTensorOf<[I1]>:$value, Weir_Control:$control);
}

def Weir_TemporaryVariableOp : Weir_RuntimeNode<"temporary_variable",
    (ins TypeAttrOf<Weir_AnyTensor>:$type), [{}], [{}], [], 1> {
  let summary = "a variable that lives as long as the step";
  let description = [{
    Each run of the node makes another one, without a value.

    - (C1) see `weir.variable` (C1), (C2).

    Example:
    ```mlir
    %h, %c = weir.temporary_variable {type = tensor<2xf32>} : () -> (!weir.resource, !weir.control)
    ```
  }];
  let results = (outs Weir_Resource:$handle, Weir_Control:$control);
  let hasVerifier = 1;
}

def Weir_VariableDestroyOp : Weir_RuntimeNode<"variable_destroy",
    (ins Weir_Resource:$handle), [{}], [{}], []> {
  let summary = "takes the value of a variable away";
  let description = [{
    As if it never had one.

    Example:
    ```mlir
    %c = weir.variable_destroy %h : (!weir.resource) -> !weir.control
    ```
  }];
  let results = (outs Weir_Control:$control);
}

def Weir_AssignScatterResourceOp : Weir_RuntimeNode<"assign_scatter_resource",
    (ins Weir_Resource:$handle, Weir_IndexTensor:$indices, Weir_PodTensor:$updates, Weir_ScatterKind:$kind, TypeAttrOf<Weir_PodTensor>:$type), [{}], [{}], []> {
  let summary = "changes slices of the variable that a handle names";
  let description = [{
    As `weir.assign_scatter` for a variable of type `type`.

    - (C1) see `weir.scatter` (C1), (C2).

    Example:
    ```mlir
    %c = weir.assign_scatter_resource %h, %i, %v {kind = #weir.scatter_kind<add>, type = tensor<9x2xf32>} : (!weir.resource, tensor<3xi32>, tensor<3x2xf32>) -> !weir.control
    ```
  }];
  let results = (outs Weir_Control:$control);
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Stacks, tensor arrays: they belong to the step
//===----------------------------------------------------------------------===//

def Weir_StackOp : Weir_RuntimeNode<"stack",
    (ins Weir_AnyTensorOf<[I32]>:$max_size, TypeAttr:$element), [{::weir::dtypeOf(getElement())}], [{}], []> {
  let summary = "a new stack";
  let description = [{
    `max_size` -1 is no bound.

    - (C1) `element` is an element type.

    Example:
    ```mlir
    %h, %c = weir.stack %n {element = f32} : (tensor<i32>) -> (!weir.resource, !weir.control)
    ```
  }];
  let results = (outs Weir_Resource:$handle, Weir_Control:$control);
  let hasVerifier = 1;
}

def Weir_StackPushOp : Weir_RuntimeNode<"stack_push",
    (ins Weir_Resource:$stack, Weir_AnyTensor:$value), [{}], [{}], []> {
  let summary = "puts a value on a stack, and gives it";
  let description = [{
    Example:
    ```mlir
    %y, %c = weir.stack_push %h, %x : (!weir.resource, tensor<f32>) -> (tensor<f32>, !weir.control)
    ```
  }];
  let results = (outs Weir_AnyTensor:$result, Weir_Control:$control);
}

def Weir_StackPopOp : Weir_RuntimeNode<"stack_pop",
    (ins Weir_Resource:$stack), [{}], [{}], []> {
  let summary = "takes the last value off a stack";
  let description = [{
    Example:
    ```mlir
    %y, %c = weir.stack_pop %h : (!weir.resource) -> (tensor<f32>, !weir.control)
    ```
  }];
  let results = (outs Weir_AnyTensor:$result, Weir_Control:$control);
}

def Weir_StackCloseOp : Weir_RuntimeNode<"stack_close",
    (ins Weir_Resource:$stack), [{}], [{}], []> {
  let summary = "drops what a stack holds";
  let description = [{
    Example:
    ```mlir
    %c = weir.stack_close %h : (!weir.resource) -> !weir.control
    ```
  }];
  let results = (outs Weir_Control:$control);
}

def Weir_TensorArrayOp : Weir_RuntimeNode<"tensor_array",
    (ins Weir_AnyTensorOf<[I32]>:$size, TypeAttrOf<Weir_AnyTensor>:$element, UnitAttr:$dynamic_size, UnitAttr:$clear_after_read, UnitAttr:$identical_element_shapes), [{}], [{}], [], 1> {
  let summary = "a new array of tensors";
  let description = [{
    `flow` is an f32 scalar that orders the accesses. docs/spec/resources.md has
    the rules.

    Example:
    ```mlir
    %h, %f, %c = weir.tensor_array %n {element = tensor<2xf32>, clear_after_read} : (tensor<i32>) -> (!weir.resource, tensor<f32>, !weir.control)
    ```
  }];
  let results = (outs Weir_Resource:$handle, Weir_AnyTensorOf<[F32]>:$flow, Weir_Control:$control);
}

def Weir_TensorArrayGradientOp : Weir_RuntimeNode<"tensor_array_gradient",
    (ins Weir_Resource:$handle, Weir_AnyTensorOf<[F32]>:$flow, StrAttr:$source), [{}], [{getSource().str()}], []> {
  let summary = "the array of gradients of an array";
  let description = [{
    One for each `source`.

    Example:
    ```mlir
    %g, %f, %c = weir.tensor_array_gradient %h, %f0 {source = "loss"} : (!weir.resource, tensor<f32>) -> (!weir.resource, tensor<f32>, !weir.control)
    ```
  }];
  let results = (outs Weir_Resource:$gradient, Weir_AnyTensorOf<[F32]>:$flow_out, Weir_Control:$control);
}

def Weir_TensorArrayWriteOp : Weir_RuntimeNode<"tensor_array_write",
    (ins Weir_Resource:$handle, Weir_AnyTensorOf<[I32]>:$index, Weir_AnyTensor:$value, Weir_AnyTensorOf<[F32]>:$flow), [{}], [{}], []> {
  let summary = "sets an element";
  let description = [{
    Example:
    ```mlir
    %f, %c = weir.tensor_array_write %h, %i, %v, %f0 : (!weir.resource, tensor<i32>, tensor<2xf32>, tensor<f32>) -> (tensor<f32>, !weir.control)
    ```
  }];
  let results = (outs Weir_AnyTensorOf<[F32]>:$flow_out, Weir_Control:$control);
}

def Weir_TensorArrayReadOp : Weir_RuntimeNode<"tensor_array_read",
    (ins Weir_Resource:$handle, Weir_AnyTensorOf<[I32]>:$index, Weir_AnyTensorOf<[F32]>:$flow), [{}], [{}], []> {
  let summary = "an element";
  let description = [{
    Example:
    ```mlir
    %v, %c = weir.tensor_array_read %h, %i, %f : (!weir.resource, tensor<i32>, tensor<f32>) -> (tensor<2xf32>, !weir.control)
    ```
  }];
  let results = (outs Weir_AnyTensor:$value, Weir_Control:$control);
}

def Weir_TensorArrayGatherOp : Weir_RuntimeNode<"tensor_array_gather",
    (ins Weir_Resource:$handle, Weir_AnyTensorOf<[I32]>:$indices, Weir_AnyTensorOf<[F32]>:$flow), [{}], [{}], []> {
  let summary = "elements as one tensor";
  let description = [{
    Example:
    ```mlir
    %v, %c = weir.tensor_array_gather %h, %i, %f : (!weir.resource, tensor<3xi32>, tensor<f32>) -> (tensor<3x2xf32>, !weir.control)
    ```
  }];
  let results = (outs Weir_AnyTensor:$value, Weir_Control:$control);
}

def Weir_TensorArrayScatterOp : Weir_RuntimeNode<"tensor_array_scatter",
    (ins Weir_Resource:$handle, Weir_AnyTensorOf<[I32]>:$indices, Weir_AnyTensor:$value, Weir_AnyTensorOf<[F32]>:$flow), [{}], [{}], []> {
  let summary = "sets elements from one tensor";
  let description = [{
    Example:
    ```mlir
    %f, %c = weir.tensor_array_scatter %h, %i, %v, %f0 : (!weir.resource, tensor<3xi32>, tensor<3x2xf32>, tensor<f32>) -> (tensor<f32>, !weir.control)
    ```
  }];
  let results = (outs Weir_AnyTensorOf<[F32]>:$flow_out, Weir_Control:$control);
}

def Weir_TensorArrayConcatOp : Weir_RuntimeNode<"tensor_array_concat",
    (ins Weir_Resource:$handle, Weir_AnyTensorOf<[F32]>:$flow), [{}], [{}], []> {
  let summary = "all elements, one behind the other";
  let description = [{
    Example:
    ```mlir
    %v, %l, %c = weir.tensor_array_concat %h, %f : (!weir.resource, tensor<f32>) -> (tensor<?x2xf32>, tensor<?xi64>, !weir.control)
    ```
  }];
  let results = (outs Weir_AnyTensor:$value, Weir_AnyTensorOf<[I64]>:$lengths, Weir_Control:$control);
}

def Weir_TensorArraySplitOp : Weir_RuntimeNode<"tensor_array_split",
    (ins Weir_Resource:$handle, Weir_AnyTensor:$value, Weir_AnyTensorOf<[I64]>:$lengths, Weir_AnyTensorOf<[F32]>:$flow), [{}], [{}], []> {
  let summary = "sets all elements from one tensor";
  let description = [{
    Example:
    ```mlir
    %f, %c = weir.tensor_array_split %h, %v, %l, %f0 : (!weir.resource, tensor<?x2xf32>, tensor<3xi64>, tensor<f32>) -> (tensor<f32>, !weir.control)
    ```
  }];
  let results = (outs Weir_AnyTensorOf<[F32]>:$flow_out, Weir_Control:$control);
}

def Weir_TensorArraySizeOp : Weir_RuntimeNode<"tensor_array_size",
    (ins Weir_Resource:$handle, Weir_AnyTensorOf<[F32]>:$flow), [{}], [{}], []> {
  let summary = "the number of elements";
  let description = [{
    Example:
    ```mlir
    %n, %c = weir.tensor_array_size %h, %f : (!weir.resource, tensor<f32>) -> (tensor<i32>, !weir.control)
    ```
  }];
  let results = (outs Weir_AnyTensorOf<[I32]>:$size, Weir_Control:$control);
}

def Weir_TensorArrayCloseOp : Weir_RuntimeNode<"tensor_array_close",
    (ins Weir_Resource:$handle), [{}], [{}], []> {
  let summary = "drops what an array holds";
  let description = [{
    Example:
    ```mlir
    %c = weir.tensor_array_close %h : (!weir.resource) -> !weir.control
    ```
  }];
  let results = (outs Weir_Control:$control);
}

//===----------------------------------------------------------------------===//
// Checks at run time; nodes of other systems
//===----------------------------------------------------------------------===//

def Weir_EnsureShapeOp : Weir_RuntimeNode<"ensure_shape",
    (ins Weir_AnyTensor:$input), [{}], [{}], []> {
  let summary = "its operand, once it has the extents that the type says";
  let description = [{
    Gives a value of unknown rank or extents a type that can be computed with.

    - (C1) the types of operand and result do not contradict each other.

    Example:
    ```mlir
    %y, %c = weir.ensure_shape %x : (tensor<*xf32>) -> (tensor<?x2xf32>, !weir.control)
    ```
  }];
  let results = (outs Weir_AnyTensor:$result, Weir_Control:$control);
  let hasVerifier = 1;
}

def Weir_AssertOp : Weir_RuntimeNode<"assert",
    (ins Weir_AnyTensorOf<[I1]>:$condition, Variadic<Weir_AnyTensor>:$values, StrAttr:$message, UnitAttr:$out_of_range), [{getOutOfRange()}], [{getMessage().str()}], [AttrSizedOperandSegments]> {
  let summary = "ends the step with an error unless a condition holds";
  let description = [{
    The error has the message and the values. Every element of the condition
    has to be true. The error is INVALID_ARGUMENT; with `out_of_range` it says
    that there is no more, as the end of a queue does.

    Example:
    ```mlir
    %c = weir.assert %ok, %x {message = "x is negative"} : (tensor<i1>, tensor<f32>) -> !weir.control
    ```
  }];
  let results = (outs Weir_Control:$control);
}

def Weir_ForeignOp : Weir_RuntimeNode<"foreign",
    (ins Variadic<Weir_Value>:$inputs, StrAttr:$op, StrAttr:$reason, OptionalAttr<DictionaryAttr>:$parameters), [{}], [{getOp().str(), getReason().str()}], [AttrSizedOperandSegments]> {
  let summary = "a node whose op Weir does not have";
  let description = [{
    Imported graphs keep such nodes: only running one is an error. `op` is its
    type in the system that it comes from, `reason` why it stayed.

    Example:
    ```mlir
    %y, %c = weir.foreign %x {op = "FFT2D", reason = "there is no such op"} : (tensor<2x2xf32>) -> (tensor<*xf32>, !weir.control)
    ```
  }];
  let results = (outs Variadic<Weir_Value>:$outputs, Weir_Control:$control);
}

#endif // WEIR_RESOURCE_OPS_TD

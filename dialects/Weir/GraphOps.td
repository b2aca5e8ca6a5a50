//===- GraphOps.td - Graphs, their symbols and their structure -*- tablegen -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_GRAPH_OPS_TD
#define WEIR_GRAPH_OPS_TD

include "dialects/Weir/WeirBase.td"

def Weir_GraphOp : Op<Weir_Dialect, "graph", [FunctionOpInterface, IsolatedFromAbove, Symbol,
    RegionKindInterface, SingleBlock]> {
  let summary = "an entry point: one dataflow graph";
  let description = [{
    A graph with feeds (its arguments) and fetches (the operands of its
    `weir.fetch`). Its body has no order but that of edges, and may have
    cycles. The attribute `weir.name` on arguments and results names feeds and
    fetches; without it they are `arg0`, `result0` and so on.

    - (C1) the operands of the terminator have the types of the results; they
      may know extents that the results leave open.
    - (C2) feeds and fetches are tensors of an element type of this dialect,
      without an encoding and of less than 2^48 bytes; so are the results of
      nodes that are ranked tensors. Their rank may be unknown: such values can
      be fed, carried and fetched, but not computed with.
    - (C3) names of feeds are unique; so are those of fetches.

    Later phases put ops of other dialects into the body; `weir-import-verify`
    says what a graph is made of to begin with.

    Example:
    ```mlir
    weir.graph @double(%x: tensor<f32> {weir.name = "x"}) -> (tensor<f32> {weir.name = "y"}) {
      %y = weir.add %x, %x : (tensor<f32>, tensor<f32>) -> tensor<f32>
      weir.fetch %y : tensor<f32>
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type,
    OptionalAttr<StrAttr>:$sym_visibility, OptionalAttr<DictArrayAttr>:$arg_attrs, OptionalAttr<DictArrayAttr>:$res_attrs);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    static ::mlir::RegionKind getRegionKind(unsigned) { return ::mlir::RegionKind::Graph; }
    ::mlir::Region *getCallableRegion() { return &getBody(); }
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    /// The name under which argument `i` is fed, result `i` is fetched.
    std::string getFeedName(unsigned i);
    std::string getFetchName(unsigned i);
    ::weir::FetchOp getFetch();
  }];
}

def Weir_FetchOp : Op<Weir_Dialect, "fetch", [Terminator, HasParent<"GraphOp">, AttrSizedOperandSegments,
    MemoryEffects<[MemRead<Weir_StateResource>, MemWrite<Weir_StateResource>]>]> {
  let summary = "what a step returns, and what it runs for";
  let description = [{
    The data operands are the fetches. A control operand names a node that has
    to run although its value is not fetched (a target).

    Example:
    ```mlir
    weir.fetch %loss after(%update) : tensor<f32>
    ```
  }];
  let arguments = (ins Variadic<Weir_AnyTensor>:$values, Variadic<Weir_Control>:$controls);
  let builders = [OpBuilder<(ins), [{ (void)$_builder; (void)$_state; }]>];
  let assemblyFormat = "($values^)? (`after` `(` $controls^ `)`)? attr-dict (`:` type($values)^)?";
}

def Weir_VariableOp : Op<Weir_Dialect, "variable", [Symbol]> {
  let summary = "a tensor that lives as long as the session";
  let description = [{
    Shared by all graphs of the module. It has no value until it is assigned;
    reading it before is an error at run time that names it.

    A variable of strings, and one of unknown rank, whose values may be of any
    shape, are accessed by handle.

    - (C1) the type is a tensor of static extents, or of unknown rank.
    - (C2) the type is such as `weir.graph` (C2) has it.

    Example:
    ```mlir
    weir.variable @w : tensor<64x32xf32>
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<Weir_AnyTensor>:$type,
    OptionalAttr<StrAttr>:$sym_visibility);
  let assemblyFormat = "$sym_name `:` $type attr-dict";
  let hasVerifier = 1;
}

def Weir_NoOpOp : Weir_Node<"no_op", (ins), [MemoryEffects<[MemRead<Weir_StateResource>, MemWrite<Weir_StateResource>]>]> {
  let deviceTypes = ["CPU", "GPU", "MXU"];
  let summary = "joins control edges";
  let description = [{
    Runs when all its control operands have, and does nothing.

    Example:
    ```mlir
    %done = weir.no_op after(%a, %b)
    ```
  }];
  let results = (outs Weir_Control:$control);
  let assemblyFormat = "(`after` `(` $controls^ `)`)? attr-dict";
}

def Weir_CompletedOp : Weir_Node<"completed", (ins Weir_Value:$value)> {
  let deviceTypes = ["CPU", "GPU", "MXU"];
  let summary = "a value's existence as a control edge";
  let description = [{
    Makes the completion of a node without effects usable behind `after`.

    Example:
    ```mlir
    %c = weir.completed %loss : tensor<f32>
    ```
  }];
  let results = (outs Weir_Control:$control);
  let assemblyFormat = "$value (`after` `(` $controls^ `)`)? attr-dict `:` type($value)";
  let extraClassDefinition = nodeDefinition;
}

def Weir_ConstantOp : Op<Weir_Dialect, "constant", [ConstantLike, Pure, DeclareOpInterfaceMethods<Weir_NodeInterface>]> {
  let summary = "a tensor known at compile time";
  let description = [{
    It has no control operands: `weir.identity` is where a value waits.

    - (C1) the result has the type of the value.
    - (C2) the value is dense: its elements, or one for all of them, are in the
      text.

    Example:
    ```mlir
    %c = weir.constant dense<1.0> : tensor<4xf32>
    ```
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Weir_Tensor:$result);
  let hasCustomAssemblyFormat = 1;
  let hasFolder = 1;
  let hasVerifier = 1;
  let builders = [
    OpBuilder<(ins "::mlir::ElementsAttr":$value)>,
    // A splat: `value` is converted to the element type of `type`.
    OpBuilder<(ins "::mlir::RankedTensorType":$type, "double":$value)>,
  ];
}

def Weir_IdentityOp : Weir_PureNode<"identity", (ins Weir_Value:$input), Weir_Gradient<"dy">> {
  let deviceTypes = ["CPU", "GPU", "MXU"];
  let summary = "its operand";
  let description = [{
    A name for a value, or the place where control edges meet a value.

    Example:
    ```mlir
    %y = weir.identity %x after(%c) : (tensor<f32>) -> tensor<f32>
    ```
  }];
  let results = (outs Weir_Value:$result);
  let hasFolder = 1;
}

def Weir_StopGradientOp : Weir_PureNode<"stop_gradient", (ins Weir_Tensor:$input)> {
  let summary = "its operand, through which no gradient flows";
  let description = [{
    Example:
    ```mlir
    %y = weir.stop_gradient %x : (tensor<f32>) -> tensor<f32>
    ```
  }];
  let results = (outs Weir_Tensor:$result);
}

def Weir_GradientsOp : Weir_Node<"gradients",
    (ins Weir_FloatTensor:$y, Variadic<Weir_FloatTensor>:$xs, Optional<Weir_FloatTensor>:$seed),
    [AttrSizedOperandSegments, Pure]> {
  let deviceTypes = ["CPU", "GPU"];
  let summary = "the gradient of one value with respect to others, as a request";
  let description = [{
    Expanded by the autodiff phase. `seed` is the gradient of `y` itself; ones
    where it is absent. A value that `y` does not depend on has gradient zero.
    Source: OSDI 2016 section 4.1.

    - (C1) each result has the type of its `xs` operand.
    - (C2) `seed` has the type of `y`.

    Example:
    ```mlir
    %dw, %db = weir.gradients %loss wrt(%w, %b) : (tensor<f32>, tensor<2x2xf32>, tensor<2xf32>) -> (tensor<2x2xf32>, tensor<2xf32>)
    ```
  }];
  let results = (outs Variadic<Weir_FloatTensor>:$gradients);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDefinition = nodeDefinition;
}

def Weir_GroupOp : Op<Weir_Dialect, "group", [SingleBlockImplicitTerminator<"YieldOp">, Pure]> {
  let summary = "a fusion group: pure nodes compiled into one kernel";
  let description = [{
    Made by the fuse phase. The body may use any value around it. `kernel` is
    its name in traces.

    - (C1) the operands of the terminator have the types of the results.
    - (C2) the body has no node with effects.

    Example:
    ```mlir
    %h = weir.group "matmul_relu" -> tensor<4x8xf32> {
      %m = weir.matmul %x, %w : (tensor<4x2xf32>, tensor<2x8xf32>) -> tensor<4x8xf32>
      %r = weir.relu %m : (tensor<4x8xf32>) -> tensor<4x8xf32>
      weir.yield %r : tensor<4x8xf32>
    }
    ```
  }];
  let arguments = (ins StrAttr:$kernel);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$kernel (`->` type($results)^)? $body attr-dict";
  let hasRegionVerifier = 1;
}

def Weir_YieldOp : Op<Weir_Dialect, "yield", [Pure, Terminator, HasParent<"GroupOp">]> {
  let summary = "the results of a fusion group";
  let description = [{
    Example:
    ```mlir
    weir.yield %r : tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$values);
  let builders = [OpBuilder<(ins), [{ (void)$_builder; (void)$_state; }]>];
  let assemblyFormat = "($values^)? attr-dict (`:` type($values)^)?";
}

#endif // WEIR_GRAPH_OPS_TD

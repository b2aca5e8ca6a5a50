//===- Interfaces.td - What an op may know about itself -*- tablegen -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An op declares what it can do in its own `def`: its gradient, its scalar
// body, its decomposition. A pass asks the interface and never names the op.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_INTERFACES_TD
#define WEIR_INTERFACES_TD

include "mlir/IR/OpBase.td"

def Weir_NodeInterface : OpInterface<"NodeInterface"> {
  let cppNamespace = "::weir";
  let description = [{
    Every op of a `weir.graph` body is a node: data operands, then control
    operands (`after`), data results and, where it has effects, a control
    result.
  }];
  let methods = [
    InterfaceMethod<"The control operands: what must have happened before.",
      "::mlir::OperandRange", "getControlInputs", (ins)>,
    InterfaceMethod<"The data operands.",
      "::mlir::OperandRange", "getDataInputs", (ins)>,
    InterfaceMethod<"The control operands, to change.",
      "::mlir::MutableOperandRange", "getControlInputsMutable", (ins)>,
    InterfaceMethod<"The types of devices that can run the node: its row in the "
                    "table of kernels. Whether its operands' types fit is not "
                    "asked here.",
      "::llvm::ArrayRef<::llvm::StringLiteral>", "getDeviceTypes", (ins)>,
  ];
}

def Weir_GradientInterface : OpInterface<"GradientInterface"> {
  let cppNamespace = "::weir";
  let description = [{
    The op has a gradient. `buildGradient` receives one gradient for each data
    result (null where none flows back) and returns one for each data operand
    (null where the result does not depend on it in a differentiable way).
    Source: OSDI 2016 section 4.1.
  }];
  let methods = [
    InterfaceMethod<"Builds the backward nodes.",
      "::llvm::SmallVector<::mlir::Value>", "buildGradient",
      (ins "::weir::GradientBuilder &":$b, "::mlir::ValueRange":$dys)>,
  ];
}

def Weir_ElementwiseInterface : OpInterface<"ElementwiseInterface"> {
  let cppNamespace = "::weir";
  let description = [{
    Each element of the one result depends on the elements of the operands at
    the same place (after broadcasting). `buildScalar` makes that dependency
    out of `arith` and `math` ops, which also take vectors.
  }];
  let methods = [
    InterfaceMethod<"Builds the body for scalars or vectors of elements.",
      "::mlir::Value", "buildScalar",
      (ins "::weir::ScalarBuilder &":$b, "::mlir::ValueRange":$x)>,
  ];
}

def Weir_DecomposeInterface : OpInterface<"DecomposeInterface"> {
  let cppNamespace = "::weir";
  let description = [{
    The op is a composition of others. `decompose` builds them and returns one
    value for each data result. A backend keeps the op whole only when it does
    better.
  }];
  let methods = [
    InterfaceMethod<"Builds the composition.",
      "::llvm::SmallVector<::mlir::Value>", "decompose",
      (ins "::weir::GraphBuilder &":$b)>,
  ];
}

def Weir_RuntimeCallInterface : OpInterface<"RuntimeCallInterface"> {
  let cppNamespace = "::weir";
  let description = [{
    The node is carried out by a call of the runtime, `weir_node_` followed by
    the node's mnemonic (include/weir-c/dataflow.h), which may wait.
  }];
  let methods = [
    InterfaceMethod<"The numbers that the call takes beside its operands.",
      "::llvm::SmallVector<int64_t>", "getCallNumbers", (ins)>,
    InterfaceMethod<"The texts that the call takes beside its operands.",
      "::llvm::SmallVector<::std::string>", "getCallTexts", (ins)>,
  ];
}

#endif // WEIR_INTERFACES_TD

//===- Passes.td - What turns dataflow control flow into structured -*- tablegen -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_PASSES_RAISE_PASSES_TD
#define WEIR_PASSES_RAISE_PASSES_TD

include "mlir/Pass/PassBase.td"

def RaiseResolveHandles : Pass<"weir-raise-resolve-handles", "::mlir::ModuleOp"> {
  let summary = "State by symbol where a handle is always the same";
  let description = [{
    A node that is given a handle of a variable, and by whatever way the same
    one each time, becomes the node that names the variable: through identity,
    Switch, Merge, Enter, Exit, NextIteration, and around loops. It waits for
    the handle where that hung on something. Handles that nobody takes any more
    are dropped, with what carried them.

    A module with the attribute `rt.no_raise` stays as it is.
  }];
}

def RaiseControlFlow : Pass<"weir-raise-control-flow", "weir::GraphOp"> {
  let summary = "Turn dataflow control flow into structured control flow";
  let description = [{
    Conditionals (Switch and Merge) become `scf.if` and loops (Enter, Merge,
    LoopCond, Switch, NextIteration, Exit) become `scf.while`, loops from the
    inside out, where that is exact: the same nodes run as often, in an order
    that the edges allow, and the same values are live. What is not stays
    dataflow, and a remark says why. docs/spec/raising.md has the rules.

    A graph of a module with the attribute `rt.no_raise` stays as it is.
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
}

#endif // WEIR_PASSES_RAISE_PASSES_TD

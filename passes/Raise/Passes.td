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

def RaiseControlFlow : Pass<"weir-raise-control-flow", "weir::GraphOp"> {
  let summary = "Turn dataflow control flow into structured control flow";
  let description = [{
    Well-formed conditionals (Switch and Merge) and loops (Enter, NextIteration,
    Exit) become structured ops; what is not well formed stays dataflow.

    The `weir` dialect has none of those ops yet, so there is nothing to raise:
    this pass verifies that no node has a region that holds control flow, and
    leaves the graph as it is.
  }];
}

#endif // WEIR_PASSES_RAISE_PASSES_TD

//===- Passes.td - What puts a program in order -*- tablegen -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_PASSES_SCHEDULE_PASSES_TD
#define WEIR_PASSES_SCHEDULE_PASSES_TD

include "mlir/Pass/PassBase.td"

def ScheduleBuildDataflow : Pass<"weir-schedule-build-dataflow", "::mlir::ModuleOp"> {
  let summary = "makes a table for the executor of each graph that is no straight line";
  let description = [{
    A graph in which a node may wait (calls of the runtime), in which nodes run
    by what is live (switches, merges, loops), or in which values have no known
    rank, becomes an `rt.dataflow`. Its groups, conditionals, loops and pure
    nodes become kernels: graphs of their own, which
    `weir-schedule-order-program` turns into straight lines as it does with all
    other graphs. Only what the fetches need is in the table.

    A node that joins control edges, or hands a value on, has a place in the
    table only where it is more than its edges: to wait for it, or for what it
    waits for, is the same.

    The module's attribute `rt.executor = "all"` takes all graphs, as the option
    does; `"tasks"` also keeps every node apart and in the table, so that what
    running a node costs can be measured.
  }];
  let options = [Option<"executor", "executor", "bool", "false", "make tables of all graphs">];
  let dependentDialects = ["::weir::rt::RtDialect"];
}

def ScheduleOrderProgram : Pass<"weir-schedule-order-program", "::mlir::ModuleOp"> {
  let summary = "makes one straight-line function of each graph";
  let description = [{
    A graph without blocking or non-strict nodes becomes a `func.func` whose ops
    stand in an order that respects every data and control edge. Only what the
    fetches need is in it.

    State is a value inside the function: a variable is read once, before its
    first use, assignments replace the value, and what was assigned is written
    back at the end, so that a step that fails before leaves variables as they
    were. Nodes that compute a variable's new value from its old one come as
    late as the edges allow: by then nobody needs the old value, and the update
    can be made in place.
  }];
  let dependentDialects = ["::weir::rt::RtDialect", "::mlir::func::FuncDialect", "::mlir::arith::ArithDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect", "::mlir::LLVM::LLVMDialect"];
}

#endif // WEIR_PASSES_SCHEDULE_PASSES_TD

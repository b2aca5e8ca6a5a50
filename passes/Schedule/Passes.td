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
    "::mlir::tensor::TensorDialect", "::mlir::LLVM::LLVMDialect"];
}

#endif // WEIR_PASSES_SCHEDULE_PASSES_TD

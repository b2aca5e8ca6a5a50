//===- Passes.td - What from linalg on tensors to native code -*- tablegen -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_PASSES_CODEGEN_CPU_PASSES_TD
#define WEIR_PASSES_CODEGEN_CPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def CpuUpdateInPlace : Pass<"weir-cpu-update-in-place", "::mlir::func::FuncOp"> {
  let summary = "lets a variable's new value be made where the old one is";
  let description = [{
    Where an element-wise `linalg.generic` computes what `rt.write_variable`
    writes and reads the same variable at the same places, the old value becomes
    its destination. Bufferization then needs no memory and no copy for it; it
    still makes one where the old value is read afterwards. A scatter changes
    the old value itself instead of a copy. An op that stands
    before a check which may end the step is left alone: a step that fails
    leaves variables as they were.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect"];
}

def CpuAssignBuffers : Pass<"weir-cpu-assign-buffers", "::mlir::func::FuncOp"> {
  let summary = "gives what a step is fed, reads, writes and fetches its memory";
  let description = [{
    Turns the `rt` ops on tensors of an entry point into those on buffers, with
    `bufferization.to_tensor` and `materialize_in_destination` between them and
    the program.
  }];
  let dependentDialects = ["::weir::rt::RtDialect", "::mlir::bufferization::BufferizationDialect",
    "::mlir::memref::MemRefDialect", "::mlir::tensor::TensorDialect"];
}

def CpuCarryInPlace : Pass<"weir-cpu-carry-in-place", "::mlir::func::FuncOp"> {
  let summary = "gives the tensors that a loop carries one place each";
  let description = [{
    Before a loop, what it carries gets memory of its own; at the end of each
    iteration, the value for the next one goes there. So no iteration needs new
    memory for what it hands on, and nothing outside is overwritten. Values that
    may lie in the place of another are copied first: a loop may exchange two,
    and one side of a conditional in it may give what is carried.
    Operands of the condition get the places that bufferization wants: those
    that are carried first, each where it is among the operands of the loop.
    Runs right before bufferization, with no canonicalization in between.
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect", "::mlir::scf::SCFDialect"];
}

def CpuOpenRegions : Pass<"weir-cpu-open-regions", "::mlir::func::FuncOp"> {
  let summary = "conditionals and loops in which a step may end become blocks";
  let description = [{
    A call of the runtime that fails ends the step, which only a block of the
    function can do. Other loops stay as they are.

    A loop that polls becomes two: the inner one is the loop itself, but ends
    after so many iterations; the outer one polls and goes on. How many depends
    on what an iteration does: polls are some tens of microseconds apart.
  }];
  let dependentDialects = ["::mlir::cf::ControlFlowDialect", "::mlir::arith::ArithDialect"];
}

def CpuSettleWrites : Pass<"weir-cpu-settle-writes", "::mlir::func::FuncOp"> {
  let summary = "keeps values aside that another variable's write would overwrite";
  let description = [{
    At the end of a step, memory of variables takes their new values, one after
    the other. Where a new value still lies in the memory of a variable that is
    written before, as when two variables exchange values, it is copied first.
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def CpuPlanMemory : Pass<"weir-cpu-plan-memory", "::mlir::func::FuncOp"> {
  let summary = "lays the buffers of a step out in one arena";
  let description = [{
    Buffers of static size that are not alive at the same time share memory: one
    allocation a step holds them all, each at a fixed offset. A buffer of
    dynamic size keeps its own allocation, which is freed after its last use.
    Buffers of conditionals and loops live as long as these run; one that a loop
    hands to its next iteration is left there.
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect", "::mlir::arith::ArithDialect"];
}

def CpuLowerRuntime : Pass<"weir-cpu-lower-runtime", "::mlir::ModuleOp"> {
  let summary = "turns runtime ops and allocations into calls";
  let description = [{
    Each `rt` op on buffers, and each allocation, becomes a call of
    include/weir-c/program.h. A call that fails ends the step: control goes to
    a block that returns the error's code; the runtime reclaims what the step
    had allocated.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::cf::ControlFlowDialect", "::mlir::arith::ArithDialect"];
}

def CpuCallLibm : Pass<"weir-cpu-call-libm", "::mlir::ModuleOp"> {
  let summary = "calls the C library where LLVM has no good function";
  let description = [{
    Of the functions of f32 there are none left here: they are polynomials on
    vectors. Of f64, LLVM has no erf, and makes log(1 + x) of log1p and
    exp(x) - 1 of expm1, which are wrong near 0. These and tanh become calls of
    the C library, one for each element; the others stay, for LLVM's intrinsics
    and its vector library.
  }];
  let dependentDialects = ["::mlir::func::FuncDialect", "::mlir::vector::VectorDialect", "::mlir::LLVM::LLVMDialect"];
}

def CpuDescribeProgram : Pass<"weir-cpu-describe-program", "::mlir::ModuleOp"> {
  let summary = "emits the descriptor by which the runtime knows a program";
  let description = [{
    Emits the constant `weir_program` (include/weir-c/program.h) from the
    module's variables and entry points, which become private functions with
    names that no library has, and drops the symbols of `weir`.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif // WEIR_PASSES_CODEGEN_CPU_PASSES_TD

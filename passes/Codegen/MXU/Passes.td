//===- Passes.td - Programs of the accelerator -*- tablegen -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_PASSES_CODEGEN_MXU_PASSES_TD
#define WEIR_PASSES_CODEGEN_MXU_PASSES_TD

include "mlir/Pass/PassBase.td"

def MxuLowerKernels : Pass<"weir-mxu-lower-kernels", "::mlir::ModuleOp"> {
  let summary = "kernels on int8 become programs of the accelerator";
  let description = [{
    Each function with an `rt.device` becomes host code that runs a
    `mxu.program` for each feed whose rows it works on. Matrix products are cut
    into tiles of the array, batches into blocks that the unified buffer holds,
    rows into pieces for one half of the accumulators, so that the units work at
    the same time. docs/rationale/mxu.md says how.

    `rt.mxu` of the module is the size of the array ("128x128"). An op that the
    accelerator cannot run is an error that names its node.
  }];
  let dependentDialects = ["::weir::rt::RtDialect", "::weir::mxu::MxuDialect", "::mlir::memref::MemRefDialect",
    "::mlir::arith::ArithDialect"];
}

def MxuAssemble : Pass<"weir-mxu-assemble", "::mlir::ModuleOp"> {
  let summary = "programs of the accelerator become images";
  let description = [{
    Each `mxu.run` becomes an `rt.mxu_run` with the image of its program, which
    has passed the check that a run makes; the programs are dropped.
  }];
  let dependentDialects = ["::weir::rt::RtDialect"];
}

#endif // WEIR_PASSES_CODEGEN_MXU_PASSES_TD

//===- Pipeline.cpp - The passes of this phase -===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Codegen/Kernels/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"

void weir::buildCodegenKernelsPipeline(mlir::OpPassManager &manager) {
  manager.addNestedPass<mlir::func::FuncOp>(createCodegenLowerKernels());
  manager.addNestedPass<mlir::func::FuncOp>(createCodegenExpandMath());
}

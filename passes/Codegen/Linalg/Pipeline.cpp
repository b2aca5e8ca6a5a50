//===- Pipeline.cpp - The passes of this phase -===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Codegen/Linalg/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

void weir::buildCodegenLinalgPipeline(mlir::OpPassManager &manager) {
  mlir::OpPassManager &functions = manager.nest<mlir::func::FuncOp>();
  functions.addPass(createCodegenLinalgLowerToLinalg());
  functions.addPass(mlir::createCSEPass());
  functions.addPass(createCodegenLinalgFuseLinalg());
  functions.addPass(mlir::createCSEPass());
  functions.addPass(createCodegenLinalgInlineGroups());
  functions.addPass(createCodegenLinalgScalarize());
}

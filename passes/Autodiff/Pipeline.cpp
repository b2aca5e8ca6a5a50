//===- Pipeline.cpp - The passes of this phase -===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Autodiff/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "passes/Simplify/Passes.h"

void weir::buildAutodiffPipeline(mlir::OpPassManager &manager) {
  manager.addNestedPass<GraphOp>(createExpandGradients());
  manager.addNestedPass<GraphOp>(createVerifyAutodiff());
  // Graphs with gradients could not be simplified before, and backward nodes
  // repeat much of the forward ones.
  buildSimplifyPipeline(manager);
}

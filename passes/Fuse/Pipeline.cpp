//===- Pipeline.cpp - The passes of this phase -===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Fuse/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "passes/Simplify/Passes.h"

void weir::buildFusePipeline(mlir::OpPassManager &manager) {
  manager.addNestedPass<GraphOp>(createFuseDecomposeOps());
  // Compositions of one value have parts in common: a softmax and its loss.
  manager.addNestedPass<GraphOp>(createMergeNodes());
  manager.addNestedPass<GraphOp>(createFuseGroupNodes());
}

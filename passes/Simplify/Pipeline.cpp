//===- Pipeline.cpp - The passes of this phase -===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Simplify/Passes.h"

#include "mlir/Pass/PassManager.h"

namespace weir {

bool hasGradientRequests(GraphOp graph) {
  return !graph.getBody().getOps<GradientsOp>().empty();
}

void buildSimplifyPipeline(mlir::OpPassManager &manager) {
  manager.addNestedPass<GraphOp>(createPruneNodes());
  manager.addNestedPass<GraphOp>(createFoldIdentities());
  manager.addNestedPass<GraphOp>(createFoldConstants());
  manager.addNestedPass<GraphOp>(createFoldIdentities());
  manager.addNestedPass<GraphOp>(createMergeNodes());
  manager.addNestedPass<GraphOp>(createPruneNodes());
}

} // namespace weir

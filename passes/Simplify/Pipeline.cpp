//===- Pipeline.cpp - The passes of this phase -===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Simplify/Passes.h"

#include "dialects/Rt/Rt.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace weir {

bool hasGradientRequests(GraphOp graph) {
  return !graph.getBody().getOps<GradientsOp>().empty();
}

bool keepsNodes(GraphOp graph) {
  auto module = graph->getParentOfType<ModuleOp>();
  auto mode = module ? module->getAttrOfType<StringAttr>(rt::executorAttrName)
                     : StringAttr();
  return mode && mode.getValue() == "tasks";
}

void buildSimplifyPipeline(mlir::OpPassManager &manager) {
  manager.addNestedPass<GraphOp>(createPruneNodes());
  manager.addNestedPass<GraphOp>(createFoldIdentities());
  manager.addNestedPass<GraphOp>(createFoldConstants());
  manager.addNestedPass<GraphOp>(createFoldSwitches());
  manager.addNestedPass<GraphOp>(createFoldIdentities());
  manager.addNestedPass<GraphOp>(createMergeNodes());
  manager.addNestedPass<GraphOp>(createPruneNodes());
}

} // namespace weir

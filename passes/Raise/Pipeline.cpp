//===- Pipeline.cpp - The passes of this phase -===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Raise/Passes.h"

#include "dialects/Weir/Weir.h"
#include "mlir/Pass/PassManager.h"
#include "passes/Simplify/Passes.h"

void weir::buildRaisePipeline(mlir::OpPassManager &manager) {
  manager.addPass(createRaiseResolveHandles());
  // What no fetch needs would be held back for nothing.
  manager.addNestedPass<GraphOp>(createPruneNodes());
  manager.addNestedPass<GraphOp>(createRaiseControlFlow());
}

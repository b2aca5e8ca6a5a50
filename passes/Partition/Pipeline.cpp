//===- Pipeline.cpp - The passes of this phase -===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Partition/Passes.h"

#include "dialects/Weir/Weir.h"
#include "mlir/Pass/PassManager.h"

void weir::buildPartitionPipeline(mlir::OpPassManager &manager) {
  manager.addNestedPass<GraphOp>(createPartitionSplitCheckpoints());
  manager.addPass(createPartitionSplitGraphs());
}

//===- PruneNodes.cpp - Nodes that no fetch needs -------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Simplify/Passes.h"

#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace weir {

#define GEN_PASS_DEF_PRUNENODES
#include "passes/Simplify/Passes.h.inc"

namespace {

struct PruneNodes : impl::PruneNodesBase<PruneNodes> {
  void runOnOperation() override {
    Block &body = getOperation().getBody().front();
    llvm::DenseSet<Operation *> needed{body.getTerminator()};
    SmallVector<Operation *> worklist{body.getTerminator()};
    while (!worklist.empty()) {
      Operation *op = worklist.pop_back_val();
      llvm::SetVector<Value> used;
      used.insert_range(op->getOperands());
      for (Region &region : op->getRegions())
        getUsedValuesDefinedAbove(region, used);
      for (Value value : used)
        if (Operation *producer = value.getDefiningOp())
          if (needed.insert(producer).second)
            worklist.push_back(producer);
    }
    // Nodes may use each other in a cycle: cut all uses, then erase.
    SmallVector<Operation *> unneeded;
    for (Operation &op : body)
      if (!needed.contains(&op))
        unneeded.push_back(&op);
    for (Operation *op : unneeded)
      op->dropAllReferences();
    for (Operation *op : unneeded) {
      op->dropAllUses();
      op->erase();
    }
    removed += unneeded.size();
  }
};

} // namespace
} // namespace weir

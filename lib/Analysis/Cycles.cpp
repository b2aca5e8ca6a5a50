//===- Cycles.cpp - Nodes that wait for themselves ------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Analysis/Cycles.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace weir {

SmallVector<Operation *> predecessors(Operation *op, Block *block) {
  llvm::SetVector<Operation *> result;
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (Operation *producer = operand.getDefiningOp();
          producer && producer->getBlock() == block)
        result.insert(producer);
  });
  return result.takeVector();
}

SmallVector<Operation *> findCycle(Block &block) {
  // A depth-first search backwards along edges; `path` is where it stands.
  struct Step {
    Operation *op;
    SmallVector<Operation *> before;
    size_t next = 0;
  };
  llvm::DenseMap<Operation *, bool> onPath; // absent: not seen yet
  for (Operation &root : block) {
    if (onPath.contains(&root))
      continue;
    std::vector<Step> path;
    auto enter = [&](Operation *op) {
      onPath[op] = true;
      path.push_back({op, predecessors(op, &block)});
    };
    enter(&root);
    while (!path.empty()) {
      Step &step = path.back();
      if (step.next == step.before.size()) {
        onPath[step.op] = false;
        path.pop_back();
        continue;
      }
      Operation *before = step.before[step.next++];
      auto seen = onPath.find(before);
      if (seen == onPath.end()) {
        enter(before);
      } else if (seen->second) {
        SmallVector<Operation *> cycle;
        while (path.back().op != before) {
          cycle.push_back(path.back().op);
          path.pop_back();
        }
        cycle.push_back(before);
        auto first = llvm::min_element(cycle, [](Operation *a, Operation *b) {
          return a->isBeforeInBlock(b);
        });
        std::rotate(cycle.begin(), first, cycle.end());
        return cycle;
      }
    }
  }
  return {};
}

} // namespace weir

//===- Cycles.cpp - Nodes that wait for themselves ------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Analysis/Cycles.h"

#include "dialects/Weir/Weir.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include <set>

using namespace mlir;

namespace weir {

bool isBackEdge(OpOperand &operand) {
  return isa<MergeOp>(operand.getOwner()) &&
         !isa<ControlType>(operand.get().getType()) &&
         operand.get().getDefiningOp<NextIterationOp>();
}

static SmallVector<Operation *> collectPredecessors(Operation *op, Block *block,
                                                    bool withBackEdges) {
  llvm::SetVector<Operation *> result;
  op->walk([&](Operation *inner) {
    for (OpOperand &operand : inner->getOpOperands())
      if (Operation *producer = operand.get().getDefiningOp();
          producer && producer->getBlock() == block &&
          (withBackEdges || !isBackEdge(operand)))
        result.insert(producer);
  });
  return result.takeVector();
}

SmallVector<Operation *> predecessors(Operation *op, Block *block) {
  return collectPredecessors(op, block, /*withBackEdges=*/true);
}

SmallVector<Operation *> predecessorsInIteration(Operation *op, Block *block) {
  return collectPredecessors(op, block, /*withBackEdges=*/false);
}

SmallVector<Operation *> topologicalOrder(Block &block) {
  llvm::DenseMap<Operation *, unsigned> line, waitsFor;
  llvm::DenseMap<Operation *, SmallVector<Operation *>> readers;
  std::set<std::pair<unsigned, Operation *>> ready;
  for (auto [i, op] : llvm::enumerate(block)) {
    line[&op] = i;
    auto needs = predecessorsInIteration(&op, &block);
    waitsFor[&op] = needs.size();
    for (Operation *producer : needs)
      readers[producer].push_back(&op);
    if (needs.empty())
      ready.emplace(i, &op);
  }
  SmallVector<Operation *> order;
  while (!ready.empty()) {
    Operation *op = ready.begin()->second;
    ready.erase(ready.begin());
    order.push_back(op);
    for (Operation *reader : readers.lookup(op))
      if (--waitsFor[reader] == 0)
        ready.emplace(line[reader], reader);
  }
  return order;
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
      path.push_back({op, predecessorsInIteration(op, &block)});
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

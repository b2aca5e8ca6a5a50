//===- Order.cpp - Which nodes run before which ---------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Analysis/Order.h"

#include "dialects/Weir/Weir.h"
#include "lib/Analysis/Cycles.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace weir {

SmallVector<Operation *> neededNodes(Block &block) {
  llvm::SetVector<Operation *> needed;
  SmallVector<Operation *> work{block.getTerminator()};
  while (!work.empty()) {
    Operation *op = work.pop_back_val();
    if (needed.insert(op))
      llvm::append_range(work, predecessors(op, &block));
  }
  SmallVector<Operation *> nodes;
  for (Operation &op : block)
    if (needed.contains(&op))
      nodes.push_back(&op);
  return nodes;
}

/// What a node cannot run without, in its iteration.
static SmallVector<Operation *> certainPredecessors(Operation *op,
                                                    Block &block) {
  auto merge = dyn_cast<MergeOp>(op);
  if (!merge)
    return predecessorsInIteration(op, &block);
  SmallVector<Operation *> list;
  unsigned choices = 0;
  for (OpOperand &operand : op->getOpOperands())
    choices +=
        !isa<ControlType>(operand.get().getType()) && !isBackEdge(operand);
  for (OpOperand &operand : op->getOpOperands()) {
    bool isControl = isa<ControlType>(operand.get().getType());
    Operation *producer = operand.get().getDefiningOp();
    if (producer && !isBackEdge(operand) && (isControl || choices == 1))
      list.push_back(producer);
  }
  return list;
}

Order::Order(Block &block, ArrayRef<Operation *> nodes, const Frames &frames,
             Paths paths)
    : frames(frames), paths(paths) {
  for (auto [i, node] : llvm::enumerate(nodes))
    numbers[node] = i;
  SmallVector<Operation *> order = topologicalOrder(block);
  auto update = [&](llvm::DenseMap<Operation *, llvm::BitVector> &sets,
                    Operation *op, ArrayRef<Operation *> earlier) {
    llvm::BitVector set(nodes.size());
    for (Operation *other : earlier) {
      if (auto known = sets.find(other); known != sets.end())
        set |= known->second;
      if (auto number = numbers.find(other); number != numbers.end())
        set.set(number->second);
    }
    llvm::BitVector &known = sets[op];
    if (known == set)
      return false;
    known = std::move(set);
    return true;
  };
  for (Operation *op : order)
    update(before, op,
           paths == Paths::Certain ? certainPredecessors(op, block)
                                   : predecessorsInIteration(op, &block));
  if (paths == Paths::Certain)
    return;
  // Around loops, until nothing is new.
  for (bool changed = true; changed;) {
    changed = false;
    for (Operation *op : order)
      changed |= update(everBefore, op, predecessors(op, &block));
    if (frames.all().size() == 1)
      break;
  }
}

bool Order::isBefore(Operation *a, Operation *b) const {
  auto number = numbers.find(a);
  bool sameFrame = frames.of(a) == frames.of(b);
  const auto &sets = sameFrame || paths == Paths::Certain ? before : everBefore;
  auto set = sets.find(b);
  return number != numbers.end() && set != sets.end() && !set->second.empty() &&
         set->second.test(number->second);
}

} // namespace weir

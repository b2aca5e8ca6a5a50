//===- Frames.cpp - The loops of a graph, as raising sees them ------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Raise/Frames.h"

using namespace mlir;

namespace weir::raise {

std::optional<std::deque<Level>> findLevels(GraphOp graph) {
  std::deque<Level> levels(1);
  Block &block = graph.getBody().front();
  llvm::DenseMap<Operation *, Level *> levelOf;
  SmallVector<Operation *> work;
  bool mixed = false;
  auto set = [&](Operation *op, Level *level) {
    auto [at, isNew] = levelOf.try_emplace(op, level);
    if (isNew)
      work.push_back(op);
    else
      mixed |= at->second != level;
  };
  // A node that takes nothing but constants runs once, in the body.
  for (Operation &op : block)
    if (!isa<ConstantOp, HandleOp>(op) &&
        llvm::none_of(op.getOperands(), [](Value operand) {
          Operation *producer = operand.getDefiningOp();
          return producer && !isa<ConstantOp, HandleOp>(producer);
        }))
      set(&op, &levels.front());
  llvm::DenseMap<std::pair<Level *, StringRef>, Level *> children;
  while (!work.empty()) {
    Operation *op = work.pop_back_val();
    Level *level = levelOf.lookup(op), *inner = level;
    if (auto enter = dyn_cast<EnterOp>(op)) {
      Level *&child = children[{level, enter.getFrame()}];
      if (!child) {
        child = &levels.emplace_back();
        child->frame = enter.getFrame();
        child->parent = level;
        ++level->children;
      }
      inner = child;
    } else if (isa<ExitOp>(op)) {
      inner = level->parent;
      if (!inner)
        return std::nullopt;
    }
    for (Operation *user : op->getUsers())
      set(user, inner);
  }
  if (mixed)
    return std::nullopt;
  for (Operation &op : block) {
    Level *level = levelOf.lookup(&op);
    if (!level)
      continue; // a constant, or on a cycle that nothing starts
    level->nodes.insert(&op);
    if (auto enter = dyn_cast<EnterOp>(op))
      children[{level, enter.getFrame()}]->enters.push_back(enter);
  }
  return levels;
}

} // namespace weir::raise

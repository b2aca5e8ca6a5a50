//===- Waits.cpp - What may wait, and for whom ----------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Raise/Raising.h"

using namespace mlir;

namespace weir::raise {

static void forEachProducer(Operation *op,
                            function_ref<void(Operation *)> visit) {
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (Operation *producer = operand.getDefiningOp();
          producer && producer->getBlock() == op->getBlock())
        visit(producer);
  });
}

Waits::Waits(GraphOp graph) {
  Block &block = graph.getBody().front();
  SmallVector<Operation *> waiting;
  for (Operation &op : block)
    if (isa<RuntimeCallInterface>(op))
      waiting.push_back(&op);
  count = waiting.size();
  if (count == 0)
    return;
  llvm::DenseMap<Operation *, SmallVector<Operation *>> users;
  for (Operation &op : block)
    forEachProducer(
        &op, [&](Operation *producer) { users[producer].push_back(&op); });
  for (auto [i, op] : llvm::enumerate(waiting)) {
    SmallVector<Operation *> work{op};
    while (!work.empty()) {
      Operation *at = work.pop_back_val();
      for (Operation *user : users.lookup(at)) {
        llvm::BitVector &bits = before[user];
        if (bits.empty())
          bits.resize(count);
        if (bits.test(i))
          continue;
        bits.set(i);
        work.push_back(user);
      }
    }
  }
  SmallVector<Operation *> work(waiting);
  while (!work.empty())
    forEachProducer(work.pop_back_val(), [&](Operation *producer) {
      if (awaited.insert(producer).second)
        work.push_back(producer);
    });
}

bool Waits::mayDeadlock(ArrayRef<Operation *> ops) const {
  if (count == 0)
    return false;
  llvm::BitVector all(count);
  auto of = [&](Operation *op) {
    auto at = before.find(op);
    return at == before.end() ? llvm::BitVector(count) : at->second;
  };
  for (Operation *op : ops)
    all |= of(op);
  return llvm::any_of(ops, [&](Operation *op) {
    return awaited.contains(op) && of(op) != all;
  });
}

} // namespace weir::raise

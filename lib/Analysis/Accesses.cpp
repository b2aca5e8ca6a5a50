//===- Accesses.cpp - What nodes do to the state of a session -------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Analysis/Accesses.h"

#include "dialects/Weir/Weir.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace weir {

HandleSources sourcesOf(Value handle) {
  HandleSources result;
  llvm::SetVector<Value> work;
  work.insert(handle);
  for (size_t i = 0; i < work.size(); ++i) {
    Operation *op = work[i].getDefiningOp();
    if (auto source = dyn_cast_or_null<HandleOp>(op)) {
      if (!llvm::is_contained(result.symbols, source.getSymbol()))
        result.symbols.push_back(source.getSymbol());
    } else if (isa_and_present<IdentityOp, SwitchOp, SwitchNOp, EnterOp, ExitOp,
                               NextIterationOp>(op)) {
      work.insert(op->getOperand(0));
    } else if (auto merge = dyn_cast_or_null<MergeOp>(op)) {
      work.insert_range(merge.getInputs());
    } else {
      result.isComplete = false;
    }
  }
  return result;
}

static SmallVector<Access, 1> byName(AccessKind kind, StringRef symbol) {
  return {Access{kind, {symbol}, true}};
}

static SmallVector<Access, 1> byHandle(AccessKind kind, Value handle) {
  HandleSources sources = sourcesOf(handle);
  return {Access{kind, std::move(sources.symbols), sources.isComplete}};
}

SmallVector<Access, 1> accessesOf(Operation *op) {
  using Kind = AccessKind;
  using List = SmallVector<Access, 1>;
  return llvm::TypeSwitch<Operation *, List>(op)
      .Case<ReadOp, IsInitializedOp>(
          [](auto node) { return byName(Kind::Read, node.getVariable()); })
      .Case<AssignOp, AssignScatterOp>(
          [](auto node) { return byName(Kind::Write, node.getVariable()); })
      .Case<AssignAddOp, AssignSubOp>(
          [](auto node) { return byName(Kind::Add, node.getVariable()); })
      .Case<ReadResourceOp, IsInitializedResourceOp>(
          [](auto node) { return byHandle(Kind::Read, node.getHandle()); })
      .Case<AssignResourceOp, AssignScatterResourceOp>(
          [](auto node) { return byHandle(Kind::Write, node.getHandle()); })
      .Case<AssignAddResourceOp, AssignSubResourceOp>(
          [](auto node) { return byHandle(Kind::Add, node.getHandle()); })
      .Case<EnqueueOp, EnqueueManyOp>(
          [](auto node) { return byHandle(Kind::Fill, node.getQueue()); })
      .Case<DequeueOp, DequeueManyOp, DequeueUpToOp>(
          [](auto node) { return byHandle(Kind::Drain, node.getQueue()); })
      .Case([](QueueCloseOp node) {
        return byHandle(Kind::Close, node.getQueue());
      })
      .Case([](BarrierInsertManyOp node) {
        return byHandle(Kind::Fill, node.getBarrier());
      })
      .Case([](BarrierTakeManyOp node) {
        return byHandle(Kind::Drain, node.getBarrier());
      })
      .Case([](BarrierCloseOp node) {
        return byHandle(Kind::Close, node.getBarrier());
      })
      .Case([](AccumulatorApplyOp node) {
        return byHandle(Kind::Fill, node.getAccumulator());
      })
      .Case([](AccumulatorTakeOp node) {
        return byHandle(Kind::Drain, node.getAccumulator());
      })
      .Case<ReaderReadOp, ReaderReadUpToOp>(
          [](auto node) { return byHandle(Kind::Drain, node.getQueue()); })
      .Default([](Operation *) { return List(); });
}

} // namespace weir

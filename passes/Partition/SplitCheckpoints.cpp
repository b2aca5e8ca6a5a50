//===- SplitCheckpoints.cpp - Each task saves and restores its own --------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Weir/Weir.h"
#include "lib/Analysis/Frames.h"
#include "mlir/IR/Builders.h"
#include "passes/Partition/Passes.h"
#include "passes/Partition/Tasks.h"
#include "llvm/ADT/MapVector.h"

namespace weir {
#define GEN_PASS_DEF_PARTITIONSPLITCHECKPOINTS
#include "passes/Partition/Passes.h.inc"
} // namespace weir

using namespace mlir;
using namespace weir;

/// The host of the task that an op is placed in.
static StringAttr taskOf(Operation *op) {
  return hostOf(
      op->getAttrOfType<StringAttr>(WeirDialect::getDeviceAttrName()));
}

/// Which values, by number, are of which task.
using ByTask = llvm::MapVector<StringAttr, SmallVector<unsigned>>;

/// A node that does for one task what `whole` did for all.
template <typename OpTy>
static OpTy like(Operation *whole, OpTy op, StringAttr device) {
  op->setDiscardableAttrs(whole->getDiscardableAttrDictionary());
  op->setAttr(WeirDialect::getDeviceAttrName(), device);
  return op;
}

static void splitSave(SaveOp save) {
  ByTask byTask;
  for (auto [i, value] : llvm::enumerate(save.getValues())) {
    Operation *producer = value.getDefiningOp();
    bool isNowhere = !producer || isEverywhere(value);
    byTask[taskOf(isNowhere ? save.getOperation() : producer)].push_back(i);
  }
  if (byTask.size() < 2)
    return;
  OpBuilder builder(save);
  Location loc = save.getLoc();
  auto control = builder.getType<ControlType>();
  SmallVector<Value> receipts;
  for (auto [shard, entry] : llvm::enumerate(byTask)) {
    auto &[task, numbers] = entry;
    SmallVector<Value> values;
    SmallVector<Attribute> names;
    for (unsigned i : numbers) {
      values.push_back(save.getValues()[i]);
      names.push_back(save.getNames()[i]);
    }
    auto made = SaveShardOp::create(
        builder, loc, save.getPath().getType(), control, save.getPath(), values,
        builder.getArrayAttr(names), shard, byTask.size(), save.getControls());
    receipts.push_back(like(save, made, task).getReceipt());
  }
  auto commit = like(save,
                     SaveCommitOp::create(builder, loc, control, save.getPath(),
                                          receipts, ValueRange()),
                     taskOf(save));
  save.getControl().replaceAllUsesWith(commit.getControl());
  save.erase();
}

static void splitRestore(RestoreOp restore) {
  Block &block = *restore->getBlock();
  ByTask byTask;
  for (auto [i, value] : llvm::enumerate(restore.getValues())) {
    StringAttr task = taskOf(restore);
    for (Operation *user : value.getUsers())
      if (Operation *node = block.findAncestorOpInBlock(*user);
          node && !isa<FetchOp>(node)) {
        task = taskOf(node);
        break;
      }
    byTask[task].push_back(i);
  }
  if (byTask.size() < 2)
    return;
  OpBuilder builder(restore);
  Location loc = restore.getLoc();
  auto control = builder.getType<ControlType>();
  SmallVector<Value> controls;
  for (auto &[task, numbers] : byTask) {
    SmallVector<Type> types;
    SmallVector<Attribute> names;
    for (unsigned i : numbers) {
      types.push_back(restore.getValues()[i].getType());
      names.push_back(restore.getNames()[i]);
    }
    auto part =
        like(restore,
             RestoreOp::create(builder, loc, types, control,
                               builder.getArrayAttr(names), restore.getPath(),
                               restore.getControls()),
             task);
    for (auto [number, value] : llvm::zip_equal(numbers, part.getValues()))
      restore.getValues()[number].replaceAllUsesWith(value);
    controls.push_back(part.getControl());
  }
  if (!restore.getControl().use_empty())
    restore.getControl().replaceAllUsesWith(
        like(restore, NoOpOp::create(builder, loc, controls), taskOf(restore))
            .getControl());
  restore.erase();
}

namespace {
class SplitCheckpoints
    : public weir::impl::PartitionSplitCheckpointsBase<SplitCheckpoints> {
  void runOnOperation() override {
    if (!hasSeveralTasks(getOperation()->getParentOfType<ModuleOp>()))
      return;
    for (Operation &op :
         llvm::make_early_inc_range(getOperation().getBody().front())) {
      // What has no device is an error of the next pass.
      if (!op.hasAttr(WeirDialect::getDeviceAttrName()))
        continue;
      if (auto save = dyn_cast<SaveOp>(op))
        splitSave(save);
      else if (auto restore = dyn_cast<RestoreOp>(op))
        splitRestore(restore);
    }
  }
};
} // namespace

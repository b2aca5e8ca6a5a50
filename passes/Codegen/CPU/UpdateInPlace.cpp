//===- UpdateInPlace.cpp - New values where the old ones are ---===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Rt/Rt.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "passes/Codegen/CPU/Passes.h"

namespace weir {
#define GEN_PASS_DEF_CPUUPDATEINPLACE
#include "passes/Codegen/CPU/Passes.h.inc"
} // namespace weir

using namespace mlir;
using namespace weir;

/// A scatter changes a copy of the old value: the value itself will do.
static void scatterInPlace(scf::ForOp loop, unsigned number,
                           rt::WriteVariableOp write) {
  OpOperand &init = loop.getInitsMutable()[number];
  auto copy = init.get().getDefiningOp<linalg::CopyOp>();
  auto read = copy ? copy.getInputs()[0].getDefiningOp<rt::ReadVariableOp>()
                   : rt::ReadVariableOp();
  if (read && read.getVariable() == write.getVariable())
    init.set(read.getResult());
}

/// Makes the read of the variable that `write` writes the destination of the
/// op that computes the new value, where that is element-wise or a scatter.
static void updateInPlace(rt::WriteVariableOp write) {
  auto result = dyn_cast<OpResult>(write.getValue());
  if (auto loop = result ? dyn_cast<scf::ForOp>(result.getOwner()) : nullptr)
    return scatterInPlace(loop, result.getResultNumber(), write);
  auto generic =
      result ? dyn_cast<linalg::GenericOp>(result.getOwner()) : nullptr;
  if (!generic || generic.getNumParallelLoops() != generic.getNumLoops())
    return;
  OpOperand *init = generic.getDpsInitOperand(result.getResultNumber());
  if (!init->get().getDefiningOp<tensor::EmptyOp>() ||
      generic.payloadUsesValueFromOperand(init))
    return;
  for (OpOperand *input : generic.getDpsInputOperands()) {
    auto read = input->get().getDefiningOp<rt::ReadVariableOp>();
    if (read && read.getVariable() == write.getVariable() &&
        input->get().getType() == init->get().getType() &&
        generic.getMatchingIndexingMap(input) ==
            generic.getMatchingIndexingMap(init)) {
      init->set(input->get());
      return;
    }
  }
}

/// The last op of the step that may end it with an error, also inside.
static Operation *lastCheck(Block &block) {
  for (Operation &op : llvm::reverse(block)) {
    auto result = op.walk([](Operation *inner) {
      return isa<rt::AssertOp, rt::PollOp, rt::SaveOp, rt::RestoreOp>(inner)
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    if (result.wasInterrupted())
      return &op;
  }
  return nullptr;
}

namespace {
struct UpdateInPlace : weir::impl::CpuUpdateInPlaceBase<UpdateInPlace> {
  void runOnOperation() override {
    Block &block = getOperation().getBody().front();
    Operation *check = lastCheck(block);
    for (auto write : block.getOps<rt::WriteVariableOp>()) {
      // A step that fails leaves variables as they were.
      Operation *producer = write.getValue().getDefiningOp();
      if (producer && producer->getBlock() == &block &&
          !(check && producer->isBeforeInBlock(check)))
        updateInPlace(write);
    }
  }
};
} // namespace

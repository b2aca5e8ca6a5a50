//===- ValueNodes.cpp - Nodes that hand on what they are given ------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Interpreter/NodeRun.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace weir {

static llvm::Error runNothing(NodeRun &) { return llvm::Error::success(); }

static llvm::Error runIdentity(NodeRun &run) {
  run.results[0] = std::move(run.operands[0]);
  return llvm::Error::success();
}

/// The scalar that decides on the side of a switch.
static llvm::Expected<int64_t> predicateOf(NodeRun &run) {
  const Tensor &predicate = run.tensor(1);
  if (predicate.getRank() == 0)
    return predicate.getInteger(0);
  return run.error(code::predicate, "the predicate is " + describe(predicate) +
                                        "; it has to be a scalar");
}

/// One of the first `sides` results gets the value.
static llvm::Error choose(NodeRun &run, int64_t side, unsigned sides) {
  for (unsigned i = 0; i < sides; ++i)
    run.results[i] =
        i == side ? std::move(run.operands[0]) : Datum::dead(run.op);
  return llvm::Error::success();
}

static llvm::Error runSwitch(NodeRun &run) {
  llvm::Expected<int64_t> predicate = predicateOf(run);
  return predicate ? choose(run, *predicate != 0, 2) : predicate.takeError();
}

static llvm::Error runSwitchN(NodeRun &run) {
  llvm::Expected<int64_t> index = predicateOf(run);
  if (!index)
    return index.takeError();
  unsigned sides = run.op->getNumResults() - 1;
  bool inside = *index >= 0 && *index < sides;
  return choose(run, inside ? *index : sides - 1, sides);
}

static llvm::Error runHandle(NodeRun &run) {
  llvm::Expected<Handle> handle =
      run.symbols.find(cast<HandleOp>(run.op).getSymbol());
  if (!handle)
    return handle.takeError();
  run.results[0] = std::move(*handle);
  return llvm::Error::success();
}

static llvm::Error runExtract(NodeRun &run) {
  if (run.tensor(0).getRank() != 0)
    return run.error(code::operand, "the operand is " +
                                        describe(run.tensor(0)) +
                                        "; it has to be a scalar");
  return runIdentity(run);
}

static llvm::Error runGradients(NodeRun &run) {
  return run.error("WEIR0131",
                   "gradients have to be expanded before a graph runs "
                   "(--weir-autodiff-expand-gradients)");
}

void addValueNodes(NodeTable &table) {
  table.add<NoOpOp>(runNothing);
  table.add<CompletedOp>(runNothing);
  table.add<IdentityOp>(runIdentity);
  table.add<StopGradientOp>(runIdentity);
  table.add<SwitchOp>(runSwitch);
  table.add<SwitchNOp>(runSwitchN);
  table.add<EnterOp>(runIdentity);
  table.add<ExitOp>(runIdentity);
  table.add<NextIterationOp>(runIdentity);
  table.add<LoopCondOp>(runIdentity);
  table.add<HandleOp>(runHandle);
  table.add<GradientsOp>(runGradients);
  table.add<tensor::ExtractOp>(runExtract);
  table.add<scf::IfOp>(runRegions);
  table.add<scf::WhileOp>(runRegions);
  table.add<GroupOp>(runRegions);
}

} // namespace weir

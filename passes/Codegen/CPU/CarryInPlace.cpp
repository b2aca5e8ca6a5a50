//===- CarryInPlace.cpp - What a loop carries stays where it is -----------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/Codegen/CPU/Passes.h"

namespace weir {
#define GEN_PASS_DEF_CPUCARRYINPLACE
#include "passes/Codegen/CPU/Passes.h.inc"
} // namespace weir

using namespace mlir;
using namespace weir;

static bool isTensor(Value value) {
  return isa<RankedTensorType>(value.getType());
}

/// A tensor in memory of its own.
static Value copied(OpBuilder &b, Location loc, Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  return bufferization::AllocTensorOp::create(b, loc, type, ValueRange(),
                                              tensor);
}

/// True for a value that is surely made anew in the iteration.
static bool isFresh(Value value, scf::WhileOp loop) {
  Operation *op = value.getDefiningOp();
  return op && loop.getAfter().isAncestor(op->getParentRegion()) &&
         isa<linalg::LinalgOp>(op) && !isa<linalg::CopyOp>(op);
}

/// Gives what is carried the same place among the operands of the condition as
/// among those of the loop, others come behind; and puts each value for the
/// next iteration into the memory of the one before.
static void carryInPlace(scf::WhileOp loop) {
  if (llvm::none_of(loop.getInits(), isTensor))
    return;
  Location loc = loop.getLoc();
  OpBuilder b(loop);
  scf::ConditionOp condition = loop.getConditionOp();
  Block *before = loop.getBeforeBody(), *after = loop.getAfterBody();

  SmallVector<Value> inits, handed(before->getArguments());
  for (Value init : loop.getInits())
    inits.push_back(isTensor(init) ? copied(b, loc, init) : init);
  // The new number of each old result.
  SmallVector<unsigned> numbers;
  for (Value value : condition.getArgs()) {
    auto argument = dyn_cast<BlockArgument>(value);
    if (argument && argument.getOwner() == before) {
      numbers.push_back(argument.getArgNumber());
      continue;
    }
    numbers.push_back(handed.size());
    handed.push_back(value);
  }
  SmallVector<Type> types =
      llvm::to_vector_of<Type>(ValueRange(handed).getTypes());
  auto copy = scf::WhileOp::create(b, loc, types, inits);
  copy->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  condition.getArgsMutable().assign(handed);
  copy.getBefore().takeBody(loop.getBefore());

  SmallVector<Location> locations(types.size(), loc);
  Block *body = b.createBlock(&copy.getAfter(), {}, types, locations);
  for (auto [argument, number] : llvm::zip(after->getArguments(), numbers))
    argument.replaceAllUsesWith(body->getArgument(number));
  body->getOperations().splice(body->end(), after->getOperations());
  auto yield = cast<scf::YieldOp>(body->getTerminator());
  b.setInsertionPoint(yield);
  SmallVector<Value> next(yield.getOperands());
  // First all that may still be read where another one is put, then these.
  for (auto [i, value] : llvm::enumerate(next))
    if (isTensor(value) && value != body->getArgument(i) &&
        !isFresh(value, copy))
      value = copied(b, loc, value);
  for (auto [i, value] : llvm::enumerate(next))
    if (isTensor(value) && value != body->getArgument(i))
      value = bufferization::MaterializeInDestinationOp::create(
                  b, loc, value.getType(), value, body->getArgument(i))
                  ->getResult(0);
  yield->setOperands(next);
  for (auto [result, number] : llvm::zip(loop.getResults(), numbers))
    result.replaceAllUsesWith(copy.getResult(number));
  loop.erase();
}

namespace {
struct CarryInPlace : weir::impl::CpuCarryInPlaceBase<CarryInPlace> {
  void runOnOperation() override {
    SmallVector<scf::WhileOp> loops;
    getOperation().walk([&](scf::WhileOp loop) { loops.push_back(loop); });
    for (scf::WhileOp loop : loops)
      carryInPlace(loop);
  }
};
} // namespace

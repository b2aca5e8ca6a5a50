//===- CarryInPlace.cpp - What a loop carries stays where it is -----------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "passes/Codegen/CPU/Passes.h"
#include "llvm/ADT/DenseSet.h"

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

/// True for a value that is made anew in the region each time, and so lies in
/// no memory that was there before.
static bool isFresh(Value value, Region &region) {
  Operation *op = value.getDefiningOp();
  if (!op || !region.isAncestor(op->getParentRegion()))
    return false;
  if (auto styled = dyn_cast<DestinationStyleOpInterface>(op))
    return isa<linalg::LinalgOp>(op) &&
           llvm::all_of(styled.getDpsInits(), [](Value init) {
             return isa_and_present<tensor::EmptyOp, linalg::FillOp,
                                    bufferization::AllocTensorOp>(
                 init.getDefiningOp());
           });
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return isFresh(loop.getTiedLoopInit(cast<OpResult>(value))->get(), region);
  // What these give is made separate below.
  return isa<bufferization::AllocTensorOp, tensor::FromElementsOp, scf::IfOp,
             scf::WhileOp>(op);
}

/// Copies the operands of a terminator that are not made anew in its region.
static void separate(MutableOperandRange values, Region &region) {
  for (OpOperand &value : values) {
    if (!isTensor(value.get()) || isFresh(value.get(), region))
      continue;
    OpBuilder b(value.getOwner());
    value.set(copied(b, value.getOwner()->getLoc(), value.get()));
  }
}

/// A choice between two tensors, as a conditional.
static void openSelect(arith::SelectOp op) {
  OpBuilder b(op);
  auto branch = scf::IfOp::create(
      b, op.getLoc(), op.getCondition(),
      [&](OpBuilder &inside, Location loc) {
        scf::YieldOp::create(inside, loc, op.getTrueValue());
      },
      [&](OpBuilder &inside, Location loc) {
        scf::YieldOp::create(inside, loc, op.getFalseValue());
      });
  op.getResult().replaceAllUsesWith(branch.getResult(0));
  op.erase();
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
  separate(condition.getArgsMutable().slice(
               loop.getInits().size(), handed.size() - loop.getInits().size()),
           copy.getBefore());

  SmallVector<Location> locations(types.size(), loc);
  Block *body = b.createBlock(&copy.getAfter(), {}, types, locations);
  for (auto [argument, number] : llvm::zip(after->getArguments(), numbers))
    argument.replaceAllUsesWith(body->getArgument(number));
  body->getOperations().splice(body->end(), after->getOperations());
  auto yield = cast<scf::YieldOp>(body->getTerminator());
  b.setInsertionPoint(yield);
  SmallVector<Value> next(yield.getOperands());
  // First all that may still be read where another one is put, then these. Of
  // a value that goes to two places, each gets its own.
  llvm::SmallDenseSet<Value, 8> put;
  for (auto [i, value] : llvm::enumerate(next))
    if (isTensor(value) && value != body->getArgument(i) &&
        (!put.insert(value).second || !isFresh(value, copy.getAfter())))
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
    SmallVector<arith::SelectOp> selects;
    getOperation().walk([&](Operation *op) {
      if (auto loop = dyn_cast<scf::WhileOp>(op))
        loops.push_back(loop);
      else if (auto select = dyn_cast<arith::SelectOp>(op);
               select && isTensor(select.getResult()) &&
               select->getParentOfType<scf::WhileOp>())
        selects.push_back(select);
    });
    if (loops.empty())
      return;
    for (arith::SelectOp select : selects)
      openSelect(select);
    // In a loop, one side must not give what a later iteration overwrites.
    getOperation().walk([&](scf::IfOp op) {
      if (op.getNumResults() == 0 || !op->getParentOfType<scf::WhileOp>())
        return;
      for (Region *region : {&op.getThenRegion(), &op.getElseRegion()})
        separate(cast<scf::YieldOp>(region->front().getTerminator())
                     .getResultsMutable(),
                 *region);
    });
    for (scf::WhileOp loop : loops)
      carryInPlace(loop);
  }
};
} // namespace

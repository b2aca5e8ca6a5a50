//===- Emit.cpp - A plan carried out --------------------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Raise/Emit.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace weir::raise {

Value Emitter::resolve(Value value) const {
  for (auto at = aliases.find(value); at != aliases.end();
       at = aliases.find(value))
    value = at->second;
  auto at = current.find(value);
  return at == current.end() ? value : at->second;
}

void Emitter::rewire(Operation *op) {
  op->walk([&](Operation *inner) {
    for (OpOperand &operand : inner->getOpOperands())
      operand.set(resolve(operand.get()));
  });
}

void Emitter::finish() {
  for (Operation *op : dissolved)
    op->dropAllReferences();
  for (Operation *op : dissolved)
    op->erase();
  dissolved.clear();
}

Value Emitter::truth(Location loc, Value scalar) {
  return tensor::ExtractOp::create(builder, loc, scalar, ValueRange());
}

Value Emitter::dummy(Location loc, Type type) {
  if (isa<ControlType>(type))
    return NoOpOp::create(builder, loc, ValueRange());
  auto tensor = cast<RankedTensorType>(type);
  SmallVector<int64_t> shape(tensor.getShape());
  for (int64_t &extent : shape)
    extent = ShapedType::isDynamic(extent) ? 0 : extent;
  auto fixed = RankedTensorType::get(shape, tensor.getElementType());
  Value zero = ConstantOp::create(builder, loc, fixed, 0.0);
  return fixed == type
             ? zero
             : IdentityOp::create(builder, loc, type, zero, ValueRange());
}

Value Emitter::carry(Location loc, Value value, Type type) {
  if (isa<ResourceType>(type))
    return CompletedOp::create(builder, loc, value, ValueRange());
  if (value.getType() == type)
    return value;
  return IdentityOp::create(builder, loc, type, value, ValueRange());
}

Value Emitter::receive(Location loc, Value carried, Value original) {
  if (!isa<ResourceType>(original.getType()))
    return carried;
  Value handle = HandleOp::create(builder, loc, original.getType(),
                                  cast<FlatSymbolRefAttr>(handles[original]));
  return IdentityOp::create(builder, loc, original.getType(), handle, carried);
}

void Emitter::emitNode(Operation *op, Block *block) {
  if (block)
    builder.setInsertionPointToEnd(block);
  else
    builder.setInsertionPoint(op);
  if (kept.contains(op))
    return rewire(op);
  if (isSwitch(op) || isa<LoopCondOp, ExitOp>(op)) {
    for (Value result : op->getResults())
      if (!isa<ControlType>(result.getType()))
        aliases[result] = op->getOperand(0);
    return dissolve(op);
  }
  if (isa<ControlTriggerOp>(op)) {
    SmallVector<Value> controls;
    for (Value control : op->getOperands())
      controls.push_back(resolve(control));
    auto join = NoOpOp::create(builder, op->getLoc(), controls);
    join->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    set(op->getResult(0), join.getControl());
    return dissolve(op);
  }
  if (block)
    op->moveBefore(block, block->end());
  rewire(op);
}

/// Whether the index says that the side `number` is to be taken.
static Value isSide(OpBuilder &builder, Location loc, Value index,
                    int64_t number) {
  auto type = cast<RankedTensorType>(index.getType());
  Value side = ConstantOp::create(builder, loc, type, number);
  return CompareOp::create(builder, loc,
                           RankedTensorType::get({}, builder.getI1Type()),
                           index, side, ComparePredicate::eq, ValueRange());
}

void Emitter::emitConditional(const Step &step) {
  OpBuilder::InsertPoint here = builder.saveInsertionPoint();
  Value predicate = resolve(step.split.predicate);
  Location loc = predicate.getLoc();
  if (!step.merges.empty())
    loc = step.merges.front()->getLoc();
  unsigned count = step.split.sides;
  SmallVector<Type> types;
  for (MergeOp merge : step.merges)
    types.push_back(carriedType(merge.getValue().getType()));
  for (const Crossing &crossing : step.crossings)
    types.push_back(crossing.value.getType());

  std::vector<Block *> bodies;
  for (auto [side, plan] : llvm::enumerate(step.sides)) {
    auto *block = new Block();
    bodies.push_back(block);
    emit(plan, block);
    builder.setInsertionPointToEnd(block);
    SmallVector<Value> results;
    for (MergeOp merge : step.merges)
      results.push_back(carry(loc, resolve(merge.getInputs()[side]),
                              merge.getValue().getType()));
    for (const Crossing &crossing : step.crossings)
      results.push_back(crossing.side == side
                            ? resolve(crossing.value)
                            : dummy(loc, crossing.value.getType()));
    scf::YieldOp::create(builder, loc, results);
  }

  // From the outside in: each conditional holds the next one on its else side.
  builder.restoreInsertionPoint(here);
  auto open = [&](Value condition, Block *yes, Block *no) {
    auto op = scf::IfOp::create(builder, loc, types, condition,
                                /*addThenBlock=*/false,
                                /*addElseBlock=*/false);
    op.getThenRegion().push_back(yes);
    op.getElseRegion().push_back(no);
    return op;
  };
  scf::IfOp outer;
  if (isa<RankedTensorType>(predicate.getType()) &&
      cast<RankedTensorType>(predicate.getType())
          .getElementType()
          .isInteger(1)) {
    outer = open(truth(loc, predicate), bodies[1], bodies[0]);
  } else {
    for (unsigned side = 0; side + 1 < count; ++side) {
      bool last = side + 2 == count;
      Value condition = truth(loc, isSide(builder, loc, predicate, side));
      Block *no = last ? bodies[count - 1] : new Block();
      auto op = open(condition, bodies[side], no);
      if (!outer)
        outer = op;
      else
        scf::YieldOp::create(builder, loc, op.getResults());
      builder.setInsertionPointToEnd(no);
    }
  }

  builder.setInsertionPointAfter(outer);
  for (auto [i, op] : llvm::enumerate(step.merges)) {
    MergeOp merge = op;
    set(merge.getValue(), receive(loc, outer.getResult(i), merge.getValue()));
    if (Attribute name =
            merge->getDiscardableAttr(WeirDialect::getNameAttrName());
        name && !outer->hasAttr(WeirDialect::getNameAttrName()))
      outer->setDiscardableAttr(WeirDialect::getNameAttrName(), name);
    dissolve(merge);
  }
  for (auto [i, crossing] : llvm::enumerate(step.crossings))
    set(crossing.value, outer.getResult(step.merges.size() + i));
}

/// Some node of the graph that a step is about.
static Operation *firstNode(const Step &step) {
  if (step.op)
    return step.op;
  if (!step.merges.empty())
    return step.merges.front();
  for (const Plan &side : step.sides)
    for (const Step &inner : side)
      if (Operation *op = firstNode(inner))
        return op;
  return nullptr;
}

void Emitter::emit(const Plan &plan, Block *block) {
  for (const Step &step : plan) {
    if (step.op) {
      emitNode(step.op, block);
      continue;
    }
    if (block) {
      builder.setInsertionPointToEnd(block);
      emitConditional(step);
      continue;
    }
    // Nodes around may move into the conditional; the anchor does not.
    Operation *first = firstNode(step);
    builder.setInsertionPoint(first);
    Operation *anchor = NoOpOp::create(builder, first->getLoc(), ValueRange());
    builder.setInsertionPoint(anchor);
    emitConditional(step);
    anchor->erase();
  }
}

} // namespace weir::raise

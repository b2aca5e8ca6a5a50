//===- Regions.cpp - Conditionals and loops of a straight line ---------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// State is a value, so that what a branch or a loop assigns is a result of it.
// A variable that is only touched inside of one may have no value at all: it is
// read as memory, beside the fact whether there is a value in it, and a node
// that needs one checks that first. It is written back only where it was
// assigned.
//
//===----------------------------------------------------------------------===//

#include "dialects/Rt/Rt.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "passes/Schedule/Scheduler.h"
#include "weir-c/types.h"

using namespace mlir;
using namespace weir;

/// The variable that a node reads or changes, and whether it changes it.
static StringRef variableOf(Operation *op, bool &changes) {
  changes = true;
  if (auto node = dyn_cast<AssignOp>(op))
    return node.getVariable();
  if (auto node = dyn_cast<AssignAddOp>(op))
    return node.getVariable();
  if (auto node = dyn_cast<AssignSubOp>(op))
    return node.getVariable();
  if (auto node = dyn_cast<AssignScatterOp>(op))
    return node.getVariable();
  changes = false;
  if (auto node = dyn_cast<ReadOp>(op))
    return node.getVariable();
  if (auto node = dyn_cast<IsInitializedOp>(op))
    return node.getVariable();
  return "";
}

/// Takes the variable up without asking for a value.
void Scheduler::touch(StringRef variable, Operation *node) {
  State &now = state[variable];
  if (now.value)
    return;
  OpBuilder::InsertionGuard guard(builder);
  builder.restoreInsertionPoint(head);
  auto name = FlatSymbolRefAttr::get(builder.getContext(), variable);
  auto read =
      rt::ReadVariableOp::create(builder, node->getLoc(), typeOf(variable),
                                 name, builder.getStringAttr(""));
  now.value = read;
  now.valid = rt::VariableInitializedOp::create(builder, node->getLoc(),
                                                builder.getI1Type(), name);
  head = builder.saveInsertionPoint();
}

/// Takes up all variables that `op` touches; returns those that it may change.
llvm::SetVector<StringRef> Scheduler::touchAll(Operation *op) {
  llvm::SetVector<StringRef> changed;
  op->walk([&](Operation *inner) {
    bool changes = false;
    StringRef variable = variableOf(inner, changes);
    if (variable.empty())
      return;
    touch(variable, inner);
    if (changes)
      changed.insert(variable);
  });
  return changed;
}

Value Scheduler::writtenOf(const State &variable, Location loc) {
  return variable.written ? variable.written : constant(loc, variable.assigned);
}

Value Scheduler::validOf(const State &variable, Location loc) {
  return variable.valid ? variable.valid : constant(loc, true);
}

static bool isSurelyWritten(const auto &variable) {
  return variable.assigned && !variable.written;
}

/// The nodes of `from`, but its terminator, at the end of `to`.
LogicalResult Scheduler::scheduleBlock(Block &from, Block *to) {
  builder.setInsertionPointToEnd(to);
  for (Operation &op : from.without_terminator()) {
    if (failed(schedule(&op)))
      return failure();
    builder.setInsertionPointToEnd(to);
  }
  return success();
}

/// The values that stand for those of `list`; control edges have none.
static SmallVector<Value> dataOf(ValueRange list, const IRMapping &values) {
  SmallVector<Value> result;
  for (Value value : list)
    if (!isa<ControlType>(value.getType()))
      result.push_back(values.lookupOrDefault(value));
  return result;
}

LogicalResult Scheduler::schedule(scf::IfOp op) {
  Location loc = op.getLoc();
  llvm::SetVector<StringRef> changed = touchAll(op);
  Value condition = mapped(op.getCondition());
  OpBuilder::InsertPoint here = builder.saveInsertionPoint();
  States before = state;
  struct Side {
    Block *block = new Block();
    SmallVector<Value> results;
    States after;
  } sides[2];
  Region *regions[] = {&op.getThenRegion(), &op.getElseRegion()};
  LogicalResult done = success();
  for (auto [side, region] : llvm::zip(sides, regions)) {
    state = before;
    if (!region->empty()) {
      Block &from = region->front();
      if (failed(done) || failed(done = scheduleBlock(from, side.block)))
        continue;
      side.results = dataOf(from.getTerminator()->getOperands(), values);
    }
    side.after = std::move(state);
  }
  if (failed(done)) {
    for (Side &side : sides)
      delete side.block;
    return failure();
  }
  // What is known about a variable behind both sides needs no result.
  state = before;
  for (StringRef name : changed) {
    State &now = state[name];
    State &yes = sides[0].after[name], &no = sides[1].after[name];
    bool asksValid = yes.valid || no.valid;
    bool asksWritten = !(isSurelyWritten(yes) && isSurelyWritten(no));
    for (Side &side : sides) {
      builder.setInsertionPointToEnd(side.block);
      const State &own = side.after[name];
      side.results.push_back(own.value);
      if (asksValid)
        side.results.push_back(validOf(own, loc));
      if (asksWritten)
        side.results.push_back(writtenOf(own, loc));
    }
    // Placeholders, filled in below.
    now.valid = asksValid ? condition : Value();
    now.written = asksWritten ? condition : Value();
    now.assigned = true;
  }
  for (Side &side : sides) {
    builder.setInsertionPointToEnd(side.block);
    scf::YieldOp::create(builder, loc, side.results);
  }
  builder.restoreInsertionPoint(here);
  auto branch = scf::IfOp::create(
      builder, loc, TypeRange(ValueRange(sides[0].results)), condition,
      /*addThenBlock=*/false, /*addElseBlock=*/false);
  branch->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  branch.getThenRegion().push_back(sides[0].block);
  branch.getElseRegion().push_back(sides[1].block);
  builder.setInsertionPointAfter(branch);
  unsigned next = 0;
  for (Value result : op.getResults())
    if (!isa<ControlType>(result.getType()))
      values.map(result, branch.getResult(next++));
  for (StringRef name : changed) {
    State &now = state[name];
    now.value = branch.getResult(next++);
    if (now.valid)
      now.valid = branch.getResult(next++);
    if (now.written)
      now.written = branch.getResult(next++);
  }
  return success();
}

LogicalResult Scheduler::schedule(scf::WhileOp op) {
  Location loc = op.getLoc();
  llvm::SetVector<StringRef> changed = touchAll(op);
  // What is carried: the loop's own values, then the variables.
  SmallVector<Value> inits = dataOf(op.getInits(), values);
  unsigned own = inits.size();
  for (StringRef name : changed) {
    const State &now = state[name];
    inits.push_back(now.value);
    if (now.valid)
      inits.push_back(now.valid);
    if (!isSurelyWritten(now))
      inits.push_back(writtenOf(now, loc));
  }
  // What the condition's part hands on beside: it comes behind the variables,
  // since what is carried has the same place everywhere.
  SmallVector<Type> types =
      llvm::to_vector_of<Type>(ValueRange(inits).getTypes());
  unsigned carried = op.getInits().size();
  for (Type type : TypeRange(op.getResultTypes()).drop_front(carried))
    if (!isa<ControlType>(type))
      types.push_back(type);
  auto loop = scf::WhileOp::create(builder, loc, types, inits);
  loop->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  OpBuilder::InsertPoint behind = builder.saveInsertionPoint();

  States before = state;
  // Takes the variables over from arguments or results.
  auto receive = [&](ValueRange originals, ValueRange arguments) {
    unsigned at = 0, next = own;
    auto map = [&](Value original, unsigned &place) {
      if (!isa<ControlType>(original.getType()))
        values.map(original, arguments[place++]);
    };
    for (Value original : originals.take_front(carried))
      map(original, at);
    for (StringRef name : changed) {
      const State &outside = before[name];
      State &now = state[name];
      now.value = arguments[next++];
      now.valid = outside.valid ? arguments[next++] : Value();
      now.written = isSurelyWritten(outside) ? Value() : arguments[next++];
      now.assigned = true;
    }
    for (Value original : originals.drop_front(carried))
      map(original, next);
  };
  auto variables = [&](SmallVectorImpl<Value> &list) {
    for (StringRef name : changed) {
      const State &outside = before[name], &now = state[name];
      list.push_back(now.value);
      if (outside.valid)
        list.push_back(validOf(now, loc));
      if (!isSurelyWritten(outside))
        list.push_back(writtenOf(now, loc));
    }
  };
  auto open = [&](Region &region, TypeRange types) {
    SmallVector<Location> locations(types.size(), loc);
    return builder.createBlock(&region, {}, types, locations);
  };

  Block *test = open(loop.getBefore(), TypeRange(ValueRange(inits)));
  receive(op.getBeforeArguments(), test->getArguments());
  if (failed(scheduleBlock(*op.getBeforeBody(), test)))
    return failure();
  scf::ConditionOp condition = op.getConditionOp();
  SmallVector<Value> results =
      dataOf(condition.getArgs().take_front(carried), values);
  variables(results);
  llvm::append_range(results,
                     dataOf(condition.getArgs().drop_front(carried), values));
  scf::ConditionOp::create(builder, loc, mapped(condition.getCondition()),
                           results);

  Block *body = open(loop.getAfter(), types);
  receive(op.getAfterArguments(), body->getArguments());
  if (failed(scheduleBlock(*op.getAfterBody(), body)))
    return failure();
  SmallVector<Value> next = dataOf(op.getYieldOp().getOperands(), values);
  variables(next);
  rt::PollOp::create(builder, loc);
  scf::YieldOp::create(builder, loc, next);

  builder.restoreInsertionPoint(behind);
  builder.setInsertionPointAfter(loop);
  state = before;
  receive(op.getResults(), loop.getResults());
  return success();
}

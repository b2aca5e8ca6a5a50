//===- Loops.cpp - Frames become scf.while --------------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In each iteration the headers (merges of an Enter and a NextIteration) are
// live. Nodes that do not hang on the loop's condition run in each iteration,
// also in the last: they go before the condition. Those on the side that goes
// on are the body. Those on the side that stops run once, so they go behind the
// loop, and so do the Exits.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/Raise/Emit.h"
#include "passes/Raise/Raising.h"

using namespace mlir;

namespace weir::raise {

namespace {
class Loop {
public:
  Loop(GraphOp graph, Level &level)
      : graph(graph), level(level), live(level), handles(graph) {}

  /// Null where the frame is a loop that can be raised.
  std::optional<Refusal> check();
  /// Null where the nodes could be put in order.
  std::optional<Refusal> plan();
  void emit();

private:
  std::optional<Refusal> sortNodes();
  std::optional<Refusal> checkHeader(MergeOp merge);
  std::optional<Refusal> checkEnters();
  std::optional<Refusal> checkConditions();
  Refusal because(Operation *node, const Twine &reason) {
    return {Value(), node, reason.str(), nullptr};
  }
  EnterOp enterOf(MergeOp header) const;
  NextIterationOp nextOf(MergeOp header) const;
  bool carriesIndex(MergeOp header) const {
    return !header.getIndex().use_empty();
  }
  void collectForwarded();
  std::vector<Item> itemsOf(std::optional<Literal> part) const;

  GraphOp graph;
  Level &level;
  Liveness live;
  Handles handles;
  LoopCondOp condition;
  Literal go, stop; // the two sides of the condition
  SmallVector<MergeOp> headers;
  SmallVector<ExitOp> exits;
  SmallVector<NextIterationOp> nexts;
  llvm::DenseSet<Operation *> kept; // none
  Plan before, body, behind;
  // What the part before the condition makes and others use.
  llvm::SetVector<Value> forwarded;
};
} // namespace

EnterOp Loop::enterOf(MergeOp header) const {
  for (Value input : header.getInputs())
    if (auto enter = input.getDefiningOp<EnterOp>())
      return enter;
  return {};
}

NextIterationOp Loop::nextOf(MergeOp header) const {
  for (Value input : header.getInputs())
    if (auto next = input.getDefiningOp<NextIterationOp>())
      return next;
  return {};
}

std::optional<Refusal> Loop::sortNodes() {
  for (Operation *op : level.nodes) {
    if (auto node = dyn_cast<LoopCondOp>(op)) {
      if (condition)
        return because(op, "it has two conditions");
      condition = node;
    } else if (auto merge = dyn_cast<MergeOp>(op); merge && isHeader(merge)) {
      headers.push_back(merge);
    } else if (auto exit = dyn_cast<ExitOp>(op)) {
      exits.push_back(exit);
    } else if (auto next = dyn_cast<NextIterationOp>(op)) {
      nexts.push_back(next);
    }
  }
  if (!condition)
    return because(nullptr, "it has no condition");
  bool inverted = false;
  Value root = rootOf(condition.getResult(), inverted);
  if (!isPredicate(root))
    return because(condition, "its condition is not known to be a scalar");
  go = {root, inverted ? 0u : 1u, 2};
  stop = {root, inverted ? 1u : 0u, 2};
  return std::nullopt;
}

std::optional<Refusal> Loop::checkHeader(MergeOp merge) {
  if (merge.getInputs().size() != 2 || !enterOf(merge) || !nextOf(merge))
    return because(merge, "it does not take one value that enters and one of "
                          "the iteration before");
  if (!merge.getControls().empty())
    return because(merge, "it waits for more than its values");
  if (!live.of(nextOf(merge)).isOnly(go))
    return because(nextOf(merge), "it does not give a value to each iteration "
                                  "that the condition allows");
  Type type = merge.getValue().getType();
  if (isa<ResourceType>(type)) {
    if (!handles[merge.getValue()])
      return because(merge, "the handle that it carries may name another "
                            "resource in each iteration");
    return std::nullopt;
  }
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape() ||
      isa<StringType>(tensor.getElementType()))
    return because(merge, "the extents of the value that it carries are not "
                          "known");
  return std::nullopt;
}

/// Checks what enters: it is live at once, or not at all.
std::optional<Refusal> Loop::checkEnters() {
  Liveness outer(*level.parent);
  if (!outer.isOrdered())
    return because(nullptr, "the nodes around it wait for each other");
  llvm::DenseMap<Operation *, Condition> conditions;
  Condition whole; // what most hang on
  for (EnterOp enter : level.enters) {
    Condition own = outer.of(enter);
    if (own.isNever())
      return because(enter, "it is never entered");
    if (own.getLiterals().size() > whole.getLiterals().size())
      whole = own;
    conditions[enter] = own;
  }
  bool partial = false;
  for (EnterOp enter : level.enters) {
    if (!enter.getIsConstant()) {
      if (!enter.getControl().use_empty())
        return because(enter, "that it has run is asked for, which is so in "
                              "one iteration only");
      for (Operation *user : enter.getResult().getUsers())
        if (!isa<MergeOp>(user))
          return because(user, "it takes a value that is there in one "
                               "iteration only");
    }
    if (conditions[enter].isSameAs(whole))
      continue;
    // What enters also where the rest does not is of no use there.
    for (const Literal &literal : conditions[enter].getLiterals())
      if (whole.sideOf(literal.predicate) != literal.side)
        return because(enter, "it may be entered without the others");
    partial = true;
  }
  if (!partial)
    return std::nullopt;
  llvm::SetVector<Operation *> needed;
  needed.insert(condition);
  bool reached = false;
  for (size_t i = 0; i < needed.size(); ++i) {
    if (auto enter = dyn_cast<EnterOp>(needed[i])) {
      reached |= conditions[enter].isSameAs(whole);
      continue;
    }
    if (isa<NextIterationOp>(needed[i]))
      continue;
    for (Value operand : needed[i]->getOperands())
      if (Operation *producer = operand.getDefiningOp())
        needed.insert(producer);
  }
  if (!reached)
    return because(condition, "it may be entered in part");
  for (Operation *op : level.nodes)
    if (!live.of(op).sideOf(go.predicate) && !isMemoryEffectFree(op) &&
        !isa<MergeOp, SwitchOp, SwitchNOp, NextIterationOp, ExitOp, LoopCondOp,
             NoOpOp, CompletedOp>(op))
      return because(op, "it runs also where the loop is entered in part");
  return std::nullopt;
}

std::optional<Refusal> Loop::checkConditions() {
  if (!live.of(condition).isAlways())
    return because(condition, "its condition is not there in each iteration");
  for (Operation *op : level.nodes) {
    Condition own = live.of(op);
    if (isa<ExitOp>(op)) {
      if (!own.isOnly(stop))
        return because(op, "it does not leave exactly when the loop ends");
      continue;
    }
    if (auto next = dyn_cast<NextIterationOp>(op)) {
      if (!next.getControl().use_empty())
        return because(op, "that it has run is asked for in the next "
                           "iteration");
      for (Operation *user : next.getResult().getUsers())
        if (!llvm::is_contained(headers, user))
          return because(user, "it takes a value of the iteration before, "
                               "which the first does not have");
      continue;
    }
    auto merge = dyn_cast<MergeOp>(op);
    if (merge && isHeader(merge))
      continue;
    if (merge && !live.treeOf(merge))
      return because(op, "its operands are not the sides of a predicate, of "
                         "which always one is taken");
    auto isUsable = [&](const Condition &condition) {
      return !condition.isNever() &&
             llvm::none_of(condition.getLiterals(), [](const Literal &literal) {
               return literal.isOpaque() || !isPredicate(literal.predicate);
             });
    };
    if (!isUsable(own))
      return because(op, "it hangs on dataflow that stays as it is");
    if (isSwitch(op))
      for (Value side : op->getResults())
        if (!side.use_empty() && !isUsable(live.of(side)))
          return because(op, "its predicate is not known to be a scalar");
    if (std::string reason = whyNotRaised(op, handles); !reason.empty())
      return because(op, reason);
  }
  return std::nullopt;
}

std::optional<Refusal> Loop::check() {
  if (!live.isOrdered())
    return because(nullptr, "its nodes wait for each other");
  if (auto refusal = sortNodes())
    return refusal;
  for (MergeOp header : headers)
    if (auto refusal = checkHeader(header))
      return refusal;
  if (auto refusal = checkConditions())
    return refusal;
  if (auto refusal = checkEnters())
    return refusal;
  if (Waits(graph).mayDeadlock(level.nodes.getArrayRef()))
    return because(condition, "as one it would hold back what it waits for");
  return std::nullopt;
}

/// The nodes on one side of the condition, or, without `part`, before it.
std::vector<Item> Loop::itemsOf(std::optional<Literal> part) const {
  std::vector<Item> items;
  for (Operation *op : live.getOrder()) {
    auto merge = dyn_cast<MergeOp>(op);
    if (isa<NextIterationOp>(op) || (merge && isHeader(merge)))
      continue;
    Condition own = live.of(op);
    std::optional<unsigned> side = own.sideOf(go.predicate);
    if (part ? side != part->side : side.has_value())
      continue;
    Condition rest = own.without(go.predicate);
    items.push_back({op, {}});
    items.back().rest.assign(rest.getLiterals().begin(),
                             rest.getLiterals().end());
  }
  return items;
}

static void collectPredicates(const Plan &plan,
                              llvm::SetVector<Value> &values) {
  for (const Step &step : plan) {
    if (!step.op)
      values.insert(step.split.predicate);
    for (const Plan &side : step.sides)
      collectPredicates(side, values);
  }
}

void Loop::collectForwarded() {
  llvm::DenseSet<Operation *> made;
  for (const Item &item : itemsOf(std::nullopt))
    made.insert(item.op);
  for (MergeOp header : headers)
    made.insert(header);
  llvm::SetVector<Value> used;
  auto use = [&](Operation *op) {
    op->walk(
        [&](Operation *inner) { used.insert_range(inner->getOperands()); });
  };
  for (Literal part : {go, stop})
    for (const Item &item : itemsOf(part))
      use(item.op);
  for (NextIterationOp next : nexts)
    use(next);
  collectPredicates(body, used);
  collectPredicates(behind, used);
  for (Value value : used) {
    // What is dissolved stands for its operand.
    while (Operation *op = value.getDefiningOp()) {
      if (!level.nodes.contains(op) ||
          !(isSwitch(op) || isa<LoopCondOp, ExitOp>(op)))
        break;
      value = op->getOperand(0);
    }
    if (Operation *op = value.getDefiningOp(); op && made.contains(op))
      forwarded.insert(value);
  }
}

std::optional<Refusal> Loop::plan() {
  llvm::SetVector<Operation *> managed;
  std::vector<Item> parts[] = {itemsOf(std::nullopt), itemsOf(go),
                               itemsOf(stop)};
  for (const std::vector<Item> &items : parts)
    for (const Item &item : items)
      managed.insert(item.op);
  Planner planner(live, managed, kept);
  Plan *plans[] = {&before, &body, &behind};
  for (auto [items, plan] : llvm::zip(parts, plans)) {
    std::optional<Plan> made = planner.plan(items);
    if (!made)
      return planner.getRefusal();
    *plan = std::move(*made);
  }
  collectForwarded();
  for (Value value : forwarded) {
    auto tensor = dyn_cast<RankedTensorType>(value.getType());
    if (tensor && !tensor.hasStaticShape())
      return because(value.getDefiningOp(),
                     "the extents of its result, which is used behind the "
                     "condition, are not known");
  }
  return std::nullopt;
}

void Loop::emit() {
  Emitter e(graph, handles, kept);
  OpBuilder &b = e.getBuilder();
  Location loc = condition.getLoc();
  b.setInsertionPoint(condition);
  for (EnterOp enter : level.enters) {
    if (!enter.getIsConstant())
      continue;
    Value input = enter.getInput();
    if (input.getType() != enter.getResult().getType())
      input = IdentityOp::create(b, loc, enter.getResult().getType(), input,
                                 ValueRange());
    e.set(enter.getResult(), input);
  }
  // What is carried: for each header its value, then its index if it is used.
  SmallVector<Value> carried, inits;
  auto number = RankedTensorType::get({}, b.getI32Type());
  auto index = [&](int32_t i) -> Value {
    return ConstantOp::create(b, loc, DenseElementsAttr::get(number, i));
  };
  for (MergeOp header : headers) {
    carried.push_back(header.getValue());
    inits.push_back(
        e.carry(loc, enterOf(header).getInput(), header.getValue().getType()));
    bool enterFirst = header.getInputs()[0].getDefiningOp<EnterOp>() != nullptr;
    if (carriesIndex(header)) {
      carried.push_back(header.getIndex());
      inits.push_back(index(enterFirst ? 0 : 1));
    }
  }
  for (Value value : carried)
    forwarded.remove(value);
  SmallVector<Value> all(carried);
  all.append(forwarded.begin(), forwarded.end());
  SmallVector<Type> types = llvm::map_to_vector(
      all, [](Value value) { return Emitter::carriedType(value.getType()); });
  SmallVector<Location> locations(types.size(), loc);
  auto loop = scf::WhileOp::create(b, loc, types, inits);
  if (Attribute name =
          condition->getDiscardableAttr(WeirDialect::getNameAttrName()))
    loop->setDiscardableAttr(WeirDialect::getNameAttrName(), name);

  auto receive = [&](ValueRange values, ArrayRef<Value> originals) {
    for (auto [value, original] : llvm::zip(values, originals))
      e.set(original, e.receive(loc, value, original));
  };
  ArrayRef<Type> carriedTypes = ArrayRef(types).take_front(carried.size());
  ArrayRef<Location> carriedLocations =
      ArrayRef(locations).take_front(carried.size());
  Block *test =
      b.createBlock(&loop.getBefore(), {}, carriedTypes, carriedLocations);
  receive(test->getArguments(), carried);
  e.emit(before, test);
  b.setInsertionPointToEnd(test);
  SmallVector<Value> results(test->getArguments());
  for (Value value : forwarded)
    results.push_back(e.carry(loc, e.resolve(value), value.getType()));
  scf::ConditionOp::create(
      b, loc, e.truth(loc, e.resolve(condition.getResult())), results);

  Block *rest = b.createBlock(&loop.getAfter(), {}, types, locations);
  receive(rest->getArguments(), all);
  e.emit(body, rest);
  b.setInsertionPointToEnd(rest);
  SmallVector<Value> next;
  for (MergeOp header : headers) {
    next.push_back(e.carry(loc, e.resolve(nextOf(header).getInput()),
                           header.getValue().getType()));
    bool enterFirst = header.getInputs()[0].getDefiningOp<EnterOp>() != nullptr;
    if (carriesIndex(header))
      next.push_back(index(enterFirst ? 1 : 0));
  }
  scf::YieldOp::create(b, loc, next);

  b.setInsertionPointAfter(loop);
  receive(loop.getResults(), all);
  e.emit(behind, nullptr);
  b.setInsertionPointAfter(loop);
  for (ExitOp exit : exits) {
    Value value = e.resolve(exit.getInput());
    if (value.getType() != exit.getResult().getType())
      value = IdentityOp::create(b, exit.getLoc(), exit.getResult().getType(),
                                 value, ValueRange());
    exit.getResult().replaceAllUsesWith(value);
  }
  for (MergeOp header : headers)
    e.dissolve(header);
  for (NextIterationOp next : nexts)
    e.dissolve(next);
  for (EnterOp enter : level.enters)
    e.dissolve(enter);
  e.finish();
}

std::optional<Refusal> raiseLoop(GraphOp graph, Level &level) {
  Loop loop(graph, level);
  if (auto refusal = loop.check())
    return refusal;
  if (auto refusal = loop.plan())
    return refusal;
  loop.emit();
  return std::nullopt;
}

} // namespace weir::raise

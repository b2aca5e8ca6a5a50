//===- Conditionals.cpp - Switch and Merge become scf.if ------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Raise/Emit.h"
#include "passes/Raise/Raising.h"

using namespace mlir;

namespace weir::raise {

namespace {
/// Finds the predicates of a level that can be raised: every node that hangs on
/// one is known, and hangs on nothing else.
class Conditionals {
public:
  Conditionals(GraphOp graph, Level &level)
      : graph(graph), level(level), live(level), handles(graph), waits(graph) {}

  std::vector<Refusal> run();

private:
  void refuse(const Condition &condition, Operation *node, const Twine &reason);
  void refuse(Value predicate, Operation *node, const Twine &reason) {
    bad.insert({predicate, {predicate, node, reason.str(), nullptr}});
  }
  void findBad();
  bool spread();
  bool isGood(const Condition &condition) const {
    return !condition.isNever() &&
           llvm::none_of(condition.getLiterals(), [&](const Literal &literal) {
             return literal.isOpaque() || bad.contains(literal.predicate);
           });
  }
  void forEachCondition(
      function_ref<void(const Condition &, Operation *)> visit) const;
  void locate();
  bool tryToRaise();
  bool deadlocks(const Plan &plan);

  GraphOp graph;
  Level &level;
  Liveness live;
  Handles handles;
  Waits waits;
  llvm::MapVector<Value, Refusal> bad;
};
} // namespace

void Conditionals::refuse(const Condition &condition, Operation *node,
                          const Twine &reason) {
  for (const Literal &literal : condition.getLiterals())
    if (!literal.isOpaque())
      refuse(literal.predicate, node, reason);
}

/// The condition of each node, and of each side of a Switch.
void Conditionals::forEachCondition(
    function_ref<void(const Condition &, Operation *)> visit) const {
  for (Operation *op : live.getOrder()) {
    visit(live.of(op), op);
    if (isSwitch(op))
      for (Value side : op->getResults())
        if (!side.use_empty())
          visit(live.of(side), op);
  }
}

void Conditionals::findBad() {
  for (Operation *op : live.getOrder()) {
    if (auto fetch = dyn_cast<FetchOp>(op)) {
      for (Value value : fetch.getValues())
        refuse(live.of(value), op, "a side of it is fetched");
      continue;
    }
    auto merge = dyn_cast<MergeOp>(op);
    if (merge && !isHeader(merge) && !live.treeOf(merge))
      for (Value input : merge.getInputs())
        refuse(live.of(input), op,
               "its operands are not the sides of a predicate, of which always "
               "one is taken");
    std::string reason = whyNotRaised(op, handles);
    if (isa<LoopCondOp>(op) || (merge && isHeader(merge)))
      reason = "it belongs to a loop that stays dataflow";
    if (!reason.empty()) {
      refuse(live.of(op), op, reason);
      if (merge)
        for (Value input : merge.getInputs())
          refuse(live.of(input), op, reason);
    }
    if (!isSwitch(op))
      continue;
    for (Value side : op->getResults()) {
      Condition condition = live.of(side);
      for (const Literal &literal : condition.getLiterals())
        if (!literal.isOpaque() && !isPredicate(literal.predicate))
          refuse(literal.predicate, op,
                 "its predicate is not known to be a scalar");
    }
  }
  while (spread())
    ;
}

/// What hangs on something that stays dataflow stays, too.
bool Conditionals::spread() {
  size_t before = bad.size();
  forEachCondition([&](const Condition &condition, Operation *op) {
    if (!isGood(condition))
      refuse(condition, op, "it hangs on dataflow that stays as it is");
    // A merge takes values of its operands' sides.
    if (auto merge = dyn_cast<MergeOp>(op))
      if (llvm::any_of(merge.getInputs(),
                       [&](Value input) { return !isGood(live.of(input)); }))
        for (Value input : merge.getInputs())
          refuse(live.of(input), op,
                 "it hangs on dataflow that stays as it is");
  });
  return bad.size() != before;
}

static void collect(const Plan &plan, SmallVectorImpl<Operation *> &ops) {
  for (const Step &step : plan) {
    if (step.op)
      ops.push_back(step.op);
    ops.append(step.merges.begin(), step.merges.end());
    for (const Plan &side : step.sides)
      collect(side, ops);
  }
}

bool Conditionals::deadlocks(const Plan &plan) {
  for (const Step &step : plan) {
    if (step.op)
      continue;
    SmallVector<Operation *> ops(step.merges.begin(), step.merges.end());
    for (const Plan &side : step.sides)
      collect(side, ops);
    if (!waits.mayDeadlock(ops))
      continue;
    refuse(step.split.predicate, ops.front(),
           "as one it would hold back what it waits for");
    return true;
  }
  return false;
}

/// Finds the Switch of each predicate that is given up: the predicate itself
/// may be the result of a conditional that is raised.
void Conditionals::locate() {
  for (Operation *op : live.getOrder()) {
    bool inverted = false;
    if (!isSwitch(op))
      continue;
    auto at = bad.find(rootOf(op->getOperand(1), inverted));
    if (at != bad.end() && !at->second.at)
      at->second.at = op;
  }
}

/// True when done; false when another predicate had to be given up.
bool Conditionals::tryToRaise() {
  llvm::DenseSet<Operation *> kept;
  llvm::SetVector<Operation *> managed;
  std::vector<Item> items;
  bool any = false;
  for (Operation *op : live.getOrder()) {
    if (isa<FetchOp, NextIterationOp>(op))
      continue;
    Condition condition = live.of(op);
    Item item{op, {}};
    bool keeps = isa<LoopCondOp, ExitOp>(op);
    if (isGood(condition))
      item.rest.assign(condition.getLiterals().begin(),
                       condition.getLiterals().end());
    else
      keeps = true;
    auto merge = dyn_cast<MergeOp>(op);
    keeps |= merge && !live.treeOf(merge);
    if (merge)
      for (Value input : merge.getInputs())
        keeps |= !isGood(live.of(input));
    for (Value side : op->getResults())
      keeps |= isSwitch(op) && !side.use_empty() && !isGood(live.of(side));
    if (isa<ControlTriggerOp>(op))
      for (Value control : op->getOperands())
        keeps |= !isGood(live.of(control));
    if (keeps)
      kept.insert(op);
    any |= !item.rest.empty() ||
           ((merge || isSwitch(op) || isa<ControlTriggerOp>(op)) && !keeps);
    managed.insert(op);
    items.push_back(std::move(item));
  }
  if (!any) {
    locate();
    return true;
  }
  Planner planner(live, managed, kept);
  std::optional<Plan> plan = planner.plan(std::move(items));
  if (!plan) {
    const Refusal &why = planner.getRefusal();
    if (!why.predicate || bad.contains(why.predicate)) {
      // Nothing can be singled out.
      forEachCondition([&](const Condition &condition, Operation *) {
        refuse(condition, why.node, why.reason);
      });
    } else {
      refuse(why.predicate, why.node, why.reason);
    }
    return false;
  }
  if (deadlocks(*plan))
    return false;
  locate();
  Emitter emitter(graph, handles, kept);
  emitter.emit(*plan, nullptr);
  for (Operation *op : level.nodes)
    if (isa<FetchOp, NextIterationOp>(op))
      emitter.rewire(op);
  emitter.finish();
  return true;
}

std::vector<Refusal> Conditionals::run() {
  if (!live.isOrdered())
    return {};
  do
    findBad();
  while (!tryToRaise());
  std::vector<Refusal> result;
  for (auto &[predicate, refusal] : bad)
    result.push_back(refusal);
  return result;
}

std::vector<Refusal> raiseConditionals(GraphOp graph, Level &level) {
  return Conditionals(graph, level).run();
}

} // namespace weir::raise

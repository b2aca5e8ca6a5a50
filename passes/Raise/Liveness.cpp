//===- Liveness.cpp - When the nodes of a frame are live ------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Raise/Liveness.h"

#include <queue>

using namespace mlir;

namespace weir::raise {

bool isHeader(MergeOp merge) {
  return llvm::any_of(merge.getInputs(), [](Value input) {
    return isa_and_present<EnterOp, NextIterationOp>(input.getDefiningOp());
  });
}

Value rootOf(Value predicate, bool &inverted) {
  llvm::SmallPtrSet<Operation *, 8> seen; // a graph may have cycles
  while (Operation *op = predicate.getDefiningOp()) {
    if (!seen.insert(op).second)
      break;
    if (isa<IdentityOp, LoopCondOp>(op)) {
      predicate = op->getOperand(0);
    } else if (auto node = dyn_cast<SwitchOp>(op)) {
      predicate = node.getData();
    } else if (auto node = dyn_cast<SwitchNOp>(op)) {
      predicate = node.getData();
    } else if (auto node = dyn_cast<LogicalNotOp>(op)) {
      predicate = node.getInput();
      inverted = !inverted;
    } else {
      break;
    }
  }
  return predicate;
}

Liveness::Liveness(const Level &level) {
  sort(level);
  if (ordered)
    for (Operation *op : order)
      visit(op);
}

Condition Liveness::of(Value value) const {
  Condition result = values.lookup(value);
  if (value.getDefiningOp<ExitOp>())
    result.add({value, 0, 1});
  return result;
}

void Liveness::sort(const Level &level) {
  llvm::DenseMap<Operation *, unsigned> waiting, place;
  std::priority_queue<unsigned, std::vector<unsigned>, std::greater<>> ready;
  // What one iteration gets from the one before it is there from the start.
  auto before = [&](Operation *op) {
    llvm::SmallSetVector<Operation *, 8> result;
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (Operation *producer = operand.getDefiningOp();
            producer && producer != op && level.nodes.contains(producer) &&
            !isa<NextIterationOp, EnterOp>(producer))
          result.insert(producer);
    });
    return result;
  };
  llvm::DenseMap<Operation *, SmallVector<Operation *>> users;
  for (auto [i, op] : llvm::enumerate(level.nodes)) {
    place[op] = i;
    auto needs = before(op);
    waiting[op] = needs.size();
    for (Operation *need : needs)
      users[need].push_back(op);
    if (needs.empty())
      ready.push(i);
  }
  while (!ready.empty()) {
    Operation *op = level.nodes[ready.top()];
    ready.pop();
    order.push_back(op);
    for (Operation *user : users.lookup(op))
      if (--waiting[user] == 0)
        ready.push(place[user]);
  }
  ordered = order.size() == level.nodes.size();
}

/// A tree over operands with what is left of their conditions.
static bool buildTree(ArrayRef<std::pair<unsigned, Condition>> inputs,
                      MergeTree &tree) {
  if (inputs.size() == 1 && inputs.front().second.isAlways()) {
    tree.leaf = inputs.front().first;
    return true;
  }
  for (const Literal &split : inputs.front().second.getLiterals()) {
    std::vector<SmallVector<std::pair<unsigned, Condition>>> sides(split.sides);
    bool splits = !split.isOpaque();
    for (const auto &[number, condition] : inputs) {
      std::optional<unsigned> side = condition.sideOf(split.predicate);
      splits &= side && *side < split.sides;
      if (splits)
        sides[*side].push_back({number, condition.without(split.predicate)});
    }
    if (!splits || llvm::any_of(sides, [](auto &side) { return side.empty(); }))
      continue;
    MergeTree result;
    result.split = split;
    result.sides.resize(split.sides);
    if (llvm::all_of_zip(sides, result.sides, [](auto &inputs, MergeTree &sub) {
          return buildTree(inputs, sub);
        })) {
      tree = std::move(result);
      return true;
    }
  }
  return false;
}

void Liveness::visit(MergeOp merge) {
  if (isHeader(merge))
    return;
  SmallVector<std::pair<unsigned, Condition>> inputs;
  for (auto [i, input] : llvm::enumerate(merge.getInputs()))
    if (Condition condition = of(input); !condition.isNever())
      inputs.push_back({i, condition});
  Condition result, common;
  if (inputs.empty()) {
    result = Condition::makeNever();
  } else {
    common = inputs.front().second;
    for (Literal literal :
         SmallVector<Literal>(inputs.front().second.getLiterals()))
      for (auto &[i, condition] : inputs)
        if (condition.sideOf(literal.predicate) != literal.side)
          common = common.without(literal.predicate);
    for (Literal literal : common.getLiterals())
      for (auto &[i, condition] : inputs)
        condition = condition.without(literal.predicate);
    MergeTree tree;
    if (buildTree(inputs, tree)) {
      trees[merge] = std::move(tree);
      result = common;
    } else {
      result.add({merge.getValue(), 0, 1});
    }
  }
  nodes[merge] = result;
  for (Value value : merge->getResults())
    values[value] = result;
}

void Liveness::visit(Operation *op) {
  if (auto merge = dyn_cast<MergeOp>(op))
    return visit(merge);
  // A trigger runs, whatever was dead; a fetch says for itself what may be.
  Condition condition;
  if (!isa<ControlTriggerOp, FetchOp>(op))
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        condition.add(of(operand));
    });
  nodes[op] = condition;
  for (Value value : op->getResults())
    values[value] = condition;
  // The value of another level is live when that of this one is.
  if (isa<EnterOp, NextIterationOp, ExitOp>(op))
    for (Value value : op->getResults())
      values.erase(value);
  Value predicate;
  ValueRange sides;
  if (auto node = dyn_cast<SwitchOp>(op)) {
    predicate = node.getPredicate();
    sides = op->getResults().take_front(2);
  } else if (auto node = dyn_cast<SwitchNOp>(op)) {
    predicate = node.getIndex();
    sides = node.getSides();
  } else {
    return;
  }
  bool inverted = false;
  Value root = rootOf(predicate, inverted);
  std::optional<unsigned> known;
  if (auto constant = root.getDefiningOp<ConstantOp>()) {
    auto number =
        cast<DenseIntElementsAttr>(constant.getValue()).getValues<APInt>()[0];
    unsigned last = sides.size() - 1;
    known = isa<SwitchOp>(op)     ? unsigned(number.getBoolValue() != inverted)
            : number.isNegative() ? last
                                  : number.getLimitedValue(last);
  }
  for (auto [i, side] : llvm::enumerate(sides)) {
    if (sides.size() == 1)
      continue; // The only side is always taken.
    if (known && *known != i)
      values[side] = Condition::makeNever();
    else if (!known)
      values[side].add({root, static_cast<unsigned>(inverted ? 1 - i : i),
                        static_cast<unsigned>(sides.size())});
  }
}

} // namespace weir::raise

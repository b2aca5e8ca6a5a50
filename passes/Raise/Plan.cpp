//===- Plan.cpp - The structure that a level is given ---------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nodes are placed as soon as all they wait for is. Unconditional ones come
// first; then a conditional is opened on the predicate that leaves the fewest
// of its nodes behind, and takes in all that can be in it. What it leaves
// behind, because something outside has to come between, goes into a second
// conditional on the same predicate. So no conditional waits for itself.
//
//===----------------------------------------------------------------------===//

#include "passes/Raise/Plan.h"

using namespace mlir;

namespace weir::raise {

Planner::Planner(const Liveness &live, llvm::SetVector<Operation *> managed,
                 const llvm::DenseSet<Operation *> &kept)
    : live(live), managed(std::move(managed)), kept(kept) {
  for (Operation *op : this->managed) {
    llvm::SmallSetVector<Operation *, 8> needs;
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (Operation *producer = operand.getDefiningOp();
            producer && producer != op && this->managed.contains(producer))
          needs.insert(producer);
    });
    waiting[op] = needs.size();
    for (Operation *need : needs)
      users[need].push_back(op);
  }
}

bool Planner::isAvailable(Value value) const {
  Operation *producer = value.getDefiningOp();
  return !producer || !managed.contains(producer) || done.contains(producer);
}

/// The predicate on which a merge joins sides at this depth.
std::optional<Literal> Planner::splitOf(const Item &item,
                                        unsigned depth) const {
  auto merge = dyn_cast<MergeOp>(item.op);
  if (!merge || item.rest.size() != depth || kept.contains(merge))
    return std::nullopt;
  const MergeTree *tree = live.treeOf(merge);
  return tree ? std::optional(tree->split) : std::nullopt;
}

void Planner::place(Operation *op, SmallVectorImpl<Operation *> &placed) {
  done.insert(op);
  placed.push_back(op);
  for (Operation *user : users[op])
    --waiting[user];
}

void Planner::takeBack(ArrayRef<Operation *> placed) {
  for (Operation *op : placed) {
    done.erase(op);
    for (Operation *user : users[op])
      ++waiting[user];
  }
}

/// The literal of `predicate` that is left of an item's condition.
static Literal *find(Item &item, unsigned depth, Value predicate) {
  for (Literal &literal : MutableArrayRef(item.rest).drop_front(depth))
    if (literal.predicate == predicate)
      return &literal;
  return nullptr;
}

/// The predicates on which a conditional can be opened now.
SmallVector<Literal> Planner::candidates(const Items &items, unsigned depth) {
  SmallVector<Literal> result;
  auto add = [&](Literal literal) {
    if (isAvailable(literal.predicate) &&
        llvm::none_of(result, [&](const Literal &other) {
          return other.predicate == literal.predicate;
        }))
      result.push_back(literal);
  };
  for (Item *item : items) {
    if (done.contains(item->op) || !isReady(item->op))
      continue;
    if (std::optional<Literal> split = splitOf(*item, depth))
      add(*split);
    else if (item->rest.size() > depth)
      for (Literal literal : ArrayRef(item->rest).drop_front(depth))
        add(literal);
  }
  return result;
}

/// How many nodes a conditional would leave behind, if opened now.
size_t Planner::leftBehind(const Items &items, unsigned depth, Literal split) {
  Items inside;
  for (Item *item : items)
    if (!done.contains(item->op) && find(*item, depth, split.predicate))
      inside.push_back(item);
  SmallVector<Operation *> tried;
  bool progress = true;
  while (progress) {
    progress = false;
    for (Item *item : inside)
      if (!done.contains(item->op) && isReady(item->op)) {
        place(item->op, tried);
        progress = true;
      }
  }
  takeBack(tried);
  return inside.size() - tried.size();
}

/// True if a node without a place yet uses the value, or one that is not
/// planned at all, such as a fetch.
bool Planner::isNeeded(Value value) const {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    // Uses in regions count as those of the op that has the region.
    while (!managed.contains(user) && user->getParentOp() &&
           !isa<GraphOp>(user->getParentOp()))
      user = user->getParentOp();
    if (!done.contains(user))
      return true;
    return isSwitch(user) && user->getOperand(0) == value &&
           llvm::any_of(user->getResults(),
                        [&](Value side) { return isNeeded(side); });
  });
}

void Planner::addCrossings(Step &step, unsigned side,
                           ArrayRef<Operation *> placed) {
  for (Operation *op : placed) {
    if (isSwitch(op))
      continue; // Its sides are its operand, which may cross itself.
    for (Value result : op->getResults()) {
      if (!isNeeded(result))
        continue;
      auto tensor = dyn_cast<RankedTensorType>(result.getType());
      bool hasDummy = isa<ControlType>(result.getType()) ||
                      (tensor && tensor.getElementType().isIntOrFloat());
      if (!hasDummy && !refusal.node)
        refusal = {step.split.predicate, op,
                   "its value is used behind the conditional"};
      step.crossings.push_back({result, side});
    }
  }
}

bool Planner::openConditional(const Items &items, unsigned depth, Plan &plan,
                              SmallVectorImpl<Operation *> &placed) {
  SmallVector<Literal> choices = candidates(items, depth);
  if (choices.empty())
    return false;
  constexpr size_t few = 16; // more would be tried at a price
  Literal split = choices.front();
  if (choices.size() > 1 && choices.size() <= few) {
    size_t least = std::numeric_limits<size_t>::max();
    for (const Literal &choice : choices)
      if (size_t left = leftBehind(items, depth, choice); left < least) {
        least = left;
        split = choice;
      }
  }
  Step step;
  step.split = split;
  step.sides.resize(split.sides);
  std::vector<SmallVector<Operation *>> inside(split.sides);
  for (unsigned side = 0; side < split.sides; ++side) {
    Items members;
    for (Item *item : items) {
      if (done.contains(item->op))
        continue;
      Literal *literal = find(*item, depth, split.predicate);
      if (!literal || literal->side != side)
        continue;
      std::swap(*literal, item->rest[depth]);
      members.push_back(item);
    }
    fill(members, depth + 1, step.sides[side], inside[side]);
  }
  for (Item *item : items) {
    std::optional<Literal> own = splitOf(*item, depth);
    if (own && own->predicate == split.predicate && !done.contains(item->op) &&
        isReady(item->op)) {
      place(item->op, placed);
      step.merges.push_back(cast<MergeOp>(item->op));
    }
  }
  bool grew = !step.merges.empty();
  for (auto [side, ops] : llvm::enumerate(inside)) {
    addCrossings(step, side, ops);
    placed.append(ops.begin(), ops.end());
    grew |= !ops.empty();
  }
  if (grew)
    plan.push_back(std::move(step));
  return grew;
}

void Planner::fill(const Items &all, unsigned depth, Plan &plan,
                   SmallVectorImpl<Operation *> &placed) {
  Items items = all;
  bool progress = true;
  while (progress) {
    progress = false;
    llvm::erase_if(items, [&](Item *item) { return done.contains(item->op); });
    for (Item *item : items) {
      if (item->rest.size() != depth || done.contains(item->op) ||
          splitOf(*item, depth) || !isReady(item->op))
        continue;
      Step step;
      step.op = item->op;
      plan.push_back(std::move(step));
      place(item->op, placed);
      progress = true;
    }
    if (!progress)
      progress = openConditional(items, depth, plan, placed);
  }
}

std::optional<Plan> Planner::plan(std::vector<Item> items) {
  Items pointers;
  for (Item &item : items)
    pointers.push_back(&item);
  Plan result;
  SmallVector<Operation *> placed;
  fill(pointers, 0, result, placed);
  for (Item &item : items)
    if (!done.contains(item.op) && !refusal.node)
      refusal = {item.rest.empty() ? Value() : item.rest.front().predicate,
                 item.op, "it waits for something that waits for it"};
  if (refusal.node)
    return std::nullopt;
  return result;
}

} // namespace weir::raise

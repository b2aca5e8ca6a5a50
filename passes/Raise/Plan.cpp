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

/// The predicate on which a merge joins sides at the end of a path.
std::optional<Literal> Planner::splitOf(const Item &item, Path path) const {
  auto merge = dyn_cast<MergeOp>(item.op);
  if (!merge || item.rest.size() != path.size() || kept.contains(merge))
    return std::nullopt;
  const MergeTree *tree = live.treeOf(merge);
  return tree ? std::optional(tree->split) : std::nullopt;
}

void Planner::count(const Item &item, int difference) {
  for (const Literal &literal : item.rest)
    remaining[literal.predicate] += difference;
}

void Planner::place(Operation *op, Placed &placed) {
  done.insert(op);
  placed.push_back(op);
  unsigned number = numbers.lookup(op);
  ready.erase(number);
  count(items[number], -1);
  for (Operation *user : users[op])
    if (--waiting[user] == 0)
      if (auto at = numbers.find(user); at != numbers.end())
        ready.insert(at->second);
}

void Planner::takeBack(ArrayRef<Operation *> placed) {
  for (Operation *op : llvm::reverse(placed)) {
    for (Operation *user : users[op])
      if (waiting[user]++ == 0)
        if (auto at = numbers.find(user); at != numbers.end())
          ready.erase(at->second);
    unsigned number = numbers.lookup(op);
    count(items[number], 1);
    ready.insert(number);
    done.erase(op);
  }
}

static bool hangsOn(const Item &item, const Literal &literal) {
  return llvm::is_contained(item.rest, literal);
}

/// The items that can be placed where the path leads, or deeper.
SmallVector<Item *> Planner::readyItems(Path path) {
  SmallVector<Item *> result;
  for (unsigned number : ready)
    if (llvm::all_of(path, [&](const Literal &literal) {
          return hangsOn(items[number], literal);
        }))
      result.push_back(&items[number]);
  return result;
}

/// The predicates on which a conditional can be opened now.
SmallVector<Literal> Planner::candidates(Path path) {
  SmallVector<Literal> result;
  auto add = [&](const Literal &literal) {
    auto isSame = [&](const Literal &other) {
      return other.predicate == literal.predicate;
    };
    if (isAvailable(literal.predicate) && llvm::none_of(result, isSame) &&
        llvm::none_of(path, isSame))
      result.push_back(literal);
  };
  for (Item *item : readyItems(path)) {
    if (std::optional<Literal> split = splitOf(*item, path))
      add(*split);
    else
      for (const Literal &literal : item->rest)
        add(literal);
  }
  return result;
}

/// How many nodes a conditional would leave behind, if opened now.
size_t Planner::leftBehind(Path path, Literal split) {
  SmallVector<Operation *> tried;
  for (split.side = 0; split.side < split.sides; ++split.side) {
    SmallVector<Literal> inside(path);
    inside.push_back(split);
    bool progress = true;
    while (progress) {
      progress = false;
      for (Item *item : readyItems(inside)) {
        place(item->op, tried);
        progress = true;
      }
    }
  }
  size_t left = remaining.lookup(split.predicate);
  takeBack(tried);
  return left;
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

bool Planner::openConditional(Path path, Plan &plan, Placed &placed) {
  SmallVector<Literal> choices = candidates(path);
  if (choices.empty())
    return false;
  constexpr size_t few = 16; // more would be tried at a price
  Literal split = choices.front();
  if (choices.size() > 1 && choices.size() <= few) {
    size_t least = std::numeric_limits<size_t>::max();
    for (const Literal &choice : choices)
      if (size_t left = leftBehind(path, choice); left < least) {
        least = left;
        split = choice;
      }
  }
  Step step;
  step.split = split;
  step.sides.resize(split.sides);
  std::vector<SmallVector<Operation *>> inside(split.sides);
  SmallVector<Literal> deeper(path);
  deeper.push_back(split);
  for (unsigned side = 0; side < split.sides; ++side) {
    deeper.back().side = side;
    fill(deeper, step.sides[side], inside[side]);
  }
  for (Item *item : readyItems(path))
    if (auto own = splitOf(*item, path);
        own && own->predicate == split.predicate) {
      place(item->op, placed);
      step.merges.push_back(cast<MergeOp>(item->op));
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

/// Places all that can be where the path leads.
void Planner::fill(Path path, Plan &plan, Placed &placed) {
  bool progress = true;
  while (progress) {
    progress = false;
    for (Item *item : readyItems(path)) {
      if (item->rest.size() != path.size() || splitOf(*item, path))
        continue;
      Step step;
      step.op = item->op;
      plan.push_back(std::move(step));
      place(item->op, placed);
      progress = true;
    }
    if (!progress)
      progress = openConditional(path, plan, placed);
  }
}

std::optional<Plan> Planner::plan(std::vector<Item> given) {
  items = std::move(given);
  numbers.clear();
  ready.clear();
  remaining.clear();
  for (auto [i, item] : llvm::enumerate(items)) {
    numbers[item.op] = i;
    count(item, 1);
    if (waiting.lookup(item.op) == 0)
      ready.insert(i);
  }
  Plan result;
  SmallVector<Operation *> placed;
  fill({}, result, placed);
  for (Item &item : items)
    if (!done.contains(item.op) && !refusal.node)
      refusal = {item.rest.empty() ? Value() : item.rest.front().predicate,
                 item.op, "it waits for something that waits for it"};
  if (refusal.node)
    return std::nullopt;
  return result;
}

} // namespace weir::raise

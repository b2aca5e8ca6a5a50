//===- Deadness.cpp - Which nodes are live together -----------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Analysis/Deadness.h"

#include "dialects/Weir/Weir.h"
#include "lib/Analysis/Cycles.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace weir {

/// What decides, behind nodes that only hand it on.
static Value rootOf(Value predicate) {
  for (;;) {
    Operation *op = predicate.getDefiningOp();
    auto node = dyn_cast_or_null<NodeInterface>(op);
    if (!isa_and_present<IdentityOp, LoopCondOp>(op) ||
        !node.getControlInputs().empty() || op->getOperand(0) == predicate)
      return predicate;
    predicate = op->getOperand(0);
  }
}

/// The merge that begins each iteration with the value of one variable: one
/// operand from an enter, and one from the iteration before.
static bool isHeader(MergeOp merge) {
  return merge.getInputs().size() == 2 && merge.getControls().empty() &&
         llvm::count_if(merge->getOpOperands(), isBackEdge) == 1 &&
         llvm::any_of(merge.getInputs(), [](Value input) {
           auto enter = input.getDefiningOp<EnterOp>();
           return enter && !enter.getIsConstant();
         });
}

Deadness::Class Deadness::intern(Conditions set) {
  llvm::sort(set);
  set.erase(llvm::unique(set), set.end());
  auto [known, isNew] = numbers.try_emplace(set, sets.size());
  if (isNew)
    sets.push_back(set);
  return known->second;
}

Deadness::Class Deadness::with(Class a, Condition condition) {
  Conditions set = sets[a];
  set.push_back(condition);
  return intern(std::move(set));
}

Deadness::Class Deadness::both(Class a, Class b) {
  if (a == b || b == always)
    return a;
  if (a == always)
    return b;
  Conditions set = sets[a];
  llvm::append_range(set, sets[b]);
  return intern(std::move(set));
}

bool Deadness::implies(Class a, Class b) const {
  return std::includes(sets[a].begin(), sets[a].end(), sets[b].begin(),
                       sets[b].end());
}

bool Deadness::exclude(Class a, Class b) const {
  for (auto [kind, predicate, count, side] : sets[a])
    for (auto [otherKind, other, otherCount, otherSide] : sets[b])
      if (kind == Kind::Side && otherKind == kind && predicate == other &&
          count == otherCount && side != otherSide)
        return true;
  return false;
}

Deadness::Class Deadness::of(Value value) const {
  if (!value.getDefiningOp())
    return always;
  auto side = sides.find(value);
  return side == sides.end() ? of(value.getDefiningOp()) : side->second;
}

/// Where a frame goes on (side 1) or ends (side 0) after an iteration.
Deadness::Class Deadness::ofBody(unsigned frame, unsigned side) {
  Value predicate = rootOf(frames.all()[frame].condition->getOperand(0));
  return intern({{Kind::Iteration, nullptr, frame, 0},
                 {Kind::Side, predicate.getAsOpaquePointer(), 2, side}});
}

/// True where the operands are the sides of one switch, each of them once, and
/// `common` is what they have in common.
bool Deadness::joinsSides(ArrayRef<Class> inputs, Class &common) {
  for (const Condition &tried : sets[inputs.front()]) {
    auto [kind, predicate, count, first] = tried;
    if (kind != Kind::Side || count != inputs.size())
      continue;
    std::vector<bool> seen(count);
    std::optional<Class> rest;
    bool fits = true;
    for (Class input : inputs) {
      Conditions others;
      for (const Condition &condition : sets[input]) {
        auto [k, p, c, side] = condition;
        if (k == kind && p == predicate && c == count && !seen[side])
          seen[side] = true;
        else
          others.push_back(condition);
      }
      Class remaining = intern(others);
      fits &= !rest || *rest == remaining;
      rest = remaining;
    }
    if (fits && llvm::all_of(seen, [](bool s) { return s; })) {
      common = *rest;
      return true;
    }
  }
  return false;
}

Deadness::Class Deadness::ofMerge(Operation *op) {
  auto merge = cast<MergeOp>(op);
  unsigned frame = frames.of(op);
  if (isHeader(merge) && regular[frame])
    return intern({{Kind::Iteration, nullptr, frame, 0}});
  if (llvm::any_of(merge->getOpOperands(), isBackEdge))
    return opaque(op);
  SmallVector<Class> inputs;
  for (Value input : merge.getInputs())
    inputs.push_back(of(input));
  for (Class input : inputs)
    if (llvm::all_of(inputs,
                     [&](Class other) { return implies(other, input); }))
      return input;
  Class common;
  return joinsSides(inputs, common) ? common : opaque(op);
}

void Deadness::visit(Operation *op) {
  Class live = always;
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (operand.getParentBlock() == op->getBlock())
        live = both(live, of(operand));
  });
  if (isa<MergeOp>(op))
    live = ofMerge(op);
  else if (isa<ControlTriggerOp>(op))
    live = frames.of(op) == 0 ? always : opaque(op);
  runs[op] = live;
  if (isa<SwitchOp, SwitchNOp>(op)) {
    const void *predicate = rootOf(op->getOperand(1)).getAsOpaquePointer();
    unsigned count = op->getNumResults() - 1;
    for (unsigned i = 0; i < count; ++i)
      sides[op->getResult(i)] = with(live, {Kind::Side, predicate, count, i});
  } else if (auto enter = dyn_cast<EnterOp>(op)) {
    unsigned frame = frames.of(enter.getResult());
    Class inside = always;
    // An iteration of a frame that was entered so has the value too.
    if (!enter.getIsConstant())
      inside = intern({{Kind::Entered, op, frame, live}});
    else if (!regular[frame] || entered[frame] != live)
      inside = intern({{Kind::Entered, nullptr, frame, live}});
    for (Value result : op->getResults())
      sides[result] = inside;
  } else if (isa<ExitOp>(op)) {
    unsigned frame = frames.of(op);
    bool ends = regular[frame] && live == ofBody(frame, 0);
    Class after = ends ? *entered[frame] : opaque(op);
    for (Value result : op->getResults())
      sides[result] = after;
  }
}

/// Checks what was assumed of a frame: all variables begin together, and each
/// iteration starts the next one with all of them or with none.
bool Deadness::isRegular(unsigned frame, Block &block) {
  for (Operation &op : block) {
    if (auto enter = dyn_cast<EnterOp>(op);
        enter && frames.of(enter.getResult()) == frame &&
        !enter.getIsConstant() && of(&op) != entered[frame])
      return false;
    if (frames.of(&op) != frame)
      continue;
    if (isa<NextIterationOp>(op) && of(&op) != ofBody(frame, 1))
      return false;
    if (auto merge = dyn_cast<MergeOp>(op);
        merge && !isHeader(merge) &&
        llvm::any_of(op.getOpOperands(), isBackEdge))
      return false;
  }
  return true;
}

void Deadness::compute(Block &block) {
  runs.clear();
  sides.clear();
  entered.assign(frames.all().size(), std::nullopt);
  for (Operation *op : topologicalOrder(block)) {
    // The first variable tells when its frame is entered. Its own class does
    // not depend on that of what is inside.
    if (auto enter = dyn_cast<EnterOp>(op); enter && !enter.getIsConstant()) {
      Class live = always;
      for (Value operand : op->getOperands())
        live = both(live, of(operand));
      std::optional<Class> &known = entered[frames.of(enter.getResult())];
      if (!known)
        known = live;
    }
    visit(op);
  }
}

Deadness::Deadness(Block &block, const Frames &frames) : frames(frames) {
  intern({});
  regular.assign(frames.all().size(), true);
  for (auto [i, frame] : llvm::enumerate(frames.all()))
    regular[i] = frame.condition != nullptr;
  for (bool changed = true; changed;) {
    changed = false;
    compute(block);
    for (size_t i = 1; i < regular.size(); ++i) {
      if (!regular[i] || (entered[i] && isRegular(i, block)))
        continue;
      regular[i] = false;
      changed = true;
    }
  }
}

} // namespace weir

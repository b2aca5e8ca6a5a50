//===- FoldSwitches.cpp - Sides that are never taken ----------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What hangs on the side that a constant predicate does not take is dead in
// every step. Deadness is followed forward through the nodes of the graph
// itself, to merges, which lose an operand, and to control triggers and the
// fetch, which lose an edge. Where it goes on in a way that cannot be written
// without dead values, everything that it came from stays as it was.
//
//===----------------------------------------------------------------------===//

#include "passes/Simplify/Passes.h"

#include "lib/Analysis/Cycles.h"
#include "lib/Analysis/Frames.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace weir {

#define GEN_PASS_DEF_FOLDSWITCHES
#include "passes/Simplify/Passes.h.inc"

namespace {

/// The side that a switch always takes.
std::optional<unsigned> takenSide(Operation *op) {
  if (!isa<SwitchOp, SwitchNOp>(op))
    return std::nullopt;
  Value predicate = op->getOperand(1);
  // Damaged graphs may have identities in a circle.
  for (int i = 0; i < 16; ++i)
    if (auto identity = predicate.getDefiningOp<IdentityOp>())
      predicate = identity.getInput();
  auto constant = predicate.getDefiningOp<ConstantOp>();
  auto elements =
      constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : nullptr;
  if (!elements || elements.getType().getRank() != 0)
    return std::nullopt;
  const APInt value = *elements.value_begin<APInt>();
  if (isa<SwitchOp>(op))
    return value.isZero() ? 0 : 1;
  const unsigned last = op->getNumResults() - 2;
  return value.isNegative() || value.uge(last) ? last : value.getZExtValue();
}

class Folding {
public:
  Folding(Block &block, const Frames &frames) : block(block), frames(frames) {}

  /// The number of switches that are gone.
  unsigned run();

private:
  bool isDead(Value value) const { return deadValues.contains(value); }
  void kill(ValueRange values);
  void follow(OpOperand &use);
  /// Can the merge do without its dead operands?
  bool canDrop(MergeOp merge) const;
  void keep(Operation *op);
  void keepConflicts();
  void rewriteMerge(MergeOp merge);
  void rewriteSwitch(Operation *op, unsigned side);
  llvm::DenseSet<Operation *> needed() const;
  void findEffects();
  void collectWaits(ArrayRef<Operation *> ops,
                    llvm::SetVector<Value> &values) const;
  Value completed(Value value, Operation *before);
  void dropEdges();
  void keepEffects(const llvm::DenseSet<Operation *> &before);

  Block &block;
  const Frames &frames;
  llvm::MapVector<Operation *, unsigned> switches;
  llvm::DenseSet<Value> deadValues;
  llvm::SetVector<Operation *> deadNodes;
  SmallVector<Value> work;
  /// Where deadness ends: at merges of which something is live, and at uses
  /// that need the dead value.
  llvm::SetVector<Operation *> merges;
  SmallVector<OpOperand *> conflicts;
  llvm::DenseSet<Operation *> kept;
  llvm::SetVector<Operation *> gone;
  /// Nodes that run for their effects, and those that hang on one.
  llvm::DenseSet<Operation *> effects;
  /// What is there instead of a switch that is gone.
  llvm::DenseMap<Operation *, Value> taken;
};

} // namespace

void Folding::kill(ValueRange values) {
  for (Value value : values)
    if (deadValues.insert(value).second)
      work.push_back(value);
}

/// Follows a dead value to one that uses it.
void Folding::follow(OpOperand &use) {
  Operation *user = use.getOwner();
  const bool isControl = isa<ControlType>(use.get().getType());
  if (auto merge = dyn_cast<MergeOp>(user); merge && !isControl) {
    merges.insert(merge);
    if (frames.of(merge) == 0 &&
        llvm::all_of(merge.getInputs(), [&](Value v) { return isDead(v); })) {
      deadNodes.insert(merge);
      kill(merge->getResults());
    }
    return;
  }
  // Whether what these wait for is dead does not matter to them.
  if (isControl && isa<MergeOp, ControlTriggerOp, FetchOp>(user))
    return;
  if (user->getBlock() != &block || !isa<NodeInterface>(user) ||
      user->getNumRegions() != 0 ||
      isa<EnterOp, ExitOp, NextIterationOp, LoopCondOp, GradientsOp>(user) ||
      frames.of(user) != 0) {
    conflicts.push_back(&use);
    return;
  }
  deadNodes.insert(user);
  kill(user->getResults());
}

bool Folding::canDrop(MergeOp merge) const {
  unsigned left = 0;
  for (Value input : merge.getInputs()) {
    if (!isDead(input))
      ++left;
    else if (kept.contains(input.getDefiningOp()))
      return false;
  }
  // The index counts the operands there are.
  return frames.of(merge) == 0 &&
         (merge.getIndex().use_empty() ||
          (left == 1 && isa<RankedTensorType>(merge.getIndex().getType())));
}

/// Keeps a node as it is, and what makes it dead.
void Folding::keep(Operation *op) {
  SmallVector<Operation *> list{op};
  while (!list.empty()) {
    Operation *node = list.pop_back_val();
    if (!kept.insert(node).second)
      continue;
    for (Value operand : node->getOperands())
      if (isDead(operand))
        list.push_back(operand.getDefiningOp());
  }
}

void Folding::keepConflicts() {
  for (OpOperand *use : conflicts)
    keep(use->get().getDefiningOp());
  for (bool changed = true; changed;) {
    changed = false;
    for (Operation *merge : merges) {
      if (deadNodes.contains(merge) || canDrop(cast<MergeOp>(merge)))
        continue;
      for (Value input : cast<MergeOp>(merge).getInputs())
        if (isDead(input) && !kept.contains(input.getDefiningOp())) {
          keep(input.getDefiningOp());
          changed = true;
        }
    }
  }
}

void Folding::rewriteMerge(MergeOp merge) {
  SmallVector<Value> inputs;
  unsigned number = 0;
  for (auto [i, input] : llvm::enumerate(merge.getInputs()))
    if (!isDead(input)) {
      inputs.push_back(input);
      number = i;
    }
  if (inputs.size() == merge.getInputs().size())
    return;
  OpBuilder b(merge);
  Location loc = merge.getLoc();
  Type type = merge.getValue().getType();
  if (inputs.size() > 1 || inputs[0].getType() != type ||
      !merge.getControls().empty()) {
    auto fewer = MergeOp::create(b, loc, type, merge.getIndex().getType(),
                                 merge.getControl().getType(), inputs,
                                 merge.getControls());
    fewer->setDiscardableAttrs(merge->getDiscardableAttrDictionary());
    merge.getValue().replaceAllUsesWith(fewer.getValue());
    merge.getControl().replaceAllUsesWith(fewer.getControl());
  } else {
    auto value = IdentityOp::create(b, loc, type, inputs[0], ValueRange());
    value->setDiscardableAttrs(merge->getDiscardableAttrDictionary());
    merge.getValue().replaceAllUsesWith(value);
    if (!merge.getControl().use_empty())
      merge.getControl().replaceAllUsesWith(
          CompletedOp::create(b, loc, value, ValueRange()));
  }
  if (!merge.getIndex().use_empty()) {
    // It is live where the value is.
    auto index = cast<RankedTensorType>(merge.getIndex().getType());
    Value constant =
        ConstantOp::create(b, loc,
                           cast<ElementsAttr>(DenseElementsAttr::get(
                               index, static_cast<int32_t>(number))));
    Value taken = CompletedOp::create(b, loc, inputs[0], ValueRange());
    merge.getIndex().replaceAllUsesWith(
        IdentityOp::create(b, loc, index, constant, taken));
  }
  merge.erase();
}

/// What the side that is taken gives is the switch's operand.
void Folding::rewriteSwitch(Operation *op, unsigned side) {
  if (kept.contains(op) && op->getResult(side).use_empty())
    return;
  OpBuilder b(op);
  Location loc = op->getLoc();
  SmallVector<Value> controls(cast<NodeInterface>(op).getControlInputs());
  Value data = op->getOperand(0), predicate = op->getOperand(1);
  // It may wait for something.
  if (!predicate.getDefiningOp<ConstantOp>())
    controls.push_back(completed(predicate, op));
  Value value = IdentityOp::create(b, loc, data.getType(), data, controls);
  value.getDefiningOp()->setDiscardableAttrs(
      op->getDiscardableAttrDictionary());
  op->getResult(side).replaceAllUsesWith(value);
  if (kept.contains(op))
    return;
  Value control = op->getResults().back();
  if (!control.use_empty())
    control.replaceAllUsesWith(completed(value, op));
  taken[op] = value;
}

llvm::DenseSet<Operation *> Folding::needed() const {
  llvm::DenseSet<Operation *> result;
  SmallVector<Operation *> list{block.getTerminator()};
  while (!list.empty()) {
    Operation *op = list.pop_back_val();
    if (result.insert(op).second)
      llvm::append_range(list, predecessors(op, &block));
  }
  return result;
}

/// Finds the nodes where something happens when they, or what they hang on,
/// run.
void Folding::findEffects() {
  SmallVector<Operation *> list;
  for (Operation &op : block)
    if (!isNonStrict(&op) && !isMemoryEffectFree(&op) && !gone.contains(&op))
      list.push_back(&op);
  while (!list.empty()) {
    Operation *op = list.pop_back_val();
    if (effects.insert(op).second)
      for (Operation *user : op->getUsers())
        list.push_back(block.findAncestorOpInBlock(*user));
  }
}

/// A control edge that says that `value` is there, made before `before`.
Value Folding::completed(Value value, Operation *before) {
  if (isa<ControlType>(value.getType()))
    return value;
  OpBuilder b(before);
  return CompletedOp::create(b, value.getLoc(), value, ValueRange());
}

/// What nodes that are gone waited for, as far as it has effects.
void Folding::collectWaits(ArrayRef<Operation *> ops,
                           llvm::SetVector<Value> &values) const {
  llvm::DenseSet<Operation *> seen;
  SmallVector<Operation *> list(ops);
  auto add = [&](Value value) {
    Operation *from = value.getDefiningOp();
    if (from && gone.contains(from))
      list.push_back(from);
    else if (from && !isEverywhere(value) && effects.contains(from))
      values.insert(value);
  };
  while (!list.empty()) {
    Operation *node = list.pop_back_val();
    if (!seen.insert(node).second)
      continue;
    if (Value value = taken.lookup(node)) {
      add(value);
      continue;
    }
    for (Value operand : node->getOperands())
      add(operand);
  }
}

/// Those who waited for a dead node wait for what it waited for.
void Folding::dropEdges() {
  llvm::SetVector<Operation *> users;
  for (Operation *op : gone)
    for (Operation *user : op->getUsers())
      if (!gone.contains(user))
        users.insert(user);
  for (Operation *user : users) {
    MutableOperandRange controls =
        isa<FetchOp>(user)
            ? cast<FetchOp>(user).getControlsMutable()
            : cast<NodeInterface>(user).getControlInputsMutable();
    llvm::SetVector<Value> left, waits;
    for (OpOperand &edge : controls)
      if (Operation *from = edge.get().getDefiningOp(); gone.contains(from))
        collectWaits(from, waits);
      else
        left.insert(edge.get());
    for (Value value : waits)
      left.insert(completed(value, user));
    controls.assign(left.getArrayRef());
  }
}

/// What was to run before still runs if it has effects.
void Folding::keepEffects(const llvm::DenseSet<Operation *> &before) {
  SmallVector<Operation *> neededBefore;
  for (Operation *op : gone)
    if (before.contains(op))
      neededBefore.push_back(op);
  llvm::SetVector<Value> waits;
  collectWaits(neededBefore, waits);
  llvm::DenseSet<Operation *> all = needed();
  for (Value value : waits)
    if (!all.contains(value.getDefiningOp())) {
      cast<FetchOp>(block.getTerminator())
          .getControlsMutable()
          .append(completed(value, block.getTerminator()));
      all = needed();
    }
}

unsigned Folding::run() {
  llvm::DenseSet<Operation *> before = needed();
  for (Operation &op : block)
    if (std::optional<unsigned> side = takenSide(&op);
        side && frames.of(&op) == 0 && before.contains(&op))
      switches[&op] = *side;
  for (auto [op, side] : switches)
    for (unsigned i = 0; i + 1 < op->getNumResults(); ++i)
      if (i != side)
        kill(op->getResult(i));
  while (!work.empty())
    for (OpOperand &use : work.pop_back_val().getUses())
      follow(use);
  keepConflicts();

  // A switch that is dead itself goes with the other dead nodes.
  for (auto [op, side] : switches)
    if (!deadNodes.contains(op)) {
      rewriteSwitch(op, side);
      if (!kept.contains(op))
        gone.insert(op);
    }
  for (Operation *op : merges)
    if (!deadNodes.contains(op) && canDrop(cast<MergeOp>(op)))
      rewriteMerge(cast<MergeOp>(op));
  for (Operation *op : deadNodes)
    if (!kept.contains(op))
      gone.insert(op);
  findEffects();
  keepEffects(before);
  dropEdges();
  unsigned count = 0;
  for (Operation *op : gone) {
    count += isa<SwitchOp, SwitchNOp>(op);
    op->dropAllReferences();
  }
  for (Operation *op : gone)
    op->erase();
  return count;
}

namespace {
struct FoldSwitches : impl::FoldSwitchesBase<FoldSwitches> {
  void runOnOperation() override {
    Block &block = getOperation().getBody().front();
    if (hasGradientRequests(getOperation()) || keepsNodes(getOperation()) ||
        llvm::none_of(block,
                      [](Operation &op) { return takenSide(&op).has_value(); }))
      return;
    FailureOr<Frames> frames = Frames::compute(block);
    if (failed(frames))
      return signalPassFailure();
    folded += Folding(block, *frames).run();
  }
};
} // namespace
} // namespace weir

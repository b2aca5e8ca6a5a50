//===- Normalize.cpp - Fewer forms of the same dataflow -------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Raise/Normalize.h"

using namespace mlir;

namespace weir::raise {

namespace {
/// Builds nodes of one level beside a node of it.
class LevelBuilder {
public:
  LevelBuilder(Level &level, Operation *beside)
      : level(level), builder(beside), loc(beside->getLoc()) {}

  Value identity(Type type, Value value, ValueRange controls) {
    return add(IdentityOp::create(builder, loc, type, value, controls))
        ->getResult(0);
  }
  Value completed(Value value) {
    return add(CompletedOp::create(builder, loc, value, ValueRange()))
        ->getResult(0);
  }
  Value noOp(ValueRange controls) {
    return add(NoOpOp::create(builder, loc, controls))->getResult(0);
  }
  Value trigger(ValueRange controls) {
    return add(ControlTriggerOp::create(builder, loc, controls))->getResult(0);
  }
  MergeOp merge(Type type, ValueRange inputs) {
    Type number = RankedTensorType::get({}, builder.getI32Type());
    return cast<MergeOp>(add(MergeOp::create(
        builder, loc, type, number, ControlType::get(builder.getContext()),
        inputs, ValueRange())));
  }
  Value nextIteration(Value value) {
    return add(NextIterationOp::create(builder, loc, value.getType(),
                                       ControlType::get(builder.getContext()),
                                       value, ValueRange()))
        ->getResult(0);
  }
  Value number(int32_t value) {
    auto type = RankedTensorType::get({}, builder.getI32Type());
    return ConstantOp::create(builder, loc,
                              DenseElementsAttr::get(type, value));
  }

private:
  Operation *add(Operation *op) {
    level.nodes.insert(op);
    return op;
  }
  Level &level;
  OpBuilder builder;
  Location loc;
};
} // namespace

/// Its operand waits in its place.
static void moveControls(Level &level, Operation *op) {
  auto node = cast<NodeInterface>(op);
  SmallVector<Value> controls(node.getControlInputs());
  if (controls.empty())
    return;
  node.getControlInputsMutable().clear();
  Value data = op->getOperand(0);
  op->setOperand(
      0, LevelBuilder(level, op).identity(data.getType(), data, controls));
}

static Value controlOf(Operation *op) {
  return op->getResult(op->getNumResults() - 1);
}

void normalizeControls(std::deque<Level> &levels) {
  llvm::DenseMap<std::pair<Level *, StringRef>, Level *> children;
  for (Level &level : levels)
    children[{level.parent, level.frame}] = &level;
  for (Level &level : levels) {
    for (Operation *op : llvm::to_vector(level.nodes)) {
      if (!isa<SwitchOp, SwitchNOp, MergeOp, EnterOp, ExitOp, LoopCondOp,
               NextIterationOp>(op))
        continue;
      if (!isa<MergeOp>(op))
        moveControls(level, op);
      Value control = controlOf(op);
      if (control.use_empty())
        continue;
      Value instead;
      LevelBuilder here(level, op);
      if (isa<SwitchOp, SwitchNOp>(op)) {
        instead = here.noOp({here.completed(op->getOperand(0)),
                             here.completed(op->getOperand(1))});
      } else if (isa<MergeOp, LoopCondOp>(op)) {
        instead = here.completed(op->getResult(0));
      } else if (isa<ExitOp>(op)) {
        instead = LevelBuilder(*level.parent, op).completed(op->getResult(0));
      } else if (auto enter = dyn_cast<EnterOp>(op);
                 enter && enter.getIsConstant()) {
        Level *inner = children.lookup({&level, enter.getFrame()});
        instead = LevelBuilder(*inner, op).completed(enter.getResult());
      } else {
        continue; // It fires in one iteration only.
      }
      control.replaceAllUsesWith(instead);
    }
  }
}

/// Merges of two and more operands in the form of `tree`; `leaf` gives what
/// goes in for the operand with a number.
static Value build(LevelBuilder &b, Type type, const MergeTree &tree,
                   function_ref<Value(unsigned)> leaf) {
  if (tree.isLeaf())
    return leaf(tree.leaf);
  SmallVector<Value> sides;
  for (const MergeTree &side : tree.sides)
    sides.push_back(build(b, type, side, leaf));
  return b.merge(type, sides).getValue();
}

/// True where `tree` has one operand for each side of one predicate, in the
/// order of the sides and with nothing else in the merge.
static bool isFlat(MergeOp merge, const MergeTree &tree) {
  return !tree.isLeaf() && tree.sides.size() == merge.getInputs().size() &&
         llvm::all_of(llvm::enumerate(tree.sides), [](const auto &side) {
           return side.value().isLeaf() && side.value().leaf == side.index();
         });
}

static bool rewrite(Level &level, MergeOp merge, const MergeTree &tree) {
  bool indexUsed = !merge.getIndex().use_empty();
  bool waits = !merge.getControls().empty();
  if (isFlat(merge, tree) && !indexUsed && !waits)
    return false;
  LevelBuilder b(level, merge);
  Type type = merge.getValue().getType(), number = merge.getIndex().getType();
  if (indexUsed && !isa<RankedTensorType>(number))
    return false;
  SmallVector<Value> inputs(merge.getInputs());
  Value value = build(b, type, tree, [&](unsigned i) { return inputs[i]; });
  if (value.getType() != type)
    value = b.identity(type, value, {});
  Value index;
  if (indexUsed)
    index = build(b, number, tree, [&](unsigned i) {
      return b.identity(number, b.number(i), b.completed(inputs[i]));
    });
  if (waits) {
    // It waits for what is dead, too.
    Value trigger = b.trigger(SmallVector<Value>(merge.getControls()));
    value = b.identity(type, value, trigger);
    if (index)
      index = b.identity(number, index, trigger);
  }
  merge.getValue().replaceAllUsesWith(value);
  if (index)
    merge.getIndex().replaceAllUsesWith(index);
  level.nodes.remove(merge);
  merge.erase();
  return true;
}

/// Several values of one header for the next iteration become one.
static bool rewriteHeader(Level &level, MergeOp merge) {
  SmallVector<Value> enters, nexts;
  for (Value input : merge.getInputs())
    if (auto next = input.getDefiningOp<NextIterationOp>())
      nexts.push_back(next.getInput());
    else
      enters.push_back(input);
  if (nexts.size() < 2 || enters.size() != 1 || !merge.getIndex().use_empty())
    return false;
  LevelBuilder b(level, merge);
  Type type = merge.getValue().getType();
  Value next = b.nextIteration(b.merge(type, nexts).getValue());
  merge.getInputsMutable().assign({enters.front(), next});
  return true;
}

/// Takes nodes that never run out of the level, unless somebody asks for one.
static bool dropDead(Level &level, const Liveness &live) {
  llvm::SetVector<Operation *> dead;
  for (Operation *op : live.getOrder())
    if (live.of(op).isNever())
      dead.insert(op);
  auto mayGo = [&](OpOperand &use) {
    Operation *user = use.getOwner();
    return dead.contains(user) || isa<MergeOp, ControlTriggerOp>(user) ||
           (isa<FetchOp>(user) && isa<ControlType>(use.get().getType()));
  };
  llvm::SetVector<Operation *> waiting;
  for (Operation *op : live.getOrder())
    for (Value result : op->getResults()) {
      if (!live.of(result).isNever())
        continue;
      if (isa<EnterOp, ExitOp, NextIterationOp>(op))
        return false;
      for (OpOperand &use : result.getUses()) {
        if (!mayGo(use))
          return false;
        if (isa<ControlTriggerOp, FetchOp>(use.getOwner()))
          waiting.insert(use.getOwner());
      }
    }
  // A merge has its tree first, which says what is left of it.
  for (Operation *op : dead)
    for (Operation *user : op->getUsers())
      if (isa<MergeOp>(user) && !dead.contains(user))
        return false;
  if (dead.empty() && waiting.empty())
    return false;
  for (Operation *op : waiting) {
    auto trigger = dyn_cast<ControlTriggerOp>(op);
    MutableOperandRange controls = trigger
                                       ? trigger.getControlsMutable()
                                       : cast<FetchOp>(op).getControlsMutable();
    SmallVector<Value> left;
    for (OpOperand &control : controls)
      if (!live.of(control.get()).isNever())
        left.push_back(control.get());
    controls.assign(left);
  }
  for (Operation *op : dead)
    op->dropAllReferences();
  for (Operation *op : dead) {
    level.nodes.remove(op);
    op->erase();
  }
  return true;
}

void normalizeMerges(Level &level) {
  for (Operation *op : llvm::to_vector(level.nodes))
    if (auto merge = dyn_cast<MergeOp>(op); merge && isHeader(merge))
      rewriteHeader(level, merge);
  bool changed = true;
  while (changed) {
    changed = false;
    Liveness live(level);
    if (!live.isOrdered())
      return;
    // Trees of one analysis serve all merges: what goes in for an operand is
    // live when the operand was.
    for (Operation *op : live.getOrder())
      if (auto merge = dyn_cast<MergeOp>(op))
        if (const MergeTree *tree = live.treeOf(merge))
          changed |= rewrite(level, merge, *tree);
    if (!changed)
      changed = dropDead(level, live);
  }
}

} // namespace weir::raise

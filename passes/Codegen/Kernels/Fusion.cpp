//===- Fusion.cpp - What a contraction can take along ---------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Codegen/Kernels/Fusion.h"

#include "passes/Codegen/Kernels/Vectorize.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace weir;
using namespace weir::kernels;

/// Ops looked at behind a contraction, and the most that one takes along.
static constexpr unsigned farthest = 24;
static constexpr unsigned mostEpilogues = 4;
/// Bodies are repeated for each vector of a tile: larger ones are better off in
/// a loop of their own.
static constexpr int64_t costliestBody = 10;

/// The buffer that `memref` is a view of.
static Value baseOf(Value memref) {
  while (auto view = memref.getDefiningOp<ViewLikeOpInterface>())
    memref = view.getViewSource();
  return memref;
}

/// Whether `base` surely comes from outside the function: an argument, or the
/// result of an op that has no buffer to pass on.
static bool isForeign(Value base) {
  if (auto argument = dyn_cast<BlockArgument>(base))
    return isa<FunctionOpInterface>(argument.getOwner()->getParentOp()) &&
           argument.getOwner()->isEntryBlock();
  Operation *op = base.getDefiningOp();
  return op->getNumRegions() == 0 &&
         llvm::none_of(op->getOperandTypes(),
                       [](Type type) { return isa<BaseMemRefType>(type); });
}

/// Whether the two can have an element in common. An allocation is apart from
/// other allocations and from what was there before.
static bool mayAlias(Value lhs, Value rhs) {
  Value first = baseOf(lhs), second = baseOf(rhs);
  if (first == second)
    return true;
  bool firstNew = first.getDefiningOp<memref::AllocOp>() != nullptr;
  bool secondNew = second.getDefiningOp<memref::AllocOp>() != nullptr;
  return !((firstNew && (secondNew || isForeign(second))) ||
           (secondNew && isForeign(first)));
}

/// Whether `op`, its regions included, may read or write `memref`.
static bool mayTouch(Operation *op, Value memref) {
  if (isMemoryEffectFree(op))
    return false;
  auto result = op->walk([&](Operation *nested) {
    for (Value operand : nested->getOperands())
      if (isa<BaseMemRefType>(operand.getType()) && mayAlias(operand, memref))
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return result.wasInterrupted();
}

static bool mayWrite(Operation *op, Value memref) {
  if (isa<memref::LoadOp>(op))
    return false;
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return llvm::any_of(structured.getDpsInits(),
                        [&](Value output) { return mayAlias(output, memref); });
  return mayTouch(op, memref);
}

linalg::FillOp kernels::findZeroFill(linalg::LinalgOp op) {
  if (op.getNumDpsInits() != 1)
    return {};
  Value output = op.getDpsInits()[0];
  for (Operation *before = op->getPrevNode(); before;
       before = before->getPrevNode()) {
    auto fill = dyn_cast<linalg::FillOp>(before);
    if (fill && fill.getOutputs()[0] == output) {
      Value value = fill.getInputs()[0];
      bool zero = matchPattern(value, m_PosZeroFloat()) ||
                  matchPattern(value, m_Zero());
      return zero ? fill : linalg::FillOp();
    }
    if (mayTouch(before, output))
      return {};
  }
  return {};
}

/// Whether `op` has the form of an epilogue of something that writes `output`.
static bool hasForm(linalg::LinalgOp op, Value output) {
  if (!op.hasPureBufferSemantics() || op.getNumDpsInits() == 0 ||
      op.getNumReductionLoops() != 0 || op.hasIndexSemantics())
    return false;
  bool reads = false;
  for (auto [operand, map] :
       llvm::zip_equal(op->getOpOperands(), op.getIndexingMapsArray())) {
    if ((operand.get() == output || op.isDpsInit(&operand)) &&
        !map.isIdentity())
      return false;
    if (!map.isProjectedPermutation(/*allowZeroInResults=*/true))
      return false;
    reads |= operand.get() == output;
  }
  if (!reads)
    return false;
  Nest probe(op.getLoc());
  probe.body = op.getBlock();
  BodyTraits traits = analyzeBody(probe);
  return traits.vectorizable && !traits.hazardous &&
         traits.cost <= costliestBody;
}

/// Whether the outputs of `op` may be written while `others` still run: they
/// are apart from every buffer there, or the same elements at the same time.
static bool writesApart(linalg::LinalgOp op, Value output,
                        ArrayRef<linalg::LinalgOp> others) {
  for (Value written : op.getDpsInits()) {
    if (written != output && mayAlias(written, output))
      return false;
    for (linalg::LinalgOp other : others)
      for (auto [operand, map] : llvm::zip_equal(
               other->getOpOperands(), other.getIndexingMapsArray())) {
        if (!isa<MemRefType>(operand.get().getType()) ||
            !mayAlias(operand.get(), written))
          continue;
        if (operand.get() != written || !map.isIdentity())
          return false;
      }
  }
  return true;
}

/// Makes `value` available before `op`; moves an allocation or a constant
/// there.
static bool hoist(Value value, Operation *op) {
  Operation *definition = value.getDefiningOp();
  if (!definition || definition->getBlock() != op->getBlock() ||
      definition->isBeforeInBlock(op))
    return true;
  if (!isa<memref::AllocOp>(definition) &&
      !definition->hasTrait<OpTrait::ConstantLike>())
    return false;
  for (Value operand : definition->getOperands())
    if (!hoist(operand, op))
      return false;
  definition->moveBefore(op);
  return true;
}

SmallVector<linalg::LinalgOp> kernels::collectEpilogues(linalg::LinalgOp op) {
  SmallVector<linalg::LinalgOp> epilogues;
  if (op.getNumDpsInits() != 1)
    return epilogues;
  Value output = op.getDpsInits()[0];
  AffineMap outputMap = op.getIndexingMapsArray().back();
  if (!outputMap.isProjectedPermutation())
    return epilogues;
  // The contraction reads its inputs to the end, and all of them at any time.
  SmallVector<Value> inputs(op.getDpsInputs());
  SmallVector<Operation *> between;
  unsigned seen = 0;
  for (Operation *next = op->getNextNode();
       next && seen < farthest && epilogues.size() < mostEpilogues;
       next = next->getNextNode(), ++seen) {
    auto candidate = dyn_cast<linalg::LinalgOp>(next);
    auto taken = [&] {
      if (!candidate || !hasForm(candidate, output))
        return false;
      for (Value written : candidate.getDpsInits()) {
        for (Value input : inputs)
          if (mayAlias(input, written))
            return false;
        for (Operation *other : between) {
          if (mayTouch(other, written))
            return false;
          // Nothing that outlives the step is written ahead of a check that may
          // end it.
          if (!baseOf(written).getDefiningOp<memref::AllocOp>() &&
              !isMemoryEffectFree(other) &&
              !isa<linalg::LinalgOp, MemoryEffectOpInterface>(other))
            return false;
        }
      }
      for (Value read : candidate.getDpsInputs())
        for (Operation *other : between)
          if (isa<MemRefType>(read.getType()) && mayWrite(other, read))
            return false;
      SmallVector<linalg::LinalgOp> others(epilogues);
      others.push_back(candidate);
      if (!writesApart(candidate, output, others))
        return false;
      // What earlier ones write, this one may read only element by element.
      for (linalg::LinalgOp earlier : epilogues)
        if (!writesApart(earlier, output, {candidate}))
          return false;
      bool available = llvm::all_of(candidate->getOperands(), [&](Value value) {
        return hoist(value, op);
      });
      candidate->walk([&](Operation *nested) {
        for (Value value : nested->getOperands())
          if (value.getParentRegion() == op->getParentRegion())
            available = available && hoist(value, op);
      });
      return available;
    };
    if (taken()) {
      epilogues.push_back(candidate);
      continue;
    }
    if (mayWrite(next, output))
      break;
    between.push_back(next);
  }
  return epilogues;
}

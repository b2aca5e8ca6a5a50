//===- InferShapes.cpp - Types by what operands say -----------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Weir/Shape.h"
#include "dialects/Weir/Weir.h"
#include "lib/Analysis/CarriedTypes.h"
#include "lib/Analysis/Cycles.h"
#include "mlir/IR/Diagnostics.h"
#include "passes/Import/Passes.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/Threading.h"

namespace weir {
#define GEN_PASS_DEF_IMPORTINFERSHAPES
#include "passes/Import/Passes.h.inc"
} // namespace weir

using namespace mlir;
using namespace weir;

/// True when somebody holds on to the type of `value` as it is: a fetch, the
/// end of a group, the y of a gradient with a seed, an op that is no node.
static bool isPinned(Value value) {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    auto gradients = dyn_cast<GradientsOp>(user);
    return !isa<NodeInterface>(user) ||
           (gradients && gradients.getSeed() && gradients.getY() == value);
  });
}

/// `declared`, with the extents it leaves open taken from `known`.
static Type refine(Type declared, Type known) {
  if (isa<UnrankedTensorType>(declared) && isa<RankedTensorType>(known) &&
      getElementTypeOrSelf(declared) == getElementTypeOrSelf(known))
    return known;
  auto a = dyn_cast<RankedTensorType>(declared),
       b = dyn_cast<RankedTensorType>(known);
  if (!a || !b || a.getRank() != b.getRank())
    return declared;
  SmallVector<int64_t> shape(a.getShape());
  for (auto [extent, other] : llvm::zip_equal(shape, b.getShape()))
    if (isDynamic(extent))
      extent = other;
  return a.clone(shape);
}

namespace {
class InferShapes : public weir::impl::ImportInferShapesBase<InferShapes> {
  void runOnOperation() override;
  LogicalResult inferForward(Block &block, bool assuming);
  LogicalResult impliedTypes(Operation *op, SmallVectorImpl<Type> &types,
                             bool assuming);

  /// The types that values were declared to have.
  llvm::DenseMap<Value, Type> declared;
  /// The nodes whose types are known so far.
  llvm::DenseSet<Operation *> reached;
};
} // namespace

/// The types that the operands of `op` imply for its results; those declared
/// where nothing is implied. With `assuming`, what comes back from a loop's
/// body counts only once it was reached.
LogicalResult InferShapes::impliedTypes(Operation *op,
                                        SmallVectorImpl<Type> &types,
                                        bool assuming) {
  if (auto gradients = dyn_cast<GradientsOp>(op)) {
    llvm::append_range(types, gradients.getXs().getTypes());
    return success();
  }
  if (carriedTypes(
          op,
          [&](OpOperand &operand) {
            return !assuming || !isBackEdge(operand) ||
                   reached.contains(operand.get().getDefiningOp());
          },
          types))
    return success();
  if (isa<EnsureShapeOp, StackPushOp>(op)) {
    Value carried =
        isa<StackPushOp>(op) ? op->getOperand(1) : op->getOperand(0);
    types.append({carried.getType(), op->getResult(1).getType()});
    return success();
  }
  auto inference = dyn_cast<InferTypeOpInterface>(op);
  if (!inference) {
    llvm::append_range(types, op->getResultTypes());
    return success();
  }
  // Fails where declared and implied types contradict each other.
  if (failed(verifyDeclared(inference)))
    return failure();
  return inference.inferReturnTypes(
      op->getContext(), op->getLoc(), op->getOperands(),
      op->getRawDictionaryAttrs(), op->getPropertiesStorage(), op->getRegions(),
      types);
}

/// Gives values the types that are implied, until nothing changes. Without
/// `assuming` they only become more static; with it, a value in a loop begins
/// with the type of the first iteration and becomes less static where a later
/// one gives another. Either way this comes to an end.
LogicalResult InferShapes::inferForward(Block &block, bool assuming) {
  llvm::SetVector<Operation *> work;
  SmallVector<Operation *> order = topologicalOrder(block);
  for (Operation *op : llvm::reverse(order))
    work.insert(op);
  while (!work.empty()) {
    Operation *op = work.pop_back_val();
    SmallVector<Type> known;
    if (failed(impliedTypes(op, known, assuming)))
      return failure();
    bool isNew = reached.insert(op).second;
    bool changed = isNew && isa<NextIterationOp>(op);
    for (auto [result, type] : llvm::zip_equal(op->getResults(), known)) {
      Type refined =
          refine(assuming ? declared.lookup(result) : result.getType(), type);
      if (refined == result.getType() || isPinned(result))
        continue;
      result.setType(refined);
      changed = true;
    }
    if (changed)
      for (Operation *user : op->getUsers())
        if (user->getBlock() == &block && reached.contains(user))
          work.insert(user);
  }
  return success();
}

void InferShapes::runOnOperation() {
  Block &block = getOperation().getBody().front();
  // Nodes on a cycle that is no loop are the verifier's.
  bool hasLoops = false;
  for (Operation &op : block) {
    hasLoops |= isa<NextIterationOp>(op);
    for (Value result : op.getResults())
      declared[result] = result.getType();
  }
  if (hasLoops) {
    // An assumption may be wrong in a way that is no error of the graph: then
    // types follow from what is known of the last iteration, and nobody is
    // told. Other graphs are at work at the same time.
    uint64_t self = llvm::get_threadid();
    ScopedDiagnosticHandler quiet(&getContext(), [self](Diagnostic &) {
      return success(llvm::get_threadid() == self);
    });
    if (succeeded(inferForward(block, /*assuming=*/true)))
      return;
    for (auto [value, type] : declared)
      value.setType(type);
    reached.clear();
  }
  if (failed(inferForward(block, /*assuming=*/false)))
    return signalPassFailure();
}

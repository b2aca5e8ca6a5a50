//===- InferShapes.cpp - Types by what operands say -----------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Weir/Shape.h"
#include "dialects/Weir/Weir.h"
#include "passes/Import/Passes.h"
#include "llvm/ADT/SetVector.h"

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

/// The types that the operands of `op` imply for its results; those declared
/// where nothing is implied.
static LogicalResult impliedTypes(Operation *op, SmallVectorImpl<Type> &types) {
  if (auto gradients = dyn_cast<GradientsOp>(op)) {
    llvm::append_range(types, gradients.getXs().getTypes());
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

namespace {
class InferShapes : public weir::impl::ImportInferShapesBase<InferShapes> {
  void runOnOperation() override {
    llvm::SetVector<Operation *> work;
    for (Operation &op : llvm::reverse(getOperation().getBody().front()))
      work.insert(&op);
    while (!work.empty()) {
      Operation *op = work.pop_back_val();
      SmallVector<Type> known;
      if (failed(impliedTypes(op, known)))
        return signalPassFailure();
      for (auto [result, type] : llvm::zip_equal(op->getResults(), known)) {
        Type refined = refine(result.getType(), type);
        if (refined == result.getType() || isPinned(result))
          continue;
        // Only ever more static, so that this comes to an end.
        result.setType(refined);
        for (Operation *user : result.getUsers())
          if (user->getBlock() == op->getBlock())
            work.insert(user);
      }
    }
  }
};
} // namespace

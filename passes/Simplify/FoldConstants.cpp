//===- FoldConstants.cpp - What depends on constants alone ----------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Simplify/Passes.h"

#include "dialects/Weir/Builders.h"
#include "dialects/Weir/Shape.h"
#include "lib/Interpreter/Kernels.h"

using namespace mlir;

namespace weir {

#define GEN_PASS_DEF_FOLDCONSTANTS
#include "passes/Simplify/Passes.h.inc"

namespace {

bool hasFloats(Type type) {
  return isa<FloatType>(cast<RankedTensorType>(type).getElementType());
}

/// True for nodes of which compiled code gives the same bits as the
/// interpreter: no float arithmetic, or one operation that rounds correctly.
bool isExact(Operation *op) {
  if (isa<ReshapeOp, ReshapeLikeOp, ExpandDimsOp, SqueezeOp, TransposeOp,
          BroadcastToOp, BroadcastLikeOp, ConcatOp, SliceOp, PadOp, ReverseOp,
          GatherOp, TakeAlongOp, OneHotOp, IotaOp, IdentityOp, SelectOp>(op))
    return true;
  if (isa<AddOp, SubOp, MulOp, DivOp, SqrtOp, SquareOp, ReciprocalOp, NegOp,
          AbsOp, SignOp, ReluOp, FloorOp, CeilOp, RoundOp, MaximumOp, MinimumOp,
          CompareOp, IsFiniteOp, CastOp>(op))
    return true;
  return llvm::none_of(op->getOperandTypes(), hasFloats) &&
         llvm::none_of(op->getResultTypes(), hasFloats);
}

struct FoldConstants : impl::FoldConstantsBase<FoldConstants> {
  using FoldConstantsBase::FoldConstantsBase;

  bool canFold(Operation *op) {
    auto node = dyn_cast<NodeInterface>(op);
    if (!node || isa<ConstantOp>(op) || !isMemoryEffectFree(op) ||
        !node.getControlInputs().empty() || op->getNumResults() != 1 ||
        op->getNumRegions() != 0)
      return false;
    auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    if (!type || !type.hasStaticShape() ||
        isa<StringType>(type.getElementType()))
      return false;
    auto count = elementCount(type.getShape());
    return count && *count <= maxElements && isExact(op) &&
           llvm::all_of(op->getOperands(), [](Value value) {
             return value.getDefiningOp<ConstantOp>() != nullptr;
           });
  }

  /// Replaces a node by its value; false where it has none.
  static bool fold(Operation *op) {
    SmallVector<Tensor> operands;
    for (Value value : op->getOperands()) {
      auto constant = value.getDefiningOp<ConstantOp>();
      auto tensor = Tensor::fromAttribute(constant.getValue());
      if (!tensor) {
        llvm::consumeError(tensor.takeError());
        return false;
      }
      operands.push_back(std::move(*tensor));
    }
    llvm::Expected<Tensor> result = evaluatePure(op, operands);
    if (!result) {
      // An index out of range, say: it is reported when, and if, the node runs.
      llvm::consumeError(result.takeError());
      return false;
    }
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    if (type.getShape() != result->getShape())
      return false;
    OpBuilder builder(op);
    auto constant = ConstantOp::create(builder, op->getLoc(),
                                       ElementsAttr(result->toAttribute(type)));
    constant->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    op->getResult(0).replaceAllUsesWith(constant);
    op->erase();
    return true;
  }

  void runOnOperation() override {
    if (hasGradientRequests(getOperation()) || keepsNodes(getOperation()))
      return;
    SetVector<Operation *> worklist;
    for (Operation &op : getOperation().getBody().front())
      worklist.insert(&op);
    while (!worklist.empty()) {
      Operation *op = worklist.pop_back_val();
      if (!canFold(op))
        continue;
      // Its users may have only constants as operands then.
      SmallVector<Operation *> users(op->getUsers());
      if (fold(op))
        worklist.insert(users.begin(), users.end());
    }
  }
};

} // namespace
} // namespace weir

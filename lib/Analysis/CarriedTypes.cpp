//===- CarriedTypes.cpp - Types of values that are handed on --------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Analysis/CarriedTypes.h"

#include "dialects/Weir/Weir.h"

using namespace mlir;

namespace weir {

Type joinTypes(Type a, Type b) {
  auto x = dyn_cast<RankedTensorType>(a), y = dyn_cast<RankedTensorType>(b);
  if (a == b || !isa<TensorType>(a) || !isa<TensorType>(b))
    return a;
  if (!x || !y || x.getRank() != y.getRank())
    return UnrankedTensorType::get(getElementTypeOrSelf(a));
  SmallVector<int64_t> shape(x.getShape());
  for (auto [extent, other] : llvm::zip_equal(shape, y.getShape()))
    if (extent != other)
      extent = ShapedType::kDynamic;
  return x.clone(shape);
}

bool claimsMore(Type declared, Type known) {
  if (isa<RankedTensorType>(declared) && isa<UnrankedTensorType>(known))
    return true;
  auto a = dyn_cast<RankedTensorType>(declared),
       b = dyn_cast<RankedTensorType>(known);
  return a && b && a.getRank() == b.getRank() &&
         llvm::any_of(llvm::zip_equal(a.getShape(), b.getShape()),
                      [](auto extents) {
                        return !ShapedType::isDynamic(std::get<0>(extents)) &&
                               ShapedType::isDynamic(std::get<1>(extents));
                      });
}

bool carriedTypes(Operation *op, function_ref<bool(OpOperand &)> counts,
                  SmallVectorImpl<Type> &types) {
  if (isa<SwitchOp, SwitchNOp, EnterOp, ExitOp, NextIterationOp, LoopCondOp>(
          op)) {
    for (Type type : op->getResultTypes())
      types.push_back(isa<ControlType>(type) ? type
                                             : op->getOperand(0).getType());
    return true;
  }
  auto merge = dyn_cast<MergeOp>(op);
  if (!merge)
    return false;
  Type joined;
  for (OpOperand &operand : op->getOpOperands()) {
    Type type = operand.get().getType();
    if (!isa<ControlType>(type) && counts(operand))
      joined = joined ? joinTypes(joined, type) : type;
  }
  types.append(
      {joined ? joined : merge.getValue().getType(),
       RankedTensorType::get({}, IntegerType::get(op->getContext(), 32)),
       merge.getControl().getType()});
  return true;
}

} // namespace weir

//===- ReductionOps.cpp - Reductions
//-------------------------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Weir/Builders.h"
#include "dialects/Weir/Shape.h"
#include "dialects/Weir/Weir.h"

using namespace mlir;

namespace weir {

static LogicalResult inferReduction(Value input, ArrayRef<int64_t> axes,
                                    bool keepDims, InferContext context,
                                    SmallVectorImpl<Type> &types) {
  auto type = cast<RankedTensorType>(input.getType());
  if (!areAxes(axes, type.getRank())) // reduce_sum_c1
    return context.error() << "[WEIR0040] axes [" << listText(axes)
                           << "] are not ascending dimensions of " << type;
  SmallVector<int64_t> shape;
  for (int64_t i = 0; i < type.getRank(); ++i) {
    if (!llvm::is_contained(axes, i))
      shape.push_back(type.getDimSize(i));
    else if (keepDims)
      shape.push_back(1);
  }
  types.push_back(RankedTensorType::get(shape, type.getElementType()));
  return success();
}

#define WEIR_INFER_REDUCTION(OP)                                               \
  LogicalResult OP::infer(Adaptor adaptor, InferContext context,               \
                          SmallVectorImpl<Type> &types) {                      \
    return inferReduction(adaptor.getInput(), adaptor.getAxes(),               \
                          adaptor.getKeepDims(), context, types);              \
  }
WEIR_INFER_REDUCTION(ReduceSumOp)
WEIR_INFER_REDUCTION(ReduceMeanOp)
WEIR_INFER_REDUCTION(ReduceProdOp)
WEIR_INFER_REDUCTION(ReduceMaxOp)
WEIR_INFER_REDUCTION(ReduceMinOp)
WEIR_INFER_REDUCTION(ReduceAnyOp)
WEIR_INFER_REDUCTION(ReduceAllOp)
#undef WEIR_INFER_REDUCTION

static LogicalResult inferArg(Value input, int64_t axis, Type to,
                              InferContext context,
                              SmallVectorImpl<Type> &types) {
  auto type = cast<RankedTensorType>(input.getType());
  if (axis < 0 || axis >= type.getRank()) // argmax_c1
    return context.error() << "[WEIR0040] axis " << axis
                           << " is no dimension of " << type;
  if (!to.isSignlessInteger(32) && !to.isSignlessInteger(64)) // argmax_c2
    return context.error() << "[WEIR0041] the index is i32 or i64, got " << to;
  if (type.getDimSize(axis) == 0) // argmax_c3
    return context.error() << "[WEIR0041] there is no extreme of nothing: axis "
                           << axis << " of " << type << " is empty";
  SmallVector<int64_t> shape(type.getShape());
  shape.erase(shape.begin() + axis);
  types.push_back(RankedTensorType::get(shape, to));
  return success();
}

LogicalResult ArgmaxOp::infer(Adaptor adaptor, InferContext context,
                              SmallVectorImpl<Type> &types) {
  return inferArg(adaptor.getInput(), adaptor.getAxis(), adaptor.getTo(),
                  context, types);
}

LogicalResult ArgminOp::infer(Adaptor adaptor, InferContext context,
                              SmallVectorImpl<Type> &types) {
  return inferArg(adaptor.getInput(), adaptor.getAxis(), adaptor.getTo(),
                  context, types);
}

SmallVector<Value> ReduceMeanOp::decompose(GraphBuilder &b) {
  Value sum = b.reduceSum(getInput(), getAxes(), getKeepDims());
  return {b.div(sum, b.countLike(getInput(), getAxes()))};
}

} // namespace weir

//===- GatherOps.cpp - Gather, scatter and what indexes
//--------------------------===//
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

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

LogicalResult GatherOp::infer(Adaptor adaptor, InferContext context,
                              SmallVectorImpl<Type> &types) {
  RankedTensorType params = typeOf(adaptor.getParams()),
                   indices = typeOf(adaptor.getIndices());
  int64_t axis = adaptor.getAxis();
  if (axis < 0 || axis >= params.getRank()) // gather_c1
    return context.error() << "[WEIR0040] axis " << axis
                           << " is no dimension of " << params;
  SmallVector<int64_t> shape(params.getShape().take_front(axis));
  llvm::append_range(shape, indices.getShape());
  llvm::append_range(shape, params.getShape().drop_front(axis + 1));
  types.push_back(RankedTensorType::get(shape, params.getElementType()));
  return success();
}

LogicalResult TakeAlongOp::infer(Adaptor adaptor, InferContext context,
                                 SmallVectorImpl<Type> &types) {
  RankedTensorType rows = typeOf(adaptor.getRows()),
                   indices = typeOf(adaptor.getIndices());
  if (rows.getRank() != 2 || indices.getRank() != 1 ||
      failed(verifyCompatibleShape(rows.getShape().take_front(1),
                                   indices.getShape()))) // take_along_c1
    return context.error()
           << "[WEIR0052] takes one element of each row of a matrix, got rows "
           << rows << " and indices " << indices;
  int64_t count = rows.getDimSize(0);
  types.push_back(
      RankedTensorType::get({isDynamic(count) ? indices.getDimSize(0) : count},
                            rows.getElementType()));
  return success();
}

LogicalResult UnsortedSegmentSumOp::infer(Adaptor adaptor, InferContext context,
                                          SmallVectorImpl<Type> &types) {
  RankedTensorType data = typeOf(adaptor.getData()),
                   segments = typeOf(adaptor.getSegments());
  // unsorted_segment_sum_c1
  if (data.getRank() < segments.getRank() ||
      failed(verifyCompatibleShape(
          data.getShape().take_front(segments.getRank()), segments.getShape())))
    return context.error() << "[WEIR0050] the shape of the data " << data
                           << " does not begin with that of the segments "
                           << segments;
  // unsorted_segment_sum_c2
  int64_t count = adaptor.getSegmentCount();
  if (count < 0)
    return context.error() << "[WEIR0050] segment_count is >= 0, got " << count;
  SmallVector<int64_t> shape{count};
  llvm::append_range(shape, data.getShape().drop_front(segments.getRank()));
  types.push_back(RankedTensorType::get(shape, data.getElementType()));
  return success();
}

LogicalResult verifyScatter(RankedTensorType operand, RankedTensorType indices,
                            RankedTensorType updates, ScatterKind kind,
                            function_ref<InferError()> error) {
  // scatter_c2
  Type element = operand.getElementType();
  if (operand.getRank() == 0 || element != updates.getElementType() ||
      (kind != ScatterKind::assign && element.isInteger(1)))
    return error() << "[WEIR0053] cannot " << stringifyScatterKind(kind) << " "
                   << updates << " to slices of " << operand;
  // scatter_c1
  if (updates.getRank() == 0)
    return success();
  SmallVector<int64_t> shape(indices.getShape());
  llvm::append_range(shape, operand.getShape().drop_front());
  if (failed(verifyCompatibleShape(updates.getShape(), shape)))
    return error() << "[WEIR0053] updates of type " << updates
                   << " do not have the shape of the indices " << indices
                   << " followed by that of a slice of " << operand;
  return success();
}

LogicalResult ScatterOp::infer(Adaptor adaptor, InferContext context,
                               SmallVectorImpl<Type> &types) {
  if (failed(verifyScatter(typeOf(adaptor.getOperand()),
                           typeOf(adaptor.getIndices()),
                           typeOf(adaptor.getUpdates()), adaptor.getKind(),
                           [&] { return context.error(); })))
    return failure();
  types.push_back(adaptor.getOperand().getType());
  return success();
}

LogicalResult OneHotOp::infer(Adaptor adaptor, InferContext context,
                              SmallVectorImpl<Type> &types) {
  int64_t depth = adaptor.getDepth();
  if (depth < 0) // one_hot_c1
    return context.error() << "[WEIR0051] depth is >= 0, got " << depth;
  Type to = adaptor.getTo();
  if (!isElementType(to) || isa<StringType>(to) ||
      to.isInteger(1)) // one_hot_c2
    return context.error()
           << "[WEIR0051] a numeric element type is needed, got " << to;
  SmallVector<int64_t> shape(typeOf(adaptor.getIndices()).getShape());
  shape.push_back(depth);
  types.push_back(RankedTensorType::get(shape, to));
  return success();
}

SmallVector<Value> OneHotOp::decompose(GraphBuilder &b) {
  RankedTensorType indices = typeOf(getIndices());
  int64_t rank = indices.getRank();
  Value classes =
      b.iota(RankedTensorType::get({static_cast<int64_t>(getDepth())},
                                   indices.getElementType()),
             0);
  Value same = b.compare(b.expandDims(getIndices(), {rank}), classes,
                         ComparePredicate::eq);
  return {b.cast(same, getTo())};
}

} // namespace weir

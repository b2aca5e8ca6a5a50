//===- DynamicShapeOps.cpp - Shapes and places known in the step ----------===//
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

/// How many entries a vector of static extent has; -1 for anything else.
static int64_t entriesOf(Value vector) {
  RankedTensorType type = typeOf(vector);
  return type.getRank() == 1 && type.hasStaticShape() ? type.getDimSize(0) : -1;
}

//===----------------------------------------------------------------------===//
// Ranges, shapes, boxes
//===----------------------------------------------------------------------===//

LogicalResult RangeOp::infer(Adaptor adaptor, InferContext context,
                             SmallVectorImpl<Type> &types) {
  RankedTensorType start = typeOf(adaptor.getStart()),
                   limit = typeOf(adaptor.getLimit()),
                   delta = typeOf(adaptor.getDelta());
  // range_c1
  if (start.getRank() != 0 || limit != start || delta != start)
    return context.error() << "[WEIR0076] counts with scalars of one element "
                              "type, got "
                           << start << ", " << limit << " and " << delta;
  types.push_back(
      RankedTensorType::get({ShapedType::kDynamic}, start.getElementType()));
  return success();
}

/// The type that a tensor of `element` elements has whose shape is computed.
static FailureOr<RankedTensorType> shapedBy(Value shape, Type element,
                                            InferContext context) {
  // dynamic_reshape_c1, dynamic_broadcast_c1
  int64_t rank = entriesOf(shape);
  if (rank < 0)
    return context.error()
           << "[WEIR0077] the shape is a vector of static extent, got "
           << shape.getType();
  return RankedTensorType::get(SmallVector<int64_t>(rank, ShapedType::kDynamic),
                               element);
}

LogicalResult DynamicReshapeOp::infer(Adaptor adaptor, InferContext context,
                                      SmallVectorImpl<Type> &types) {
  auto type = shapedBy(adaptor.getShape(),
                       typeOf(adaptor.getInput()).getElementType(), context);
  if (failed(type))
    return failure();
  types.push_back(*type);
  return success();
}

LogicalResult DynamicBroadcastOp::infer(Adaptor adaptor, InferContext context,
                                        SmallVectorImpl<Type> &types) {
  RankedTensorType input = typeOf(adaptor.getInput());
  auto type = shapedBy(adaptor.getShape(), input.getElementType(), context);
  if (failed(type))
    return failure();
  if (input.getRank() > type->getRank()) // dynamic_broadcast_c1
    return context.error() << "[WEIR0077] cannot repeat " << input
                           << " up to a shape of " << type->getRank()
                           << " dimensions";
  types.push_back(*type);
  return success();
}

/// An error unless a box of a tensor of `rank` dimensions can be said so.
static LogicalResult checkBox(int64_t rank, Value begin,
                              ArrayRef<int64_t> strides, InferContext context) {
  if (entriesOf(begin) != rank || static_cast<int64_t>(strides.size()) != rank)
    return context.error()
           << "[WEIR0077] places and strides have one entry for each of the "
           << rank << " dimensions, got places of type " << begin.getType()
           << " and " << strides.size() << " strides";
  for (int64_t stride : strides)
    if (stride < 1)
      return context.error() << "[WEIR0077] strides are >= 1, got " << stride;
  return success();
}

LogicalResult DynamicSliceOp::infer(Adaptor adaptor, InferContext context,
                                    SmallVectorImpl<Type> &types) {
  RankedTensorType input = typeOf(adaptor.getInput());
  // dynamic_slice_c1
  if (failed(checkBox(input.getRank(), adaptor.getBegin(), adaptor.getStrides(),
                      context)))
    return failure();
  if (adaptor.getSize().getType() != adaptor.getBegin().getType())
    return context.error() << "[WEIR0077] begin and size are of one type, got "
                           << adaptor.getBegin().getType() << " and "
                           << adaptor.getSize().getType();
  types.push_back(RankedTensorType::get(
      SmallVector<int64_t>(input.getRank(), ShapedType::kDynamic),
      input.getElementType()));
  return success();
}

LogicalResult DynamicUpdateSliceOp::infer(Adaptor adaptor, InferContext context,
                                          SmallVectorImpl<Type> &types) {
  RankedTensorType operand = typeOf(adaptor.getOperand()),
                   update = typeOf(adaptor.getUpdate());
  // dynamic_update_slice_c1
  if (update.getRank() != operand.getRank() ||
      update.getElementType() != operand.getElementType())
    return context.error() << "[WEIR0077] " << update << " is no box of "
                           << operand;
  // dynamic_update_slice_c2
  if (failed(checkBox(operand.getRank(), adaptor.getBegin(),
                      adaptor.getStrides(), context)))
    return failure();
  types.push_back(operand);
  return success();
}

Value GradientBuilder::dynamicSliceGradient(DynamicSliceOp op, Value dy) {
  return make<DynamicUpdateSliceOp>(zerosLike(op.getInput()), dy, op.getBegin(),
                                    op.getStrides(), ValueRange());
}

//===----------------------------------------------------------------------===//
// Places of several dimensions
//===----------------------------------------------------------------------===//

/// How many dimensions the places of `indices` have; -1 where that is not
/// known or more than `rank`.
static int64_t depthOf(RankedTensorType indices, int64_t rank) {
  if (indices.getRank() == 0)
    return -1;
  int64_t depth = indices.getShape().back();
  return isDynamic(depth) || depth > rank ? -1 : depth;
}

/// The shape of the slices of `type` at `indices`.
static SmallVector<int64_t> slicesOf(RankedTensorType type,
                                     RankedTensorType indices, int64_t depth) {
  SmallVector<int64_t> shape(indices.getShape().drop_back());
  llvm::append_range(shape, type.getShape().drop_front(depth));
  return shape;
}

static LogicalResult noPlaces(RankedTensorType type, RankedTensorType indices,
                              InferContext context) {
  return context.error() << "[WEIR0078] the last dimension of " << indices
                         << " holds no places in " << type
                         << ": its extent is static and at most "
                         << type.getRank();
}

LogicalResult GatherNdOp::infer(Adaptor adaptor, InferContext context,
                                SmallVectorImpl<Type> &types) {
  RankedTensorType params = typeOf(adaptor.getParams()),
                   indices = typeOf(adaptor.getIndices());
  int64_t depth = depthOf(indices, params.getRank());
  if (depth < 0) // gather_nd_c1
    return noPlaces(params, indices, context);
  types.push_back(RankedTensorType::get(slicesOf(params, indices, depth),
                                        params.getElementType()));
  return success();
}

LogicalResult ScatterNdOp::infer(Adaptor adaptor, InferContext context,
                                 SmallVectorImpl<Type> &types) {
  RankedTensorType operand = typeOf(adaptor.getOperand()),
                   indices = typeOf(adaptor.getIndices()),
                   updates = typeOf(adaptor.getUpdates());
  int64_t depth = depthOf(indices, operand.getRank());
  if (depth < 0) // scatter_nd_c1
    return noPlaces(operand, indices, context);
  // scatter_nd_c2
  if (failed(verifyCompatibleShape(updates.getShape(),
                                   slicesOf(operand, indices, depth))))
    return context.error() << "[WEIR0078] updates of type " << updates
                           << " are no slices of " << operand << " at places "
                           << indices;
  // scatter_nd_c3
  Type element = operand.getElementType();
  if (element != updates.getElementType() ||
      (adaptor.getKind() != ScatterKind::assign && element.isInteger(1)))
    return context.error() << "[WEIR0078] cannot "
                           << stringifyScatterKind(adaptor.getKind()) << " "
                           << updates << " to slices of " << operand;
  types.push_back(operand);
  return success();
}

Value GradientBuilder::gatherNdGradient(GatherNdOp op, Value dy) {
  return make<ScatterNdOp>(zerosLike(op.getParams()), op.getIndices(), dy,
                           ScatterKind::add, ValueRange());
}

//===----------------------------------------------------------------------===//
// Sums and products so far
//===----------------------------------------------------------------------===//

template <typename AdaptorT>
static LogicalResult inferCumulative(AdaptorT adaptor, InferContext context,
                                     SmallVectorImpl<Type> &types) {
  RankedTensorType input = typeOf(adaptor.getInput());
  int64_t axis = adaptor.getAxis();
  if (axis < 0 || axis >= input.getRank()) // cumulative_sum_c1,
                                           // cumulative_prod_c1
    return context.error() << "[WEIR0040] axis " << axis
                           << " is no dimension of " << input;
  types.push_back(input);
  return success();
}

LogicalResult CumulativeSumOp::infer(Adaptor adaptor, InferContext context,
                                     SmallVectorImpl<Type> &types) {
  return inferCumulative(adaptor, context, types);
}
LogicalResult CumulativeProdOp::infer(Adaptor adaptor, InferContext context,
                                      SmallVectorImpl<Type> &types) {
  return inferCumulative(adaptor, context, types);
}

Value GradientBuilder::cumulativeSum(Value x, int64_t axis, bool exclusive,
                                     bool reverse) {
  return make<CumulativeSumOp>(x, axis, exclusive, reverse, ValueRange());
}

} // namespace weir

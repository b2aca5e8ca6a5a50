//===- ShapeOps.cpp - Shapes and the places of elements
//---------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Weir/Builders.h"
#include "dialects/Weir/Shape.h"
#include "dialects/Weir/Weir.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace weir {

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

LogicalResult ReshapeOp::infer(Adaptor adaptor, InferContext context,
                               SmallVectorImpl<Type> &types) {
  RankedTensorType input = typeOf(adaptor.getInput());
  SmallVector<int64_t> shape(adaptor.getShape());
  int64_t known = 1, open = -1;
  for (auto [i, extent] : llvm::enumerate(shape)) {
    if (extent < -1 || (extent == -1 && open >= 0) ||
        (extent >= 0 && llvm::MulOverflow(known, extent, known))) // reshape_c1
      return context.error() << "[WEIR0042] shape [" << listText(shape)
                             << "] needs extents >= 0, at most one of them -1";
    if (extent == -1)
      open = i;
  }
  if (open >= 0 && known == 0) // reshape_c1
    return context.error() << "[WEIR0042] shape [" << listText(shape)
                           << "] has a -1 beside a 0: any extent would do; "
                              "write the extent that is meant";
  auto count = elementCount(input.getShape());
  bool fits = !count || (open < 0 ? *count == known : *count % known == 0);
  if (!fits) // reshape_c2
    return context.error() << "[WEIR0043] cannot give " << *count
                           << " elements of " << input << " the shape ["
                           << listText(shape) << "]";
  if (open >= 0)
    shape[open] = count ? *count / known : ShapedType::kDynamic;
  types.push_back(RankedTensorType::get(shape, input.getElementType()));
  return success();
}

OpFoldResult ReshapeOp::fold(FoldAdaptor) {
  if (getControls().empty() && getInput().getType() == getType() &&
      typeOf(getInput()).hasStaticShape())
    return forward(getInput(), *this);
  return {};
}

LogicalResult ReshapeLikeOp::infer(Adaptor adaptor, InferContext context,
                                   SmallVectorImpl<Type> &types) {
  RankedTensorType input = typeOf(adaptor.getInput()),
                   like = typeOf(adaptor.getLike());
  auto from = elementCount(input.getShape()),
       to = elementCount(like.getShape());
  if (from && to && *from != *to) // reshape_like_c1
    return context.error() << "[WEIR0043] cannot give " << *from
                           << " elements of " << input << " the shape of "
                           << like;
  types.push_back(
      RankedTensorType::get(like.getShape(), input.getElementType()));
  return success();
}

LogicalResult ExpandDimsOp::infer(Adaptor adaptor, InferContext context,
                                  SmallVectorImpl<Type> &types) {
  RankedTensorType input = typeOf(adaptor.getInput());
  ArrayRef<int64_t> axes = adaptor.getAxes();
  int64_t rank = input.getRank() + static_cast<int64_t>(axes.size());
  if (!areAxes(axes, rank)) // expand_dims_c1
    return context.error()
           << "[WEIR0040] axes [" << listText(axes)
           << "] are not ascending dimensions of a result of rank " << rank;
  SmallVector<int64_t> shape;
  ArrayRef<int64_t> rest = input.getShape();
  for (int64_t i = 0; i < rank; ++i) {
    if (llvm::is_contained(axes, i)) {
      shape.push_back(1);
    } else {
      shape.push_back(rest.front());
      rest = rest.drop_front();
    }
  }
  types.push_back(RankedTensorType::get(shape, input.getElementType()));
  return success();
}

LogicalResult SqueezeOp::infer(Adaptor adaptor, InferContext context,
                               SmallVectorImpl<Type> &types) {
  RankedTensorType input = typeOf(adaptor.getInput());
  ArrayRef<int64_t> axes = adaptor.getAxes();
  if (!areAxes(axes, input.getRank())) // squeeze_c1
    return context.error() << "[WEIR0040] axes [" << listText(axes)
                           << "] are not ascending dimensions of " << input;
  SmallVector<int64_t> shape;
  for (auto [i, extent] : llvm::enumerate(input.getShape())) {
    if (!llvm::is_contained(axes, static_cast<int64_t>(i)))
      shape.push_back(extent);
    else if (extent != 1) // squeeze_c2
      return context.error() << "[WEIR0044] dimension " << i << " of " << input
                             << " is not statically 1";
  }
  types.push_back(RankedTensorType::get(shape, input.getElementType()));
  return success();
}

LogicalResult TransposeOp::infer(Adaptor adaptor, InferContext context,
                                 SmallVectorImpl<Type> &types) {
  RankedTensorType input = typeOf(adaptor.getInput());
  ArrayRef<int64_t> permutation = adaptor.getPermutation();
  SmallVector<int64_t> sorted(permutation), shape;
  llvm::sort(sorted);
  if (!areAxes(sorted, input.getRank()) ||
      static_cast<int64_t>(sorted.size()) != input.getRank()) // transpose_c1
    return context.error() << "[WEIR0045] [" << listText(permutation)
                           << "] is no permutation of the dimensions of "
                           << input;
  for (int64_t i : permutation)
    shape.push_back(input.getDimSize(i));
  types.push_back(RankedTensorType::get(shape, input.getElementType()));
  return success();
}

OpFoldResult TransposeOp::fold(FoldAdaptor) {
  if (getControls().empty() && getInput().getType() == getType() &&
      llvm::is_sorted(getPermutation()))
    return forward(getInput(), *this);
  return {};
}

LogicalResult BroadcastToOp::infer(Adaptor adaptor, InferContext context,
                                   SmallVectorImpl<Type> &types) {
  RankedTensorType input = typeOf(adaptor.getInput());
  SmallVector<int64_t> shape(adaptor.getShape());
  int64_t shift = static_cast<int64_t>(shape.size()) - input.getRank();
  bool fits = shift >= 0;
  for (int64_t i = 0; fits && i < static_cast<int64_t>(shape.size()); ++i) {
    int64_t from = i < shift ? 1 : input.getDimSize(i - shift);
    if (shape[i] == -1 && i >= shift)
      shape[i] = from;
    else
      fits =
          shape[i] >= 0 && (from == 1 || isDynamic(from) || from == shape[i]);
  }
  if (!fits) // broadcast_to_c1
    return context.error() << "[WEIR0020] " << input
                           << " does not broadcast to ["
                           << listText(adaptor.getShape()) << "]";
  types.push_back(RankedTensorType::get(shape, input.getElementType()));
  return success();
}

LogicalResult BroadcastLikeOp::infer(Adaptor adaptor, InferContext context,
                                     SmallVectorImpl<Type> &types) {
  RankedTensorType input = typeOf(adaptor.getInput()),
                   like = typeOf(adaptor.getLike());
  auto joined = broadcast(input.getShape(), like.getShape());
  if (!joined || failed(verifyCompatibleShape(
                     *joined, like.getShape()))) // broadcast_like_c1
    return context.error() << "[WEIR0020] " << input
                           << " does not broadcast to the shape of " << like;
  types.push_back(
      RankedTensorType::get(like.getShape(), input.getElementType()));
  return success();
}

LogicalResult ConcatOp::infer(Adaptor adaptor, InferContext context,
                              SmallVectorImpl<Type> &types) {
  if (adaptor.getInputs().empty()) // concat_c1
    return context.error() << "[WEIR0046] needs at least one operand";
  RankedTensorType first = typeOf(adaptor.getInputs().front());
  int64_t axis = adaptor.getAxis();
  if (axis < 0 || axis >= first.getRank()) // concat_c2
    return context.error() << "[WEIR0040] axis " << axis
                           << " is no dimension of " << first;
  SmallVector<int64_t> shape(first.getShape());
  for (Value input : adaptor.getInputs().drop_front()) {
    RankedTensorType type = typeOf(input);
    bool fits = type.getRank() == first.getRank() &&
                type.getElementType() == first.getElementType();
    for (int64_t i = 0; fits && i < type.getRank(); ++i) {
      int64_t extent = type.getDimSize(i);
      if (i == axis && (isDynamic(shape[i]) || isDynamic(extent)))
        shape[i] = ShapedType::kDynamic;
      else if (i == axis)
        fits = !llvm::AddOverflow(shape[i], extent, shape[i]);
      else if (isDynamic(shape[i]))
        shape[i] = extent;
      else
        fits = isDynamic(extent) || extent == shape[i];
    }
    if (!fits) // concat_c3
      return context.error() << "[WEIR0046] cannot join " << first << " and "
                             << type << " along axis " << axis;
  }
  types.push_back(RankedTensorType::get(shape, first.getElementType()));
  return success();
}

SmallVector<Value> ConcatOp::buildGradient(GradientBuilder &b, ValueRange dys) {
  // Each operand gets its own part of the gradient; only the last may have an
  // extent that is not known, as its part is what is left.
  SmallVector<Value> gradients;
  int64_t at = 0, rank = typeOf(getResult()).getRank(), axis = getAxis();
  for (Value input : getInputs()) {
    if (isDynamic(at)) {
      b.cannotBuild("an operand before the last has an extent along the axis "
                    "that is not known at compile time");
      return {};
    }
    SmallVector<int64_t> begin(rank, 0), size(rank, -1), strides(rank, 1);
    int64_t extent = typeOf(input).getDimSize(axis);
    begin[axis] = at;
    size[axis] = isDynamic(extent) ? -1 : extent;
    gradients.push_back(
        b.make<SliceOp>(dys.front(), begin, size, strides, ValueRange()));
    at = isDynamic(extent) ? extent : at + extent;
  }
  return gradients;
}

LogicalResult SliceOp::infer(Adaptor adaptor, InferContext context,
                             SmallVectorImpl<Type> &types) {
  RankedTensorType input = typeOf(adaptor.getInput());
  ArrayRef<int64_t> begin = adaptor.getBegin(), size = adaptor.getSize(),
                    strides = adaptor.getStrides();
  size_t rank = input.getRank();
  if (begin.size() != rank || size.size() != rank ||
      strides.size() != rank) // slice_c1
    return context.error() << "[WEIR0047] begin, size and strides have one "
                              "entry for each of the "
                           << rank << " dimensions";
  SmallVector<int64_t> shape;
  for (size_t i = 0; i < rank; ++i) {
    int64_t extent = input.getDimSize(i), reach;
    if (begin[i] < 0 || size[i] < -1 || strides[i] < 1) // slice_c1
      return context.error()
             << "[WEIR0047] dimension " << i
             << ": begin is >= 0, size >= -1, strides >= 1; got " << begin[i]
             << ", " << size[i] << ", " << strides[i];
    bool fits =
        size[i] < 1 || (!llvm::MulOverflow(size[i] - 1, strides[i], reach) &&
                        !llvm::AddOverflow(reach, begin[i], reach));
    if (!fits ||
        (!isDynamic(extent) &&
         (begin[i] > extent || (size[i] > 0 && reach >= extent)))) // slice_c2
      return context.error() << "[WEIR0047] dimension " << i << ": " << size[i]
                             << " elements from " << begin[i] << " in steps of "
                             << strides[i] << " do not lie inside " << input;
    if (size[i] >= 0)
      shape.push_back(size[i]);
    else if (isDynamic(extent) || extent == begin[i])
      shape.push_back(isDynamic(extent) ? extent : 0);
    else
      shape.push_back((extent - begin[i] - 1) / strides[i] + 1);
  }
  types.push_back(RankedTensorType::get(shape, input.getElementType()));
  return success();
}

LogicalResult PadOp::infer(Adaptor adaptor, InferContext context,
                           SmallVectorImpl<Type> &types) {
  RankedTensorType input = typeOf(adaptor.getInput());
  ArrayRef<int64_t> low = adaptor.getLow(), high = adaptor.getHigh(),
                    interior = adaptor.getInterior();
  size_t rank = input.getRank();
  if (low.size() != rank || high.size() != rank ||
      interior.size() != rank) // pad_c1
    return context.error() << "[WEIR0048] low, high and interior have one "
                              "entry for each of the "
                           << rank << " dimensions";
  SmallVector<int64_t> shape;
  for (size_t i = 0; i < rank; ++i) {
    constexpr int64_t limit = int64_t(1) << 40;
    if (low[i] < 0 || high[i] < 0 || interior[i] < 0 || low[i] > limit ||
        high[i] > limit || interior[i] > limit) // pad_c1
      return context.error()
             << "[WEIR0048] dimension " << i
             << ": low, high and interior are >= 0 and sane, got " << low[i]
             << ", " << high[i] << ", " << interior[i];
    int64_t extent = input.getDimSize(i);
    if (isDynamic(extent)) {
      shape.push_back(extent);
      continue;
    }
    int64_t padded;
    if (llvm::MulOverflow(std::max<int64_t>(extent - 1, 0), interior[i],
                          padded) ||
        llvm::AddOverflow(padded, low[i] + high[i], padded) ||
        llvm::AddOverflow(padded, extent, padded))
      return context.error() << "[WEIR0048] dimension " << i
                             << " of the padded " << input << " is too large";
    shape.push_back(padded);
  }
  types.push_back(RankedTensorType::get(shape, input.getElementType()));
  return success();
}

LogicalResult ReverseOp::infer(Adaptor adaptor, InferContext context,
                               SmallVectorImpl<Type> &types) {
  RankedTensorType input = typeOf(adaptor.getInput());
  if (!areAxes(adaptor.getAxes(), input.getRank())) // reverse_c1
    return context.error() << "[WEIR0040] axes [" << listText(adaptor.getAxes())
                           << "] are not ascending dimensions of " << input;
  types.push_back(input);
  return success();
}

LogicalResult IotaOp::infer(Adaptor adaptor, InferContext context,
                            SmallVectorImpl<Type> &types) {
  auto type = dyn_cast<RankedTensorType>(adaptor.getType());
  int64_t axis = adaptor.getAxis();
  if (!type || !type.hasStaticShape() || axis < 0 ||
      axis >= type.getRank()) // iota_c1
    return context.error() << "[WEIR0049] counts along axis " << axis
                           << " of a tensor of static extents, got "
                           << adaptor.getType();
  types.push_back(type);
  return success();
}

LogicalResult ShapeOfOp::infer(Adaptor adaptor, InferContext context,
                               SmallVectorImpl<Type> &types) {
  types.push_back(RankedTensorType::get({typeOf(adaptor.getInput()).getRank()},
                                        IntegerType::get(context.context, 64)));
  return success();
}

OpFoldResult ShapeOfOp::fold(FoldAdaptor) {
  RankedTensorType input = typeOf(getInput());
  if (!getControls().empty() || !input.hasStaticShape() ||
      !typeOf(getResult()).hasStaticShape())
    return {};
  return DenseElementsAttr::get(typeOf(getResult()), input.getShape());
}

LogicalResult DimSizeOp::infer(Adaptor adaptor, InferContext context,
                               SmallVectorImpl<Type> &types) {
  RankedTensorType input = typeOf(adaptor.getInput());
  int64_t axis = adaptor.getAxis();
  if (axis < 0 || axis >= input.getRank()) // dim_size_c1
    return context.error() << "[WEIR0040] axis " << axis
                           << " is no dimension of " << input;
  types.push_back(
      RankedTensorType::get({}, IntegerType::get(context.context, 64)));
  return success();
}

OpFoldResult DimSizeOp::fold(FoldAdaptor) {
  RankedTensorType input = typeOf(getInput());
  if (!getControls().empty() || isDynamic(input.getDimSize(getAxis())))
    return {};
  return DenseElementsAttr::get(typeOf(getResult()),
                                input.getDimSize(getAxis()));
}

} // namespace weir

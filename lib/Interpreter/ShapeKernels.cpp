//===- ShapeKernels.cpp - Nodes that move elements ------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Interpreter/Kernels.h"

#include "dialects/Weir/Shape.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace weir {

using Result = llvm::Expected<Tensor>;

static ArrayRef<int64_t> declaredShape(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

static Result reshaped(Operation *op, const Tensor &x,
                       ArrayRef<int64_t> shape) {
  auto count = elementCount(shape);
  if (count && *count == x.size())
    return x.withShape(shape);
  return nodeError(op, code::reshape,
                   "cannot give the " + Twine(x.size()) +
                       " elements of shape " + shapeText(x.getShape()) +
                       " the shape " + shapeText(shape));
}

static Result evaluate(ReshapeOp op, Operands x) {
  SmallVector<int64_t> shape(op.getShape());
  int64_t known = 1, open = -1;
  for (auto [i, extent] : llvm::enumerate(shape)) {
    if (extent == -1)
      open = static_cast<int64_t>(i);
    else
      known *= extent;
  }
  if (open >= 0) {
    if (known == 0 || x[0].size() % known != 0)
      return nodeError(op, code::reshape,
                       "the " + Twine(x[0].size()) + " elements of shape " +
                           shapeText(x[0].getShape()) +
                           " are no multiple of the " + Twine(known) +
                           " that [" + listText(shape) + "] asks for");
    shape[open] = x[0].size() / known;
  }
  return reshaped(op, x[0], shape);
}

static Result evaluate(ExpandDimsOp op, Operands x) {
  SmallVector<int64_t> shape(x[0].getShape());
  for (int64_t axis : op.getAxes())
    shape.insert(shape.begin() + axis, 1);
  return reshaped(op, x[0], shape);
}

static Result evaluate(SqueezeOp op, Operands x) {
  SmallVector<int64_t> shape;
  for (auto [i, extent] : llvm::enumerate(x[0].getShape()))
    if (!llvm::is_contained(op.getAxes(), static_cast<int64_t>(i)))
      shape.push_back(extent);
  return reshaped(op, x[0], shape);
}

static Result evaluate(TransposeOp op, Operands x) {
  Walk::Strides own = rowMajor(x[0].getShape()), strides;
  SmallVector<int64_t> shape;
  for (int64_t from : op.getPermutation()) {
    shape.push_back(x[0].getShape()[from]);
    strides.push_back(own[from]);
  }
  Tensor result(x[0].getDType(), shape);
  copyElements(x[0], 0, strides, result, 0, rowMajor(shape), shape);
  return result;
}

/// `x`, whose declared type is `type`, repeated up to a shape.
static Result broadcastTo(Operation *op, ArrayRef<int64_t> type,
                          const Tensor &x, ArrayRef<int64_t> shape) {
  SmallVector<ArrayRef<int64_t>> types{type, shape},
      shapes{x.getShape(), shape};
  // An extent of the target that is 1 does not stretch: x has it as it is.
  SmallVector<int64_t> wanted(shape);
  for (int64_t &extent : wanted)
    extent = extent == 1 ? ShapedType::kDynamic : extent;
  types[1] = wanted;
  auto joined = broadcastShapes(op, types, shapes);
  if (!joined)
    return joined.takeError();
  Result result = resultTensor(op, x.getDType(), shape);
  if (result)
    copyElements(x, 0, repeated(x.getShape(), shape), *result, 0,
                 rowMajor(shape), shape);
  return result;
}

static Result evaluate(BroadcastToOp op, Operands x) {
  SmallVector<int64_t> shape(op.getShape());
  int64_t shift = static_cast<int64_t>(shape.size()) - x[0].getRank();
  for (auto [i, extent] : llvm::enumerate(shape))
    if (extent < 0)
      extent = x[0].getShape()[i - shift];
  return broadcastTo(op, declaredShape(op.getInput()), x[0], shape);
}

static Result evaluate(BroadcastLikeOp op, Operands x) {
  return broadcastTo(op, declaredShape(op.getInput()), x[0], x[1].getShape());
}

static Result evaluate(ConcatOp op, Operands x) {
  int64_t axis = op.getAxis();
  SmallVector<int64_t> shape(x[0].getShape());
  for (const Tensor &operand : x.drop_front()) {
    SmallVector<int64_t> own(operand.getShape()), expected(shape);
    expected[axis] = own[axis];
    if (llvm::Error error = checkExtents(op, expected, own))
      return error;
    shape[axis] += own[axis];
  }
  Result result = resultTensor(op, x[0].getDType(), shape);
  if (!result)
    return result;
  Walk::Strides to = rowMajor(shape);
  int64_t at = 0;
  for (const Tensor &operand : x) {
    copyElements(operand, 0, rowMajor(operand.getShape()), *result,
                 at * to[axis], to, operand.getShape());
    at += operand.getShape()[axis];
  }
  return result;
}

static Result evaluate(SliceOp op, Operands x) {
  ArrayRef<int64_t> begin = op.getBegin(), size = op.getSize(),
                    step = op.getStrides();
  Walk::Strides own = rowMajor(x[0].getShape()), strides;
  SmallVector<int64_t> shape;
  int64_t start = 0;
  for (auto [d, extent] : llvm::enumerate(x[0].getShape())) {
    int64_t count =
        size[d] >= 0 ? size[d] : (extent - begin[d] + step[d] - 1) / step[d];
    // In this order, so that nothing overflows: the last place is begin +
    // (count - 1) * step.
    bool fits =
        begin[d] <= extent &&
        (count == 0 || (begin[d] < extent &&
                        (count - 1) <= (extent - 1 - begin[d]) / step[d]));
    if (!fits)
      return nodeError(op, code::extents,
                       Twine(size[d]) + " elements from " + Twine(begin[d]) +
                           " in steps of " + Twine(step[d]) +
                           " do not lie inside of dimension " + Twine(d) +
                           ", which has " + Twine(extent));
    shape.push_back(count);
    strides.push_back(own[d] * step[d]);
    start += own[d] * begin[d];
  }
  Tensor result(x[0].getDType(), shape);
  copyElements(x[0], start, strides, result, 0, rowMajor(shape), shape);
  return result;
}

static Result evaluate(PadOp op, Operands x) {
  ArrayRef<int64_t> low = op.getLow(), high = op.getHigh(),
                    interior = op.getInterior();
  SmallVector<int64_t> shape;
  for (auto [d, extent] : llvm::enumerate(x[0].getShape()))
    shape.push_back(low[d] + extent +
                    std::max<int64_t>(extent - 1, 0) * interior[d] + high[d]);
  Result result = resultTensor(op, x[0].getDType(), shape);
  if (!result)
    return result;
  dispatch(x[0].getDType(), [&](auto zero) {
    using T = decltype(zero);
    std::fill_n(result->write<T>(), result->size(),
                convertTo<T>(op.getValue().convertToDouble()));
  });
  Walk::Strides own = rowMajor(shape), strides;
  int64_t start = 0;
  for (size_t d = 0; d < shape.size(); ++d) {
    start += low[d] * own[d];
    strides.push_back(own[d] * (interior[d] + 1));
  }
  copyElements(x[0], 0, rowMajor(x[0].getShape()), *result, start, strides,
               x[0].getShape());
  return result;
}

static Result evaluate(ReverseOp op, Operands x) {
  ArrayRef<int64_t> shape = x[0].getShape();
  Walk::Strides strides = rowMajor(shape);
  int64_t start = 0;
  for (int64_t axis : op.getAxes()) {
    start += strides[axis] * std::max<int64_t>(shape[axis] - 1, 0);
    strides[axis] = -strides[axis];
  }
  Tensor result(x[0].getDType(), shape);
  copyElements(x[0], start, strides, result, 0, rowMajor(shape), shape);
  return result;
}

static Result evaluate(IotaOp op, Operands) {
  auto type = cast<RankedTensorType>(op.getType());
  Result result =
      resultTensor(op, dtypeOf(type.getElementType()), type.getShape());
  if (!result)
    return result;
  dispatch(result->getDType(), [&](auto zero) {
    using T = decltype(zero);
    T *to = result->write<T>();
    Walk walk(type.getShape(), {});
    for (int64_t i = 0; i < result->size(); ++i, walk.next())
      to[i] = convertTo<T>(walk.place()[op.getAxis()]);
  });
  return result;
}

static Result evaluate(ShapeOfOp, Operands x) {
  Tensor result(WEIR_I64, {x[0].getRank()});
  llvm::copy(x[0].getShape(), result.write<int64_t>());
  return result;
}

std::optional<llvm::Expected<Tensor>> evaluateShape(Operation *op, Operands x) {
  return llvm::TypeSwitch<Operation *, std::optional<Result>>(op)
      .Case<ReshapeOp, ExpandDimsOp, SqueezeOp, TransposeOp, BroadcastToOp,
            BroadcastLikeOp, ConcatOp, SliceOp, PadOp, ReverseOp, IotaOp,
            ShapeOfOp>(
          [&](auto node) -> std::optional<Result> { return evaluate(node, x); })
      .Case<IdentityOp, StopGradientOp>(
          [&](auto) -> std::optional<Result> { return x[0]; })
      .Case([&](ReshapeLikeOp) -> std::optional<Result> {
        return reshaped(op, x[0], x[1].getShape());
      })
      .Case([&](DimSizeOp node) -> std::optional<Result> {
        return Tensor::scalar(WEIR_I64, x[0].getShape()[node.getAxis()]);
      })
      .Default(
          [](Operation *) -> std::optional<Result> { return std::nullopt; });
}

} // namespace weir

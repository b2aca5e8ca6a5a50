//===- DynamicShapes.cpp - Shapes and places that are values --------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Weir/Shape.h"
#include "lib/Interpreter/Arithmetic.h"
#include "lib/Interpreter/Kernels.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace weir {

using Result = llvm::Expected<Tensor>;

/// A tensor has fewer elements than this.
static constexpr int64_t kMaxElements = int64_t(1) << 44;

static SmallVector<int64_t> integersOf(const Tensor &vector) {
  SmallVector<int64_t> values;
  for (int64_t i = 0; i < vector.size(); ++i)
    values.push_back(vector.getInteger(i));
  return values;
}

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

/// How many steps there are, or nothing where they do not lead to the limit.
template <typename C>
static std::optional<int64_t> countSteps(C start, C limit, C delta) {
  if constexpr (std::integral<C>) {
    if (delta == 0 || (delta > 0 ? start > limit : start < limit))
      return std::nullopt;
    uint64_t way =
        delta > 0 ? static_cast<uint64_t>(limit) - static_cast<uint64_t>(start)
                  : static_cast<uint64_t>(start) - static_cast<uint64_t>(limit);
    uint64_t step = delta > 0 ? static_cast<uint64_t>(delta)
                              : 0 - static_cast<uint64_t>(delta);
    uint64_t steps = way / step + (way % step != 0);
    return steps <= static_cast<uint64_t>(kMaxElements)
               ? std::optional<int64_t>(static_cast<int64_t>(steps))
               : std::nullopt;
  } else {
    C steps = std::ceil((limit - start) / delta);
    return steps >= 0 && steps <= static_cast<C>(kMaxElements)
               ? std::optional<int64_t>(static_cast<int64_t>(steps))
               : std::nullopt;
  }
}

static Result evaluate(RangeOp op, Operands x) {
  Result result = Tensor();
  dispatch(x[0].getDType(), [&](auto zero) {
    using T = decltype(zero);
    using C = ComputeType<T>;
    C start = convertTo<C>(x[0].read<T>()[0]),
      limit = convertTo<C>(x[1].read<T>()[0]),
      delta = convertTo<C>(x[2].read<T>()[0]);
    std::optional<int64_t> steps = countSteps(start, limit, delta);
    if (!steps) {
      llvm::consumeError(result.takeError());
      result = nodeError(op, "WEIR0450",
                         "a range leads to its limit in at most " +
                             Twine(kMaxElements) + " steps that are not 0");
      return;
    }
    result = resultTensor(op, x[0].getDType(), {*steps});
    if (!result)
      return;
    T *to = result->write<T>();
    for (int64_t i = 0; i < *steps; ++i)
      to[i] = convertTo<T>(sum(start, product(static_cast<C>(i), delta)));
  });
  return result;
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

/// An error unless a tensor can have the extents.
static llvm::Error checkShape(Operation *op, ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t extent : shape) {
    if (extent < 0 || count > kMaxElements / std::max<int64_t>(extent, 1))
      return nodeError(op, "WEIR0451",
                       "no tensor has an extent of " + Twine(extent) +
                           " where " + Twine(count) +
                           " elements are before it");
    count *= extent;
  }
  return llvm::Error::success();
}

static Result evaluate(DynamicReshapeOp op, Operands x) {
  SmallVector<int64_t> shape = integersOf(x[1]);
  int64_t *open = llvm::find(shape, -1);
  if (open != shape.end()) {
    if (std::find(open + 1, shape.end(), -1) != shape.end())
      return nodeError(op, "WEIR0451", "a shape has one extent of -1 at most");
    *open = 1;
  } else {
    open = nullptr;
  }
  if (llvm::Error error = checkShape(op, shape))
    return error;
  int64_t known = *elementCount(shape);
  if (open && known != 0)
    *open = x[0].size() / known;
  if (*elementCount(shape) != x[0].size())
    return nodeError(op, code::reshape,
                     Twine(x[0].size()) + " elements do not fit a shape of " +
                         Twine(known));
  return x[0].withShape(shape);
}

static Result evaluate(DynamicBroadcastOp op, Operands x) {
  SmallVector<int64_t> shape = integersOf(x[1]);
  if (llvm::Error error = checkShape(op, shape))
    return error;
  ArrayRef<int64_t> type =
      cast<RankedTensorType>(op.getInput().getType()).getShape();
  size_t shift = shape.size() - type.size();
  for (size_t d = 0; d < type.size(); ++d)
    if (type[d] != 1 && x[0].getShape()[d] != shape[d + shift])
      return nodeError(op, code::extents,
                       "an extent of its operand is " +
                           Twine(x[0].getShape()[d]) + ", where " +
                           Twine(shape[d + shift]) + " is needed");
  Result result = resultTensor(op, x[0].getDType(), shape);
  if (result)
    copyElements(x[0], 0, repeated(x[0].getShape(), shape), *result, 0,
                 rowMajor(shape), shape);
  return result;
}

//===----------------------------------------------------------------------===//
// Boxes
//===----------------------------------------------------------------------===//

namespace {
/// Where a box of elements lies in a tensor.
struct Box {
  int64_t start = 0;
  Walk::Strides strides;
};
} // namespace

/// The box of `size` elements from `begin` on. A size of -1 becomes what
/// follows where `isOpen`.
static llvm::Expected<Box> findBox(Operation *op, ArrayRef<int64_t> shape,
                                   ArrayRef<int64_t> begin,
                                   MutableArrayRef<int64_t> size,
                                   ArrayRef<int64_t> steps, bool isOpen) {
  Box box;
  Walk::Strides own = rowMajor(shape);
  for (size_t d = 0; d < shape.size(); ++d) {
    if (begin[d] < 0 || begin[d] > shape[d])
      return nodeError(op, code::extents,
                       "a box begins at " + Twine(begin[d]) +
                           ", but there are " + Twine(shape[d]) + " elements");
    int64_t room = (shape[d] - begin[d]) / steps[d] +
                   ((shape[d] - begin[d]) % steps[d] != 0);
    if (size[d] == -1 && isOpen)
      size[d] = room;
    if (size[d] < 0 || size[d] > room)
      return nodeError(op, code::extents,
                       "a box takes " + Twine(size[d]) + " elements, but " +
                           Twine(room) + " follow its begin");
    box.start += begin[d] * own[d];
    box.strides.push_back(own[d] * steps[d]);
  }
  return box;
}

static Result evaluate(DynamicSliceOp op, Operands x) {
  SmallVector<int64_t> size = integersOf(x[2]);
  llvm::Expected<Box> box =
      findBox(op, x[0].getShape(), integersOf(x[1]), size, op.getStrides(),
              /*isOpen=*/true);
  if (!box)
    return box.takeError();
  Tensor result(x[0].getDType(), size);
  copyElements(x[0], box->start, box->strides, result, 0, rowMajor(size), size);
  return result;
}

static Result evaluate(DynamicUpdateSliceOp op, Operands x) {
  SmallVector<int64_t> size(x[1].getShape());
  llvm::Expected<Box> box =
      findBox(op, x[0].getShape(), integersOf(x[2]), size, op.getStrides(),
              /*isOpen=*/false);
  if (!box)
    return box.takeError();
  Tensor result = x[0];
  copyElements(x[1], 0, rowMajor(size), result, box->start, box->strides, size);
  return result;
}

//===----------------------------------------------------------------------===//
// Places of several dimensions
//===----------------------------------------------------------------------===//

/// Where the slices begin that the places in `indices` mean.
static llvm::Expected<std::vector<int64_t>>
findPlaces(Operation *op, const Tensor &indices, ArrayRef<int64_t> shape) {
  int64_t depth = indices.getShape().back();
  Walk::Strides strides = rowMajor(shape);
  auto count = *elementCount(indices.getShape().drop_back());
  std::vector<int64_t> starts(static_cast<size_t>(count), 0);
  for (int64_t d = 0; d < depth; ++d)
    for (int64_t i = 0; i < count; ++i) {
      int64_t index = indices.getInteger(i * depth + d);
      if (llvm::Error error = checkIndex(op, index, shape[d], "index"))
        return error;
      starts[static_cast<size_t>(i)] += index * strides[d];
    }
  return starts;
}

static Result evaluate(GatherNdOp op, Operands x) {
  auto starts = findPlaces(op, x[1], x[0].getShape());
  if (!starts)
    return starts.takeError();
  ArrayRef<int64_t> slice = x[0].getShape().drop_front(x[1].getShape().back());
  SmallVector<int64_t> shape(x[1].getShape().drop_back());
  llvm::append_range(shape, slice);
  Result result = resultTensor(op, x[0].getDType(), shape);
  if (!result)
    return result;
  Walk::Strides strides = rowMajor(slice);
  int64_t size = *elementCount(slice), to = 0;
  for (int64_t start : *starts) {
    copyElements(x[0], start, strides, *result, to, strides, slice);
    to += size;
  }
  return result;
}

static Result evaluate(ScatterNdOp op, Operands x) {
  auto starts = findPlaces(op, x[1], x[0].getShape());
  if (!starts)
    return starts.takeError();
  ArrayRef<int64_t> slice = x[0].getShape().drop_front(x[1].getShape().back());
  SmallVector<int64_t> shape(x[1].getShape().drop_back());
  llvm::append_range(shape, slice);
  if (llvm::Error error = checkExtents(op, x[2].getShape(), shape))
    return error;
  // As weir.scatter, of rows that each are one slice.
  int64_t size = *elementCount(slice);
  if (size == 0)
    return x[0];
  Tensor rows(WEIR_I64, {static_cast<int64_t>(starts->size())});
  for (auto [i, start] : llvm::enumerate(*starts))
    rows.write<int64_t>()[i] = start / size;
  Result result = scatterSlices(
      op, op.getKind(), x[0].withShape({x[0].size() / size, size}), rows,
      x[2].withShape({static_cast<int64_t>(starts->size()), size}));
  return result ? Result(result->withShape(x[0].getShape()))
                : std::move(result);
}

//===----------------------------------------------------------------------===//
// Sums and products so far
//===----------------------------------------------------------------------===//

template <bool isSum, typename Op>
static Result evaluateCumulative(Op op, Operands x) {
  ArrayRef<int64_t> shape = x[0].getShape();
  int64_t axis = static_cast<int64_t>(op.getAxis()), extent = shape[axis];
  Walk::Strides strides = rowMajor(shape);
  SmallVector<int64_t> lines(shape);
  lines[axis] = 1;
  Tensor result(x[0].getDType(), shape);
  dispatch(x[0].getDType(), [&](auto zero) {
    using T = decltype(zero);
    using S = SumType<T>;
    const T *from = x[0].read<T>();
    T *to = result.write<T>();
    Walk::Strides all[] = {strides};
    Walk walk(lines, all);
    for (int64_t line = 0, end = extent == 0 ? 0 : *elementCount(lines);
         line < end; ++line, walk.next()) {
      S soFar = isSum ? S(0) : S(1);
      for (int64_t i = 0; i < extent; ++i) {
        int64_t at =
            walk[0] + (op.getReverse() ? extent - 1 - i : i) * strides[axis];
        if (op.getExclusive())
          to[at] = convertTo<T>(soFar);
        S element = convertTo<S>(from[at]);
        soFar = isSum ? sum(soFar, element) : product(soFar, element);
        if (!op.getExclusive())
          to[at] = convertTo<T>(soFar);
      }
    }
  });
  return result;
}

static Result evaluate(CumulativeSumOp op, Operands x) {
  return evaluateCumulative</*isSum=*/true>(op, x);
}
static Result evaluate(CumulativeProdOp op, Operands x) {
  return evaluateCumulative</*isSum=*/false>(op, x);
}

std::optional<llvm::Expected<Tensor>> evaluateDynamicShape(Operation *op,
                                                           Operands x) {
  return llvm::TypeSwitch<Operation *, std::optional<Result>>(op)
      .Case<RangeOp, DynamicReshapeOp, DynamicBroadcastOp, DynamicSliceOp,
            DynamicUpdateSliceOp, GatherNdOp, ScatterNdOp, CumulativeSumOp,
            CumulativeProdOp>(
          [&](auto node) -> std::optional<Result> { return evaluate(node, x); })
      .Default(
          [](Operation *) -> std::optional<Result> { return std::nullopt; });
}

} // namespace weir

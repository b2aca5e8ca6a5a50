//===- Gather.cpp - Gather, scatter and what indexes ----------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Interpreter/Kernels.h"

#include "dialects/Weir/Shape.h"
#include "lib/Interpreter/Arithmetic.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace weir {

using Result = llvm::Expected<Tensor>;

static Result evaluate(GatherOp op, Operands x) {
  int64_t axis = op.getAxis();
  ArrayRef<int64_t> params = x[0].getShape();
  SmallVector<int64_t> shape(params.take_front(axis));
  llvm::append_range(shape, x[1].getShape());
  llvm::append_range(shape, params.drop_front(axis + 1));
  Result result = resultTensor(op, x[0].getDType(), shape);
  if (!result)
    return result;
  // One slice of the operand for each index, without the dimension of the axis.
  SmallVector<int64_t> slice(params);
  slice[axis] = 1;
  Walk::Strides from = rowMajor(params), to;
  // The result as [before the axis, index, after the axis].
  SmallVector<int64_t> flat(params);
  flat[axis] = x[1].size();
  to = rowMajor(flat);
  for (int64_t i = 0; i < x[1].size(); ++i) {
    int64_t index = x[1].getInteger(i);
    if (llvm::Error error = checkIndex(op, index, params[axis], "index"))
      return error;
    copyElements(x[0], index * from[axis], from, *result, i * to[axis], to,
                 slice);
  }
  return result;
}

static Result evaluate(TakeAlongOp op, Operands x) {
  ArrayRef<int64_t> rows = x[0].getShape();
  if (llvm::Error error = checkExtents(op, rows.take_front(1), x[1].getShape()))
    return error;
  Tensor result(x[0].getDType(), rows.take_front(1));
  for (int64_t i = 0; i < rows[0]; ++i) {
    int64_t index = x[1].getInteger(i);
    if (llvm::Error error = checkIndex(op, index, rows[1], "index"))
      return error;
    copyElements(x[0], i * rows[1] + index, {}, result, i, {}, {});
  }
  return result;
}

static Result evaluate(UnsortedSegmentSumOp op, Operands x) {
  ArrayRef<int64_t> data = x[0].getShape(), segments = x[1].getShape();
  if (llvm::Error error =
          checkExtents(op, data.take_front(segments.size()), segments))
    return error;
  int64_t count = static_cast<int64_t>(op.getSegmentCount());
  SmallVector<int64_t> shape{count};
  llvm::append_range(shape, data.drop_front(segments.size()));
  Result result = resultTensor(op, x[0].getDType(), shape);
  if (!result)
    return result;
  int64_t slice = *elementCount(data.drop_front(segments.size()));
  for (int64_t i = 0; i < x[1].size(); ++i)
    if (llvm::Error error =
            checkIndex(op, x[1].getInteger(i), count, "segment"))
      return error;
  dispatch(x[0].getDType(), [&](auto zero) {
    using T = decltype(zero);
    using S = SumType<T>;
    std::vector<S> sums(static_cast<size_t>(result->size()));
    const T *from = x[0].read<T>();
    for (int64_t i = 0; i < x[1].size(); ++i)
      for (int64_t j = 0; j < slice; ++j)
        sums[x[1].getInteger(i) * slice + j] =
            sums[x[1].getInteger(i) * slice + j] +
            convertTo<S>(from[i * slice + j]);
    std::transform(sums.begin(), sums.end(), result->write<T>(),
                   [](S sum) { return convertTo<T>(sum); });
  });
  return result;
}

static Result evaluate(OneHotOp op, Operands x) {
  int64_t depth = static_cast<int64_t>(op.getDepth());
  SmallVector<int64_t> shape(x[0].getShape());
  shape.push_back(depth);
  Result result = resultTensor(op, dtypeOf(op.getTo()), shape);
  if (!result)
    return result;
  dispatch(result->getDType(), [&](auto zero) {
    using T = decltype(zero);
    for (int64_t i = 0; i < x[0].size(); ++i) {
      int64_t index = x[0].getInteger(i);
      if (index >= 0 && index < depth)
        result->write<T>()[i * depth + index] = convertTo<T>(1);
    }
  });
  return result;
}

/// What a scatter makes of an element and its update.
template <typename C> static C combined(ScatterKind kind, C element, C update) {
  switch (kind) {
  case ScatterKind::assign:
    return update;
  case ScatterKind::add:
    return sum(element, update);
  case ScatterKind::sub:
    return difference(element, update);
  case ScatterKind::mul:
    return product(element, update);
  case ScatterKind::div:
    return quotient(element, update);
  case ScatterKind::min:
    return smaller(element, update);
  case ScatterKind::max:
    return larger(element, update);
  }
  return update;
}

llvm::Expected<Tensor> scatterSlices(Operation *op, ScatterKind kind,
                                     Tensor operand, const Tensor &indices,
                                     const Tensor &updates) {
  ArrayRef<int64_t> slice = operand.getShape().drop_front(1);
  bool isRepeated = updates.getRank() == 0;
  if (!isRepeated) {
    SmallVector<int64_t> shape(indices.getShape());
    llvm::append_range(shape, slice);
    if (llvm::Error error = checkExtents(op, updates.getShape(), shape))
      return error;
  }
  // Nothing changes where one index is wrong.
  for (int64_t i = 0; i < indices.size(); ++i)
    if (llvm::Error error = checkIndex(op, indices.getInteger(i),
                                       operand.getShape()[0], "index"))
      return error;
  int64_t count = *elementCount(slice);
  dispatch(operand.getDType(), [&](auto zero) {
    using T = decltype(zero);
    using C = ComputeType<T>;
    const T *from = updates.read<T>();
    T *to = operand.write<T>();
    for (int64_t i = 0; i < indices.size(); ++i)
      for (int64_t j = 0; j < count; ++j) {
        T &element = to[indices.getInteger(i) * count + j];
        const T &update = from[isRepeated ? 0 : i * count + j];
        // A NaN that is assigned keeps its bits.
        element = kind == ScatterKind::assign
                      ? update
                      : convertTo<T>(combined(kind, convertTo<C>(element),
                                              convertTo<C>(update)));
      }
  });
  return operand;
}

static Result evaluate(ScatterOp op, Operands x) {
  return scatterSlices(op, op.getKind(), x[0], x[1], x[2]);
}

std::optional<llvm::Expected<Tensor>> evaluateGather(Operation *op,
                                                     Operands x) {
  return llvm::TypeSwitch<Operation *, std::optional<Result>>(op)
      .Case<GatherOp, TakeAlongOp, UnsortedSegmentSumOp, OneHotOp, ScatterOp>(
          [&](auto node) -> std::optional<Result> { return evaluate(node, x); })
      .Default(
          [](Operation *) -> std::optional<Result> { return std::nullopt; });
}

} // namespace weir

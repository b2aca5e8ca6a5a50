//===- Quantized.cpp - Arithmetic on int8 ---------------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules of docs/spec/quantization.md, one by one.
//
//===----------------------------------------------------------------------===//

#include "lib/Interpreter/Kernels.h"
#include "lib/Interpreter/Windows.h"

#include "llvm/ADT/TypeSwitch.h"
#include <algorithm>

using namespace mlir;

namespace weir {

using Result = llvm::Expected<Tensor>;

namespace {
/// The scale and the zero point of each element of a tensor.
template <typename Op> class Storage {
public:
  Storage(Op op, ArrayRef<int64_t> shape)
      : scales(op.getScales()), zeros(op.getZeroPoints()) {
    if (auto axis = static_cast<int64_t>(op.getAxis()); axis >= 0) {
      places = shape[axis];
      // Of an empty tensor the count may not exist; nothing is read then.
      inner = elementCount(shape.drop_front(axis + 1)).value_or(1);
    }
  }
  float scale(int64_t i) const { return scales[place(i)]; }
  int32_t zero(int64_t i) const { return zeros[place(i)]; }

private:
  size_t place(int64_t i) const {
    return static_cast<size_t>(i / inner % places);
  }

  ArrayRef<float> scales;
  ArrayRef<int32_t> zeros;
  int64_t places = 1, inner = 1;
};

/// How sums become int8.
template <typename Op> class Requantize {
public:
  explicit Requantize(Op op)
      : multipliers(op.getMultipliers()), shifts(op.getShifts()),
        zero(static_cast<int32_t>(op.getOutputZero())),
        min(static_cast<int32_t>(op.getMin())),
        max(static_cast<int32_t>(op.getMax())) {}

  int8_t operator()(int32_t sum, int64_t column) const {
    size_t i = multipliers.size() == 1 ? 0 : static_cast<size_t>(column);
    int64_t t =
        (int64_t(sum) * multipliers[i] + (int64_t(1) << (shifts[i] - 1))) >>
        shifts[i];
    return static_cast<int8_t>(std::clamp<int64_t>(t + zero, min, max));
  }

private:
  ArrayRef<int32_t> multipliers, shifts;
  int32_t zero, min, max;
};
} // namespace

static Result evaluate(QuantizeOp op, Operands x) {
  Result result = resultTensor(op, WEIR_I8, x[0].getShape());
  if (!result)
    return result;
  Storage storage(op, x[0].getShape());
  const float *from = x[0].read<float>();
  auto *to = result->write<int8_t>();
  for (int64_t i = 0; i < x[0].size(); ++i) {
    auto zero = static_cast<float>(storage.zero(i));
    // Far from zero the sum is inexact, and clamped either way.
    float q = std::nearbyintf(from[i] / storage.scale(i)) + zero;
    to[i] = static_cast<int8_t>(std::isnan(q) ? zero
                                              : std::clamp(q, -128.0f, 127.0f));
  }
  return result;
}

static Result evaluate(DequantizeOp op, Operands x) {
  Result result = resultTensor(op, WEIR_F32, x[0].getShape());
  if (!result)
    return result;
  Storage storage(op, x[0].getShape());
  const auto *from = x[0].read<int8_t>();
  auto *to = result->write<float>();
  for (int64_t i = 0; i < x[0].size(); ++i)
    to[i] = static_cast<float>(from[i] - storage.zero(i)) * storage.scale(i);
  return result;
}

/// Sums of columns, first the bias of each, and then the int8 they become.
/// Unsigned numbers, as sums wrap around.
template <typename Op> class Sums {
public:
  Sums(Op op, const Tensor &bias, Tensor result)
      : op(op), result(std::move(result)),
        columns(this->result.getShape().back()),
        sums(static_cast<size_t>(this->result.size())) {
    for (size_t i = 0; i < sums.size(); ++i)
      sums[i] = static_cast<uint32_t>(
          bias.read<int32_t>()[static_cast<int64_t>(i) % columns]);
  }

  void add(int64_t at, int8_t stored, int8_t weight) {
    int32_t input = stored - static_cast<int32_t>(op.getInputZero());
    sums[static_cast<size_t>(at)] += static_cast<uint32_t>(input * weight);
  }

  Tensor finish() {
    Requantize requantize(op);
    auto *to = result.template write<int8_t>();
    for (size_t i = 0; i < sums.size(); ++i)
      to[i] = requantize(static_cast<int32_t>(sums[i]),
                         static_cast<int64_t>(i) % columns);
    return std::move(result);
  }

private:
  Op op;
  Tensor result;
  int64_t columns;
  std::vector<uint32_t> sums;
};

static Result evaluate(QuantizedMatmulOp op, Operands x) {
  int64_t rows = x[0].getShape()[0], depth = x[0].getShape()[1],
          columns = x[1].getShape()[1];
  if (llvm::Error error = checkExtents(op, {depth}, {x[1].getShape()[0]}))
    return error;
  Result result = resultTensor(op, WEIR_I8, {rows, columns});
  if (!result)
    return result;
  Sums sums(op, x[2], std::move(*result));
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t k = 0; k < depth; ++k)
      for (int64_t j = 0; j < columns; ++j)
        sums.add(i * columns + j, x[0].read<int8_t>()[i * depth + k],
                 x[1].read<int8_t>()[k * columns + j]);
  return sums.finish();
}

static Result evaluate(QuantizedConv2dOp op, Operands x) {
  ArrayRef<int64_t> image = x[0].getShape(), filter = x[1].getShape();
  auto dims =
      windows(op, image.slice(1, 2), filter.take_front(2), op.getDilations());
  SmallVector<int64_t> shape{image[0], dims[0].output, dims[1].output,
                             filter[3]};
  Result result = resultTensor(op, WEIR_I8, shape);
  if (!result)
    return result;
  Sums sums(op, x[2], std::move(*result));
  if (llvm::Error error = convolve(
          op, image, filter, shape, [&](int64_t i, int64_t w, int64_t o) {
            sums.add(o, x[0].read<int8_t>()[i], x[1].read<int8_t>()[w]);
          }))
    return error;
  return sums.finish();
}

static Result evaluate(QuantizedMaxPoolOp op, Operands x) {
  ArrayRef<int64_t> image = x[0].getShape();
  auto dims = windows(op, image.slice(1, 2), op.getWindow(), {});
  SmallVector<int64_t> shape{image[0], dims[0].output, dims[1].output,
                             image[3]};
  Result result = resultTensor(op, WEIR_I8, shape);
  if (!result)
    return result;
  const auto *from = x[0].read<int8_t>();
  auto *to = result->write<int8_t>();
  std::fill(to, to + result->size(), int8_t(-128));
  pool(dims, image, shape,
       [&](int64_t i, int64_t o) { to[o] = std::max(to[o], from[i]); });
  return result;
}

std::optional<llvm::Expected<Tensor>> evaluateQuantized(Operation *op,
                                                        Operands x) {
  using Case = std::optional<Result>;
  return llvm::TypeSwitch<Operation *, Case>(op)
      .Case<QuantizeOp, DequantizeOp, QuantizedMatmulOp, QuantizedConv2dOp,
            QuantizedMaxPoolOp>(
          [&](auto node) -> Case { return evaluate(node, x); })
      .Default([](Operation *) -> Case { return std::nullopt; });
}

} // namespace weir

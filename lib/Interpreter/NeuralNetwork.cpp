//===- NeuralNetwork.cpp - Convolution, pooling, losses -------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Interpreter/Windows.h"

#include "llvm/ADT/TypeSwitch.h"
#include <limits>

using namespace mlir;

namespace weir {

using Result = llvm::Expected<Tensor>;

/// Rounds sums to the elements of a new tensor.
static Result rounded(Operation *op, WeirDType dtype, ArrayRef<int64_t> shape,
                      ArrayRef<double> sums) {
  Result result = resultTensor(op, dtype, shape);
  if (result)
    dispatchFloat(dtype, [&](auto zero) {
      using T = decltype(zero);
      llvm::transform(sums, result->write<T>(),
                      [](double sum) { return convertTo<T>(sum); });
    });
  return result;
}

static std::vector<double> zeros(ArrayRef<int64_t> shape) {
  return std::vector<double>(
      static_cast<size_t>(elementCount(shape).value_or(0)), 0.0);
}

/// The elements as doubles, which is exact for every float type.
static std::vector<double> doubles(const Tensor &x) {
  std::vector<double> values(static_cast<size_t>(x.size()));
  dispatchFloat(x.getDType(), [&](auto zero) {
    using T = decltype(zero);
    std::transform(x.read<T>(), x.read<T>() + x.size(), values.begin(),
                   [](T element) { return convertTo<double>(element); });
  });
  return values;
}

//===----------------------------------------------------------------------===//
// Convolution: all three are one loop over (image, filter, output), which add
// to one of them the product of the other two.
//===----------------------------------------------------------------------===//

static Result evaluate(Conv2dOp op, Operands x) {
  ArrayRef<int64_t> image = x[0].getShape(), filter = x[1].getShape();
  auto dims =
      windows(op, image.slice(1, 2), filter.take_front(2), op.getDilations());
  SmallVector<int64_t> shape{image[0], dims[0].output, dims[1].output,
                             filter[3]};
  std::vector<double> in = doubles(x[0]), weights = doubles(x[1]),
                      out = zeros(shape);
  if (llvm::Error error = convolve(op, image, filter, shape,
                                   [&](int64_t i, int64_t w, int64_t o) {
                                     out[o] += in[i] * weights[w];
                                   }))
    return error;
  return rounded(op, x[0].getDType(), shape, out);
}

static Result evaluate(Conv2dBackpropInputOp op, Operands x) {
  ArrayRef<int64_t> filter = x[0].getShape(), dy = x[1].getShape(),
                    size = op.getInputSize();
  SmallVector<int64_t> shape{dy[0], size[0], size[1], filter[2]};
  std::vector<double> weights = doubles(x[0]), out = doubles(x[1]),
                      in = zeros(shape);
  if (llvm::Error error =
          convolve(op, shape, filter, dy, [&](int64_t i, int64_t w, int64_t o) {
            in[i] += out[o] * weights[w];
          }))
    return error;
  return rounded(op, x[0].getDType(), shape, in);
}

static Result evaluate(Conv2dBackpropFilterOp op, Operands x) {
  ArrayRef<int64_t> image = x[0].getShape(), dy = x[1].getShape(),
                    size = op.getFilterSize();
  SmallVector<int64_t> shape{size[0], size[1], image[3], dy[3]};
  std::vector<double> in = doubles(x[0]), out = doubles(x[1]),
                      weights = zeros(shape);
  if (llvm::Error error =
          convolve(op, image, shape, dy, [&](int64_t i, int64_t w, int64_t o) {
            weights[w] += in[i] * out[o];
          }))
    return error;
  return rounded(op, x[0].getDType(), shape, weights);
}

//===----------------------------------------------------------------------===//
// Pooling
//===----------------------------------------------------------------------===//

static Result evaluate(MaxPoolOp op, Operands x) {
  ArrayRef<int64_t> image = x[0].getShape();
  auto dims = windows(op, image.slice(1, 2), op.getWindow(), {});
  SmallVector<int64_t> shape{image[0], dims[0].output, dims[1].output,
                             image[3]};
  std::vector<double> in = doubles(x[0]), out = zeros(shape);
  llvm::fill(out, -std::numeric_limits<double>::infinity());
  pool(dims, image, shape, [&](int64_t i, int64_t o) {
    if (in[i] > out[o] || std::isnan(in[i]))
      out[o] = in[i];
  });
  return rounded(op, x[0].getDType(), shape, out);
}

static Result evaluate(MaxPoolGradOp op, Operands x) {
  ArrayRef<int64_t> image = x[0].getShape(), output = x[1].getShape();
  auto dims = windows(op, image.slice(1, 2), op.getWindow(), {});
  if (llvm::Error error = checkExtents(op, output, x[2].getShape()))
    return error;
  if (llvm::Error error = checkExtents(
          op, output, {image[0], dims[0].output, dims[1].output, image[3]}))
    return error;
  std::vector<double> in = doubles(x[0]), out = doubles(x[1]),
                      dy = doubles(x[2]), dx = zeros(image);
  std::vector<bool> taken(out.size(), false);
  pool(dims, image, output, [&](int64_t i, int64_t o) {
    if (taken[o] || in[i] != out[o])
      return;
    taken[o] = true;
    dx[i] += dy[o];
  });
  return rounded(op, x[0].getDType(), image, dx);
}

static Result evaluate(AvgPoolOp op, Operands x) {
  ArrayRef<int64_t> image = x[0].getShape();
  auto dims = windows(op, image.slice(1, 2), op.getWindow(), {});
  SmallVector<int64_t> shape{image[0], dims[0].output, dims[1].output,
                             image[3]};
  std::vector<double> in = doubles(x[0]), out = zeros(shape),
                      counts = zeros(shape);
  pool(dims, image, shape, [&](int64_t i, int64_t o) {
    out[o] += in[i];
    counts[o] += 1;
  });
  for (size_t o = 0; o < out.size(); ++o)
    out[o] /= counts[o];
  return rounded(op, x[0].getDType(), shape, out);
}

static Result evaluate(AvgPoolGradOp op, Operands x) {
  ArrayRef<int64_t> dyShape = x[0].getShape(), size = op.getInputSize();
  auto dims = windows(op, size, op.getWindow(), {});
  SmallVector<int64_t> image{dyShape[0], size[0], size[1], dyShape[3]};
  if (llvm::Error error = checkExtents(
          op, dyShape,
          {dyShape[0], dims[0].output, dims[1].output, dyShape[3]}))
    return error;
  std::vector<double> dy = doubles(x[0]), dx = zeros(image),
                      counts = zeros(dyShape);
  pool(dims, image, dyShape, [&](int64_t, int64_t o) { counts[o] += 1; });
  pool(dims, image, dyShape,
       [&](int64_t i, int64_t o) { dx[i] += dy[o] / counts[o]; });
  return rounded(op, x[0].getDType(), image, dx);
}

//===----------------------------------------------------------------------===//
// Softmax and losses
//===----------------------------------------------------------------------===//

/// A row of numbers, its largest element, and the sum of the powers of e of
/// what each lies below it. NaN anywhere makes NaN of both.
struct Row {
  ArrayRef<double> x;
  double largest, sum;
};

static Row rowOf(const std::vector<double> &values, int64_t i,
                 int64_t columns) {
  Row row{ArrayRef(values).slice(static_cast<size_t>(i * columns),
                                 static_cast<size_t>(columns)),
          -std::numeric_limits<double>::infinity(), 0.0};
  for (double x : row.x)
    row.largest = x > row.largest || std::isnan(x) ? x : row.largest;
  for (double x : row.x)
    row.sum += std::exp(x - row.largest);
  return row;
}

static Result softmax(Operation *op, const Tensor &x, bool logarithm) {
  int64_t columns = x.getShape().back();
  std::vector<double> in = doubles(x), out(in.size());
  for (int64_t i = 0; columns > 0 && i < x.size() / columns; ++i) {
    Row row = rowOf(in, i, columns);
    for (int64_t j = 0; j < columns; ++j) {
      double shifted = row.x[j] - row.largest;
      out[i * columns + j] =
          logarithm ? shifted - std::log(row.sum) : std::exp(shifted) / row.sum;
    }
  }
  return rounded(op, x.getDType(), x.getShape(), out);
}

static Result evaluate(SparseSoftmaxCrossEntropyOp op, Operands x) {
  int64_t rows = x[0].getShape()[0], columns = x[0].getShape()[1];
  if (llvm::Error error =
          checkExtents(op, x[0].getShape().take_front(1), x[1].getShape()))
    return error;
  std::vector<double> in = doubles(x[0]), out(static_cast<size_t>(rows));
  for (int64_t i = 0; i < rows; ++i) {
    int64_t label = x[1].getInteger(i);
    if (llvm::Error error = checkIndex(op, label, columns, "label"))
      return error;
    Row row = rowOf(in, i, columns);
    out[i] = std::log(row.sum) - (row.x[label] - row.largest);
  }
  return rounded(op, x[0].getDType(), {rows}, out);
}

std::optional<llvm::Expected<Tensor>> evaluateNeuralNetwork(Operation *op,
                                                            Operands x) {
  using Case = std::optional<Result>;
  return llvm::TypeSwitch<Operation *, Case>(op)
      .Case<Conv2dOp, Conv2dBackpropInputOp, Conv2dBackpropFilterOp, MaxPoolOp,
            MaxPoolGradOp, AvgPoolOp, AvgPoolGradOp,
            SparseSoftmaxCrossEntropyOp>(
          [&](auto node) -> Case { return evaluate(node, x); })
      .Case([&](SoftmaxOp) -> Case { return softmax(op, x[0], false); })
      .Case([&](LogSoftmaxOp) -> Case { return softmax(op, x[0], true); })
      .Default([](Operation *) -> Case { return std::nullopt; });
}

} // namespace weir

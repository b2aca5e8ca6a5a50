//===- LinearAlgebra.cpp - Matrix products --------------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Interpreter/Kernels.h"

#include "dialects/Weir/Shape.h"

using namespace mlir;

namespace weir {

static ArrayRef<int64_t> declaredShape(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

std::optional<llvm::Expected<Tensor>> evaluateLinearAlgebra(Operation *op,
                                                            Operands x) {
  auto matmul = dyn_cast<MatmulOp>(op);
  if (!matmul)
    return std::nullopt;
  ArrayRef<int64_t> lhs = x[0].getShape(), rhs = x[1].getShape();
  auto batch = broadcastShapes(op,
                               {declaredShape(matmul.getLhs()).drop_back(2),
                                declaredShape(matmul.getRhs()).drop_back(2)},
                               {lhs.drop_back(2), rhs.drop_back(2)});
  if (!batch)
    return batch.takeError();

  // The strides of a matrix along its rows and columns, as the product reads
  // it.
  auto matrix = [](ArrayRef<int64_t> shape, bool transposed) {
    struct {
      int64_t rows, columns, rowStride, columnStride;
    } m{shape[shape.size() - 2], shape.back(), shape.back(), 1};
    if (transposed) {
      std::swap(m.rows, m.columns);
      std::swap(m.rowStride, m.columnStride);
    }
    return m;
  };
  auto a = matrix(lhs, matmul.getTransposeLhs()),
       b = matrix(rhs, matmul.getTransposeRhs());
  if (a.columns != b.rows)
    return nodeError(op, code::extents,
                     "contracts " + Twine(a.columns) + " columns of shape " +
                         shapeText(lhs) + " with " + Twine(b.rows) +
                         " rows of shape " + shapeText(rhs) +
                         "; the two extents have to be equal");
  SmallVector<int64_t> shape(*batch);
  shape.append({a.rows, b.columns});
  auto result = resultTensor(op, x[0].getDType(), shape);
  if (!result)
    return result.takeError();

  Walk::Strides strides[] = {repeated(lhs.drop_back(2), *batch),
                             repeated(rhs.drop_back(2), *batch)};
  int64_t batches = *elementCount(*batch);
  dispatch(x[0].getDType(), [&](auto zero) {
    using T = decltype(zero);
    using S = SumType<T>;
    T *to = result->write<T>();
    Walk walk(*batch, strides);
    for (int64_t n = 0; n < batches; ++n, walk.next()) {
      const T *p = x[0].read<T>() + walk[0] * a.rows * a.columns,
              *q = x[1].read<T>() + walk[1] * b.rows * b.columns;
      for (int64_t i = 0; i < a.rows; ++i)
        for (int64_t j = 0; j < b.columns; ++j) {
          S sum{};
          for (int64_t k = 0; k < a.columns; ++k)
            sum += convertTo<S>(p[i * a.rowStride + k * a.columnStride]) *
                   convertTo<S>(q[k * b.rowStride + j * b.columnStride]);
          *to++ = convertTo<T>(sum);
        }
    }
  });
  return result;
}

} // namespace weir

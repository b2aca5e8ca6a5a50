//===- Convolution.h - The loops of a convolution -----------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_PASSES_CODEGEN_LINALG_CONVOLUTION_H
#define WEIR_PASSES_CODEGEN_LINALG_CONVOLUTION_H

#include "passes/Codegen/Linalg/Lowering.h"

namespace weir {

/// A contraction over (n, y, x, o, i, j, c), as linalg's convolutions have it,
/// of an image with its padding, a filter, and sums.
struct Convolution {
  /// `op` is a node with the attributes of weir.conv2d.
  template <typename Op>
  Convolution(Emitter &e, Op op, llvm::ArrayRef<int64_t> image,
              llvm::ArrayRef<int64_t> filter)
      : e(e),
        dims(*slideWindow2d(image, filter, op.getStrides(), op.getDilations(),
                            op.getPadding(), op.getPads())) {
    using mlir::AffineExpr;
    AffineExpr n, y, x, o, i, j, c;
    mlir::bindDims(e.getContext(), n, y, x, o, i, j, c);
    using Exprs = llvm::SmallVector<llvm::SmallVector<AffineExpr, 4>, 3>;
    maps = mlir::AffineMap::inferFromExprList(
        Exprs{{n, y * dims[0].stride + i * dims[0].dilation,
               x * dims[1].stride + j * dims[1].dilation, c},
              {i, j, c, o},
              {n, y, x, o}},
        e.getContext());
    iterators.append(4, mlir::utils::IteratorType::parallel);
    iterators.append(3, mlir::utils::IteratorType::reduction);
  }

  /// The image in `value`, as far as the padding goes.
  mlir::Value pad(mlir::Value image, mlir::Value value) {
    return padImage(e, image, dims, value);
  }
  /// Zeros for the sums, in which the filter and the image add up.
  mlir::Value zeros(mlir::Value image, mlir::Value filter, mlir::Type sum) {
    return e.filled({e.dim(image, 0), e.index(dims[0].output),
                     e.index(dims[1].output), e.dim(filter, 3)},
                    e.scalar(sum, 0));
  }
  static mlir::Value padImage(Emitter &e, mlir::Value image,
                              llvm::ArrayRef<WindowDim> dims,
                              mlir::Value value) {
    return e.padded(image, {0, dims[0].low, dims[1].low, 0},
                    {0, dims[0].high, dims[1].high, 0}, {0, 0, 0, 0}, value);
  }

  Emitter &e;
  std::array<WindowDim, 2> dims;
  llvm::SmallVector<mlir::AffineMap> maps;
  llvm::SmallVector<mlir::utils::IteratorType> iterators;
};

} // namespace weir

#endif // WEIR_PASSES_CODEGEN_LINALG_CONVOLUTION_H

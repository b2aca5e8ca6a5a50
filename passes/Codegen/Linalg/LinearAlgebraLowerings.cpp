//===- LinearAlgebraLowerings.cpp - Matrix products
//--------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "passes/Codegen/Linalg/Lowering.h"

using namespace mlir;

namespace weir {

/// A contraction over (batch..., m, n, k). Batch extents of 1 that broadcast
/// are taken away, so that every map is a projected permutation.
static Value lowerMatmul(MatmulOp op, MatmulOp::Adaptor adaptor, Emitter &e) {
  Value lhs = adaptor.getLhs(), rhs = adaptor.getRhs();
  int64_t lhsRank = Emitter::typeOf(lhs).getRank(),
          rhsRank = Emitter::typeOf(rhs).getRank();
  bool turnLhs = op.getTransposeLhs(), turnRhs = op.getTransposeRhs();
  e.requireEqual(0, lhsRank - (turnLhs ? 2 : 1), 1,
                 rhsRank - (turnRhs ? 1 : 2));
  SmallVector<OpFoldResult> dims = e.broadcastDims(0, 2, /*drop=*/2);
  int64_t batch = dims.size(), loops = batch + 3;
  dims.push_back(e.dim(lhs, lhsRank - (turnLhs ? 1 : 2)));
  dims.push_back(e.dim(rhs, rhsRank - (turnRhs ? 2 : 1)));

  Type element = Emitter::typeOf(lhs).getElementType(),
       wide = accumulator(element);
  Value init = e.filled(dims, e.scalar(wide, 0));
  SmallVector<int64_t> batchShape(
      Emitter::typeOf(init).getShape().drop_back(2));

  auto operand = [&](Value value, unsigned row, unsigned column) {
    SmallVector<int64_t> to(batchShape);
    // The matrix itself never broadcasts.
    to.append({1, 1});
    auto [reduced, map] = e.broadcastOperand(value, to);
    SmallVector<AffineExpr> exprs(map.getResults().drop_back(2));
    exprs.push_back(e.getAffineDimExpr(row));
    exprs.push_back(e.getAffineDimExpr(column));
    return std::pair(reduced, AffineMap::get(loops, 0, exprs, e.getContext()));
  };
  unsigned m = batch, n = batch + 1, k = batch + 2;
  auto [a, aMap] = turnLhs ? operand(lhs, k, m) : operand(lhs, m, k);
  auto [b, bMap] = turnRhs ? operand(rhs, n, k) : operand(rhs, k, n);
  SmallVector<AffineExpr> out;
  for (unsigned i = 0; i < k; ++i)
    out.push_back(e.getAffineDimExpr(i));
  SmallVector<AffineMap> maps{aMap, bMap,
                              AffineMap::get(loops, 0, out, e.getContext())};
  SmallVector<utils::IteratorType> iterators(loops,
                                             utils::IteratorType::parallel);
  iterators.back() = utils::IteratorType::reduction;
  return e.converted(
      e.generic({a, b}, init, maps, iterators, multiplyAdd).front(), element);
}

void addLinearAlgebraLowerings(Lowerings &lowerings) {
  lowerings.add<MatmulOp>(lowerMatmul);
}

} // namespace weir

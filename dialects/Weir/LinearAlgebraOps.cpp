//===- LinearAlgebraOps.cpp - Matrix products
//-----------------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Weir/Shape.h"
#include "dialects/Weir/Weir.h"

using namespace mlir;

namespace weir {

LogicalResult MatmulOp::infer(Adaptor adaptor, InferContext context,
                              SmallVectorImpl<Type> &types) {
  auto lhs = cast<RankedTensorType>(adaptor.getLhs().getType()),
       rhs = cast<RankedTensorType>(adaptor.getRhs().getType());
  // matmul_c1
  if (lhs.getRank() < 2 || rhs.getRank() < 2)
    return context.error() << "[WEIR0030] operands have rank 2 at least, got "
                           << lhs << " and " << rhs;
  if (lhs.getElementType() != rhs.getElementType())
    return context.error() << "[WEIR0021] element types "
                           << lhs.getElementType() << " and "
                           << rhs.getElementType()
                           << " differ; cast one of them";
  ArrayRef<int64_t> a = lhs.getShape().take_back(2),
                    b = rhs.getShape().take_back(2);
  int64_t m = a[adaptor.getTransposeLhs() ? 1 : 0],
          k = a[adaptor.getTransposeLhs() ? 0 : 1];
  int64_t k2 = b[adaptor.getTransposeRhs() ? 1 : 0],
          n = b[adaptor.getTransposeRhs() ? 0 : 1];
  // matmul_c2
  if (!isDynamic(k) && !isDynamic(k2) && k != k2)
    return context.error() << "[WEIR0031] contracts " << k << " columns of "
                           << lhs << " with " << k2 << " rows of " << rhs
                           << "; the two extents have to be equal";
  // matmul_c3
  auto batch =
      broadcast(lhs.getShape().drop_back(2), rhs.getShape().drop_back(2));
  if (!batch)
    return context.error() << "[WEIR0020] batch shapes "
                           << shapeText(lhs.getShape().drop_back(2)) << " and "
                           << shapeText(rhs.getShape().drop_back(2))
                           << " do not broadcast";
  batch->push_back(m);
  batch->push_back(n);
  types.push_back(RankedTensorType::get(*batch, lhs.getElementType()));
  return success();
}

} // namespace weir

//===- LinearAlgebraOps.td - Matrix products -*- tablegen -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LINEAR_ALGEBRA_OPS_TD
#define WEIR_LINEAR_ALGEBRA_OPS_TD

include "dialects/Weir/WeirBase.td"

def Weir_MatmulOp : Weir_PureNode<"matmul",
    (ins Weir_NumberTensor:$lhs, Weir_NumberTensor:$rhs, UnitAttr:$transpose_lhs, UnitAttr:$transpose_rhs),
    Weir_Gradient<[{b.matmulGradientLhs(*this, dy), b.matmulGradientRhs(*this, dy)}]>> {
  let summary = "the product of matrices, or of batches of them";
  let description = [{
    The last two dimensions are the matrices, read transposed where the
    attribute says so; the dimensions before them are a batch and broadcast.

    - (C1) both operands have rank 2 at least and one element type.
    - (C2) the contracted extents are equal.
    - (C3) the batch extents broadcast (see `weir.add`, C2).

    Example:
    ```mlir
    %c = weir.matmul %a, %b {transpose_rhs} : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<2x4xf32>
    ```
  }];
  let results = (outs Weir_NumberTensor:$result);
}

#endif // WEIR_LINEAR_ALGEBRA_OPS_TD

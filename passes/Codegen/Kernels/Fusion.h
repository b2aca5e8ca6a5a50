//===- Fusion.h - What a contraction can take along -------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_PASSES_CODEGEN_KERNELS_FUSION_H
#define WEIR_PASSES_CODEGEN_KERNELS_FUSION_H

#include "passes/Codegen/Kernels/Nest.h"

namespace weir::kernels {

/// The fill that gives the single output of `op` its value, when that is zero
/// and nothing between them touches the output.
linalg::FillOp findZeroFill(linalg::LinalgOp op);

/// Elementwise ops after `op`, in their order, that may run on each element of
/// its output as soon as that is final. Moves allocations that they need before
/// `op`.
SmallVector<linalg::LinalgOp> collectEpilogues(linalg::LinalgOp op);

} // namespace weir::kernels

#endif // WEIR_PASSES_CODEGEN_KERNELS_FUSION_H

//===- MxuFeasible.h - What the accelerator can run -------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The accelerator takes a batch row by row: what it computes of a row, an image
// say, depends on no other row. Placement asks here, and code generation
// refuses for the same reasons.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_ANALYSIS_MXUFEASIBLE_H
#define WEIR_LIB_ANALYSIS_MXUFEASIBLE_H

#include "mlir/IR/BuiltinOps.h"
#include "weir/MxuImage.h"

#include <optional>
#include <string>

namespace weir {

/// The machine that programs of a module are for: what `rt.mxu` says, else the
/// default. Null where there is none of that size.
const mxu::Machine *mxuMachineOf(mlir::ModuleOp module);

/// Elements of a row (of dimension 0), or of all of a scalar; -1 where it is
/// not known.
int64_t rowElements(mlir::RankedTensorType type);

/// How the windows of a quantized_conv2d or quantized_max_pool slide over one
/// image of its operand; of a quantized_matmul, the one window that is its row.
/// `images` is 1. Nothing for other ops, and where extents are not known or too
/// large for the machine.
std::optional<mxu::Window> mxuWindowOf(mlir::Operation *op);

/// Why the accelerator of the module around `op` cannot run the node: the end
/// of a sentence that begins with its name. Nothing where it can.
std::optional<std::string> whyNotOnMxu(mlir::Operation *op);

} // namespace weir

#endif // WEIR_LIB_ANALYSIS_MXUFEASIBLE_H

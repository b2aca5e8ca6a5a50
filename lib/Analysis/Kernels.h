//===- Kernels.h - Which devices can run a node -----------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_ANALYSIS_KERNELS_H
#define WEIR_LIB_ANALYSIS_KERNELS_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace weir {

/// True for declared state: a variable, a queue, a barrier, an accumulator, a
/// reader.
bool isDeclaredState(mlir::Operation *op);

/// Why a device of type `type` ("CPU", "GPU", "MXU") cannot run the node, or
/// hold the state, `op`: the end of a sentence that begins with its name.
/// Nothing where it can.
std::optional<std::string> whyNotOn(mlir::Operation *op, llvm::StringRef type);

/// True where two nodes of a graph's block ask for devices that no device can
/// both be.
bool asksForSeveralDevices(mlir::Block &block);

} // namespace weir

#endif // WEIR_LIB_ANALYSIS_KERNELS_H

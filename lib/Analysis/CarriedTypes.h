//===- CarriedTypes.h - Types of values that are handed on -*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_ANALYSIS_CARRIEDTYPES_H
#define WEIR_LIB_ANALYSIS_CARRIEDTYPES_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace weir {

/// The type of a value that may be one of `a` or of `b`.
mlir::Type joinTypes(mlir::Type a, mlir::Type b);

/// True when `declared` has a rank or an extent that `known` leaves open.
bool claimsMore(mlir::Type declared, mlir::Type known);

/// The types that the operands of a node imply for its results, where the node
/// hands values on as they are: switches, merges, those of loops. Operands of
/// a merge count where `counts` holds. False for any other node.
bool carriedTypes(mlir::Operation *op,
                  llvm::function_ref<bool(mlir::OpOperand &)> counts,
                  llvm::SmallVectorImpl<mlir::Type> &types);

} // namespace weir

#endif // WEIR_LIB_ANALYSIS_CARRIEDTYPES_H

//===- DTypes.h - Element types as the runtime numbers them -*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECTS_WEIR_DTYPES_H
#define WEIR_DIALECTS_WEIR_DTYPES_H

#include "mlir/IR/Types.h"
#include "weir-c/types.h"

namespace weir {

/// The runtime's number of an element type; WEIR_DTYPE_INVALID where it has
/// none. A signless integer is a signed one.
WeirDType dtypeOf(mlir::Type elementType);

/// The element type of a number; null where it is none.
mlir::Type elementTypeOf(mlir::MLIRContext *context, int32_t dtype);

} // namespace weir

#endif // WEIR_DIALECTS_WEIR_DTYPES_H

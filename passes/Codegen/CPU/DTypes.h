//===- DTypes.h - Element types as the runtime numbers them ---===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_PASSES_CODEGEN_CPU_DTYPES_H
#define WEIR_PASSES_CODEGEN_CPU_DTYPES_H

#include "dialects/Weir/Weir.h"
#include "weir-c/types.h"

namespace weir {

/// The runtime's number of an element type; WEIR_DTYPE_INVALID where it has
/// none. A signless integer is a signed one.
inline WeirDType dtypeOf(mlir::Type type) {
  if (type.isF32())
    return WEIR_F32;
  if (type.isF64())
    return WEIR_F64;
  if (type.isF16())
    return WEIR_F16;
  if (type.isBF16())
    return WEIR_BF16;
  if (llvm::isa<StringType>(type))
    return WEIR_STRING;
  auto integer = llvm::dyn_cast<mlir::IntegerType>(type);
  if (!integer)
    return WEIR_DTYPE_INVALID;
  bool isUnsigned = integer.isUnsigned();
  switch (integer.getWidth()) {
  case 1:
    return WEIR_BOOL;
  case 8:
    return isUnsigned ? WEIR_U8 : WEIR_I8;
  case 16:
    return isUnsigned ? WEIR_U16 : WEIR_I16;
  case 32:
    return isUnsigned ? WEIR_U32 : WEIR_I32;
  case 64:
    return isUnsigned ? WEIR_U64 : WEIR_I64;
  default:
    return WEIR_DTYPE_INVALID;
  }
}

} // namespace weir

#endif // WEIR_PASSES_CODEGEN_CPU_DTYPES_H

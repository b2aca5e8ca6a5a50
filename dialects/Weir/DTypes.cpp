//===- DTypes.cpp - Element types as the runtime numbers them -===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Weir/DTypes.h"

#include "dialects/Weir/Weir.h"

using namespace mlir;

namespace weir {

static constexpr WeirDType dtypes[] = {
    WEIR_F32, WEIR_F64, WEIR_F16, WEIR_BF16, WEIR_BOOL, WEIR_I8,  WEIR_I16,
    WEIR_I32, WEIR_I64, WEIR_U8,  WEIR_U16,  WEIR_U32,  WEIR_U64, WEIR_STRING};

Type elementTypeOf(MLIRContext *context, int32_t dtype) {
  auto integer = [&](unsigned width, bool isUnsigned = false) {
    return IntegerType::get(context, width,
                            isUnsigned ? IntegerType::Unsigned
                                       : IntegerType::Signless);
  };
  switch (dtype) {
  case WEIR_F32:
    return Float32Type::get(context);
  case WEIR_F64:
    return Float64Type::get(context);
  case WEIR_F16:
    return Float16Type::get(context);
  case WEIR_BF16:
    return BFloat16Type::get(context);
  case WEIR_BOOL:
    return integer(1);
  case WEIR_I8:
    return integer(8);
  case WEIR_I16:
    return integer(16);
  case WEIR_I32:
    return integer(32);
  case WEIR_I64:
    return integer(64);
  case WEIR_U8:
    return integer(8, true);
  case WEIR_U16:
    return integer(16, true);
  case WEIR_U32:
    return integer(32, true);
  case WEIR_U64:
    return integer(64, true);
  case WEIR_STRING:
    return StringType::get(context);
  default:
    return {};
  }
}

WeirDType dtypeOf(Type elementType) {
  // One table serves both ways; types are unique, so that comparing is cheap.
  for (WeirDType dtype : dtypes)
    if (elementTypeOf(elementType.getContext(), dtype) == elementType)
      return dtype;
  return WEIR_DTYPE_INVALID;
}

} // namespace weir

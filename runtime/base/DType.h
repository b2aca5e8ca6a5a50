//===- DType.h - The table of element types ---------------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One row per WeirDType, in runtime/base/DType.cpp; everything that depends on
// an element type reads it from there.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_BASE_DTYPE_H
#define WEIR_RUNTIME_BASE_DTYPE_H

#include "weir-c/types.h"

#include <cstddef>
#include <string_view>

namespace weir::rt {

enum class DTypeKind : uint8_t { Float, Signed, Unsigned, Bool, String };

struct DTypeInfo {
  WeirDType dtype;
  /// As written in a graph: "f32", "i1", "!weir.string".
  const char *name;
  /// As in the header of an .npy file (NumPy's `descr`), or null.
  const char *npy;
  /// Bytes of an element in memory.
  int32_t size;
  DTypeKind kind;
};

/// The row of `dtype`, or null when there is none.
const DTypeInfo *dtypeInfo(int32_t dtype);

/// The row whose npy spelling is `descr`, or null.
const DTypeInfo *dtypeFromNpy(std::string_view descr);

/// All rows, for exhaustive tests and tables.
const DTypeInfo *dtypeTable(size_t &count);

} // namespace weir::rt

#endif // WEIR_RUNTIME_BASE_DTYPE_H

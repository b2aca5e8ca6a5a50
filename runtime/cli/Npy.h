//===- Npy.h - Arrays in NumPy's file format --------------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Versions 1 to 3, every element type of ours that NumPy has, C and Fortran
// order (the latter is transposed). A file may hold anything: an error names it
// and says what is wrong.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_CLI_NPY_H
#define WEIR_RUNTIME_CLI_NPY_H

#include "runtime/base/DType.h"
#include "runtime/core/Tensor.h"

#include <string>

namespace weir::rt {

/// No header is longer, with the magic before it: NumPy itself refuses to read
/// longer ones from strangers.
constexpr int64_t kMaxNpyHeaderBytes = 10000 + 12;

/// What the header of a file says.
struct NpyHeader {
  const DTypeInfo *info = nullptr;
  bool fortran = false;
  int32_t rank = 0;
  int64_t dims[WEIR_MAX_RANK];
  int64_t dataOffset = 0;
};

/// The header in the first `size` bytes of a file of `fileSize` bytes, which
/// has the data that the header promises.
Status parseNpyHeader(const std::string &name, const char *bytes, int64_t size,
                      int64_t fileSize, NpyHeader &header);

/// Reads a file of at most kMaxBytes.
Status readNpy(const std::string &path, TensorRef &tensor);

/// The array in `size` bytes; `name` stands for the file in messages.
Status parseNpy(const std::string &name, const void *bytes, int64_t size,
                TensorRef &tensor);

/// Writes a file (version 1, C order), whole or not at all. Strings have no
/// place in it.
Status writeNpy(const std::string &path, const WeirView &view);

} // namespace weir::rt

#endif // WEIR_RUNTIME_CLI_NPY_H

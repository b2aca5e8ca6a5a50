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

#include "runtime/core/Tensor.h"

#include <string>

namespace weir::rt {

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

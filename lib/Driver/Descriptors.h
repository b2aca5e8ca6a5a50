//===- Descriptors.h - Signatures as a program's descriptor -----*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What runs entry points otherwise than as compiled code in this process
// describes them as compiled code does.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_DRIVER_DESCRIPTORS_H
#define WEIR_LIB_DRIVER_DESCRIPTORS_H

#include "lib/Driver/Driver.h"

namespace weir {

/// Entry points without code, and what their descriptors point to.
class Descriptors {
public:
  Descriptors(const char *name, std::vector<EntrySignature> signatures);
  Descriptors(const Descriptors &) = delete;
  Descriptors &operator=(const Descriptors &) = delete;

  const WeirProgram &get() const { return program; }

private:
  const WeirTensorDesc *add(const std::vector<TensorSignature> &tensors);

  std::vector<EntrySignature> signatures;
  std::vector<std::unique_ptr<std::vector<WeirTensorDesc>>> tables;
  std::vector<WeirEntryDesc> entries;
  WeirProgram program{};
};

} // namespace weir

#endif // WEIR_LIB_DRIVER_DESCRIPTORS_H

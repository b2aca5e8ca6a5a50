//===- Program.h - Is this program fit to run here? -------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_CORE_PROGRAM_H
#define WEIR_RUNTIME_CORE_PROGRAM_H

#include "runtime/base/Status.h"
#include "weir-c/program.h"

#include <string_view>
#include <vector>

namespace weir::rt {

/// Checks the ABI number, every descriptor (names, element types, ranks,
/// extents, devices, parts) and that this processor has the features that the
/// code needs.
Status checkProgram(const WeirProgram *program);

/// The names of the entry points, in order; not of those that are parts.
std::vector<std::string_view> entryNames(const WeirProgram &program);

/// The index of the entry point `name`; NOT_FOUND names the known ones.
Status findEntry(const WeirProgram &program, const char *name, int32_t &index);

/// The names of `count` descriptors.
std::vector<std::string_view> descNames(const WeirTensorDesc *descs,
                                        int32_t count);

/// Checks a view against what feed `feed` of `entry` declares.
Status checkFeed(const WeirEntryDesc &entry, const WeirTensorDesc &feed,
                 const WeirView &view);

/// True when the view's type is one that the descriptor allows; cheap.
inline bool matches(const WeirTensorDesc &desc, const WeirView &view) {
  if (desc.dtype != view.dtype)
    return false;
  if (desc.rank != view.rank)
    return desc.rank == -1;
  for (int32_t i = 0; i < desc.rank; ++i)
    if (view.dims[i] != desc.dims[i] && desc.dims[i] != -1)
      return false;
  return true;
}

/// In words, how the view's type differs from the descriptor's ("dimension 1 is
/// 63, not 64").
std::string describeMismatch(const WeirTensorDesc &desc, const WeirView &view);

} // namespace weir::rt

#endif // WEIR_RUNTIME_CORE_PROGRAM_H

//===- Files.h - Files written whole or not at all ------------ -*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_SUPPORT_FILES_H
#define WEIR_LIB_SUPPORT_FILES_H

#include "lib/Support/Messages.h"

namespace weir {

/// Writes `content` to `path` through a temporary file beside it, so that a
/// reader never sees a part of it; "-" is standard output. An error names the
/// file and what the system said.
bool writeFile(const std::string &path, std::string_view content,
               Messages &messages);

/// A name for a temporary file beside `path`, for somebody else to write.
/// Empty on failure.
std::string temporaryBeside(const std::string &path, Messages &messages);

/// Puts the temporary file in the place of `path`, or removes it on failure.
bool commitTemporary(const std::string &temporary, const std::string &path,
                     Messages &messages);

} // namespace weir

#endif // WEIR_LIB_SUPPORT_FILES_H

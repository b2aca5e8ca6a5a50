//===- CheckMessage.h - What a failed check says ----------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_CORE_CHECKMESSAGE_H
#define WEIR_RUNTIME_CORE_CHECKMESSAGE_H

#include "runtime/base/Status.h"

#include <cstdint>

namespace weir::rt {

/// The error of a check of generated code: `format` with "{0}" and "{1}"
/// replaced, behind its error code and `node`.
Status checkFailed(int32_t code, const char *node, const char *format,
                   int64_t a, int64_t b);

} // namespace weir::rt

#endif // WEIR_RUNTIME_CORE_CHECKMESSAGE_H

//===- CStatus.h - From Status to the C interface's WeirStatus --*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_CORE_CSTATUS_H
#define WEIR_RUNTIME_CORE_CSTATUS_H

#include "runtime/base/Status.h"
#include "weir-c/session.h"

namespace weir::rt {

/// Sets `out`, dropping a message it held, and returns its code. A message that
/// cannot be copied for want of memory is left out; the code stays.
int32_t setStatus(WeirStatus *out, const Status &status);

} // namespace weir::rt

#endif // WEIR_RUNTIME_CORE_CSTATUS_H

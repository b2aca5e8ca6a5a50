//===- CStatus.cpp - From Status to the C interface's WeirStatus ----------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/core/CStatus.h"

#include <cstdlib>
#include <cstring>

using namespace weir::rt;

int32_t weir::rt::setStatus(WeirStatus *out, const Status &status) {
  if (out->message)
    weir_status_clear(out);
  out->code = status.code();
  if (!status.ok())
    out->message = strdup(status.message());
  return out->code;
}

void weir_status_clear(WeirStatus *status) {
  std::free(status->message);
  status->code = WEIR_OK;
  status->message = nullptr;
}

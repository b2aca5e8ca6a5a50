//===- CheckMessage.cpp - What a failed check says ------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/core/CheckMessage.h"
#include "runtime/base/Format.h"

#include <cstring>

using namespace weir::rt;

Status weir::rt::checkFailed(int32_t code, const char *node, const char *format,
                             int64_t a, int64_t b) {
  // The code of the error, where the format has one, goes before the node.
  std::string prefix = "[WEIR0312] ", text;
  if (const char *end = std::strchr(format, ']');
      end && std::strncmp(format, "[WEIR", 5) == 0) {
    prefix.assign(format, end + 1);
    prefix += ' ';
    format = end[1] == ' ' ? end + 2 : end + 1;
  }
  for (const char *c = format; *c; ++c) {
    if (c[0] == '{' && (c[1] == '0' || c[1] == '1') && c[2] == '}') {
      text += str(c[1] == '0' ? a : b);
      c += 2;
    } else {
      text += *c;
    }
  }
  return Status(static_cast<WeirCode>(code), str(prefix, node, ": ", text));
}

//===- Status.h - Errors as values ------------------------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A Status is OK (one null pointer, no allocation) or a WeirCode with a
// message. The runtime throws nothing: every function that can fail returns
// one. Not shared between threads.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_BASE_STATUS_H
#define WEIR_RUNTIME_BASE_STATUS_H

#include "weir-c/types.h"

#include <memory>
#include <string>
#include <utility>

namespace weir::rt {

class [[nodiscard]] Status {
public:
  Status() = default;
  Status(WeirCode code, std::string message)
      : rep(code == WEIR_OK ? nullptr : new Rep{code, std::move(message)}) {}

  bool ok() const { return !rep; }
  WeirCode code() const { return rep ? rep->code : WEIR_OK; }
  const char *message() const { return rep ? rep->message.c_str() : ""; }

  /// A second one of it, for who tells of an error in several places.
  Status copy() const { return Status(code(), message()); }

  /// The same error with `context` put before its text (behind its
  /// "[WEIRnnnn] ", which stays first).
  Status withContext(const std::string &context) && {
    if (rep)
      rep->message.insert(
          rep->message.compare(0, 5, "[WEIR") == 0 ? sizeof("[WEIRnnnn]") : 0,
          context);
    return std::move(*this);
  }

  /// The same error with `number` ("[WEIR0316] ") in front, unless it has one.
  Status withNumber(const char *number) && {
    if (rep && rep->message.compare(0, 5, "[WEIR") != 0)
      rep->message.insert(0, number);
    return std::move(*this);
  }

private:
  struct Rep {
    WeirCode code;
    std::string message;
  };
  std::unique_ptr<Rep> rep;
};

} // namespace weir::rt

#define WEIR_RETURN_IF_ERROR(expr)                                             \
  do {                                                                         \
    if (::weir::rt::Status weirStatus = (expr); !weirStatus.ok())              \
      return weirStatus;                                                       \
  } while (false)

#endif // WEIR_RUNTIME_BASE_STATUS_H

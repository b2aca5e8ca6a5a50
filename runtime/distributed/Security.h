//===- Security.h - Who may reach a task ------------------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_DISTRIBUTED_SECURITY_H
#define WEIR_RUNTIME_DISTRIBUTED_SECURITY_H

#include <string>

namespace weir::rt {

/// Files of mutual TLS (PEM), all three or none.
struct TlsFiles {
  std::string cert, key, ca;

  bool isSet() const { return !cert.empty() || !key.empty() || !ca.empty(); }
};

/// Only this machine can reach it.
bool isLoopback(const std::string &host);

} // namespace weir::rt

#endif // WEIR_RUNTIME_DISTRIBUTED_SECURITY_H

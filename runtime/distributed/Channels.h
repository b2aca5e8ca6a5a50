//===- Channels.h - Connections between tasks -------------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How a task listens and how it is reached: which addresses, whether encrypted,
// and when a connection counts as dead. A gRPC call without keepalive waits for
// ever on a peer that was stopped, and two servers share a port silently; so
// every channel and server is made here.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_DISTRIBUTED_CHANNELS_H
#define WEIR_RUNTIME_DISTRIBUTED_CHANNELS_H

#include "runtime/base/Status.h"
#include "runtime/distributed/Security.h"

#include <grpcpp/channel.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server_builder.h>
#include <memory>
#include <string>

namespace weir::rt {

/// The contents of them.
struct TlsKeys {
  bool isSet = false;
  std::string cert, key, ca;
};

/// INVALID_ARGUMENT [WEIR0384] where one is missing or cannot be read.
Status readTlsFiles(const TlsFiles &files, TlsKeys &keys);

std::shared_ptr<grpc::Channel> makeChannel(const std::string &address,
                                           const TlsKeys &keys,
                                           int64_t keepaliveMs);

void setServerArguments(grpc::ServerBuilder &builder, int64_t keepaliveMs);
std::shared_ptr<grpc::ServerCredentials>
makeServerCredentials(const TlsKeys &keys);

} // namespace weir::rt

#endif // WEIR_RUNTIME_DISTRIBUTED_CHANNELS_H

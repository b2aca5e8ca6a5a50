//===- Channels.cpp - Connections between tasks ---------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/distributed/Channels.h"
#include "runtime/base/Format.h"
#include "runtime/distributed/Wire.h"

#include <fstream>
#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <sstream>

using namespace weir::rt;

static Status readKeyFile(const char *option, const std::string &path,
                          std::string &text) {
  if (path.empty())
    return Status(WEIR_INVALID_ARGUMENT,
                  str("[WEIR0384] TLS wants a certificate, its key and the "
                      "authority's certificate (--tls-cert, --tls-key, "
                      "--tls-ca); ",
                      option, " is missing"));
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  if (!file || !(bytes << file.rdbuf()) || bytes.str().empty())
    return Status(WEIR_INVALID_ARGUMENT,
                  str("[WEIR0384] cannot read '", path, "' (", option, ")"));
  text = bytes.str();
  if (text.find("-----BEGIN ") == std::string::npos)
    return Status(WEIR_INVALID_ARGUMENT,
                  str("[WEIR0384] '", path, "' (", option, ") is no PEM file"));
  return Status();
}

Status weir::rt::readTlsFiles(const TlsFiles &files, TlsKeys &keys) {
  if (!files.isSet())
    return Status();
  WEIR_RETURN_IF_ERROR(readKeyFile("--tls-cert", files.cert, keys.cert));
  WEIR_RETURN_IF_ERROR(readKeyFile("--tls-key", files.key, keys.key));
  WEIR_RETURN_IF_ERROR(readKeyFile("--tls-ca", files.ca, keys.ca));
  keys.isSet = true;
  return Status();
}

bool weir::rt::isLoopback(const std::string &host) {
  return host == "localhost" || host == "::1" || host.rfind("127.", 0) == 0;
}

/// What may be under way of a stream before the other side has asked for more.
/// gRPC would find it out by a ping after each message.
constexpr int kWindowBytes = 8 << 20;

std::shared_ptr<grpc::Channel> weir::rt::makeChannel(const std::string &address,
                                                     const TlsKeys &keys,
                                                     int64_t keepaliveMs) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(static_cast<int>(kMaxMessageBytes));
  arguments.SetMaxSendMessageSize(-1);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, static_cast<int>(keepaliveMs));
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS,
                   static_cast<int>(keepaliveMs));
  arguments.SetInt(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  // A task that starts again should be found soon.
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
  // How long making a connection may take, too: a peer may be busy, or far.
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 5000);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 1000);
  // What every call would pass through for nothing: steps are not tried again,
  // and tensors do not compress.
  arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
  arguments.SetInt(GRPC_ARG_HTTP2_BDP_PROBE, 0);
  arguments.SetInt(GRPC_ARG_HTTP2_STREAM_LOOKAHEAD_BYTES, kWindowBytes);
  arguments.SetInt(GRPC_ARG_ENABLE_PER_MESSAGE_COMPRESSION, 0);
  arguments.SetInt(GRPC_ARG_ENABLE_PER_MESSAGE_DECOMPRESSION, 0);
  // Tasks reach each other directly, whatever the environment says of the web.
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  std::shared_ptr<grpc::ChannelCredentials> credentials;
  if (keys.isSet)
    credentials = grpc::SslCredentials({keys.ca, keys.key, keys.cert});
  else
    credentials = grpc::InsecureChannelCredentials();
  return grpc::CreateCustomChannel(address, credentials, arguments);
}

void weir::rt::setServerArguments(grpc::ServerBuilder &builder,
                                  int64_t keepaliveMs) {
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS,
                             static_cast<int>(keepaliveMs));
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS,
                             static_cast<int>(keepaliveMs));
  // Clients choose how often they ping.
  builder.AddChannelArgument(
      GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 10);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PING_STRIKES, 0);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_BDP_PROBE, 0);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_STREAM_LOOKAHEAD_BYTES,
                             kWindowBytes);
  builder.AddChannelArgument(GRPC_ARG_ENABLE_PER_MESSAGE_COMPRESSION, 0);
  builder.AddChannelArgument(GRPC_ARG_ENABLE_PER_MESSAGE_DECOMPRESSION, 0);
  builder.SetMaxReceiveMessageSize(static_cast<int>(kMaxMessageBytes));
  builder.SetMaxSendMessageSize(-1);
}

std::shared_ptr<grpc::ServerCredentials>
weir::rt::makeServerCredentials(const TlsKeys &keys) {
  if (!keys.isSet)
    return grpc::InsecureServerCredentials();
  grpc::SslServerCredentialsOptions options(
      GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  options.pem_root_certs = keys.ca;
  options.pem_key_cert_pairs.push_back({keys.key, keys.cert});
  return grpc::SslServerCredentials(options);
}

//===- WorkerServer.cpp - One task of a cluster ---------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/distributed/WorkerServer.h"
#include "runtime/base/Format.h"
#include "runtime/distributed/WorkerService.h"

#include <cerrno>
#include <cstring>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

using namespace weir::rt;

namespace {

class GrpcServer final : public WorkerServer {
public:
  GrpcServer(const WorkerOptions &options, TlsKeys keys)
      : service(options, std::move(keys)) {}
  ~GrpcServer() override { GrpcServer::stop(); }

  Status listen(const WorkerOptions &options, const TlsKeys &keys);

  const std::string &address() const override { return text; }
  int32_t port() const override { return number; }
  uint64_t incarnation() const override { return service.incarnation; }
  void stop() override;
  bool waitForShutdown(int64_t ms) override {
    return service.waitForShutdown(ms);
  }
  Statistics statistics() const override {
    return service.sessions.statistics();
  }

private:
  // In the order in which they begin; they end the other way round.
  grpc::AsyncGenericService calls;
  std::unique_ptr<EventLoop> loop;
  WorkerService service;
  std::unique_ptr<grpc::Server> server;
  std::string text;
  int32_t number = 0;
  std::mutex stopping;
};

} // namespace

/// Why nobody can listen there, in the system's words; empty where one can.
/// gRPC does not tell.
static std::string whyNotListen(const std::string &host, int32_t port) {
  addrinfo hints = {}, *found = nullptr;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  hints.ai_socktype = SOCK_STREAM;
  if (int error = getaddrinfo(host.c_str(), str(port).c_str(), &hints, &found))
    return gai_strerror(error);
  std::string reason;
  int fd = socket(found->ai_family, found->ai_socktype | SOCK_CLOEXEC, 0);
  int yes = 1;
  if (fd < 0 ||
      setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) != 0 ||
      bind(fd, found->ai_addr, found->ai_addrlen) != 0)
    reason = strerror(errno);
  if (fd >= 0)
    close(fd);
  freeaddrinfo(found);
  return reason;
}

static Status checkListen(const WorkerOptions &options, std::string &host,
                          int32_t &port) {
  WEIR_RETURN_IF_ERROR(splitAddress(options.listen, host, port));
  if (!isLoopback(host) && !options.tls.isSet() && !options.insecureNetwork)
    return Status(
        WEIR_INVALID_ARGUMENT,
        str("[WEIR0384] '", options.listen,
            "' can be reached from other machines, and whoever reaches a task "
            "can run code in it; give --tls-cert, --tls-key and --tls-ca, or "
            "--insecure-network where the network is trusted"));
  std::string reason = whyNotListen(host, port);
  if (!reason.empty())
    return Status(WEIR_UNAVAILABLE,
                  str("[WEIR0385] task ", options.task.text(),
                      " cannot listen on ", options.listen, ": ", reason));
  return Status();
}

Status GrpcServer::listen(const WorkerOptions &options, const TlsKeys &keys) {
  std::string host;
  int32_t port = 0;
  WEIR_RETURN_IF_ERROR(checkListen(options, host, port));
  grpc::ServerBuilder builder;
  setServerArguments(builder, options.keepaliveMs);
  builder.AddListeningPort(options.listen, makeServerCredentials(keys),
                           &number);
  builder.RegisterAsyncGenericService(&calls);
  std::unique_ptr<grpc::ServerCompletionQueue> made =
      builder.AddCompletionQueue();
  grpc::ServerCompletionQueue &queue = *made;
  server = builder.BuildAndStart();
  // A server that did not start has a queue to be emptied too.
  loop = std::make_unique<EventLoop>(std::move(made));
  if (!server || number <= 0)
    return Status(WEIR_UNAVAILABLE,
                  str("[WEIR0385] task ", options.task.text(),
                      " cannot listen on ", options.listen,
                      keys.isSet ? "; do the TLS files belong together?" : ""));
  service.serve(calls, *loop, queue);
  text = host.find(':') == std::string::npos ? str(host, ":", number)
                                             : str("[", host, "]:", number);
  return Status();
}

void GrpcServer::stop() {
  std::lock_guard<std::mutex> lock(stopping);
  if (!server)
    return;
  service.interrupt();
  // Steps end first, so that their callers are told why.
  service.sessions.stop();
  service.closeStreams();
  server->Shutdown(std::chrono::system_clock::now() + std::chrono::seconds(1));
  server->Wait();
  // What is still under way uses the service.
  loop.reset();
  server.reset();
}

Status WorkerServer::start(const WorkerOptions &options,
                           std::unique_ptr<WorkerServer> &server) {
  TlsKeys keys;
  WEIR_RETURN_IF_ERROR(readTlsFiles(options.tls, keys));
  std::unique_ptr<GrpcServer> made =
      std::make_unique<GrpcServer>(options, keys);
  WEIR_RETURN_IF_ERROR(made->listen(options, keys));
  server = std::move(made);
  return Status();
}

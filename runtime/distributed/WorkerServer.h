//===- WorkerServer.h - One task of a cluster -------------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Serves the protocol of worker.proto: takes programs, runs their steps, hands
// tensors to the other tasks. A client that goes away ends its steps at once
// (its connection closes) or when its time is over (it says nothing any more).
//
// It listens on loopback only, unless told otherwise by an address and either
// mutual TLS or the word that the network is trusted: whoever reaches a task
// can run code in it.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_DISTRIBUTED_WORKERSERVER_H
#define WEIR_RUNTIME_DISTRIBUTED_WORKERSERVER_H

#include "runtime/base/Status.h"
#include "runtime/distributed/ClusterSpec.h"
#include "runtime/distributed/Security.h"

#include <memory>
#include <string>
#include <vector>

namespace weir::rt {

struct WorkerOptions {
  TaskId task;
  /// "host:port"; port 0 is any that is free.
  std::string listen = "127.0.0.1:0";
  /// An address that others can reach is meant, also without TLS.
  bool insecureNetwork = false;
  TlsFiles tls;
  /// What it says it has, as "CPU:0".
  std::vector<std::string> devices = {"CPU:0"};
  /// A session whose client says nothing for so long is closed.
  int64_t sessionTimeToLiveMs = 60000;
  /// A step that was never begun, or that failed, is forgotten after so long.
  int64_t stepTimeToLiveMs = 60000;
  /// A connection on which nothing comes back for so long is dead.
  int64_t keepaliveMs = 5000;
};

/// Safe to use from several threads, but for its destruction.
class WorkerServer {
public:
  /// INVALID_ARGUMENT [WEIR0384] for an address or TLS files that will not do,
  /// UNAVAILABLE [WEIR0385] where it cannot listen (the port is taken).
  static Status start(const WorkerOptions &options,
                      std::unique_ptr<WorkerServer> &server);
  /// Stops.
  virtual ~WorkerServer() = default;

  /// "host:port", with the port that it has.
  virtual const std::string &address() const = 0;
  virtual int32_t port() const = 0;
  /// Another number for each start of a task.
  virtual uint64_t incarnation() const = 0;

  /// Ends all steps with UNAVAILABLE, closes all sessions, and gives the port
  /// back. Returns within 5 s where the steps' code does.
  virtual void stop() = 0;
  /// Waits so long (-1: for ever) until a client asks it to stop; says whether
  /// one has.
  virtual bool waitForShutdown(int64_t ms) = 0;

  struct Statistics {
    int64_t sessions = 0;
    /// Steps that are in a table, and questions to other tasks.
    int64_t steps = 0, pulls = 0;
  };
  virtual Statistics statistics() const = 0;

protected:
  WorkerServer() = default;
};

} // namespace weir::rt

#endif // WEIR_RUNTIME_DISTRIBUTED_WORKERSERVER_H

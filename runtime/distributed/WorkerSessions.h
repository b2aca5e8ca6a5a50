//===- WorkerSessions.h - The sessions of a task ----------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All clients' sessions, and the thread that closes them: when the client asks
// for it, when it has said nothing for too long, when the task stops. Closing
// waits for steps, so the thread that answers calls does not do it. What else
// takes time has another thread.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_DISTRIBUTED_WORKERSESSIONS_H
#define WEIR_RUNTIME_DISTRIBUTED_WORKERSESSIONS_H

#include "runtime/distributed/WorkerServer.h"
#include "runtime/distributed/WorkerSession.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <thread>

namespace weir::rt {

class WorkerSessions {
public:
  WorkerSessions(int64_t sessionMs, int64_t stepMs);
  ~WorkerSessions() { stop(); }

  /// ALREADY_EXISTS [WEIR0390] for an id that is there.
  Status add(std::shared_ptr<WorkerSession> session);
  /// NOT_FOUND [WEIR0390]; `session` has been heard of.
  Status find(uint64_t id, std::shared_ptr<WorkerSession> &session);
  /// Closes a session, and calls `done` then.
  void close(uint64_t id, std::function<void()> done);
  /// Does `job` on a thread of its own, after those that came before it.
  void later(std::function<void()> job);
  /// Closes all; nothing is added any more.
  void stop();

  WorkerServer::Statistics statistics() const;

private:
  struct Closing {
    std::shared_ptr<WorkerSession> session;
    std::string reason;
    std::function<void()> done;
  };
  void work();
  void sweep();
  void workLater();

  const int64_t sessionMs, stepMs;
  mutable std::mutex mutex;
  std::condition_variable changed;
  std::map<uint64_t, std::shared_ptr<WorkerSession>> sessions;
  std::vector<Closing> closing;
  std::deque<std::function<void()>> jobs;
  bool stopping = false;
  std::thread thread, jobThread;
};

} // namespace weir::rt

#endif // WEIR_RUNTIME_DISTRIBUTED_WORKERSESSIONS_H

//===- WorkerSession.h - What one client has in a task ----------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A client's programs in this task, the state that they share (variables,
// queues), and its steps. Safe to use from several threads.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_DISTRIBUTED_WORKERSESSION_H
#define WEIR_RUNTIME_DISTRIBUTED_WORKERSESSION_H

#include "runtime/distributed/LoadedProgram.h"
#include "runtime/distributed/StepTable.h"
#include "weir-c/session.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

namespace weir::rt {

class WorkerSession {
public:
  explicit WorkerSession(std::shared_ptr<const SessionCluster> cluster);
  /// close() has been called.
  ~WorkerSession() = default;

  uint64_t id() const { return cluster->session; }
  const TaskId &task() const { return cluster->peers[cluster->own].id; }
  const SessionCluster &tasks() const { return *cluster; }
  StepTable &steps() { return *table; }

  /// Loads a program; `handle` names it from then on.
  Status add(const std::string &bytes, int64_t &handle);
  /// NOT_FOUND [WEIR0390] for a handle that add has not given.
  Status find(int64_t handle, WeirSession *&session);

  /// Brackets a step, so that close() waits for it. False once closed.
  bool enter();
  void leave();

  /// The client has been heard of.
  void touch() { lastSeen = now(); }
  /// For so long it has not, and nothing runs.
  int64_t idleMs() const;

  /// Ends all steps with the reason, waits for them, and unloads the programs.
  /// Not from a thread that steps or calls run on.
  void close(const Failure &reason);

private:
  static int64_t now();

  const std::shared_ptr<const SessionCluster> cluster;
  const std::shared_ptr<StepTable> table;
  std::atomic<int64_t> lastSeen{0};

  struct Program {
    std::unique_ptr<LoadedProgram> code;
    WeirSession *session;
  };
  mutable std::mutex mutex;
  std::condition_variable left;
  std::vector<Program> programs;
  int64_t running = 0;
  bool closed = false;
};

} // namespace weir::rt

#endif // WEIR_RUNTIME_DISTRIBUTED_WORKERSESSION_H

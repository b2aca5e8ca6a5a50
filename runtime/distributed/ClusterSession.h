//===- ClusterSession.h - A client of a cluster -----------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A session has programs and state in each task of a cluster. Its client is the
// master of its steps: it starts a step in all tasks that have a part of it,
// and the tasks fetch each other's tensors by themselves.
//
// A step that fails anywhere ends everywhere, with the error that was the first
// cause. A task that has gone (its connection closed) or that does not answer a
// heartbeat is lost: steps that it has a part in end within two heartbeats with
// UNAVAILABLE [WEIR0388], which names the task and the step. Steps of other
// tasks go on. A lost task that was started again comes back by reconnect(),
// without its state.
//
// Safe to use from several threads; steps may run side by side.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_DISTRIBUTED_CLUSTERSESSION_H
#define WEIR_RUNTIME_DISTRIBUTED_CLUSTERSESSION_H

#include "runtime/base/Status.h"
#include "runtime/core/Cancellation.h"
#include "runtime/core/Tensor.h"
#include "runtime/distributed/ClusterSpec.h"
#include "runtime/distributed/Security.h"
#include "runtime/trace/TraceFile.h"

#include <memory>
#include <string>
#include <vector>

namespace weir::rt {

struct ClusterOptions {
  /// How long connecting, or bringing a task back, may take.
  int64_t connectTimeoutMs = 30000;
  /// A task that does not answer is lost within twice as long: it is asked
  /// twice in this time whether it is there, and has one and a half of it to
  /// answer.
  int64_t heartbeatMs = 1000;
  TlsFiles tls;
};

struct ClusterRunOptions {
  /// The step is over after so long; 0 is never.
  int64_t timeoutMs = 0;
  /// Ends the step; may be null.
  CancellationToken *cancellation = nullptr;
  /// Prints once on stderr what waits, where nothing runs in any task for so
  /// long [WEIR0327]; 0 is never.
  int64_t stallReportMs = 0;
};

class ClusterSession {
public:
  /// Reaches every task and opens a session there. UNAVAILABLE [WEIR0387] names
  /// the tasks that do not answer; FAILED_PRECONDITION [WEIR0386] for one of
  /// another version, [WEIR0381] for one that is another task.
  static Status connect(const ClusterSpec &spec, const ClusterOptions &options,
                        std::unique_ptr<ClusterSession> &session);
  /// Closes the session in the tasks that answer.
  virtual ~ClusterSession() = default;

  /// Loads one shared object in each task: `programs[i]` has the bytes of that
  /// for task i of the spec, "" where it has no part. They are linked without
  /// the runtime, and have under an entry's name what their task has of it.
  /// `set` names all of them together. Sets share the state of the session.
  virtual Status registerPrograms(std::vector<std::string> programs,
                                  int32_t &set) = 0;

  struct Entry {
    std::string name;
    std::vector<std::string> feeds, fetches;
    /// The tasks that have a part of it, as in the spec.
    std::vector<int32_t> tasks;
  };
  virtual std::vector<Entry> entries(int32_t set) const = 0;

  struct Feed {
    std::string name;
    /// Read only, and only during the call.
    WeirView value;
  };
  /// Runs one step of `entry`. Every feed of it is given; `results` gets a
  /// tensor for each of `fetches`. NOT_FOUND or INVALID_ARGUMENT [WEIR0394]
  /// for names that are not those of the entry.
  virtual Status run(int32_t set, const std::string &entry,
                     const std::vector<Feed> &feeds,
                     const std::vector<std::string> &fetches,
                     std::vector<TensorRef> &results,
                     const ClusterRunOptions &options = {}) = 0;

  /// Looks for the tasks that were lost: those that were started again get
  /// their programs, and have no state.
  virtual Status reconnect() = 0;
  /// Names of the tasks that are lost now.
  virtual std::vector<std::string> lostTasks() const = 0;

  /// Traces of all tasks; what comes back has the tasks in order, with what
  /// their clocks lack against this process's.
  virtual Status startTrace() = 0;
  virtual Status stopTrace(std::vector<TracePart> &parts) = 0;

  /// Asks all tasks to end their process's service.
  virtual Status shutdownTasks() = 0;

protected:
  ClusterSession() = default;
};

} // namespace weir::rt

#endif // WEIR_RUNTIME_DISTRIBUTED_CLUSTERSESSION_H

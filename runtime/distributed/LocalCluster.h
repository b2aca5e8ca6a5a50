//===- LocalCluster.h - A cluster of processes on this machine --*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Starts a weir-worker for each task, on loopback ports that are free, and ends
// them with this object; they also end when this process does, however it ends.
//
// Not safe to use from several threads at a time, but for spec().
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_DISTRIBUTED_LOCALCLUSTER_H
#define WEIR_RUNTIME_DISTRIBUTED_LOCALCLUSTER_H

#include "runtime/base/Status.h"
#include "runtime/distributed/ClusterSpec.h"

#include <memory>
#include <string>
#include <sys/types.h>
#include <vector>

namespace weir::rt {

struct LocalClusterOptions {
  std::vector<JobCount> jobs;
  /// The weir-worker to run; "" for $WEIR_WORKER, the one beside this program,
  /// or the one in PATH.
  std::string worker;
  /// For each worker besides what it needs, as "--devices=GPU=emulate".
  std::vector<std::string> arguments;
  int64_t startTimeoutMs = 60000;
};

class LocalCluster {
public:
  /// UNAVAILABLE [WEIR0395] with what a worker said that did not start.
  static Status start(const LocalClusterOptions &options,
                      std::unique_ptr<LocalCluster> &cluster);
  /// stop(), without its error.
  ~LocalCluster();

  const ClusterSpec &spec() const { return clusterSpec; }
  pid_t pid(int32_t task) const { return at(task).pid; }

  /// Ends a task at once (SIGKILL).
  Status kill(int32_t task);
  /// Starts a task that was killed again, with the same address.
  Status restart(int32_t task);
  /// Sends a signal, as SIGSTOP or SIGCONT.
  Status signal(int32_t task, int number);
  /// Ends all tasks, cleanly where they do within 30 s; an error names those
  /// that had ended by themselves, or did not end.
  Status stop();

private:
  struct Process {
    TaskId id;
    std::string name; // "ps-0", of its files.
    pid_t pid = -1;
    int32_t port = 0;
    /// What it says: a file without a name.
    int log = -1;
  };
  explicit LocalCluster(LocalClusterOptions options)
      : options(std::move(options)) {}
  const Process &at(int32_t task) const {
    return processes[static_cast<size_t>(task)];
  }
  Status makeFolder();
  void removeFolder();
  Status openLog(Process &process);
  Status launch(Process &process);
  /// Until it has written its port.
  Status awaitPort(Process &process, int64_t ms);
  bool hasEnded(Process &process);
  std::string lastWords(const Process &process) const;

  const LocalClusterOptions options;
  std::string worker;
  /// Of the port files; empty but while tasks start.
  std::string directory;
  std::vector<Process> processes;
  ClusterSpec clusterSpec;
};

} // namespace weir::rt

#endif // WEIR_RUNTIME_DISTRIBUTED_LOCALCLUSTER_H

//===- ClusterClient.h - A client of a cluster, inside ----------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_DISTRIBUTED_CLUSTERCLIENT_H
#define WEIR_RUNTIME_DISTRIBUTED_CLUSTERCLIENT_H

#include "runtime/distributed/ClusterSession.h"
#include "runtime/distributed/TaskLink.h"

#include <atomic>
#include <deque>
#include <map>
#include <set>
#include <thread>

namespace weir::rt {

class ClusterStep;

/// Where the parts of an entry are.
struct EntryPlan {
  struct Part {
    int32_t task;
    /// Among the entries of the task's program.
    int32_t entry;
    std::vector<std::string> feeds, fetches;
  };
  std::string name;
  std::vector<Part> parts;
};

struct ProgramSet {
  std::vector<std::string> bytes;
  /// By task; -1 where it has none.
  std::vector<int64_t> handles;
  std::map<std::string, EntryPlan> entries;
};

class ClusterClient final : public ClusterSession {
public:
  ClusterClient(const ClusterSpec &spec, const ClusterOptions &options,
                const TlsKeys &keys);
  ~ClusterClient() override;

  Status open();

  Status registerPrograms(std::vector<std::string> programs,
                          int32_t &set) override;
  std::vector<Entry> entries(int32_t set) const override;
  Status run(int32_t set, const std::string &entry,
             const std::vector<Feed> &feeds,
             const std::vector<std::string> &fetches,
             std::vector<TensorRef> &results,
             const ClusterRunOptions &options) override;
  Status reconnect() override;
  std::vector<std::string> lostTasks() const override;
  Status startTrace() override;
  Status stopTrace(std::vector<TracePart> &parts) override;
  Status shutdownTasks() override;

private:
  friend class ClusterStep;
  using Links = std::vector<TaskLink *>;

  /// Reaches the tasks and opens the session in them.
  Status greet(const Links &tasks);
  std::string whyNoConnection(TaskLink &link);
  /// `fresh`: those that had no session yet.
  Status openSessions(const Links &tasks, Links &fresh);
  Status registerProgram(TaskLink &link, ProgramSet &set);
  Status addEntries(int32_t task,
                    const distributed::RegisterProgramReply &reply,
                    ProgramSet &set);
  Status findEntry(int32_t set, const std::string &entry,
                   const ProgramSet *&programs, const EntryPlan *&plan) const;
  int32_t indexOf(const TaskLink &link) const;
  Links allLinks();

  /// What a task says of its steps.
  void take(TaskLink &link, distributed::Packet &packet);
  /// The stream to a task has ended.
  void streamLost(TaskLink &link, const Status &why);
  /// Marks a task as lost and tells its steps. What the task itself has
  /// answered (it was started again) says more than a connection that broke
  /// before.
  void lose(TaskLink &link, const Status &why, bool isAnswer);
  void beat();
  void beatOnce();
  struct Beat;
  void heard(Beat &beat);
  Status measureClock(TaskLink &link, int64_t &offset);

  const ClusterOptions options;
  /// Before what uses it.
  EventLoop loop;
  uint64_t sessionId;
  std::atomic<uint64_t> nextStep{1};
  std::deque<TaskLink> links;

  mutable std::mutex mutex;
  /// Never removed from; what they point to stays where it is.
  std::deque<ProgramSet> sets;
  std::map<uint64_t, ClusterStep *> running;
  bool opened = false;

  // Heartbeats.
  std::condition_variable beatChanged;
  bool stopping = false;
  CallCounter beats;
  std::set<Beat *> beatsOut;
  std::thread heart;
};

} // namespace weir::rt

#endif // WEIR_RUNTIME_DISTRIBUTED_CLUSTERCLIENT_H

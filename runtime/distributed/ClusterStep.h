//===- ClusterStep.h - One step of a cluster, as its client runs it -*- C++
//-*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_DISTRIBUTED_CLUSTERSTEP_H
#define WEIR_RUNTIME_DISTRIBUTED_CLUSTERSTEP_H

#include "runtime/distributed/ClusterClient.h"
#include "runtime/distributed/TensorPull.h"

namespace weir::rt {

class ClusterStep {
public:
  using Feeds = std::vector<ClusterSession::Feed>;
  using Fetches = std::vector<std::string>;

  ClusterStep(ClusterClient &client, const EntryPlan &plan, uint64_t number,
              const ClusterRunOptions &options)
      : number(number), client(client), plan(plan), options(options) {}
  ~ClusterStep();

  const uint64_t number;

  /// With the client's lock: which tasks take part, with their handles. An
  /// error where one of them is lost.
  Status addParts(const ProgramSet &programs);
  Status run(const Feeds &feeds, const Fetches &fetches,
             std::vector<TensorRef> &results);
  /// With the client's lock: a task is lost, or cannot be talked with, or has
  /// answered.
  void taskLost(const TaskLink &link, const Status &why);
  void taskFailed(const TaskLink &link, const Status &why);
  void taskAnswered(const TaskLink &link, distributed::StepResult &result);
  void taskWaits(const TaskLink &link, const distributed::StepReport &report);

private:
  struct Part {
    const EntryPlan::Part *plan;
    TaskLink *link;
    distributed::RunStep request;
    /// Of the feeds that are part of the request.
    int64_t room = kInlineStepBytes;
    distributed::StepResult reply;
    bool done = false;
    /// What it has said last that it waits for, and when.
    std::string waiting;
    std::chrono::steady_clock::time_point waitsSince;
  };
  /// How near an error is to the root cause.
  enum Rank { Root, Lost, Peer, Derived, None };
  using Lock = std::unique_lock<std::mutex>;

  Status route(const Feeds &feeds, const Fetches &fetches);
  Status addFeed(Part &part, const WeirView &value);
  Status sendFeed(Part &part, int32_t feed, const WeirView &value);
  Status sendLargeFeeds();
  void start();
  void wait();
  /// The part of the step that `link` runs, if it has not answered.
  Part *findOpen(const TaskLink &link);
  void partFailed(const TaskLink &link, Rank newRank, Status status);
  void fail(Rank rank, Status status);
  /// Ends the step everywhere, and waits a heartbeat for what the parts say.
  void abort();
  void cleanUp(bool onlyUnwanted);
  Status takeFetches(std::vector<TensorRef> &results);
  Status pullFetch(Part &part, int32_t fetch, TensorRef &result);
  bool allDone() const;
  std::string text() const;

  ClusterClient &client;
  const EntryPlan &plan;
  const ClusterRunOptions &options;
  std::vector<std::unique_ptr<Part>> parts;
  /// Of the client's tasks, in their order; 0 for those without a part.
  std::vector<uint64_t> incarnations;
  /// For each fetch that is wanted: the part that makes it, and its number.
  struct Source {
    size_t part;
    int32_t fetch;
  };
  std::vector<Source> sources;
  struct LargeFeed {
    Part *part;
    int32_t feed;
    WeirView value;
  };
  std::vector<LargeFeed> largeFeeds;

  std::mutex mutex;
  std::condition_variable changed;
  Rank rank = None;
  Status error;
  bool hasReportedStall = false;
  /// What a lost task, or the end of the step, cancels.
  std::set<grpc::ClientContext *> uploads;
  std::shared_ptr<TensorPull> pull;
};

} // namespace weir::rt

#endif // WEIR_RUNTIME_DISTRIBUTED_CLUSTERSTEP_H

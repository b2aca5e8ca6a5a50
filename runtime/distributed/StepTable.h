//===- StepTable.h - The steps of a session in one task ---------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A step is here from the first request that speaks of it (another task may ask
// for its tensors before it has begun here) until it has ended and all that it
// sent has been taken. A step that failed stays until the client cleans it up,
// or a while: whoever asks for its tensors is told why there are none.
//
// A step that was here is not begun again: the numbers of those that have gone
// are kept, the last few thousand of them one by one, and what is older than
// these counts as gone.
//
// Safe to use from several threads.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_DISTRIBUTED_STEPTABLE_H
#define WEIR_RUNTIME_DISTRIBUTED_STEPTABLE_H

#include "runtime/core/Cancellation.h"
#include "runtime/distributed/RemoteRendezvous.h"

#include <chrono>
#include <deque>
#include <map>
#include <unordered_set>

namespace weir::rt {

struct StepState {
  uint64_t number = 0;
  std::shared_ptr<RemoteRendezvous> rendezvous;
  std::shared_ptr<CancellationToken> cancellation;
  bool begun = false, ended = false;
  /// Feeds that came ahead of the step, by number.
  std::map<int32_t, TensorRef> feeds;
  /// When it was made, or ended.
  std::chrono::steady_clock::time_point since;
};

class StepTable : public std::enable_shared_from_this<StepTable> {
public:
  explicit StepTable(std::shared_ptr<const SessionCluster> cluster)
      : cluster(std::move(cluster)) {}

  /// The step, made where it is not known. ABORTED [WEIR0390] where it has
  /// gone.
  Status find(uint64_t step, std::shared_ptr<StepState> &state);
  /// The same, to begin it with the incarnations of its tasks: ABORTED
  /// [WEIR0390] the second time.
  Status begin(uint64_t step, std::vector<uint64_t> incarnations,
               std::shared_ptr<StepState> &state);
  /// A feed that came ahead.
  void addFeed(StepState &state, int32_t feed, TensorRef value);
  /// A step that has begun is over. Goes at once where nothing of it waits.
  void end(StepState &state, bool failed);

  /// Ends a step from outside; unknown ones are made, so that whoever asks
  /// later is told.
  void abort(uint64_t step, Failure failure);
  void abortAll(const Failure &failure);
  /// Ends the steps in which a task has a part that cannot be reached.
  void peerLost(size_t task, const Status &why);
  /// Forgets a step, and ends it where it runs. What comes later for it is
  /// late.
  void cleanUp(uint64_t step);
  /// Ends and forgets steps that were made or have ended before `time`.
  void sweep(std::chrono::steady_clock::time_point time);

  int64_t size() const;
  int64_t pullCount() const;

private:
  using Lock = std::lock_guard<std::mutex>;
  Status findLocked(uint64_t step, std::shared_ptr<StepState> &state);
  bool isGone(uint64_t step) const;
  void forget(uint64_t step);
  void idle(uint64_t step);

  const std::shared_ptr<const SessionCluster> cluster;
  mutable std::mutex mutex;
  std::map<uint64_t, std::shared_ptr<StepState>> steps;
  std::deque<uint64_t> goneOrder;
  std::unordered_set<uint64_t> gone;
  /// Numbers below are gone.
  uint64_t floor = 0;
};

} // namespace weir::rt

#endif // WEIR_RUNTIME_DISTRIBUTED_STEPTABLE_H

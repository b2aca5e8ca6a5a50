//===- StepTable.cpp - The steps of a session in one task -----------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/distributed/StepTable.h"
#include "runtime/base/Format.h"

using namespace weir::rt;

namespace distributed = weir::distributed;
using std::chrono::steady_clock;

/// How many steps that have gone are known one by one.
constexpr size_t kMaxGone = 4096;

bool StepTable::isGone(uint64_t step) const {
  return step < floor || gone.count(step);
}

Status StepTable::findLocked(uint64_t step, std::shared_ptr<StepState> &state) {
  auto it = steps.find(step);
  if (it != steps.end()) {
    state = it->second;
    return Status();
  }
  if (isGone(step))
    return Status(WEIR_ABORTED,
                  str("[WEIR0390] step ", step,
                      " has ended; a request for it came late, or a second "
                      "time"));
  state = std::make_shared<StepState>();
  state->number = step;
  state->since = steady_clock::now();
  state->cancellation = std::make_shared<CancellationToken>();
  state->rendezvous = std::make_shared<RemoteRendezvous>(
      cluster, step, [table = weak_from_this(), step] {
        if (std::shared_ptr<StepTable> alive = table.lock())
          alive->idle(step);
      });
  steps.emplace(step, state);
  return Status();
}

Status StepTable::find(uint64_t step, std::shared_ptr<StepState> &state) {
  Lock lock(mutex);
  return findLocked(step, state);
}

Status StepTable::begin(uint64_t step, std::vector<uint64_t> incarnations,
                        std::shared_ptr<StepState> &state) {
  Lock lock(mutex);
  std::shared_ptr<StepState> found;
  WEIR_RETURN_IF_ERROR(findLocked(step, found));
  if (found->begun)
    return Status(WEIR_ABORTED,
                  str("[WEIR0390] step ", step,
                      " was begun before; it is not run a second time"));
  found->begun = true;
  found->rendezvous->setIncarnations(std::move(incarnations));
  state = std::move(found);
  return Status();
}

void StepTable::addFeed(StepState &state, int32_t feed, TensorRef value) {
  Lock lock(mutex);
  state.feeds[feed] = std::move(value);
}

void StepTable::forget(uint64_t step) {
  steps.erase(step);
  if (step < floor || !gone.insert(step).second)
    return;
  goneOrder.push_back(step);
  if (goneOrder.size() <= kMaxGone)
    return;
  floor = std::max(floor, goneOrder.front() + 1);
  gone.erase(goneOrder.front());
  goneOrder.pop_front();
}

void StepTable::end(StepState &state, bool failed) {
  Lock lock(mutex);
  state.ended = true;
  state.feeds.clear();
  state.since = steady_clock::now();
  if (!failed && state.rendezvous->waitingCount() == 0)
    forget(state.number);
}

void StepTable::idle(uint64_t step) {
  Lock lock(mutex);
  auto it = steps.find(step);
  if (it != steps.end() && it->second->ended &&
      it->second->rendezvous->waitingCount() == 0)
    forget(step);
}

/// Ends what runs of a step, outside of the table's lock.
static void stopStep(StepState &state, const Failure &failure) {
  state.rendezvous->abortWith({failure.status.copy(), failure.cause});
  state.cancellation->cancel(failure.status.message());
}

void StepTable::abort(uint64_t step, Failure failure) {
  std::shared_ptr<StepState> state;
  if (find(step, state).ok())
    stopStep(*state, failure);
}

void StepTable::abortAll(const Failure &failure) {
  std::vector<std::shared_ptr<StepState>> all;
  {
    Lock lock(mutex);
    for (auto &[step, state] : steps)
      all.push_back(state);
  }
  for (const std::shared_ptr<StepState> &state : all)
    stopStep(*state, failure);
}

void StepTable::peerLost(size_t task, const Status &why) {
  std::vector<std::shared_ptr<StepState>> lost;
  {
    Lock lock(mutex);
    for (auto &[step, state] : steps)
      if (state->begun && !state->ended && state->rendezvous->hasPart(task))
        lost.push_back(state);
  }
  for (const std::shared_ptr<StepState> &state : lost)
    stopStep(*state, {why.copy(), distributed::Error::PEER});
}

void StepTable::cleanUp(uint64_t step) {
  std::shared_ptr<StepState> state;
  {
    Lock lock(mutex);
    auto it = steps.find(step);
    if (it != steps.end())
      state = it->second;
    forget(step);
  }
  if (state)
    stopStep(*state,
             {Status(WEIR_ABORTED, str("[WEIR0390] step ", step, " has ended")),
              distributed::Error::DERIVED});
}

void StepTable::sweep(steady_clock::time_point time) {
  std::vector<uint64_t> old;
  {
    Lock lock(mutex);
    for (auto &[step, state] : steps)
      if ((state->ended || !state->begun) && state->since < time)
        old.push_back(step);
  }
  for (uint64_t step : old)
    cleanUp(step);
}

int64_t StepTable::size() const {
  Lock lock(mutex);
  return static_cast<int64_t>(steps.size());
}

int64_t StepTable::pullCount() const {
  Lock lock(mutex);
  int64_t count = 0;
  for (auto &[step, state] : steps)
    count += state->rendezvous->pullCount();
  return count;
}

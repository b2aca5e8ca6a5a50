//===- PartialRun.cpp - A step in several calls ---------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/executor/PartialRun.h"
#include "runtime/base/Format.h"
#include "runtime/core/CStatus.h"
#include "runtime/core/Program.h"
#include "runtime/executor/Report.h"
#include "runtime/executor/TableCheck.h"

using namespace weir::rt;

WeirPartialRun::WeirPartialRun(PreparedGraph &prepared,
                               const WeirEntryDesc &entry,
                               const WeirRunOptions *options)
    : prepared(prepared), entry(entry), machine(prepared.take()),
      fetched(static_cast<size_t>(entry.fetch_count)),
      fetches(static_cast<size_t>(entry.fetch_count), nullptr) {
  prepared.add(*this);
  Machine::Lock lock = machine->lock();
  Machine::Request request;
  request.fetches = fetches.data();
  request.options = options;
  request.isPartial = true;
  machine->begin(request);
  machine->workWithoutWaiting(lock);
}

bool WeirPartialRun::enter() {
  std::lock_guard<std::mutex> lock(mutex);
  if (isGone)
    return false;
  ++calls;
  return true;
}

void WeirPartialRun::leave() {
  std::lock_guard<std::mutex> lock(mutex);
  if (--calls == 0)
    left.notify_all();
}

Status WeirPartialRun::gone() const {
  return Status(WEIR_CANCELLED,
                "[WEIR0323] the partial run was cancelled: the session was "
                "destroyed");
}

/// A copy, for several calls may tell of one error.
static Status copyOf(const Status &status) {
  return Status(status.code(), status.message());
}

Status WeirPartialRun::feed(int32_t index, const WeirView *value) {
  if (!enter())
    return gone();
  Status status = feedOpen(index, value);
  leave();
  return status;
}

Status WeirPartialRun::feedOpen(int32_t index, const WeirView *value) {
  if (index < 0 || index >= entry.feed_count || !value)
    return Status(WEIR_INVALID_ARGUMENT,
                  str("[WEIR0322] entry '", entry.name, "' has ",
                      entry.feed_count, " feeds; the call gives ",
                      value ? "" : "no value for ", "feed ", index));
  const WeirTensorDesc &desc = entry.feeds[index];
  WEIR_RETURN_IF_ERROR(checkFeed(entry, desc, *value));
  TensorRef copy;
  WEIR_RETURN_IF_ERROR(copyTensor(*value, copy));
  Machine::Lock lock = machine->lock();
  if (machine->isFed(index))
    return Status(WEIR_FAILED_PRECONDITION,
                  str("[WEIR0322] feed '", desc.name, "' of entry '",
                      entry.name, "' has its value already"));
  if (machine->isStopped())
    return copyOf(machine->error());
  machine->feed(index, std::move(copy));
  machine->workWithoutWaiting(lock);
  return machine->isStopped() ? copyOf(machine->error()) : Status();
}

Status WeirPartialRun::fetch(int32_t index, TensorRef &value) {
  if (!enter())
    return gone();
  Status status = fetchOpen(index, value);
  leave();
  return status;
}

Status WeirPartialRun::fetchOpen(int32_t index, TensorRef &value) {
  if (index < 0 || index >= entry.fetch_count)
    return Status(WEIR_INVALID_ARGUMENT,
                  str("[WEIR0322] entry '", entry.name, "' has ",
                      entry.fetch_count, " fetches, none of index ", index));
  const char *name = entry.fetches[index].name;
  Machine::Lock lock = machine->lock();
  auto handedOut = [&] {
    return Status(WEIR_FAILED_PRECONDITION,
                  str("[WEIR0322] fetch '", name, "' of entry '", entry.name,
                      "' was handed out already"));
  };
  if (fetched[static_cast<size_t>(index)])
    return handedOut();
  if (!machine->isStopped()) {
    std::string missing = MachineReport(*machine).missingFeeds(index);
    if (!missing.empty())
      return Status(WEIR_FAILED_PRECONDITION,
                    str("[WEIR0322] fetch '", name, "' of entry '", entry.name,
                        "' needs what has not been fed yet: ", missing));
  }
  machine->work(lock, index);
  // Another thread may have asked for it meanwhile.
  if (fetched[static_cast<size_t>(index)])
    return handedOut();
  if (machine->hasFetch(index)) {
    fetched[static_cast<size_t>(index)] = true;
    return machine->takeFetch(index, value);
  }
  if (machine->isStopped())
    return copyOf(machine->error());
  return MachineReport(*machine).stuck();
}

Status WeirPartialRun::finish(Machine::Lock &lock) {
  bool isComplete = true;
  for (int32_t i = 0; i < entry.feed_count; ++i)
    isComplete &= machine->isFed(i);
  if (isComplete)
    machine->work(lock);
  else
    machine->workWithoutWaiting(lock);
  // The rest of a run that was ended early is no error.
  const bool isCancelled = !machine->isStopped() && !machine->isQuiet();
  if (isCancelled) {
    machine->stop(lock, Status(WEIR_CANCELLED, "the partial run was ended"));
    machine->work(lock);
  }
  Status status = machine->end(lock);
  for (WeirTensor *&fetch : fetches)
    weir_tensor_release(std::exchange(fetch, nullptr));
  return isCancelled ? Status() : std::move(status);
}

Status WeirPartialRun::end() {
  if (!enter())
    return gone();
  prepared.remove(*this);
  Machine::Lock lock = machine->lock();
  Status status = finish(lock);
  lock.unlock();
  prepared.giveBack(std::move(machine));
  return status;
}

void WeirPartialRun::abandon() {
  {
    // Calls that sleep end, for the session's token is cancelled.
    std::unique_lock<std::mutex> lock(mutex);
    isGone = true;
    left.wait(lock, [&] { return calls == 0; });
  }
  Machine::Lock lock = machine->lock();
  if (!machine->isStopped())
    machine->stop(lock, gone());
  machine->work(lock);
  Status ignored = finish(lock);
  lock.unlock();
  prepared.giveBack(std::move(machine));
}

WeirPartialRun *weir_partial_run_begin(WeirSession *session, int32_t entryIndex,
                                       const WeirRunOptions *options,
                                       WeirStatus *status) {
  const WeirProgram &program = session->program;
  if (entryIndex < 0 || entryIndex >= program.entry_count) {
    setStatus(status,
              Status(WEIR_NOT_FOUND,
                     str("[WEIR0303] program '", program.name,
                         "' has no entry with index ", entryIndex, " (it has ",
                         program.entry_count, " entries)")));
    return nullptr;
  }
  const WeirEntryDesc &entry = program.entries[entryIndex];
  if (entry.parts) {
    setStatus(status, Status(WEIR_UNIMPLEMENTED,
                             str("[WEIR0322] entry '", entry.name,
                                 "' is spread over ", entry.part_count,
                                 " devices, and runs as a whole; run it with "
                                 "all its feeds, or place it on one device")));
    return nullptr;
  }
  if (!entry.dataflow) {
    setStatus(status, Status(WEIR_UNIMPLEMENTED,
                             str("[WEIR0322] entry '", entry.name,
                                 "' is straight-line code, which runs as a "
                                 "whole; run it with all its feeds")));
    return nullptr;
  }
  PreparedGraph *prepared;
  if (setStatus(status, PreparedGraph::find(*session, entry, prepared)))
    return nullptr;
  return new WeirPartialRun(*prepared, entry, options);
}

int32_t weir_partial_run_feed(WeirPartialRun *run, int32_t feed,
                              const WeirView *value, WeirStatus *status) {
  return setStatus(status, run->feed(feed, value));
}

WeirTensor *weir_partial_run_fetch(WeirPartialRun *run, int32_t fetch,
                                   WeirStatus *status) {
  TensorRef value;
  setStatus(status, run->fetch(fetch, value));
  return value.take();
}

int32_t weir_partial_run_end(WeirPartialRun *run, WeirStatus *status) {
  int32_t code = setStatus(status, run->end());
  delete run;
  return code;
}

//===- Machine.cpp - One step of a dataflow graph -------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/executor/Machine.h"
#include "runtime/base/Format.h"
#include "runtime/executor/Deliver.h"
#include "runtime/executor/Report.h"
#include "runtime/executor/TableCheck.h"
#include "runtime/executor/Worker.h"

#include <algorithm>
#include <cstring>

using namespace weir::rt;

thread_local Machine::Worker *Machine::current = nullptr;

Machine::Machine(WeirSession &session, const Graph &graph)
    : graph(graph), session(session), onDevice(graph.device),
      nodes(graph.nodes.data()), edges(graph.edges.data()),
      operands(graph.operands.data()), kernels(graph.kernels.data()),
      outcomes(static_cast<size_t>(graph.outcomeCount), kNoOutcome),
      unusedIterations(graph.frames.size(), nullptr) {
  root = makeFrame(0, nullptr);
  rootIteration = makeIteration(*root, 0);
}

Machine::~Machine() {
  while (Block *block = scalars.first) {
    scalars.first = block->next;
    releaseBlock(block);
  }
}

Status Machine::run(const Request &newRequest) {
  Lock held = lock();
  begin(newRequest);
  work(held);
  return finish(held);
}

void Machine::start(const Request &newRequest) {
  Ticket *unserved = nullptr;
  {
    Lock held = lock();
    begin(newRequest);
    std::lock_guard<std::mutex> ringing(bell);
    askForHelper();
    // Without a thread to be had, this one does what can be done now.
    if (helpers == 0) {
      unserved = unusedTickets.back();
      unusedTickets.pop_back();
      ++helpers;
    }
  }
  if (unserved)
    help(*unserved);
}

/// The work that the device was given belongs to the step, and so do its
/// errors.
void Machine::synchronize(Lock &lock) {
  running.fetch_add(1, std::memory_order_relaxed);
  lock.unlock();
  StepOnDevice::Scope scope(onDevice);
  Status done = graph.device->synchronize();
  lockAgain(lock);
  if (!done.ok())
    stop(lock, std::move(done));
}

Status Machine::finish(Lock &lock) {
  if (!stopped &&
      std::any_of(graph.fetchNodes.begin(), graph.fetchNodes.end(),
                  [&](int32_t n) { return !hasFetch(graph.desc(n).index); }))
    stop(lock, MachineReport(*this).stuck());
  if (graph.device)
    synchronize(lock);
  return end(lock);
}

void Machine::begin(const Request &newRequest) {
  request = newRequest;
  options = request.options ? *request.options
                            : WeirRunOptions(WEIR_RUN_OPTIONS_INIT);
  stopped = false;
  onDevice.begin();
  untilLook = 0;
  hasReportedStall = false;
  const int32_t threads =
      options.threads > 0 ? options.threads : ThreadPool::coreCount();
  // What goes on between the calls of a partial run needs a thread of its own.
  const bool hasCaller = !request.isPartial && !request.isDetached;
  helperLimit = std::max(threads - 1, hasCaller ? 0 : 1);
  attending = hasCaller ? 1 : 0;
  hasToldQuiet = false;
  if (options.timeout_ms > 0 && request.hasDeadline)
    deadline = Timer::get().add(
        Timer::Clock::now() + std::chrono::milliseconds(options.timeout_ms),
        [this] { interrupt(WEIR_DEADLINE_EXCEEDED, ""); });

  const std::vector<uint32_t> &counts = graph.frames[0].counts;
  if (!counts.empty())
    std::memcpy(rootIteration->counts, counts.data(),
                counts.size() * sizeof(uint32_t));
  rootIteration->outstanding = 0;
  rootIteration->openFrames = 0;
  std::fill(outcomes.begin(), outcomes.end(), kNoOutcome);
  for (uint32_t n : graph.starts)
    push<false>(n, rootIteration, false);
  fed.assign(request.isPartial ? graph.feedNodes.size() : 0, false);
  if (request.feeds)
    for (size_t i = graph.feedNodes.size(); i-- > 0;)
      if (graph.feedNodes[i] >= 0)
        feed(static_cast<int32_t>(i), request.feedTensors
                                          ? request.feedTensors[i]
                                          : borrow(request.feeds[i]));
  if (!hasCaller)
    watch();
}

/// A feed in the memory that kernels take; once, not for each of them.
Status Machine::prepareFeed(TensorRef &value) const {
  if (!value)
    return Status(WEIR_RESOURCE_EXHAUSTED, "[WEIR0311] no memory");
  if (value.get()->dtype == WEIR_STRING)
    return Status();
  TensorRef there;
  WEIR_RETURN_IF_ERROR(copyTensorTo(graph.device, *value.get(), there));
  value = std::move(there);
  return Status();
}

void Machine::feed(int32_t index, TensorRef value) {
  if (!fed.empty())
    fed[static_cast<size_t>(index)] = true;
  const int32_t n = graph.feedNodes[static_cast<size_t>(index)];
  if (n < 0 || stopped)
    return;
  // A feed has run once its value is there.
  const GraphNode &node = graph.nodes[static_cast<size_t>(n)];
  if (!value || graph.device) {
    Status given = prepareFeed(value);
    if (!given.ok()) {
      stopped = true;
      status = std::move(given).withContext(
          str("feed '", graph.entry.feeds[index].name, "': "));
      ready.clear();
      return;
    }
  }
  WeirTensor *tensor = value.take();
  if (graph.isPlain) {
    deliverFirst<true>(node, rootIteration, tensor);
    deliverControl<true>(node, rootIteration, false);
  } else {
    deliverFirst<false>(node, rootIteration, tensor);
    deliverControl<false>(node, rootIteration, false);
  }
}

void Machine::work(Lock &lock, int32_t until) {
  workUntil(lock, until, /*mayWait=*/true);
}

void Machine::workWithoutWaiting(Lock &lock) {
  workUntil(lock, -1, /*mayWait=*/false);
}

void Machine::workUntil(Lock &lock, int32_t until, bool mayWait) {
  Worker worker(*this);
  if (request.isPartial) {
    std::lock_guard<std::mutex> ringing(bell);
    ++attending;
  }
  auto isOver = [&] { return until >= 0 && hasFetch(until); };
  int64_t begin = request.parts ? nanoseconds() : 0;
  for (;;) {
    runReady(worker, lock, until);
    if (worker.ended) {
      drainEnded(worker, lock);
      continue;
    }
    if (signals.load(std::memory_order_relaxed)) {
      handleSignals(worker, lock);
      continue;
    }
    if (isQuiet() || isOver() || !mayWait) {
      if (!request.isPartial)
        return;
      // Others go on with what is left, or learn that nothing is.
      std::lock_guard<std::mutex> ringing(bell);
      if (signals.load(std::memory_order_relaxed))
        continue;
      --attending;
      wakeSleepers();
      if (!ready.empty())
        askForHelper();
      return;
    }
    if (request.parts) {
      Graph::recordCost(graph.turnCost, nanoseconds() - begin);
      if (request.parts->hasTakenOver()) {
        // Meanwhile anything may happen here.
        lock.unlock();
        request.parts->runTakenOver();
        lock.lock();
        begin = nanoseconds();
        continue;
      }
    }
    sleep(lock);
    if (request.parts)
      begin = nanoseconds();
  }
}

void Machine::runReady(Worker &worker, Lock &lock, int32_t until) {
  if (graph.isPlain)
    runLoop<true>(worker, lock, until);
  else
    runLoop<false>(worker, lock, until);
}

void Machine::stop(Lock &lock, Status error) {
  if (stopped)
    return;
  stopped = true;
  stopRequested.store(true, std::memory_order_relaxed);
  status = std::move(error);
  ready.clear();
  Rendezvous *meeting =
      request.parts ? request.parts->rendezvous.get() : ownRendezvous.get();
  if (!token && !meeting && !request.parts)
    return;
  // Callbacks may take long and end calls of this step.
  running.fetch_add(1, std::memory_order_relaxed);
  lock.unlock();
  if (request.parts)
    request.parts->stopped(status);
  if (meeting)
    meeting->abort(status.copy());
  if (token)
    token->cancel(str("the step has ended: ", status.message()), status.code());
  lockAgain(lock);
}

Status Machine::end(Lock &lock) {
  dismissHelpers(lock);
  unwatch();
  Status result = std::move(status);
  status = Status();
  for (int32_t i = 0; i < graph.entry.fetch_count && result.ok(); ++i)
    if (hasFetch(i)) {
      TensorRef fetch;
      result = takeFetch(i, fetch);
      request.fetches[i] = fetch.take();
    }
  cleanUp();
  if (resources && !resources->isEmpty())
    resources.reset();
  if (ownRendezvous)
    ownRendezvous.reset();
  if (token && token->isCancelled())
    token.reset();
  return result;
}

/// The caller may write to what it gets: what others can see, or is somebody
/// else's memory, is copied.
Status Machine::takeFetch(int32_t index, TensorRef &value) {
  value = TensorRef(std::exchange(request.fetches[index], nullptr));
  const WeirTensor &tensor = *value.get();
  if (isHandle(tensor) ||
      (tensor.references.load(std::memory_order_acquire) == 1 &&
       !isBorrowed(tensor) && !tensor.device))
    return Status();
  TensorRef copy;
  StepOnDevice::Scope scope(onDevice);
  Status copied = copyTensorTo(nullptr, tensor, copy);
  if (!copied.ok())
    return std::move(copied).withContext(
        str("fetch '", graph.entry.fetches[index].name, "' of entry '",
            graph.entry.name, "': "));
  value = std::move(copy);
  return Status();
}

void Machine::clearSlots(Iteration &it) {
  // Most often there is nothing.
  uintptr_t any = 0;
  for (int32_t i = 0; i < it.slotCount; ++i)
    any |= reinterpret_cast<uintptr_t>(it.slots[i]);
  if (any == 0)
    return;
  for (int32_t i = 0; i < it.slotCount; ++i)
    if (it.slots[i]) {
      weir_tensor_release(it.slots[i]);
      it.slots[i] = nullptr;
    }
}

/// Values may be left where nodes waited for more, and frames where they will
/// never be over.
void Machine::cleanUp() {
  ready.clear();
  clearSlots(*rootIteration);
  if (openFrameCount == 0)
    return;
  for (auto &instance : instances)
    if (instance.get() != root && instance->parent)
      release(instance.get());
  std::fill(unusedIterations.begin(), unusedIterations.end(), nullptr);
  for (auto &it : iterations) {
    clearSlots(*it);
    std::fill_n(it->children,
                graph.frames[static_cast<size_t>(it->frameId)].childCount,
                nullptr);
    if (it.get() == rootIteration)
      continue;
    it->next = unusedIterations[static_cast<size_t>(it->frameId)];
    unusedIterations[static_cast<size_t>(it->frameId)] = it.get();
  }
}

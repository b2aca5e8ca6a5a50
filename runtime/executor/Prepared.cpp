//===- Prepared.cpp - What a session keeps of a dataflow entry ------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/executor/Prepared.h"
#include "runtime/executor/PartialRun.h"

#include <algorithm>
#include <chrono>
#include <thread>

using namespace weir::rt;

Status PreparedGraph::find(WeirSession &session, const WeirEntryDesc &entry,
                           PreparedGraph *&prepared) {
  const size_t index = static_cast<size_t>(&entry - session.program.entries);
  std::atomic<PreparedEntry *> &slot = session.prepared[index];
  PreparedEntry *known = slot.load(std::memory_order_acquire);
  if (!known) {
    std::lock_guard<std::mutex> lock(session.preparation);
    known = slot.load(std::memory_order_relaxed);
    if (!known) {
      std::unique_ptr<Graph> graph;
      WEIR_RETURN_IF_ERROR(Graph::build(session, entry, graph));
      known = new PreparedGraph(session, std::move(graph));
      slot.store(known, std::memory_order_release);
    }
  }
  prepared = static_cast<PreparedGraph *>(known);
  return Status();
}

std::unique_ptr<Machine> PreparedGraph::take() {
  if (Machine *machine = spare.exchange(nullptr, std::memory_order_acquire))
    return std::unique_ptr<Machine>(machine);
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (!machines.empty()) {
      std::unique_ptr<Machine> machine = std::move(machines.back());
      machines.pop_back();
      return machine;
    }
    ++machineCount;
  }
  return std::make_unique<Machine>(session, *graph);
}

void PreparedGraph::giveBack(std::unique_ptr<Machine> machine) {
  Machine *none = nullptr;
  if (spare.compare_exchange_strong(none, machine.get(),
                                    std::memory_order_release,
                                    std::memory_order_relaxed)) {
    static_cast<void>(machine.release());
    return;
  }
  std::lock_guard<std::mutex> lock(mutex);
  machines.push_back(std::move(machine));
}

void PreparedGraph::add(WeirPartialRun &run) {
  std::lock_guard<std::mutex> lock(mutex);
  partialRuns.push_back(&run);
}

void PreparedGraph::remove(WeirPartialRun &run) {
  std::lock_guard<std::mutex> lock(mutex);
  partialRuns.erase(std::remove(partialRuns.begin(), partialRuns.end(), &run),
                    partialRuns.end());
}

void PreparedGraph::waitUntilIdle() {
  // Runs that were begun and not ended: they end now, and their callers learn
  // of it at the next call.
  std::unique_lock<std::mutex> lock(mutex);
  while (!partialRuns.empty()) {
    WeirPartialRun *run = partialRuns.back();
    partialRuns.pop_back();
    lock.unlock();
    run->abandon();
    lock.lock();
  }
  // Who gives a machine back does not touch the graph afterwards, and so cannot
  // wake this.
  while (machines.size() + (spare.load(std::memory_order_acquire) != nullptr) <
         machineCount) {
    lock.unlock();
    std::this_thread::sleep_for(std::chrono::microseconds(100));
    lock.lock();
  }
}

int32_t weir_rt_run_dataflow(WeirStep *handle) {
  Step &step = Step::of(handle);
  PreparedGraph *prepared;
  Status status = PreparedGraph::find(step.session, step.entry, prepared);
  if (!status.ok())
    return step.fail(std::move(status));
  std::unique_ptr<Machine> machine = prepared->take();
  Machine::Request request;
  request.feeds = step.feeds;
  request.fetches = step.fetches;
  request.options = step.options;
  status = machine->run(request);
  prepared->giveBack(std::move(machine));
  return status.ok() ? WEIR_OK : step.fail(std::move(status));
}

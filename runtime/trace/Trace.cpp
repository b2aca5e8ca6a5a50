//===- Trace.cpp - Recording what ran when --------------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/trace/Trace.h"
#include "runtime/base/Format.h"
#include "runtime/core/CStatus.h"
#include "runtime/trace/TraceFile.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <mutex>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace weir::rt;

namespace {

struct Event {
  int64_t begin;
  int64_t end;
  int64_t bytes;
  int32_t lane;
  uint16_t track;
  TraceKind kind;
  /// Set last: an event is complete when it is true.
  std::atomic<bool> complete;
  /// A copy, cut to fit: the program may be gone when the trace is written.
  char name[96];
};
static_assert(sizeof(Event) == 128, "one event is two cache lines");

constexpr int64_t kMaxEvents = int64_t(1) << 18;

/// The tracks and lanes that have been named; they are never forgotten.
struct Names {
  static Names &get() {
    static Names *names = new Names;
    return *names;
  }
  std::mutex mutex;
  std::vector<std::string> tracks;
  std::vector<TraceData::Lane> lanes;
};

} // namespace

std::atomic<bool> weir::rt::traceEnabled{false};

/// Allocated once, kept: a thread may still be finishing an event when the
/// trace stops. Untouched pages cost nothing.
static Event *events;
static std::atomic<int64_t> eventCount{0};
static std::atomic<int32_t> writers{0};
static int64_t traceStart;
static std::mutex control;

int64_t weir::rt::traceNow() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t(now.tv_sec) * 1000000000 + now.tv_nsec + 1;
}

static int32_t threadId() {
  static thread_local int32_t id = static_cast<int32_t>(syscall(SYS_gettid));
  return id;
}

int32_t weir::rt::traceTrack(std::string_view device) {
  Names &names = Names::get();
  std::lock_guard<std::mutex> lock(names.mutex);
  for (size_t i = 0; i < names.tracks.size(); ++i)
    if (names.tracks[i] == device)
      return static_cast<int32_t>(i) + 1;
  // More devices than an event can name share the last.
  if (names.tracks.size() < UINT16_MAX)
    names.tracks.emplace_back(device);
  return static_cast<int32_t>(names.tracks.size());
}

int32_t weir::rt::traceLane(int32_t track, std::string_view name) {
  Names &names = Names::get();
  std::lock_guard<std::mutex> lock(names.mutex);
  int32_t number = kFirstTraceLane;
  for (const TraceData::Lane &lane : names.lanes) {
    if (lane.track == track && lane.name == name)
      return lane.lane;
    number += lane.track == track;
  }
  names.lanes.push_back({track, number, std::string(name)});
  return number;
}

static void record(int64_t begin, int64_t end, const char *name, TraceKind kind,
                   int32_t track, int32_t lane, int64_t bytes) {
  // stopTrace waits for the writers that saw the flag set.
  writers.fetch_add(1, std::memory_order_seq_cst);
  if (traceEnabled.load(std::memory_order_seq_cst)) {
    int64_t index = eventCount.fetch_add(1, std::memory_order_relaxed);
    if (index < kMaxEvents) {
      Event &event = events[index];
      event.begin = begin;
      event.end = end;
      event.bytes = bytes;
      event.lane = lane;
      event.track = static_cast<uint16_t>(track);
      event.kind = kind;
      snprintf(event.name, sizeof(event.name), "%s", name ? name : "");
      event.complete.store(true, std::memory_order_release);
    }
  }
  writers.fetch_sub(1, std::memory_order_seq_cst);
}

void weir::rt::traceEnd(int64_t mark, const char *name, TraceKind kind,
                        int32_t track) {
  record(mark, traceNow(), name, kind, track, threadId(), 0);
}

void weir::rt::traceTransfer(int64_t mark, const char *tensor, TraceKind kind,
                             int32_t track, int64_t bytes) {
  record(mark, traceNow(), tensor, kind, track, threadId(), bytes);
}

void weir::rt::traceOnLane(int64_t begin, int64_t end, const char *name,
                           TraceKind kind, int32_t track, int32_t lane) {
  record(begin, end, name, kind, track, lane, 0);
}

void weir::rt::startTrace() {
  std::lock_guard<std::mutex> lock(control);
  if (traceEnabled.load(std::memory_order_relaxed))
    return;
  if (!events)
    events = static_cast<Event *>(std::calloc(kMaxEvents, sizeof(Event)));
  if (!events)
    return;
  eventCount.store(0, std::memory_order_relaxed);
  traceStart = traceNow();
  traceEnabled.store(true, std::memory_order_seq_cst);
}

Status weir::rt::stopTrace(TraceData &data) {
  std::lock_guard<std::mutex> lock(control);
  if (!traceEnabled.load(std::memory_order_relaxed))
    return Status(WEIR_FAILED_PRECONDITION,
                  "[WEIR0320] no trace is being taken; start one first");
  traceEnabled.store(false, std::memory_order_seq_cst);
  while (writers.load(std::memory_order_seq_cst) != 0)
    sched_yield();
  const int64_t recorded = eventCount.load();
  const int64_t kept = recorded < kMaxEvents ? recorded : kMaxEvents;
  TraceData taken;
  taken.pid = static_cast<int32_t>(getpid());
  taken.start = traceStart;
  taken.dropped = recorded - kept;
  taken.events.reserve(static_cast<size_t>(kept));
  for (int64_t i = 0; i < kept; ++i) {
    Event &event = events[i];
    if (!event.complete.exchange(false, std::memory_order_acquire))
      continue;
    // The trace may have started in the middle of the event.
    const int64_t begin = std::max(event.begin, traceStart);
    taken.events.push_back({begin, std::max(event.end, begin), event.bytes,
                            event.lane, event.track, event.kind, event.name});
  }
  Names &names = Names::get();
  std::lock_guard<std::mutex> naming(names.mutex);
  taken.tracks = names.tracks;
  taken.lanes = names.lanes;
  data = std::move(taken);
  return Status();
}

Status weir::rt::stopTrace(const char *path) {
  std::vector<TracePart> parts(1);
  WEIR_RETURN_IF_ERROR(stopTrace(parts[0].data));
  return writeTrace(path, parts);
}

void weir_trace_start(void) { startTrace(); }

int32_t weir_trace_stop(const char *path, WeirStatus *status) {
  return setStatus(status, stopTrace(path));
}

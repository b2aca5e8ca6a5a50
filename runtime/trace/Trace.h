//===- Trace.h - Recording what ran when ------------------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Events of all threads go into one bounded buffer; what does not fit is
// counted, not kept. Recording an event takes no lock. While no trace is taken,
// a begin is one load.
//
// Events belong to *tracks*, one for each device and track 0 for the rest of
// the process, and within a track to a *lane*: a thread of the host, or a unit
// of the device. What was recorded is written (TraceFile.h) as one file, also
// with the traces of other processes.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_TRACE_TRACE_H
#define WEIR_RUNTIME_TRACE_TRACE_H

#include "runtime/base/Status.h"

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weir::rt {

/// A Receive lasts from when it is asked for until the value is there. A Unit
/// is a detail of a kernel: what a part of the device did.
enum class TraceKind : uint8_t { Kernel, Step, Send, Receive, Unit };

extern std::atomic<bool> traceEnabled;

/// Nanoseconds of a clock that only goes forward, the same for all processes of
/// a machine; never 0.
int64_t traceNow();

/// The mark of an event that begins now, or 0 while no trace is taken.
inline int64_t traceBegin() {
  return traceEnabled.load(std::memory_order_relaxed) ? traceNow() : 0;
}

/// Lanes have numbers from here on, threads of the host smaller ones.
constexpr int32_t kFirstTraceLane = 1 << 30;

/// The track of a device by its full name, the same for the same name.
int32_t traceTrack(std::string_view device);
/// The lane of that name, as "DMA", of a track; the same for the same name.
int32_t traceLane(int32_t track, std::string_view name);

/// Records the event that began at `mark` (not 0) and ends now, on this thread.
void traceEnd(int64_t mark, const char *name, TraceKind kind,
              int32_t track = 0);
/// The same for a tensor that was sent or received.
void traceTransfer(int64_t mark, const char *tensor, TraceKind kind,
                   int32_t track, int64_t bytes);
/// Records what a device did from `begin` to `end`, as traceNow() counts. For
/// while a trace is taken. A device that goes on after a launch has returned
/// records its kernels so: then they count, and not the calls of the host.
void traceOnLane(int64_t begin, int64_t end, const char *name, TraceKind kind,
                 int32_t track, int32_t lane);

struct TraceEvent {
  int64_t begin, end, bytes;
  /// Of the lanes of the track, or of a thread of the host.
  int32_t lane;
  int32_t track;
  TraceKind kind;
  std::string name;
};

/// What one process has recorded.
struct TraceData {
  /// What track 0 is called.
  std::string process = "weir";
  int32_t pid = 0;
  /// When the trace was started, as traceNow() counts there.
  int64_t start = 0;
  /// Events that did not fit.
  int64_t dropped = 0;
  /// The devices of tracks 1 and on.
  std::vector<std::string> tracks;
  struct Lane {
    int32_t track, lane;
    std::string name;
  };
  std::vector<Lane> lanes;
  std::vector<TraceEvent> events;
};

void startTrace();

/// Stops and hands out what was recorded. FAILED_PRECONDITION when no trace is
/// taken.
Status stopTrace(TraceData &data);

/// Stops and writes the events as Chrome trace JSON; an error of the file names
/// it, and the events are dropped.
Status stopTrace(const char *path);

} // namespace weir::rt

#endif // WEIR_RUNTIME_TRACE_TRACE_H

//===- KernelTimes.cpp - When kernels ran ---------------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/device/gpu/KernelTimes.h"

#include "runtime/trace/Trace.h"

using namespace weir::rt;
using namespace weir::rt::cuda;

/// The driver tells times in milliseconds as float, which is exact enough for
/// so long.
static constexpr int64_t alignedNanoseconds = 10'000'000'000;

bool KernelTimes::take(Event &event) {
  if (spare.empty())
    return driver.eventCreate(&event, /*flags=*/0) == 0;
  event = spare.back();
  spare.pop_back();
  return true;
}

/// Finds out what the host's clock says when an event happens; waits.
bool KernelTimes::align(Stream stream) {
  if (base && (!open.empty() || traceNow() - baseTime < alignedNanoseconds))
    return true;
  if (!base && !take(base))
    return false;
  const bool isAligned = driver.eventRecord(base, stream) == 0 &&
                         driver.eventSynchronize(base) == 0;
  baseTime = traceNow();
  return isAligned;
}

KernelTimes::Span KernelTimes::begin(Stream stream) {
  Span span;
  if (!traceEnabled.load(std::memory_order_relaxed))
    return span;
  std::lock_guard<std::mutex> lock(mutex);
  if (!align(stream) || !take(span.begin) || !take(span.end) ||
      driver.eventRecord(span.begin, stream) != 0)
    span = Span();
  return span;
}

void KernelTimes::end(Span span, Stream stream, const char *name,
                      int32_t track) {
  if (!span.end)
    return;
  std::lock_guard<std::mutex> lock(mutex);
  if (driver.eventRecord(span.end, stream) == 0)
    open.push_back({span, name, track});
}

void KernelTimes::collect() {
  std::lock_guard<std::mutex> lock(mutex);
  while (!open.empty() && driver.eventQuery(open.front().span.end) == 0) {
    const Timed next = std::move(open.front());
    open.pop_front();
    float before = 0, after = 0;
    const bool isKnown =
        driver.eventElapsed(&before, base, next.span.begin) == 0 &&
        driver.eventElapsed(&after, base, next.span.end) == 0;
    spare.push_back(next.span.begin);
    if (!isKnown) {
      spare.push_back(next.span.end);
      continue;
    }
    auto at = [&](float milliseconds) {
      return baseTime + static_cast<int64_t>(double(milliseconds) * 1e6);
    };
    if (traceEnabled.load(std::memory_order_relaxed))
      traceOnLane(at(before), at(after), next.name.c_str(), TraceKind::Kernel,
                  next.track, traceLane(next.track, "kernels"));
    // Times are counted from the last one known, so that they stay exact.
    spare.push_back(base);
    base = next.span.end;
    baseTime = at(after);
  }
}

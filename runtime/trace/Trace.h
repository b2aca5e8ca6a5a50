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
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_TRACE_TRACE_H
#define WEIR_RUNTIME_TRACE_TRACE_H

#include "runtime/base/Status.h"

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

namespace weir::rt {

enum class TraceKind : uint8_t { Kernel, Step };

extern std::atomic<bool> traceEnabled;

/// Nanoseconds of a clock that only goes forward; never 0.
int64_t traceNow();

/// The mark of an event that begins now, or 0 while no trace is taken.
inline int64_t traceBegin() {
  return traceEnabled.load(std::memory_order_relaxed) ? traceNow() : 0;
}

/// Records the event that began at `mark` (not 0) and ends now.
void traceEnd(int64_t mark, const char *name, TraceKind kind);

void startTrace();

/// Stops and writes the events as Chrome trace JSON. FAILED_PRECONDITION when
/// no trace is taken; an error of the file names it, and the events are
/// dropped.
Status stopTrace(const char *path);

/// `text` as the inside of a JSON string; bytes that are no UTF-8 are replaced.
std::string escapeJson(std::string_view text);

} // namespace weir::rt

#endif // WEIR_RUNTIME_TRACE_TRACE_H

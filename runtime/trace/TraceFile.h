//===- TraceFile.h - Traces of one or several processes ---------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What processes recorded, as one file that Perfetto shows with a group of rows
// for each device, as bytes that go from one process to another, and as sums.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_TRACE_TRACEFILE_H
#define WEIR_RUNTIME_TRACE_TRACEFILE_H

#include "runtime/trace/Trace.h"

namespace weir::rt {

/// The trace of one process. `offset` is what its clock lacks: nanoseconds to
/// add to its times to have those of the first part's.
struct TracePart {
  TraceData data;
  int64_t offset = 0;
};

/// Writes Chrome trace JSON. UNAVAILABLE or PERMISSION_DENIED [WEIR0320] names
/// the file.
Status writeTrace(const char *path, const std::vector<TracePart> &parts);

/// A trace as bytes, and back. DATA_LOSS [WEIR0320] for what is none.
std::string encodeTrace(const TraceData &data);
Status decodeTrace(std::string_view bytes, TraceData &data);

/// Where the time went. Rows with the longest time first.
struct TraceSummary {
  struct Row {
    std::string name;
    /// In nanoseconds: of what ran at the same time, the sum.
    int64_t time = 0;
    int64_t count = 0;
    int64_t bytes = 0;
  };
  /// Kernels by device, and by name: of devices that record them themselves
  /// these, of others the calls of the host.
  std::vector<Row> devices, kernels;
  /// By tensor: what was sent, and what was received with the time waited.
  std::vector<Row> sends, receives;
};
TraceSummary summarizeTrace(const std::vector<TracePart> &parts);

/// `text` as the inside of a JSON string; bytes that are no UTF-8 are replaced.
std::string escapeJson(std::string_view text);

} // namespace weir::rt

#endif // WEIR_RUNTIME_TRACE_TRACEFILE_H

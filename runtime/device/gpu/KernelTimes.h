//===- KernelTimes.h - When kernels ran -------------------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_DEVICE_GPU_KERNELTIMES_H
#define WEIR_RUNTIME_DEVICE_GPU_KERNELTIMES_H

#include "runtime/device/gpu/CudaDriver.h"

#include <deque>
#include <mutex>
#include <string>
#include <vector>

namespace weir::rt::cuda {

/// The kernels of a stream in the trace, by events with a time before and
/// behind each. Times are told when somebody has waited for the GPU; a trace
/// loses what nobody has waited for. An error of the driver here is no error of
/// the kernel: the kernel is not in the trace then. Safe to use from several
/// threads, which have made the GPU's context theirs.
class KernelTimes {
public:
  explicit KernelTimes(const Driver &driver) : driver(driver) {}

  /// The events around one launch; null where no trace is taken.
  struct Span {
    Event begin = nullptr, end = nullptr;
  };
  Span begin(Stream stream);
  /// What is called `name` in the trace has been launched.
  void end(Span span, Stream stream, const char *name, int32_t track);
  /// Puts what is over into the trace.
  void collect();

private:
  struct Timed {
    Span span;
    /// The program may be gone before anybody waits.
    std::string name;
    int32_t track;
  };

  bool take(Event &event);
  bool align(Stream stream);

  const Driver &driver;
  std::mutex mutex;
  std::deque<Timed> open;
  std::vector<Event> spare;
  /// An event that happened when the host's clock was at `baseTime`.
  Event base = nullptr;
  int64_t baseTime = 0;
};

} // namespace weir::rt::cuda

#endif // WEIR_RUNTIME_DEVICE_GPU_KERNELTIMES_H

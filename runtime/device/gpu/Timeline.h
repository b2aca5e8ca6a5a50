//===- Timeline.h - Events of a stream --------------------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_DEVICE_GPU_TIMELINE_H
#define WEIR_RUNTIME_DEVICE_GPU_TIMELINE_H

#include "runtime/device/gpu/CudaDriver.h"

#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace weir::rt::cuda {

/// A stream and the events on it, which are numbered in their order. So an
/// event is a number that nobody has to give back, and one that is over is no
/// more than a comparison. Safe to use from several threads, which have made
/// the GPU's context theirs.
class Timeline {
public:
  Timeline(const std::string &device, const Driver &driver)
      : device(device), driver(driver) {}
  Status start();

  Stream stream() const { return order; }
  /// An event behind the work so far.
  Status record(int64_t &number);
  /// Whether event `number` is over, as far as one can tell without waiting.
  bool isOver(int64_t number);
  /// The host waits for it. Errors of the work before it come out here.
  Status synchronize(int64_t number);
  /// What `other` is given from here on happens after event `number`.
  Status holdBack(Timeline &other, int64_t number);

private:
  /// Of the driver; used again when nobody waits for it any more.
  struct Recorded {
    int64_t number;
    std::shared_ptr<Event> event;
  };

  /// The first event from `number` on that may not be over; null where all are.
  std::shared_ptr<Event> find(int64_t number);
  void dropFinished();

  const std::string &device;
  const Driver &driver;
  Stream order = nullptr;
  std::mutex mutex;
  int64_t last = 0;
  std::deque<Recorded> open;
  std::vector<std::shared_ptr<Event>> spare;
};

} // namespace weir::rt::cuda

#endif // WEIR_RUNTIME_DEVICE_GPU_TIMELINE_H

//===- Timeline.cpp - Events of a stream ----------------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/device/gpu/Timeline.h"

#include "runtime/base/Format.h"

using namespace weir::rt;
using namespace weir::rt::cuda;

Status Timeline::start() {
  const unsigned nonBlocking = 1;
  return driver.check(driver.streamCreate(&order, nonBlocking), device,
                      "cuStreamCreate");
}

void Timeline::dropFinished() {
  // An error is no end: it comes out where somebody waits.
  while (!open.empty() && driver.eventQuery(*open.front().event) == 0) {
    // Another thread may be about to wait for it.
    if (open.front().event.use_count() == 1)
      spare.push_back(std::move(open.front().event));
    open.pop_front();
  }
}

Status Timeline::record(int64_t &number) {
  std::lock_guard<std::mutex> lock(mutex);
  dropFinished();
  std::shared_ptr<Event> event;
  if (!spare.empty()) {
    event = std::move(spare.back());
    spare.pop_back();
  } else {
    event = std::make_shared<Event>();
    WEIR_RETURN_IF_ERROR(
        driver.check(driver.eventCreate(event.get(), eventDisableTiming),
                     device, "cuEventCreate"));
  }
  WEIR_RETURN_IF_ERROR(
      driver.check(driver.eventRecord(*event, order), device, "cuEventRecord"));
  number = ++last;
  open.push_back({number, std::move(event)});
  return Status();
}

std::shared_ptr<Event> Timeline::find(int64_t number) {
  if (open.empty() || open.back().number < number)
    return nullptr;
  const int64_t before = number - open.front().number;
  // Numbers follow each other; what is not there any more is over.
  return before < 0 ? nullptr : open[static_cast<size_t>(before)].event;
}

bool Timeline::isOver(int64_t number) {
  std::lock_guard<std::mutex> lock(mutex);
  dropFinished();
  return !find(number);
}

Status Timeline::synchronize(int64_t number) {
  std::shared_ptr<Event> event;
  {
    std::lock_guard<std::mutex> lock(mutex);
    event = find(number);
  }
  if (!event)
    return Status();
  return driver.check(driver.eventSynchronize(*event), device, "work on it");
}

Status Timeline::holdBack(Timeline &other, int64_t number) {
  std::lock_guard<std::mutex> lock(mutex);
  std::shared_ptr<Event> event = find(number);
  if (!event)
    return Status();
  return driver.check(driver.streamWaitEvent(other.order, *event, /*flags=*/0),
                      device, "cuStreamWaitEvent");
}

//===- QueueWaiter.cpp - Waiting for one operation of a queue -------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/state/QueueWaiter.h"

using namespace weir::rt;

QueueWaiter::~QueueWaiter() {
  if (!started)
    return;
  QueueTuple dropped;
  if (!isDone()) {
    cancellation.cancel("nobody waits for it any more");
    Status ignored = wait(dropped);
    static_cast<void>(ignored);
  }
}

QueueDone QueueWaiter::done() {
  started = true;
  return [this](Status newStatus, QueueTuple result) {
    // Notified with the lock held: the waiter may be gone once it is released.
    std::lock_guard<std::mutex> lock(mutex);
    status = std::move(newStatus);
    tuple = std::move(result);
    ended = true;
    changed.notify_all();
  };
}

bool QueueWaiter::isDone() {
  std::lock_guard<std::mutex> lock(mutex);
  return ended;
}

Status QueueWaiter::wait(QueueTuple &result) {
  std::unique_lock<std::mutex> lock(mutex);
  changed.wait(lock, [&] { return ended; });
  result = std::move(tuple);
  return std::move(status);
}

Status QueueWaiter::wait(std::chrono::nanoseconds time, QueueTuple &result) {
  {
    std::unique_lock<std::mutex> lock(mutex);
    changed.wait_for(lock, time, [&] { return ended; });
  }
  // An operation that has ended does not notice.
  cancellation.cancel("its deadline has passed", WEIR_DEADLINE_EXCEEDED);
  return wait(result);
}

//===- QueueWaiter.h - Waiting for one operation of a queue -----*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For callers that have a thread to spare, as tests and command lines do:
//
//   QueueWaiter waiter;
//   queue->dequeueMany(8, waiter.done(), waiter.token());
//   Status status = waiter.wait(std::chrono::seconds(1), batch);
//
// One operation for each waiter; made, used and destroyed by one thread.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_STATE_QUEUEWAITER_H
#define WEIR_RUNTIME_STATE_QUEUEWAITER_H

#include "runtime/state/Queue.h"

#include <chrono>

namespace weir::rt {

class QueueWaiter {
public:
  /// The operation is cancelled with `parent` too, which may be null.
  explicit QueueWaiter(CancellationToken *parent = nullptr)
      : cancellation(parent) {}
  /// Cancels the operation if it has begun and not ended, and waits for that.
  ~QueueWaiter();

  QueueDone done();
  CancellationToken *token() { return &cancellation; }

  bool isDone();

  /// Waits until the operation has ended.
  Status wait(QueueTuple &result);
  /// The same; after `time` the operation is cancelled with
  /// WEIR_DEADLINE_EXCEEDED, unless it completes at that very moment.
  Status wait(std::chrono::nanoseconds time, QueueTuple &result);

private:
  CancellationToken cancellation;
  std::mutex mutex;
  std::condition_variable changed;
  bool started = false, ended = false;
  Status status;
  QueueTuple tuple;
};

} // namespace weir::rt

#endif // WEIR_RUNTIME_STATE_QUEUEWAITER_H

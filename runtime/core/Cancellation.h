//===- Cancellation.h - Stopping what a step started ------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A step has one CancellationToken. Whatever waits on behalf of the step leaves
// a callback with it and takes the callback back when the wait is over.
// Cancelling runs the callbacks that are left, once each, in order of
// registration, on the thread that cancels and outside every lock of the token.
//
// All functions may be called from any thread, also from a callback. A token
// outlives every operation that was given it, and is not destroyed while
// cancel() runs on another thread.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_CORE_CANCELLATION_H
#define WEIR_RUNTIME_CORE_CANCELLATION_H

#include "weir-c/types.h"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>

namespace weir::rt {

class CancellationToken {
public:
  using Callback = std::function<void()>;
  /// Names a registered callback; 0 names none.
  using Id = uint64_t;

  CancellationToken() = default;
  /// A token that is cancelled with `parent` (which may be null, and outlives
  /// this), for the same reason. A parent that is cancelled already makes a
  /// token that is cancelled from the start.
  explicit CancellationToken(CancellationToken *parent);
  ~CancellationToken();
  CancellationToken(const CancellationToken &) = delete;
  CancellationToken &operator=(const CancellationToken &) = delete;

  bool isCancelled() const { return cancelled.load(std::memory_order_acquire); }

  /// WEIR_CANCELLED or WEIR_DEADLINE_EXCEEDED once cancelled, else WEIR_OK.
  WeirCode code() const { return isCancelled() ? reasonCode : WEIR_OK; }
  /// Why, as cancel() was told; empty while not cancelled.
  std::string reason() const { return isCancelled() ? reasonText : ""; }

  /// Leaves `callback` to be run when the token is cancelled. 0 when it is
  /// cancelled already: then the callback is dropped without being run, and the
  /// caller does itself what the callback would have done.
  Id onCancel(Callback callback);

  /// Takes a callback back. True: it has not begun and will not. False: it has
  /// run, is running (perhaps on another thread), or never was. Never waits.
  bool tryRemove(Id id);

  /// As tryRemove, but a callback that is running on another thread has ended
  /// when this returns.
  bool remove(Id id);

  /// Cancels: true for the first call, which returns when all callbacks have
  /// run; later calls do nothing. `code` is WEIR_DEADLINE_EXCEEDED for a
  /// deadline, otherwise WEIR_CANCELLED.
  bool cancel(std::string reason, WeirCode code = WEIR_CANCELLED);

private:
  std::mutex mutex;
  std::condition_variable callbackEnded;
  std::map<Id, Callback> callbacks;
  Id lastId = 0;
  /// The callback that cancel() runs now, and on which thread.
  Id running = 0;
  std::thread::id runningThread;

  std::atomic<bool> cancelled{false};
  /// Written once, before `cancelled`.
  WeirCode reasonCode = WEIR_OK;
  std::string reasonText;

  CancellationToken *parent = nullptr;
  Id idAtParent = 0;
};

} // namespace weir::rt

#endif // WEIR_RUNTIME_CORE_CANCELLATION_H

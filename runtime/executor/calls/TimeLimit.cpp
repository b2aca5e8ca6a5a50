//===- TimeLimit.cpp - Calls that wait for so long only -------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/executor/calls/TimeLimit.h"
#include "runtime/base/Format.h"
#include "runtime/executor/Timer.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <thread>

using namespace weir::rt;

namespace {

/// One operation under the timer. Held by the operation's `done`, by the alarm
/// and by the callback at the step's token, so that it outlives whoever cancels
/// its token.
struct Limited {
  explicit Limited(WeirNodeCall *call) : call(call) {}

  CancellationToken token;
  WeirNodeCall *call;
  CancellationToken::Id idAtStep = 0;
  Timer::Id alarm = 0;
  /// The thread on which the alarm runs.
  std::atomic<std::thread::id> alarmThread{};

  /// Takes back what could still use the call, which is about to end.
  void release() {
    // Where the alarm itself ended the operation there is nothing to take back.
    if (alarmThread.load() != std::this_thread::get_id())
      Timer::get().remove(alarm);
    // A callback of the step that runs now does not use the call.
    call->token()->tryRemove(idAtStep);
  }
};

} // namespace

void weir::rt::startLimited(
    WeirNodeCall *call, int64_t timeoutMs, QueueDone finish,
    const std::function<void(QueueDone, CancellationToken *)> &start) {
  auto limited = std::make_shared<Limited>(call);
  CancellationToken *step = call->token();
  auto withStep = [limited, step] {
    limited->token.cancel(step->reason(), step->code());
  };
  limited->idAtStep = step->onCancel(withStep);
  if (limited->idAtStep == 0)
    withStep();
  // No deadline is further away than the clock can tell.
  constexpr int64_t kLongestMs = int64_t(1) << 40;
  limited->alarm = Timer::get().add(
      Timer::Clock::now() +
          std::chrono::milliseconds(std::min(timeoutMs, kLongestMs)),
      [limited, timeoutMs] {
        limited->alarmThread = std::this_thread::get_id();
        limited->token.cancel(str("its time-out of ", timeoutMs, " ms is over"),
                              WEIR_DEADLINE_EXCEEDED);
      });
  if (limited->alarm == 0) {
    step->tryRemove(limited->idAtStep);
    return finish(Status(WEIR_RESOURCE_EXHAUSTED,
                         "[WEIR0311] the system gives no thread for the "
                         "timer, which the node's time-out needs"),
                  QueueTuple());
  }
  start(
      [limited, finish = std::move(finish)](Status status, QueueTuple tuple) {
        limited->release();
        finish(std::move(status), std::move(tuple));
      },
      &limited->token);
}

//===- TimeLimit.h - Calls that wait for so long only -----------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A node that waits does so under the step's token; one with a time-out of its
// own under the timer as well.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_EXECUTOR_CALLS_TIMELIMIT_H
#define WEIR_RUNTIME_EXECUTOR_CALLS_TIMELIMIT_H

#include "runtime/core/Cancellation.h"
#include "runtime/executor/NodeCall.h"
#include "runtime/state/Queue.h"

#include <functional>

namespace weir::rt {

/// Starts an operation that waits: calls `start(done, token)` once, now.
/// `finish` is given what `done` was; the operation registers with the token,
/// which is cancelled with the call's own, or with WEIR_DEADLINE_EXCEEDED after
/// `timeoutMs`. RESOURCE_EXHAUSTED, without a start, where there is no timer.
void startLimited(
    WeirNodeCall *call, int64_t timeoutMs, QueueDone finish,
    const std::function<void(QueueDone done, CancellationToken *token)> &start);

/// The same; a negative time is none.
template <typename Start>
void startWithin(WeirNodeCall *call, int64_t timeoutMs, QueueDone finish,
                 const Start &start) {
  if (timeoutMs < 0)
    start(std::move(finish), call->token());
  else
    startLimited(call, timeoutMs, std::move(finish), std::ref(start));
}

} // namespace weir::rt

#endif // WEIR_RUNTIME_EXECUTOR_CALLS_TIMELIMIT_H

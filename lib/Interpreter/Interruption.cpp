//===- Interruption.cpp - What ends a step before its end -----------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Interpreter/Interruption.h"

#include "lib/Interpreter/Errors.h"

using namespace mlir;

namespace weir {

/// A poll may wait for a lock, which is not to slow the step down.
static constexpr std::chrono::milliseconds pollInterval(50);

Interruption::Interruption(std::optional<Clock::duration> timeout,
                           const rt::CancellationToken *cancellation, Poll poll)
    : cancellation(cancellation), poll(std::move(poll)),
      nextPoll(Clock::now() + pollInterval) {
  if (timeout)
    deadline = Clock::now() + *timeout;
}

llvm::Error Interruption::cancelled(Operation *op, const std::string &reason,
                                    WeirCode code) {
  return nodeError(
      op, code == WEIR_DEADLINE_EXCEEDED ? code::deadline : code::cancelled,
      "the step was cancelled: " + reason + "; this node was to run");
}

llvm::Error Interruption::checkClock(Operation *op) {
  Clock::time_point now = Clock::now();
  if (deadline && now >= *deadline)
    return nodeError(op, code::deadline,
                     "the step has not finished by its deadline; this node was "
                     "to run");
  if (!poll || now < nextPoll)
    return llvm::Error::success();
  nextPoll = now + pollInterval;
  return poll() ? cancelled(op, "it was interrupted", WEIR_CANCELLED)
                : llvm::Error::success();
}

} // namespace weir

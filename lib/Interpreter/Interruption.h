//===- Interruption.h - What ends a step before its end --------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_INTERPRETER_INTERRUPTION_H
#define WEIR_LIB_INTERPRETER_INTERRUPTION_H

#include "mlir/IR/Operation.h"
#include "runtime/core/Cancellation.h"
#include "llvm/Support/Error.h"

#include <chrono>
#include <functional>
#include <optional>

namespace weir {

/// A deadline, a cancellation, and a question to whoever started the step. One
/// node is never interrupted: it is asked for between nodes, and in each round
/// of a loop. Used by the thread that runs the step.
class Interruption {
public:
  using Clock = std::chrono::steady_clock;
  using Poll = std::function<bool()>;

  Interruption() = default;
  /// `cancellation` may be null, and outlives this. `poll` may be empty; it is
  /// called a few times a second at most, and its true cancels the step.
  Interruption(std::optional<Clock::duration> timeout,
               const rt::CancellationToken *cancellation, Poll poll);

  bool hasDeadline() const { return deadline.has_value(); }

  /// An error [WEIR0323], CANCELLED or DEADLINE_EXCEEDED, where the step is to
  /// end, which was about to run `op`.
  llvm::Error check(mlir::Operation *op) {
    if (cancellation && cancellation->isCancelled())
      return cancelled(op, cancellation->reason(), cancellation->code());
    return deadline || poll ? checkClock(op) : llvm::Error::success();
  }

private:
  llvm::Error checkClock(mlir::Operation *op);
  static llvm::Error cancelled(mlir::Operation *op, const std::string &reason,
                               WeirCode code);

  std::optional<Clock::time_point> deadline;
  const rt::CancellationToken *cancellation = nullptr;
  Poll poll;
  Clock::time_point nextPoll;
};

} // namespace weir

#endif // WEIR_LIB_INTERPRETER_INTERRUPTION_H

//===- StepRun.h - Steps that nobody waits for ------------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One step of an entry, on the threads of the pool: of one that runs by itself,
// or of one that is spread over devices, whose parts run side by side over one
// rendezvous. Between the nodes that can run it holds no thread.
//
// The first error of a part is the step's. It aborts the rendezvous, which ends
// whatever waits there (also in other processes, where the rendezvous tells
// them), and stops the other parts; what they say then is not reported.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_EXECUTOR_STEPRUN_H
#define WEIR_RUNTIME_EXECUTOR_STEPRUN_H

#include "runtime/base/Status.h"
#include "runtime/core/Cancellation.h"
#include "runtime/core/Tensor.h"
#include "runtime/rendezvous/Rendezvous.h"
#include "weir-c/session.h"

#include <functional>
#include <memory>
#include <vector>

namespace weir::rt {

/// What the nodes of a step wait for, a line each.
using StallReport = std::function<void(const std::string &waiting)>;

struct StepOptions {
  /// Where the step sends and receives; null for a step within this process,
  /// which gets one of its own. An abort of it from outside ends the nodes that
  /// wait in it or come to it later; cancel the step too to end all of it.
  std::shared_ptr<Rendezvous> rendezvous;
  /// Ends the step with its code and reason. May be null.
  std::shared_ptr<CancellationToken> cancellation;
  /// For messages; 0 for none.
  uint64_t stepId = 0;
  /// As in WeirRunOptions.
  int64_t timeoutMs = 0;
  int32_t threads = 0;
  /// Called from the timer's thread, each time that so long has passed (0:
  /// never) and nothing of the step runs, with what its nodes wait for.
  int64_t stallReportMs = 0;
  StallReport onStall;
};

/// With an error there are no fetches; otherwise as many as the entry has, each
/// memory of the host that nobody else sees.
using StepDone =
    std::function<void(Status status, std::vector<TensorRef> fetches)>;

/// Starts a step and returns. `feeds` are checked against the entry; they are
/// memory of the host. `done` is called exactly once, when no thread works for
/// the step any more and nothing of it waits: in this call or from a thread of
/// the pool, which it may keep for a short time only. What is known to be short
/// is run in this call. The session lives until
/// then: its destruction cancels the step and waits.
void startStep(WeirSession &session, int32_t entry,
               std::vector<TensorRef> feeds, StepOptions options,
               StepDone done);

} // namespace weir::rt

#endif // WEIR_RUNTIME_EXECUTOR_STEPRUN_H

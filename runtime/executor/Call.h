//===- Call.h - A call in flight --------------------------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_EXECUTOR_CALL_H
#define WEIR_RUNTIME_EXECUTOR_CALL_H

#include "runtime/executor/Frames.h"
#include "runtime/executor/NodeCall.h"
#include "runtime/rendezvous/Rendezvous.h"

namespace weir::rt {

class Machine;

/// A call in flight. Its tensors lie behind it in the block.
struct Call final : WeirNodeCall {
  Call(Machine &machine, const WeirNodeDesc &desc, WeirSession &session,
       StepResources &resources, CancellationToken &token, uint32_t node,
       Iteration *iteration)
      : WeirNodeCall(desc, session, resources, token), machine(machine),
        nodeNumber(node), iteration(iteration) {}

  Machine &machine;
  uint32_t nodeNumber;
  Iteration *iteration;
  Status status;
  /// The first input is a handle of the graph's own, with no reference of its
  /// own.
  bool isFirstBorrowed = false;
  /// Of a RECEIVE: what it waits for, and whether it was dead. `mark` is when
  /// it began, for the trace.
  const RendezvousKey *key = nullptr;
  bool isDead = false;
  int64_t mark = 0;
  int32_t track = 0;
  /// The list that it is in: of those in flight, and of those that have ended.
  Call *next = nullptr, *prev = nullptr, *nextEnded = nullptr;
};

} // namespace weir::rt

#endif // WEIR_RUNTIME_EXECUTOR_CALL_H

//===- Worker.h - A thread's place in a step --------------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_EXECUTOR_WORKER_H
#define WEIR_RUNTIME_EXECUTOR_WORKER_H

#include "runtime/executor/Machine.h"

#include <chrono>

namespace weir::rt {

inline int64_t nanoseconds() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// On the stack of the thread. Calls that end on it meanwhile lie here, so that
/// they take no lock and do not run nested.
struct Machine::Worker {
  explicit Worker(Machine &machine)
      : machine(machine), outer(current), scope(machine.onDevice) {
    current = this;
  }
  ~Worker() { current = outer; }

  void add(Call *call) {
    call->nextEnded = nullptr;
    *last = call;
    last = &call->nextEnded;
  }
  Call *take() {
    Call *call = ended;
    if (call && !(ended = call->nextEnded))
      last = &ended;
    return call;
  }

  Machine &machine;
  Worker *outer;
  StepOnDevice::Scope scope;
  Call *ended = nullptr;
  Call **last = &ended;

  // What a kernel is given; the vectors are for large ones.
  static constexpr int32_t kFew = 16;
  WeirView fewViews[kFew];
  WeirTensor *fewTensors[2 * kFew];
  std::vector<WeirView> manyViews;
  std::vector<WeirTensor *> manyTensors;
};

} // namespace weir::rt

#endif // WEIR_RUNTIME_EXECUTOR_WORKER_H

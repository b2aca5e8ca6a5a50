//===- Variables.h - The state of a session ---------------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One buffer per variable, allocated at its first write and kept until the
// session ends, so that generated code may hold its address for a step. Several
// steps may read and write one variable at a time: they see each other's
// elements in any order, as the graph's semantics allow for accesses without a
// path between them. Allocation and the initialized flag are safe from any
// thread.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_STATE_VARIABLES_H
#define WEIR_RUNTIME_STATE_VARIABLES_H

#include "runtime/base/Status.h"
#include "weir-c/program.h"

#include <atomic>
#include <memory>
#include <mutex>

namespace weir::rt {

class Variables {
public:
  /// `program` has passed checkProgram and outlives this.
  explicit Variables(const WeirProgram &program);
  ~Variables();
  Variables(const Variables &) = delete;
  Variables &operator=(const Variables &) = delete;

  /// The buffer of variable `index`, or null when it was never assigned.
  void *initializedBuffer(int32_t index) const {
    const Slot &slot = slots[index];
    if (!slot.initialized.load(std::memory_order_acquire))
      return nullptr;
    return slot.buffer.load(std::memory_order_relaxed);
  }

  /// The buffer of variable `index`, allocated (zeroed) when there is none yet;
  /// null when there is no memory.
  void *writableBuffer(int32_t index) {
    void *buffer = slots[index].buffer.load(std::memory_order_acquire);
    return buffer ? buffer : allocate(index);
  }

  void markInitialized(int32_t index) {
    slots[index].initialized.store(true, std::memory_order_release);
  }

  /// The index of the variable `name`; NOT_FOUND names the known ones.
  Status find(const char *name, int32_t &index) const;

  /// Why a read of an unassigned variable failed and what helps.
  Status uninitialized(int32_t index) const;

  Status noMemory(int32_t index) const;

  int64_t bytes(int32_t index) const { return slots[index].bytes; }

private:
  struct Slot {
    std::atomic<void *> buffer{nullptr};
    std::atomic<bool> initialized{false};
    int64_t bytes = 0;
  };

  void *allocate(int32_t index);

  const WeirProgram &program;
  std::unique_ptr<Slot[]> slots;
  std::mutex allocation;
};

} // namespace weir::rt

#endif // WEIR_RUNTIME_STATE_VARIABLES_H

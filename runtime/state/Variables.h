//===- Variables.h - The variables of a session -----------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The variables of a program by index. They lie in the state of the family of
// sessions (runtime/state/State.h); this is where generated code finds their
// addresses, in one load. An address, once known, stays.
//
// All functions may be called from any thread.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_STATE_VARIABLES_H
#define WEIR_RUNTIME_STATE_VARIABLES_H

#include "runtime/state/HandleCache.h"
#include "runtime/state/Variable.h"

#include <atomic>
#include <memory>
#include <vector>

namespace weir::rt {

class Variables {
public:
  /// `variables` are those of `program`, in order; the program outlives this.
  Variables(const WeirProgram &program,
            std::vector<std::shared_ptr<Variable>> variables);

  /// The buffer of variable `index`, or null when it was never assigned, or
  /// lies on a device.
  void *initializedBuffer(int32_t index) const {
    const Slot &slot = slots[index];
    void *buffer = slot.readable.load(std::memory_order_acquire);
    // A value can be taken away again.
    return buffer && slot.variable->isInitialized() ? buffer
                                                    : findReadable(slot);
  }

  /// The buffer of variable `index`, allocated (zeroed) when there is none yet;
  /// null when there is no memory, or it lies on a device.
  void *writableBuffer(int32_t index) {
    Slot &slot = slots[index];
    if (void *buffer = slot.writable.load(std::memory_order_acquire))
      return buffer;
    return findWritable(slot);
  }

  /// After writableBuffer: the variable has a value.
  void markInitialized(int32_t index) {
    const Slot &slot = slots[index];
    if (!slot.readable.load(std::memory_order_acquire) ||
        !slot.variable->isInitialized())
      markFirst(slots[index]);
  }

  Variable &variable(int32_t index) { return *slots[index].variable; }

  /// A handle of variable `index`.
  Status handle(int32_t index, TensorRef &result);

  /// The index of the variable `name`; NOT_FOUND names the known ones.
  Status find(const char *name, int32_t &index) const;

  /// Why a read of an unassigned variable failed and what helps.
  Status uninitialized(int32_t index) const {
    return slots[index].variable->uninitialized(program);
  }
  Status noMemory(int32_t index) const {
    return slots[index].variable->noMemory();
  }

private:
  struct Slot {
    /// The buffer, as soon as it is known here that there is one, and that it
    /// has a value.
    std::atomic<void *> writable{nullptr};
    mutable std::atomic<void *> readable{nullptr};
    std::shared_ptr<Variable> variable;
    HandleCache handle;
  };

  static void *findReadable(const Slot &slot);
  static void *findWritable(Slot &slot);
  static void markFirst(Slot &slot);

  const WeirProgram &program;
  std::unique_ptr<Slot[]> slots;
};

} // namespace weir::rt

#endif // WEIR_RUNTIME_STATE_VARIABLES_H

//===- Variable.h - A variable that sessions share --------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One buffer, allocated at its first write and kept as long as the variable, so
// that generated code may hold its address for a step. It lies on the device
// whose entries use the variable, which programs say before the first write;
// for everybody else there are copies. Straight-line code reads
// and writes it without a lock: steps see each other's elements in any order,
// as the graph's semantics allow for accesses without a path between them. The
// nodes that the executor runs (read, assign, update) exclude each other: an
// update is lost to none of them.
//
// A variable of strings, or of unknown rank, has a tensor in place of a buffer:
// no generated code names it.
//
// All functions may be called from any thread.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_STATE_VARIABLE_H
#define WEIR_RUNTIME_STATE_VARIABLE_H

#include "runtime/state/Resource.h"
#include "weir-c/program.h"

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

namespace weir::rt {

class Variable final : public Resource {
public:
  /// As declared by a program that checkProgram accepts; the descriptor is
  /// copied.
  explicit Variable(const WeirTensorDesc &declared);
  ~Variable() override;
  Variable(const Variable &) = delete;
  Variable &operator=(const Variable &) = delete;

  std::string describe() const override;

  /// Its name and type, of rank -1 where values may be of any shape; valid as
  /// long as the variable.
  const WeirTensorDesc &desc() const { return descriptor; }
  int64_t bytes() const { return size; }

  /// False for a variable of strings or of unknown rank.
  bool hasBuffer() const {
    return descriptor.rank >= 0 && descriptor.dtype != WEIR_STRING;
  }
  bool isInitialized() const {
    return initialized.load(std::memory_order_acquire);
  }
  /// Takes the value away, as if it never had one.
  void clear();

  /// Whose memory the buffer is; null for the host's.
  Device *device() const { return place.load(std::memory_order_acquire); }
  /// Puts the variable on a device with its own memory, where it has no buffer
  /// yet; otherwise it stays where it is.
  void moveTo(Device &device);

  /// The buffer, or null when the variable was never assigned.
  void *initializedBuffer() const {
    return initialized.load(std::memory_order_acquire)
               ? buffer.load(std::memory_order_relaxed)
               : nullptr;
  }
  /// The buffer, allocated (zeroed) when there is none yet; null when there is
  /// no memory.
  void *writableBuffer();
  void markInitialized() { initialized.store(true, std::memory_order_release); }

  /// A copy of the value, in memory of `to` (null: the host's).
  /// FAILED_PRECONDITION [WEIR0306] before it has one; `program` is asked what
  /// would give it one.
  Status read(const WeirProgram &program, TensorRef &copy,
              Device *to = nullptr);
  /// Assigns a value that checkView accepts, which is memory of `from` (null:
  /// the host's). INVALID_ARGUMENT [WEIR0308] for one of another type.
  Status assign(const WeirView &value, Device *from = nullptr);
  /// Assigns what `compute` makes of the value, both in memory of `where`;
  /// nothing when that fails.
  Status update(const WeirProgram &program,
                const std::function<Status(const WeirView &old,
                                           TensorRef &result)> &compute,
                Device *where = nullptr);

  /// Why a read of the unassigned variable failed and what helps.
  Status uninitialized(const WeirProgram &program) const;
  Status noMemory() const;

private:
  Status checkValue(const WeirView &value) const;
  /// A tensor of its own with what `value` holds.
  static Status copyValue(const WeirView &value, Device *from, Device *to,
                          TensorRef &copy);
  /// With the lock held.
  Status store(const WeirView &value, Device *from);
  WeirView view(void *data) const;

  const std::string name;
  const std::vector<int64_t> dims;
  WeirTensorDesc descriptor;
  int64_t size = 0;
  std::atomic<Device *> place{nullptr};
  std::atomic<void *> buffer{nullptr};
  std::atomic<bool> initialized{false};
  /// The value of a variable without a buffer; nobody changes it.
  TensorRef tensor;
  std::mutex allocation;
  /// Held by reads, assignments and updates of the executor's nodes.
  std::mutex access;
};

} // namespace weir::rt

#endif // WEIR_RUNTIME_STATE_VARIABLE_H

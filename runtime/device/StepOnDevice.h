//===- StepOnDevice.h - The step that a thread works for --------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Work that a step gives to a device may turn out to be an error long after the
// call that gave it has returned: an index that a kernel was asked to look at.
// What the device knows of a step lies here. A thread has one such step at a
// time, as it has a current context of CUDA's; what it waits for on the step's
// device also tells whether the step has failed there.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_DEVICE_STEPONDEVICE_H
#define WEIR_RUNTIME_DEVICE_STEPONDEVICE_H

#include "runtime/device/Device.h"

#include <atomic>

namespace weir::rt {

/// One after the other of the steps that a part of a program runs. Safe to use
/// from several threads, but for begin().
class StepOnDevice {
public:
  /// What a kind of device keeps; it makes it when it first needs it.
  class Part {
  public:
    virtual ~Part() = default;
    /// A new step: nothing has failed.
    virtual void begin() = 0;
    /// Whether kernels were asked for a check of which nobody knows yet how it
    /// went.
    virtual bool hasOpenChecks() const = 0;
    /// The first check that is known to have failed; OK where none is.
    virtual Status failure() const = 0;
  };

  /// `device` outlives it; null where all is in the host's memory.
  explicit StepOnDevice(Device *device) : device(device) {}
  ~StepOnDevice() { delete part(); }
  StepOnDevice(const StepOnDevice &) = delete;
  StepOnDevice &operator=(const StepOnDevice &) = delete;

  Part *part() const { return kept.load(std::memory_order_acquire); }
  /// `made`, or what another thread has made meanwhile.
  Part &keep(std::unique_ptr<Part> made);

  void begin() {
    if (Part *there = part())
      there->begin();
  }
  Status failure() const {
    const Part *there = part();
    return there ? there->failure() : Status();
  }
  /// Waits for checks that are open, before something that must not happen
  /// where one fails.
  Status settle() {
    const Part *there = part();
    return there && there->hasOpenChecks() ? device->synchronize() : Status();
  }

  /// The step that this thread works for, or null.
  static StepOnDevice *current();
  /// settle() of that one.
  static Status settleCurrent() {
    StepOnDevice *step = current();
    return step ? step->settle() : Status();
  }

  /// Makes a step this thread's, for as long as it lives.
  class Scope {
  public:
    explicit Scope(StepOnDevice &step);
    ~Scope();
    Scope(const Scope &) = delete;
    Scope &operator=(const Scope &) = delete;

  private:
    StepOnDevice *const outer;
  };

  Device *const device;

private:
  std::atomic<Part *> kept{nullptr};
};

} // namespace weir::rt

#endif // WEIR_RUNTIME_DEVICE_STEPONDEVICE_H

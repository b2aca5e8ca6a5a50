//===- Session.h - Sessions and their steps ---------------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A WeirSession runs one program on a state that it may share. A *step* is one
// run of an entry point: it lives on the stack of the thread that runs it,
// holds the blocks that the generated code has not freed, the fetches made so
// far and the first error.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_CORE_SESSION_H
#define WEIR_RUNTIME_CORE_SESSION_H

#include "runtime/base/Status.h"
#include "runtime/core/Allocator.h"
#include "runtime/core/Cancellation.h"
#include "runtime/device/Device.h"
#include "runtime/state/State.h"
#include "runtime/state/Variables.h"
#include "weir-c/session.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <vector>

namespace weir::rt {

/// What a session keeps for an entry that the executor runs.
class PreparedEntry {
public:
  virtual ~PreparedEntry() = default;
  /// Returns when no step of the entry runs any more.
  virtual void waitUntilIdle() = 0;
};

} // namespace weir::rt

struct WeirSession {
  WeirSession(const WeirProgram &program, weir::rt::Declared declared)
      : program(program), state(std::move(declared.state)),
        variables(program, std::move(declared.variables)),
        resources(std::move(declared.resources)),
        devices(static_cast<size_t>(program.entry_count), nullptr),
        tracks(static_cast<size_t>(program.entry_count)),
        prepared(static_cast<size_t>(program.entry_count)) {}
  /// Cancels the steps that wait or loop, and returns when they have ended.
  ~WeirSession();

  const WeirProgram &program;
  /// Shared with the other sessions of the family.
  const std::shared_ptr<weir::rt::State> state;
  weir::rt::Variables variables;
  weir::rt::Resources resources;

  /// What each entry runs on; null where it does not say.
  std::vector<weir::rt::Device *> devices;
  /// Where the events of each entry belong (runtime/trace/Trace.h).
  std::vector<int32_t> tracks;

  /// Cancelled when the session goes.
  weir::rt::CancellationToken stopping;
  /// For each entry, null before its first use. Set once, under the lock.
  std::vector<std::atomic<weir::rt::PreparedEntry *>> prepared;
  std::mutex preparation;
  /// Calls of weir_session_run that have not returned.
  std::atomic<int64_t> running{0};
};

/// The cancellation of the C interface.
struct WeirCancellation {
  weir::rt::CancellationToken token;
};

namespace weir::rt {

/// Memory of a device that the code of a step has not freed; goes back with
/// this.
struct DeviceBlocks {
  explicit DeviceBlocks(Device &device) : device(device) {}
  ~DeviceBlocks() {
    for (void *memory : live)
      device.release(memory);
  }
  DeviceBlocks(const DeviceBlocks &) = delete;
  DeviceBlocks &operator=(const DeviceBlocks &) = delete;

  Device &device;
  std::vector<void *> live;
};

/// The host's copy of a variable that lies on a device, for a straight line.
struct VariableCopy {
  int32_t index;
  TensorRef value;
};

/// The private part of a WeirStep. The base is what generated code sees.
struct Step : WeirStep {
  Step(WeirSession &session, const WeirEntryDesc &entry, const WeirView *feeds,
       WeirTensor **fetches, const WeirRunOptions *options = nullptr)
      : WeirStep{feeds}, session(session), entry(entry), fetches(fetches),
        options(options) {
    live.next = live.prev = &live;
    if (options && options->timeout_ms > 0)
      setDeadline();
  }
  ~Step() {
    if (live.next != &live || variableCopies)
      reclaim();
  }
  Step(const Step &) = delete;
  Step &operator=(const Step &) = delete;

  static Step &of(WeirStep *step) { return *static_cast<Step *>(step); }

  /// Records an error unless one is there already. Returns its code.
  int32_t fail(Status error) {
    int32_t code = error.code();
    if (status.ok())
      status = std::move(error);
    return code;
  }

  /// Records an error if the step has been cancelled or its time is over.
  /// Returns the code of it, else WEIR_OK.
  int32_t poll();

  WeirSession &session;
  const WeirEntryDesc &entry;
  /// fetch_count tensors, null until the code has asked for their buffer.
  WeirTensor **fetches;
  /// Null for the defaults.
  const WeirRunOptions *options;
  /// Blocks for scalar fetches, or null: what the executor keeps for kernels.
  ScalarBlocks *scalars = nullptr;
  /// Not null where the code's memory is that of a device.
  DeviceBlocks *blocks = nullptr;
  /// The device whose memory the code is given; null for the host's.
  Device *device() const { return blocks ? &blocks->device : nullptr; }
  /// Where its events belong (runtime/trace/Trace.h).
  int32_t track = 0;
  std::vector<VariableCopy> *variableCopies = nullptr;
  /// When the step has to be over; never where it has no deadline, or where
  /// somebody else looks at the clock.
  std::chrono::steady_clock::time_point deadline =
      std::chrono::steady_clock::time_point::max();
  /// Set where a kernel's graph has stopped, or null.
  const std::atomic<bool> *stopRequest = nullptr;
  /// poll() has ended it.
  bool isInterrupted = false;
  /// The head of the ring of blocks that are in use.
  Block live;
  Status status;

private:
  void setDeadline();
  /// Gives all live blocks back to the pool, and copies.
  void reclaim();
};

/// Runs a step of entry `index` on this thread; on an error no fetch is left.
Status runStep(WeirSession &session, int32_t index, const WeirView *feeds,
               WeirTensor **fetches, const WeirRunOptions *options);

} // namespace weir::rt

#endif // WEIR_RUNTIME_CORE_SESSION_H

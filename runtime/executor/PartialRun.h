//===- PartialRun.h - A step in several calls -------------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_EXECUTOR_PARTIALRUN_H
#define WEIR_RUNTIME_EXECUTOR_PARTIALRUN_H

#include "runtime/executor/Prepared.h"

/// The partial run of the C interface. Its functions may be called from several
/// threads; end() is the last call, and none is under way then.
struct WeirPartialRun {
  WeirPartialRun(weir::rt::PreparedGraph &prepared, const WeirEntryDesc &entry,
                 const WeirRunOptions *options);

  weir::rt::Status feed(int32_t index, const WeirView *value);
  weir::rt::Status fetch(int32_t index, weir::rt::TensorRef &value);
  weir::rt::Status end();
  /// The session goes away: ends the step.
  void abandon();

private:
  using Status = weir::rt::Status;

  /// A call that is under way; false where the session is gone.
  bool enter();
  void leave();
  Status gone() const;
  Status feedOpen(int32_t index, const WeirView *value);
  Status fetchOpen(int32_t index, weir::rt::TensorRef &value);
  /// Ends the step once.
  Status finish(weir::rt::Machine::Lock &lock);

  weir::rt::PreparedGraph &prepared;
  const WeirEntryDesc &entry;
  std::unique_ptr<weir::rt::Machine> machine;
  /// With the machine's lock: those handed out, and their places.
  std::vector<bool> fetched;
  std::vector<WeirTensor *> fetches;

  std::mutex mutex;
  std::condition_variable left;
  int32_t calls = 0;
  bool isGone = false;
};

#endif // WEIR_RUNTIME_EXECUTOR_PARTIALRUN_H

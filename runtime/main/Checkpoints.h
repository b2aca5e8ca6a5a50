//===- Checkpoints.h - What --save and --restore ask for --------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The checkpoints of a run of many steps: of compiled programs and of weir-run.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_MAIN_CHECKPOINTS_H
#define WEIR_RUNTIME_MAIN_CHECKPOINTS_H

#include "runtime/base/Status.h"

#include <functional>
#include <optional>
#include <string>

namespace weir::rt {

/// The options as they are given.
struct CheckpointRequest {
  std::string restore, restoreLatest, save;
  /// How many steps apart to save, as `save`-<step>; without it, once, at the
  /// end, as `save`.
  std::optional<int64_t> saveEvery;
  /// How many checkpoints stay.
  std::optional<int64_t> keep;
};

/// Which checkpoint a run begins with, and which it leaves. One thread.
class Checkpoints {
public:
  using Save = std::function<Status(const std::string &prefix)>;

  /// Checks the options against each other and sets how many checkpoints stay,
  /// for this process and those that it will start. `number` is that of errors,
  /// as "WEIR0319".
  static Status check(const CheckpointRequest &request, const char *number);

  /// Looks for the checkpoint that the run goes on from. There may be none yet
  /// where the run has `init` to begin with.
  Status open(const CheckpointRequest &request, bool hasInit);

  /// The checkpoint to restore; "" for none.
  const std::string &restored() const { return prefix; }
  /// How many of `total` steps are left.
  int64_t stepsLeft(int64_t total) const;

  /// To be called after each step: saves where it is time to.
  Status stepped(const Save &save);
  /// To be called after the last step.
  Status ended(const Save &save) const;

private:
  CheckpointRequest request;
  std::string prefix;
  /// Counts on from the checkpoint.
  int64_t step = 0, saved = -1;
};

} // namespace weir::rt

#endif // WEIR_RUNTIME_MAIN_CHECKPOINTS_H

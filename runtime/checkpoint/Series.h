//===- Series.h - The checkpoints of one training ---------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A training that saves while it goes on has one checkpoint for each time, all
// with one stem: `digits-100`, `digits-200`. After a crash it goes on from the
// newest of them that is whole.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_CHECKPOINT_SERIES_H
#define WEIR_RUNTIME_CHECKPOINT_SERIES_H

#include "runtime/checkpoint/Checkpoint.h"

namespace weir::rt {

/// "<stem>-<step>".
std::string checkpointOfStep(const std::string &stem, int64_t step);

/// Reads all of a checkpoint: its index, and every tensor against its checksum.
Status verifyCheckpoint(Env &env, const std::string &prefix);

struct NewestCheckpoint {
  std::string prefix;
  int64_t step = 0;
  /// Why newer ones are passed over, newest first.
  std::vector<Status> damaged;
};

/// The newest whole checkpoint `<stem>-<step>`. Newest is what the state file
/// of the directory calls so; checkpoints that it does not know come after
/// those, the one with the most steps first. NOT_FOUND [WEIR0266] where there
/// is none; DATA_LOSS [WEIR0265] where each is damaged.
Status findNewestCheckpoint(Env &env, const std::string &stem,
                            NewestCheckpoint &newest);

} // namespace weir::rt

#endif // WEIR_RUNTIME_CHECKPOINT_SERIES_H

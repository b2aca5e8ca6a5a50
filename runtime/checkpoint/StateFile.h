//===- StateFile.h - The `checkpoint` file of a directory -------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// TensorFlow's CheckpointState as text: which checkpoint is the newest, and
// which there are, oldest first. Paths in it are relative to the directory.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_CHECKPOINT_STATEFILE_H
#define WEIR_RUNTIME_CHECKPOINT_STATEFILE_H

#include "runtime/checkpoint/Env.h"

#include <string>
#include <string_view>
#include <vector>

namespace weir::rt {

struct CheckpointState {
  std::string newest;
  std::vector<std::string> all;
};

/// What the text says; lines that make no sense are passed over, because the
/// file is a hint and never the only way to a checkpoint.
CheckpointState parseState(std::string_view text);
std::string printState(const CheckpointState &state);

/// The state of `directory`; empty when there is none that can be read.
CheckpointState readState(Env &env, const std::string &directory);

} // namespace weir::rt

#endif // WEIR_RUNTIME_CHECKPOINT_STATEFILE_H

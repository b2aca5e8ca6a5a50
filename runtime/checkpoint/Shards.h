//===- Shards.h - Checkpoints that several tasks write ----------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each task writes a data file of its own, under a temporary name in the
// checkpoint's directory, which all of them share, and gets a receipt. One task
// collects the receipts and commits: the files get their names, the index is
// written, in the order of docs/rationale/checkpoint-commit.md. Until then
// there is no checkpoint, and where the commit fails there is none.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_CHECKPOINT_SHARDS_H
#define WEIR_RUNTIME_CHECKPOINT_SHARDS_H

#include "runtime/checkpoint/Checkpoint.h"

#include <string>
#include <vector>

namespace weir::rt {

struct ShardTensor {
  std::string_view name;
  WeirView view;
  /// Which part of a larger tensor the view is, as "10 20 0,5:-" (Slices.h), or
  /// "" for all of it.
  std::string_view slice;
};

/// Writes shard `shard` of `count`. `receipt` says what was written; its bytes
/// carry checksums.
Status writeShard(Env &env, const std::string &prefix, int64_t shard,
                  int64_t count, const std::vector<ShardTensor> &tensors,
                  std::string &receipt);

/// Makes the shards of the receipts one checkpoint. INVALID_ARGUMENT or
/// DATA_LOSS: [WEIR0412] a receipt is damaged, [WEIR0413] they are not those of
/// all shards of one save, [WEIR0414] their tensors do not go together,
/// [WEIR0415] a file that one speaks of is not there. The shards are gone then.
Status commitShards(Env &env, const std::string &prefix,
                    const std::vector<std::string_view> &receipts,
                    const SaveOptions &options = {});

} // namespace weir::rt

#endif // WEIR_RUNTIME_CHECKPOINT_SHARDS_H

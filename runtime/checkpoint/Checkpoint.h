//===- Checkpoint.h - Saving and restoring tensors --------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A checkpoint is TensorFlow's TensorBundle V2: `<prefix>.index`, a LevelDB
// table of names, and `<prefix>.data-<k>-of-<n>` with the elements, each tensor
// under a CRC-32C. It exists from the moment that its index gets its name; a
// save that fails leaves the checkpoint before it whole, also when both have
// the same prefix (docs/rationale/checkpoint-commit.md).
//
// Functions may be called from any thread; saves of one process go one after
// another.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_CHECKPOINT_CHECKPOINT_H
#define WEIR_RUNTIME_CHECKPOINT_CHECKPOINT_H

#include "runtime/base/Status.h"
#include "runtime/checkpoint/BundleProto.h"
#include "runtime/checkpoint/Env.h"

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace weir::rt {

struct NamedTensor {
  std::string_view name;
  WeirView view;
};

/// How many checkpoints named `<stem>-<number>` stay where a save does not say:
/// $WEIR_KEEP_CHECKPOINTS, else 5.
int keptCheckpoints();
/// Sets that for this process and those that it starts. Before other threads
/// run: it changes the environment.
void setKeptCheckpoints(int count);

struct SaveOptions {
  /// How many checkpoints named `<stem>-<number>` stay, at least 2.
  int keep = keptCheckpoints();
};

/// Writes the tensors, whose names are not empty and differ, under `prefix`.
/// Views are read only. Then the `checkpoint` state file of the directory is
/// brought up to date and older checkpoints of the same stem are removed.
Status saveCheckpoint(Env &env, const std::string &prefix,
                      std::vector<NamedTensor> tensors,
                      const SaveOptions &options = {});

/// Reads the named tensors into the buffers of the views, whose types must be
/// those stored. Writes none of them unless all are right.
Status restoreCheckpoint(Env &env, const std::string &prefix,
                         const std::vector<NamedTensor> &tensors);

/// An open checkpoint. Not shared between threads.
class CheckpointReader {
public:
  /// NOT_FOUND when there is no such checkpoint, DATA_LOSS when its index is
  /// damaged, UNIMPLEMENTED when it is of a version that is not known.
  static Status open(Env &env, const std::string &prefix,
                     std::unique_ptr<CheckpointReader> &reader);

  /// The tensors, by name.
  const std::map<std::string, BundleEntry, std::less<>> &entries() const {
    return table;
  }

  /// The entry of `name`; NOT_FOUND suggests names that are like it.
  Status find(std::string_view name, const BundleEntry *&entry) const;

  /// Reads a tensor of numbers: `buffer` has entry.size bytes, which find has
  /// found to be what shape and element type need. A tensor that is stored in
  /// slices is put together. Verifies the checksums; the buffer holds nothing
  /// of use after an error.
  Status read(std::string_view name, const BundleEntry &entry, void *buffer);

  /// Reads a part of a tensor of numbers, however it is stored. `wanted` is
  /// resolved (Slices.h), and `buffer` has the bytes of its elements.
  Status readSlice(std::string_view name, const BundleEntry &entry,
                   const TensorSlice &wanted, void *buffer);

  /// Reads a tensor of strings.
  Status readStrings(std::string_view name, const BundleEntry &entry,
                     std::vector<std::string> &strings);

private:
  CheckpointReader(Env &env, std::string prefix)
      : env(env), prefix(std::move(prefix)) {}

  Status loadIndex();
  Status checkEntry(std::string_view name, const BundleEntry &entry) const;
  /// That the slices of a tensor are there, are of it, and do not overlap.
  Status checkSlices(std::string_view name, const BundleEntry &entry) const;
  /// A tensor, or one slice of one, that lies in one piece.
  Status readPiece(std::string_view name, const BundleEntry &entry,
                   void *buffer);
  /// The piece, by way of memory of its own, as far as it is wanted.
  Status copyPiece(std::string_view name, const BundleEntry &entry,
                   const TensorSlice &place, const TensorSlice &wanted,
                   void *buffer, int64_t &copied);
  /// Opens the entry's shard and checks that the entry lies inside of it.
  Status locate(std::string_view name, const BundleEntry &entry,
                ReadableFile *&file);

  Env &env;
  std::string prefix;
  BundleHeader header;
  std::map<std::string, BundleEntry, std::less<>> table;
  /// The data of slices, by their keys.
  std::map<std::string, BundleEntry, std::less<>> sliceTable;
  std::map<int32_t, std::unique_ptr<ReadableFile>> shards;
};

/// "<prefix>.index" and "<prefix>.data-00000-of-00001".
std::string indexPath(const std::string &prefix);
std::string dataPath(const std::string &prefix, int32_t shard, int32_t count);

} // namespace weir::rt

#endif // WEIR_RUNTIME_CHECKPOINT_CHECKPOINT_H

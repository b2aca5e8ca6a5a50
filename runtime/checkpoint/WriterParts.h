//===- WriterParts.h - What all saves share ---------------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_CHECKPOINT_WRITERPARTS_H
#define WEIR_RUNTIME_CHECKPOINT_WRITERPARTS_H

#include "runtime/checkpoint/Checkpoint.h"

#include <mutex>

namespace weir::rt {

/// A file that goes away unless it is kept.
class PendingFile {
public:
  PendingFile(Env &env, std::string path) : env(env), path(std::move(path)) {}
  ~PendingFile() {
    if (path.empty())
      return;
    // Nothing more can be done about a file that does not want to go.
    Status ignored = env.remove(path);
    (void)ignored;
  }
  const std::string &name() const { return path; }

  /// Gives the file its final name; it still goes away unless kept.
  Status renameTo(const std::string &final) {
    WEIR_RETURN_IF_ERROR(env.rename(path, final));
    path = final;
    return Status();
  }
  void keep() { path.clear(); }

private:
  Env &env;
  std::string path;
};

/// Appends to a data file and keeps track of where it is.
class DataWriter {
public:
  explicit DataWriter(WritableFile &file) : file(file) {}

  /// Writes the tensor, and fills in all of `entry` but its shard.
  Status add(const NamedTensor &tensor, BundleEntry &entry);
  int64_t size() const { return position; }

private:
  Status append(const void *data, int64_t size, uint32_t &crc);
  Status pad();
  Status addStrings(const WeirView &view, uint32_t &crc);

  WritableFile &file;
  int64_t position = 0;
};

/// One save at a time: two of one prefix would take each other's names.
std::mutex &savingMutex();

/// A name beside `path` that no other save uses, in any process.
std::string temporaryName(const std::string &path);

/// Writes a whole file and waits until it is on the disk.
Status writeFile(Env &env, const std::string &path, const std::string &bytes);

/// INVALID_ARGUMENT [WEIR0410].
Status checkPrefix(const std::string &prefix);
/// Checks the prefix, and each tensor with its name. They are sorted by name.
Status checkTensors(const std::string &prefix,
                    const std::vector<NamedTensor> &tensors);

/// The number of the first of `count` data files of a new checkpoint: the first
/// for which all names are free, because the index that is there may point to
/// the others until the new one replaces it. They are numbered on from there,
/// and that many files there are said to be.
int32_t chooseShards(Env &env, const std::string &prefix, int32_t count);

/// Removes the data files of `prefix` other than `current`. They cost space
/// only; so one that stays is no error.
void removeStaleData(Env &env, const std::string &prefix,
                     const std::vector<std::string> &current);

/// Brings the state file up to date, then removes what is outdated.
Status updateState(Env &env, const std::string &prefix, int keep);

/// What a save says that failed before, and after, its checkpoint was there.
Status notSaved(Status status, const std::string &prefix);
Status stateNotSaved(Status status, const std::string &prefix);

} // namespace weir::rt

#endif // WEIR_RUNTIME_CHECKPOINT_WRITERPARTS_H

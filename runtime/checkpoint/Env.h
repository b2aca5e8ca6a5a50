//===- Env.h - The file system, as checkpoints see it -----------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every file operation of this folder goes through an Env, so that a test can
// make any of them fail. Implementations are safe from any thread; a file
// object belongs to one thread. Errors name the file and have no number yet:
// the caller knows which page explains them. Their codes are NOT_FOUND,
// PERMISSION_DENIED, RESOURCE_EXHAUSTED (disk or quota full) or UNAVAILABLE.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_CHECKPOINT_ENV_H
#define WEIR_RUNTIME_CHECKPOINT_ENV_H

#include "runtime/base/Status.h"

#include <memory>
#include <string>
#include <vector>

namespace weir::rt {

class WritableFile {
public:
  /// Closes without a report; what matters is closed by close().
  virtual ~WritableFile() = default;
  virtual Status append(const void *data, int64_t size) = 0;
  /// Returns when all appended bytes are on the disk.
  virtual Status sync() = 0;
  virtual Status close() = 0;
};

class ReadableFile {
public:
  virtual ~ReadableFile() = default;
  virtual int64_t size() const = 0;
  /// Reads exactly `size` bytes; DATA_LOSS when the file ends before them.
  virtual Status read(int64_t offset, int64_t size, void *buffer) = 0;
};

class Env {
public:
  virtual ~Env() = default;
  /// A new or emptied file.
  virtual Status create(const std::string &path,
                        std::unique_ptr<WritableFile> &file) = 0;
  virtual Status open(const std::string &path,
                      std::unique_ptr<ReadableFile> &file) = 0;
  /// Replaces `to` in one step.
  virtual Status rename(const std::string &from, const std::string &to) = 0;
  virtual Status remove(const std::string &path) = 0;
  /// Makes the renames and removals in a directory durable.
  virtual Status syncDirectory(const std::string &path) = 0;
  virtual Status list(const std::string &path,
                      std::vector<std::string> &names) = 0;
  virtual bool exists(const std::string &path) = 0;

  /// The operating system's.
  static Env &posix();
};

/// The directory part of a path ("." when there is none) and the rest.
std::string directoryOf(const std::string &path);
std::string baseNameOf(const std::string &path);

} // namespace weir::rt

#endif // WEIR_RUNTIME_CHECKPOINT_ENV_H

//===- Arena.h - Memory of an emulated device --------------------*- C++
//-*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_DEVICE_GPU_ARENA_H
#define WEIR_RUNTIME_DEVICE_GPU_ARENA_H

#include <cstdint>
#include <map>
#include <mutex>

namespace weir::rt {

/// A range of addresses, given out in blocks that are multiples of 64 bytes,
/// the lowest that fits. The system has pages for what is touched only. Safe to
/// use from several threads.
class Arena {
public:
  explicit Arena(int64_t capacity);
  ~Arena();
  Arena(const Arena &) = delete;
  Arena &operator=(const Arena &) = delete;

  /// Null where the system gives no such range.
  bool ok() const { return base != nullptr; }
  /// Null where no block is large enough.
  void *allocate(int64_t bytes);
  void release(void *memory);
  /// Whether all of it is in one block that is in use.
  bool holds(const void *memory, int64_t bytes) const;
  int64_t freeBytes() const;

private:
  char *base = nullptr;
  const int64_t capacity;
  mutable std::mutex mutex;
  std::map<int64_t, int64_t> free, used; // offset to size
};

} // namespace weir::rt

#endif // WEIR_RUNTIME_DEVICE_GPU_ARENA_H

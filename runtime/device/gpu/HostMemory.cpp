//===- HostMemory.cpp - Page-locked memory --------------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/device/gpu/HostMemory.h"

#include "runtime/base/Format.h"

using namespace weir::rt;
using namespace weir::rt::cuda;

/// Blocks are of 1 << class bytes; those of less than a page come from one
/// allocation.
static constexpr int smallest = 6, pageClass = 12;

Status HostMemory::allocate(int64_t bytes, void *&memory) {
  int sizeClass = smallest;
  while (sizeClass < 62 && (int64_t(1) << sizeClass) < bytes)
    ++sizeClass;
  std::lock_guard<std::mutex> lock(mutex);
  std::vector<void *> &blocks = unused[sizeClass];
  if (blocks.empty()) {
    const size_t size = size_t(1) << sizeClass,
                 total = size_t(1) << std::max(sizeClass, pageClass);
    void *made = nullptr;
    if (driver.hostAllocate(&made, total, hostAllocPortable) != 0)
      return Status(WEIR_RESOURCE_EXHAUSTED,
                    str("[WEIR0432] the host has no room for ", bytes,
                        " page-locked bytes for copies of ", device));
    for (size_t at = total; at > 0; at -= size) {
      void *block = static_cast<char *>(made) + (at - size);
      blocks.push_back(block);
      sizeClasses[block] = sizeClass;
    }
  }
  memory = blocks.back();
  blocks.pop_back();
  return Status();
}

void HostMemory::release(void *memory) {
  std::lock_guard<std::mutex> lock(mutex);
  unused[sizeClasses[memory]].push_back(memory);
}

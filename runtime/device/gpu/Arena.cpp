//===- Arena.cpp - Memory of an emulated device ---------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/device/gpu/Arena.h"

#include <sys/mman.h>

using namespace weir::rt;

static constexpr int64_t alignment = 64;

Arena::Arena(int64_t capacity) : capacity(capacity) {
  void *memory =
      mmap(nullptr, static_cast<size_t>(capacity), PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    return;
  base = static_cast<char *>(memory);
  free[0] = capacity;
}

Arena::~Arena() {
  if (base)
    munmap(base, static_cast<size_t>(capacity));
}

void *Arena::allocate(int64_t bytes) {
  if (bytes < 0 || bytes > capacity)
    return nullptr;
  const int64_t size =
      bytes == 0 ? alignment : (bytes + alignment - 1) / alignment * alignment;
  std::lock_guard<std::mutex> lock(mutex);
  for (auto it = free.begin(); it != free.end(); ++it) {
    if (it->second < size)
      continue;
    const int64_t offset = it->first, rest = it->second - size;
    free.erase(it);
    if (rest != 0)
      free[offset + size] = rest;
    used[offset] = size;
    return base + offset;
  }
  return nullptr;
}

void Arena::release(void *memory) {
  std::lock_guard<std::mutex> lock(mutex);
  auto found = used.find(static_cast<char *>(memory) - base);
  if (found == used.end())
    return;
  int64_t offset = found->first, size = found->second;
  used.erase(found);
  // One block with its neighbours.
  auto after = free.lower_bound(offset);
  if (after != free.end() && after->first == offset + size) {
    size += after->second;
    after = free.erase(after);
  }
  if (after != free.begin()) {
    auto before = std::prev(after);
    if (before->first + before->second == offset) {
      before->second += size;
      return;
    }
  }
  free[offset] = size;
}

bool Arena::holds(const void *memory, int64_t bytes) const {
  const int64_t offset = static_cast<const char *>(memory) - base;
  std::lock_guard<std::mutex> lock(mutex);
  auto after = used.upper_bound(offset);
  if (after == used.begin())
    return false;
  auto block = std::prev(after);
  return bytes >= 0 && bytes <= block->second - (offset - block->first);
}

int64_t Arena::freeBytes() const {
  std::lock_guard<std::mutex> lock(mutex);
  int64_t total = 0;
  for (const auto &[offset, size] : free)
    total += size;
  return total;
}

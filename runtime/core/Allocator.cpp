//===- Allocator.cpp - The pool that all buffers come from ----------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/core/Allocator.h"
#include "runtime/base/Checked.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <unistd.h>

using namespace weir::rt;

namespace {

// Class 0 is 64 bytes; then four classes to each power of two up to kMaxBytes.
constexpr int kClassCount = 1 + (46 - 6) * 4;
// Classes up to 256 KiB rest in thread caches.
constexpr int kThreadClassCount = 1 + (18 - 6) * 4;
constexpr int64_t kThreadCacheBytes = int64_t(4) << 20;

int classOf(int64_t bytes) {
  if (bytes <= 64)
    return 0;
  uint64_t last = static_cast<uint64_t>(bytes) - 1;
  int exponent = 63 - __builtin_clzll(last);
  return 1 + (exponent - 6) * 4 +
         static_cast<int>((last >> (exponent - 2)) & 3);
}

int64_t classBytes(int sizeClass) {
  if (sizeClass == 0)
    return 64;
  int exponent = 6 + (sizeClass - 1) / 4;
  int64_t quarter = (sizeClass - 1) % 4 + 1;
  return (int64_t(1) << exponent) + (quarter << (exponent - 2));
}

/// Plain data, so that reading the thread's cache costs no guard.
struct ThreadCache {
  Block *lists[kThreadClassCount];
  int64_t bytes;
  bool registered;
  bool closed;
};

/// Empties the thread's cache when the thread ends.
struct ThreadCacheCloser {
  bool armed = false;
  ~ThreadCacheCloser();
};

/// Constant-initialized and trivially destroyed: tensors may be released
/// during static destruction.
struct Pool {
  std::mutex mutex;
  Block *lists[kClassCount] = {};
  int64_t cachedBytes = 0;
  int64_t cacheLimit = 0;
  std::atomic<int64_t> systemLimit{0};
  std::atomic<int64_t> systemBytes{0};
  std::atomic<int64_t> peakSystemBytes{0};
  std::atomic<int64_t> systemAllocations{0};
};

} // namespace

static Pool pool;
static thread_local ThreadCache threadCache;
static thread_local ThreadCacheCloser threadCacheCloser;

static int64_t physicalBytes() {
  int64_t bytes;
  if (!checkedMul(sysconf(_SC_PHYS_PAGES), sysconf(_SC_PAGE_SIZE), bytes))
    return kMaxBytes;
  return std::min(bytes, kMaxBytes);
}

static int64_t systemLimit() {
  int64_t limit = pool.systemLimit.load(std::memory_order_relaxed);
  if (limit == 0) {
    limit = physicalBytes();
    pool.systemLimit.store(limit, std::memory_order_relaxed);
  }
  return limit;
}

static void freeToSystem(Block *block) {
  int64_t bytes = classBytes(block->sizeClass) + sizeof(Block);
  std::free(block);
  pool.systemBytes.fetch_sub(bytes, std::memory_order_relaxed);
}

/// Gives `list`, linked by `next`, to the system.
static void freeListToSystem(Block *list) {
  while (list) {
    Block *next = list->next;
    freeToSystem(list);
    list = next;
  }
}

/// Takes all shared free blocks out of the pool, as one list.
static Block *takeSharedBlocks() {
  std::lock_guard<std::mutex> lock(pool.mutex);
  Block *all = nullptr;
  for (Block *&list : pool.lists)
    while (Block *block = list) {
      list = block->next;
      block->next = all;
      all = block;
    }
  pool.cachedBytes = 0;
  return all;
}

/// True after `bytes` have been counted as held, false at the limit.
static bool reserveSystemBytes(int64_t bytes) {
  int64_t limit = systemLimit();
  int64_t held = pool.systemBytes.load(std::memory_order_relaxed);
  do {
    if (bytes > limit - held)
      return false;
  } while (!pool.systemBytes.compare_exchange_weak(held, held + bytes,
                                                   std::memory_order_relaxed));
  held += bytes;
  int64_t peak = pool.peakSystemBytes.load(std::memory_order_relaxed);
  while (peak < held && !pool.peakSystemBytes.compare_exchange_weak(
                            peak, held, std::memory_order_relaxed))
    ;
  return true;
}

static Block *allocateFromSystem(int sizeClass) {
  int64_t bytes = classBytes(sizeClass) + static_cast<int64_t>(sizeof(Block));
  if (!reserveSystemBytes(bytes)) {
    trimAllocator();
    if (!reserveSystemBytes(bytes))
      return nullptr;
  }
  void *memory = nullptr;
  if (posix_memalign(&memory, 64, static_cast<size_t>(bytes)) != 0) {
    trimAllocator();
    if (posix_memalign(&memory, 64, static_cast<size_t>(bytes)) != 0) {
      pool.systemBytes.fetch_sub(bytes, std::memory_order_relaxed);
      return nullptr;
    }
  }
  pool.systemAllocations.fetch_add(1, std::memory_order_relaxed);
  Block *block = static_cast<Block *>(memory);
  block->sizeClass = sizeClass;
  return block;
}

static Block *allocateShared(int sizeClass) {
  {
    std::lock_guard<std::mutex> lock(pool.mutex);
    if (Block *block = pool.lists[sizeClass]) {
      pool.lists[sizeClass] = block->next;
      pool.cachedBytes -= classBytes(sizeClass);
      return block;
    }
  }
  return allocateFromSystem(sizeClass);
}

static void releaseShared(Block *block) {
  int64_t bytes = classBytes(block->sizeClass);
  {
    std::lock_guard<std::mutex> lock(pool.mutex);
    if (pool.cacheLimit == 0)
      pool.cacheLimit = std::min(physicalBytes() / 4, int64_t(1) << 30);
    if (bytes <= pool.cacheLimit - pool.cachedBytes) {
      block->next = pool.lists[block->sizeClass];
      pool.lists[block->sizeClass] = block;
      pool.cachedBytes += bytes;
      return;
    }
  }
  freeToSystem(block);
}

ThreadCacheCloser::~ThreadCacheCloser() {
  threadCache.closed = true;
  for (Block *&list : threadCache.lists)
    while (Block *block = list) {
      list = block->next;
      releaseShared(block);
    }
  threadCache.bytes = 0;
}

Block *weir::rt::allocateBlock(int64_t bytes) {
  if (bytes < 0 || bytes > kMaxBytes)
    return nullptr;
  int sizeClass = classOf(bytes);
  if (sizeClass < kThreadClassCount) {
    ThreadCache &cache = threadCache;
    if (Block *block = cache.lists[sizeClass]) {
      cache.lists[sizeClass] = block->next;
      cache.bytes -= classBytes(sizeClass);
      return block;
    }
  }
  return allocateShared(sizeClass);
}

void weir::rt::releaseBlock(Block *block) {
  int sizeClass = block->sizeClass;
  ThreadCache &cache = threadCache;
  if (sizeClass >= kThreadClassCount || cache.closed)
    return releaseShared(block);
  int64_t bytes = classBytes(sizeClass);
  if (cache.bytes + bytes > kThreadCacheBytes)
    return releaseShared(block);
  if (!cache.registered) {
    // Touching the closer makes the thread run its destructor at its end.
    threadCacheCloser.armed = true;
    cache.registered = true;
  }
  block->next = cache.lists[sizeClass];
  cache.lists[sizeClass] = block;
  cache.bytes += bytes;
}

AllocatorStats weir::rt::allocatorStats() {
  AllocatorStats stats;
  stats.systemBytes = pool.systemBytes.load(std::memory_order_relaxed);
  stats.peakSystemBytes = pool.peakSystemBytes.load(std::memory_order_relaxed);
  stats.systemAllocations =
      pool.systemAllocations.load(std::memory_order_relaxed);
  std::lock_guard<std::mutex> lock(pool.mutex);
  stats.sharedCachedBytes = pool.cachedBytes;
  return stats;
}

void weir::rt::setAllocatorLimits(int64_t systemBytes, int64_t cachedBytes) {
  pool.systemLimit.store(systemBytes, std::memory_order_relaxed);
  std::lock_guard<std::mutex> lock(pool.mutex);
  pool.cacheLimit = cachedBytes;
}

void weir::rt::trimAllocator() {
  ThreadCache &cache = threadCache;
  for (Block *&list : cache.lists) {
    freeListToSystem(list);
    list = nullptr;
  }
  cache.bytes = 0;
  freeListToSystem(takeSharedBlocks());
}

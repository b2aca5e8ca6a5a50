//===- Allocator.h - The pool that all buffers come from --------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Objects: a *block* is a 64-byte header and a payload aligned to 64; its
// *class* is the payload size, four to a power of two. Free blocks rest in the
// cache of the thread that freed them (small classes, bounded) or in the shared
// lists (bounded too); the rest goes back to the system. First touch of fresh
// memory costs more than most kernels, so a steady state must reuse blocks.
//
// Invariant: system bytes = live + cached bytes, and never above the limit
// (by default the physical memory). A request that cannot be met is an answer
// (null), never the end of the process.
//
// All functions may be called from any thread.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_CORE_ALLOCATOR_H
#define WEIR_RUNTIME_CORE_ALLOCATOR_H

#include <cstddef>
#include <cstdint>

namespace weir::rt {

struct alignas(64) Block {
  /// Neighbours in a free list (next only) or in the list of a step.
  Block *next;
  Block *prev;
  int32_t sizeClass;

  void *payload() { return this + 1; }
  static Block *of(void *payload) { return static_cast<Block *>(payload) - 1; }
};
static_assert(sizeof(Block) == 64, "the payload starts 64 bytes in");

/// A block of at least `bytes` bytes, or null when `bytes` is negative, beyond
/// the limit, or the system has no more.
Block *allocateBlock(int64_t bytes);

/// Takes a block of allocateBlock back; its links may be anything.
void releaseBlock(Block *block);

/// The class of blocks of 65 to 80 bytes: what a scalar tensor takes.
constexpr int32_t kScalarClass = 1;

/// Blocks of that class that somebody keeps at hand, linked by next.
struct ScalarBlocks {
  Block *first = nullptr;
  int32_t count = 0;
};

struct AllocatorStats {
  int64_t systemBytes;       ///< Held from the system now, headers included.
  int64_t peakSystemBytes;   ///< The most that was held at a time.
  int64_t sharedCachedBytes; ///< Of them, in the shared free lists.
  int64_t systemAllocations; ///< Calls of the system allocator so far.
};
AllocatorStats allocatorStats();

/// Bounds the bytes held from the system, and of them those that may rest in
/// the shared lists. A value of 0 restores the default.
void setAllocatorLimits(int64_t systemBytes, int64_t cachedBytes);

/// Gives the shared free blocks and this thread's back to the system.
void trimAllocator();

} // namespace weir::rt

#endif // WEIR_RUNTIME_CORE_ALLOCATOR_H

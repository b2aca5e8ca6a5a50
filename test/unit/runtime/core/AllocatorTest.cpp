//===- AllocatorTest.cpp - Tests of the pool ------------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/core/Allocator.h"
#include "runtime/base/Checked.h"

#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <thread>
#include <vector>

using namespace weir::rt;

namespace {

class AllocatorTest : public testing::Test {
protected:
  void SetUp() override { trimAllocator(); }
  void TearDown() override {
    setAllocatorLimits(0, 0);
    trimAllocator();
  }
};

} // namespace

TEST_F(AllocatorTest, AlignsAndHoldsWhatWasAsked) {
  for (int64_t bytes : {0, 1, 63, 64, 65, 80, 81, 127, 128, 129, 1000, 4096,
                        100000, 262144, 262145, 5000000}) {
    Block *block = allocateBlock(bytes);
    ASSERT_NE(block, nullptr) << bytes;
    EXPECT_EQ(reinterpret_cast<uintptr_t>(block->payload()) % 64, 0u);
    // A sanitizer build sees a block that is too small.
    std::memset(block->payload(), 0xab, static_cast<size_t>(bytes));
    releaseBlock(block);
  }
}

TEST_F(AllocatorTest, ReusesBlocks) {
  for (int64_t bytes : {100, 1 << 20}) {
    Block *first = allocateBlock(bytes);
    releaseBlock(first);
    int64_t calls = allocatorStats().systemAllocations;
    Block *second = allocateBlock(bytes);
    EXPECT_EQ(second, first);
    EXPECT_EQ(allocatorStats().systemAllocations, calls);
    releaseBlock(second);
  }
}

TEST_F(AllocatorTest, RefusesInsaneSizes) {
  for (int64_t bytes :
       {int64_t(-1), INT64_MIN, INT64_MAX, kMaxBytes + 1, kMaxBytes})
    EXPECT_EQ(allocateBlock(bytes), nullptr) << bytes;
}

TEST_F(AllocatorTest, StaysBelowItsLimit) {
  int64_t held = allocatorStats().systemBytes;
  setAllocatorLimits(held + (1 << 20), 0);
  Block *half = allocateBlock(600 << 10);
  ASSERT_NE(half, nullptr);
  EXPECT_EQ(allocateBlock(600 << 10), nullptr);
  releaseBlock(half);
  // The block that rests in the pool makes way for one of another size.
  Block *other = allocateBlock(800 << 10);
  ASSERT_NE(other, nullptr);
  releaseBlock(other);
}

TEST_F(AllocatorTest, KeepsNoMoreThanTheCacheMay) {
  setAllocatorLimits(0, 1 << 20);
  std::vector<Block *> blocks;
  for (int i = 0; i < 8; ++i)
    blocks.push_back(allocateBlock(512 << 10));
  for (Block *block : blocks)
    releaseBlock(block);
  EXPECT_LE(allocatorStats().sharedCachedBytes, 1 << 20);
}

TEST_F(AllocatorTest, TrimGivesEverythingBack) {
  int64_t before = allocatorStats().systemBytes;
  for (int64_t bytes : {100, 5000, 1 << 20})
    releaseBlock(allocateBlock(bytes));
  EXPECT_GT(allocatorStats().systemBytes, before);
  trimAllocator();
  EXPECT_EQ(allocatorStats().systemBytes, before);
}

// Blocks wander between threads; what a thread cached is not lost with it.
TEST_F(AllocatorTest, ServesManyThreads) {
  int64_t before = allocatorStats().systemBytes;
  std::vector<std::thread> threads;
  for (unsigned seed = 0; seed < 8; ++seed)
    threads.emplace_back([seed] {
      std::mt19937 random(seed);
      std::vector<std::pair<Block *, unsigned char>> live;
      for (int i = 0; i < 5000; ++i) {
        if (live.size() < 16 && random() % 2) {
          int64_t bytes = 1 << (random() % 20);
          Block *block = allocateBlock(bytes);
          unsigned char mark = static_cast<unsigned char>(random());
          static_cast<unsigned char *>(block->payload())[bytes - 1] = mark;
          static_cast<unsigned char *>(block->payload())[0] = mark;
          live.push_back({block, mark});
        } else if (!live.empty()) {
          EXPECT_EQ(*static_cast<unsigned char *>(live.back().first->payload()),
                    live.back().second);
          releaseBlock(live.back().first);
          live.pop_back();
        }
      }
      for (auto &[block, mark] : live)
        releaseBlock(block);
    });
  for (std::thread &thread : threads)
    thread.join();
  trimAllocator();
  EXPECT_EQ(allocatorStats().systemBytes, before);
}

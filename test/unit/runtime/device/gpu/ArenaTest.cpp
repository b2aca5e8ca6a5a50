//===- ArenaTest.cpp - Memory of an emulated device -----------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/device/gpu/Arena.h"

#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <vector>

using weir::rt::Arena;

TEST(Arena, GivesBlocksThatDoNotMeet) {
  Arena arena(1 << 20);
  ASSERT_TRUE(arena.ok());
  std::mt19937 random(1);
  struct Held {
    char *memory;
    int64_t size;
    char mark;
  };
  std::vector<Held> held;
  for (int step = 0; step < 5000; ++step) {
    if (held.size() < 50 && random() % 3 != 0) {
      const auto size = static_cast<int64_t>(random() % 5000);
      auto *memory = static_cast<char *>(arena.allocate(size));
      ASSERT_NE(memory, nullptr);
      EXPECT_EQ(reinterpret_cast<uintptr_t>(memory) % 64, 0u);
      const char mark = static_cast<char>(step);
      std::memset(memory, mark, static_cast<size_t>(size));
      held.push_back({memory, size, mark});
    } else if (!held.empty()) {
      const size_t i = random() % held.size();
      for (int64_t k = 0; k < held[i].size; ++k)
        ASSERT_EQ(held[i].memory[k], held[i].mark);
      arena.release(held[i].memory);
      held.erase(held.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  for (const Held &block : held)
    arena.release(block.memory);
  // All of it is one block again.
  EXPECT_EQ(arena.freeBytes(), 1 << 20);
  EXPECT_NE(arena.allocate(1 << 20), nullptr);
}

TEST(Arena, KnowsWhatIsInUse) {
  Arena arena(4096);
  auto *memory = static_cast<char *>(arena.allocate(100));
  EXPECT_TRUE(arena.holds(memory, 100));
  EXPECT_TRUE(arena.holds(memory + 60, 4));
  // A block is a multiple of 64.
  EXPECT_FALSE(arena.holds(memory, 129));
  EXPECT_FALSE(arena.holds(memory + 128, 1));
  EXPECT_FALSE(arena.holds(memory - 1, 1));
  EXPECT_FALSE(arena.holds(memory, -1));
  arena.release(memory);
  EXPECT_FALSE(arena.holds(memory, 1));
}

TEST(Arena, SaysWhenItIsFull) {
  Arena arena(4096);
  EXPECT_EQ(arena.allocate(4097), nullptr);
  EXPECT_EQ(arena.allocate(-1), nullptr);
  EXPECT_NE(arena.allocate(0), nullptr);
  EXPECT_EQ(arena.allocate(4096), nullptr);
  EXPECT_NE(arena.allocate(4032), nullptr);
}

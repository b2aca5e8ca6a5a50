//===- CheckedTest.cpp - Tests of arithmetic on sizes ---------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/base/Checked.h"

#include <gtest/gtest.h>
#include <limits>

using namespace weir::rt;

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

TEST(Checked, RefusesWhatDoesNotFit) {
  int64_t result;
  EXPECT_TRUE(checkedMul(1 << 20, 1 << 20, result));
  EXPECT_EQ(result, int64_t(1) << 40);
  EXPECT_FALSE(checkedMul(int64_t(1) << 32, int64_t(1) << 31, result));
  EXPECT_FALSE(checkedMul(-1, 1, result));
  EXPECT_FALSE(checkedMul(1, -1, result));
  EXPECT_TRUE(checkedAdd(kMax, 0, result));
  EXPECT_FALSE(checkedAdd(kMax, 1, result));
  EXPECT_FALSE(checkedAdd(-1, 2, result));
  EXPECT_TRUE(checkedAlign(65, 64, result));
  EXPECT_EQ(result, 128);
  EXPECT_FALSE(checkedAlign(kMax, 64, result));
}

TEST(Checked, CountsElements) {
  int64_t count;
  const int64_t dims[] = {2, 3, 4};
  EXPECT_TRUE(checkedCount(dims, 3, count));
  EXPECT_EQ(count, 24);
  EXPECT_TRUE(checkedCount(nullptr, 0, count));
  EXPECT_EQ(count, 1);
  const int64_t empty[] = {5, 0};
  EXPECT_TRUE(checkedCount(empty, 2, count));
  EXPECT_EQ(count, 0);
}

// A zero extent does not hide a product that wraps, wherever it stands.
TEST(Checked, RefusesHugeExtentsBesideZero) {
  int64_t count;
  const int64_t before[] = {0, int64_t(1) << 62, 4};
  const int64_t after[] = {int64_t(1) << 62, 4, 0};
  EXPECT_FALSE(checkedCount(before, 3, count));
  EXPECT_FALSE(checkedCount(after, 3, count));
}

TEST(Checked, BoundsBytes) {
  int64_t bytes;
  const int64_t largest[] = {kMaxBytes / 4};
  const int64_t beyond[] = {kMaxBytes / 4 + 1};
  const int64_t negative[] = {-1};
  EXPECT_TRUE(checkedBytes(largest, 1, 4, bytes));
  EXPECT_EQ(bytes, kMaxBytes);
  EXPECT_FALSE(checkedBytes(beyond, 1, 4, bytes));
  EXPECT_FALSE(checkedBytes(negative, 1, 4, bytes));
}

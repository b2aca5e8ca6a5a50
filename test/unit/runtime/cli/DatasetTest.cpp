//===- DatasetTest.cpp - Tests of data sets, batches and their order ------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/cli/Dataset.h"
#include "runtime/cli/Npy.h"
#include "runtime/cli/Shuffle.h"
#include "test/unit/runtime/FakeProgram.h"
#include "test/unit/runtime/checkpoint/TempDirectory.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>

using namespace weir::rt;
using weir::rt::test::TempDirectory;

static TensorRef vectorOf(std::vector<int32_t> values) {
  TensorRef tensor;
  const int64_t dims[] = {static_cast<int64_t>(values.size())};
  EXPECT_TRUE(createTensor(WEIR_I32, 1, dims, tensor).ok());
  std::copy(values.begin(), values.end(),
            static_cast<int32_t *>(tensor.get()->data));
  return tensor;
}

// The values that the Python side must produce too.
TEST(Shuffle, KnownAnswers) {
  EXPECT_EQ(shuffledOrder(0, 1, 0), std::vector<int64_t>{});
  EXPECT_EQ(shuffledOrder(1, 1, 0), std::vector<int64_t>{0});
  EXPECT_EQ(shuffledOrder(8, 0, 0),
            (std::vector<int64_t>{7, 1, 0, 6, 3, 2, 4, 5}));
  EXPECT_EQ(shuffledOrder(8, 42, 3),
            (std::vector<int64_t>{7, 5, 4, 2, 6, 0, 3, 1}));
}

TEST(Shuffle, IsAPermutationThatChanges) {
  std::vector<int64_t> first = shuffledOrder(1000, 5, 0);
  EXPECT_EQ(std::set<int64_t>(first.begin(), first.end()).size(), 1000u);
  EXPECT_EQ(*std::max_element(first.begin(), first.end()), 999);
  EXPECT_NE(first, shuffledOrder(1000, 5, 1));
  EXPECT_NE(first, shuffledOrder(1000, 6, 0));
  EXPECT_EQ(first, shuffledOrder(1000, 5, 0));
}

// Each place is taken by each element about equally often.
TEST(Shuffle, IsFair) {
  int counts[4][4] = {};
  for (uint64_t epoch = 0; epoch < 4000; ++epoch) {
    std::vector<int64_t> order = shuffledOrder(4, 9, epoch);
    for (int place = 0; place < 4; ++place)
      ++counts[place][order[static_cast<size_t>(place)]];
  }
  for (auto &row : counts)
    for (int count : row)
      EXPECT_NEAR(count, 1000, 150);
}

TEST(Dataset, LoadsFiles) {
  TempDirectory directory;
  std::string x = directory.file("x.npy"), y = directory.file("y.npy");
  ASSERT_TRUE(writeNpy(x, vectorOf({1, 2, 3}).view()).ok());
  ASSERT_TRUE(writeNpy(y, vectorOf({4, 5, 6}).view()).ok());
  Dataset dataset;
  ASSERT_TRUE(Dataset::load("--data", "x=" + x + ",y=" + y, dataset).ok());
  EXPECT_EQ(dataset.rows(), 3);
  EXPECT_NE(dataset.find("y"), nullptr);
  EXPECT_EQ(dataset.find("z"), nullptr);
  for (const std::string &text : {std::string(), std::string("x"),
                                  "x=" + x + ".no", "x=" + x + ",x=" + x})
    EXPECT_FALSE(Dataset::load("--data", text, dataset).ok()) << text;
}

TEST(Dataset, RefusesArraysThatDoNotFitTogether) {
  Dataset dataset;
  ASSERT_TRUE(dataset.add("x", vectorOf({1, 2, 3})).ok());
  Status status = dataset.add("y", vectorOf({1, 2}));
  EXPECT_STREQ(status.message(), "[WEIR0319] --data: 'y' has 2 examples, 'x' "
                                 "has 3");
  EXPECT_FALSE(dataset.add("e", vectorOf({})).ok());
  TensorRef scalar;
  ASSERT_TRUE(createTensor(WEIR_F32, 0, nullptr, scalar).ok());
  EXPECT_FALSE(dataset.add("s", scalar).ok());
}

TEST(Dataset, FindsTheArraysOfAnEntry) {
  Dataset dataset;
  ASSERT_TRUE(dataset.add("x", vectorOf({1, 2})).ok());
  const WeirEntryDesc &train = test::fakeProgram.entries[2];
  std::vector<const TensorRef *> arrays;
  Status status = dataset.arraysFor(train, arrays);
  EXPECT_STREQ(status.message(), "[WEIR0301] feed 'y' of entry 'train' has no "
                                 "data; --data gives 'x'");
  ASSERT_TRUE(dataset.add("y", vectorOf({3, 4})).ok());
  arrays.clear();
  ASSERT_TRUE(dataset.arraysFor(train, arrays).ok());
  EXPECT_EQ(arrays[1], dataset.find("y"));
}

TEST(Batcher, GathersAndSlices) {
  TensorRef array = vectorOf({10, 11, 12, 13, 14});
  Batcher batcher;
  ASSERT_TRUE(Batcher::create({&array}, 3, batcher).ok());
  const int64_t order[] = {4, 2, 0, 1, 3};
  const WeirView *view = batcher.gather(order, 0, 3);
  const int32_t *data = static_cast<const int32_t *>(view[0].data);
  EXPECT_EQ(view[0].dims[0], 3);
  EXPECT_EQ((std::vector<int32_t>(data, data + 3)),
            (std::vector<int32_t>{14, 12, 10}));
  view = batcher.gather(order, 3, 2);
  EXPECT_EQ(view[0].dims[0], 2);
  EXPECT_EQ(static_cast<const int32_t *>(view[0].data)[1], 13);
  view = batcher.slice(3, 2);
  EXPECT_EQ(*static_cast<const int32_t *>(view[0].data), 13);
}

TEST(Batcher, StaticRows) {
  const int64_t dynamic[] = {-1}, eight[] = {8}, nine[] = {9};
  WeirTensorDesc feeds[] = {{"a", dynamic, 1, WEIR_F32},
                            {"b", eight, 1, WEIR_F32}};
  WeirEntryDesc entry = {"e", nullptr, feeds,   nullptr, 2,
                         0,   nullptr, nullptr, nullptr, 0};
  int64_t rows;
  ASSERT_TRUE(staticRows(entry, rows).ok());
  EXPECT_EQ(rows, 8);
  feeds[0].dims = nine;
  EXPECT_FALSE(staticRows(entry, rows).ok());
  feeds[0] = {"a", nullptr, 0, WEIR_F32};
  EXPECT_FALSE(staticRows(entry, rows).ok());
}

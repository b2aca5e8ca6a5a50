//===- RandomShuffleQueueTest.cpp - Tests of random-shuffle queues --------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/runtime/state/QueueTestUtil.h"

#include <algorithm>

using namespace weir::rt;
using namespace weir::rt::test;

static QueueSpec shuffle(int64_t capacity, int64_t minAfter, uint64_t seed,
                         uint64_t seed2 = 0) {
  QueueSpec spec = scalarQueue(capacity, QueueKind::RandomShuffle);
  spec.minAfterDequeue = minAfter;
  spec.seed = seed;
  spec.seed2 = seed2;
  return spec;
}

static Values upTo(int64_t count) {
  Values values;
  for (int64_t i = 0; i < count; ++i)
    values.push_back(i);
  return values;
}

static Values drained(const std::shared_ptr<Queue> &queue) {
  Values values;
  while (queue->size() > 0)
    values.push_back(take(*queue));
  return values;
}

// The values that TensorFlow 2.21 gives for the same seeds.
TEST(RandomShuffleQueue, OrderOfTensorFlow) {
  auto queue = makeQueue(shuffle(100, 0, 7, 11));
  fill(*queue, upTo(20));
  EXPECT_EQ(drained(queue), (Values{13, 5, 15, 1,  7, 17, 4, 11, 6, 14,
                                    2,  9, 10, 16, 3, 12, 8, 19, 0, 18}));
  queue = makeQueue(shuffle(100, 0, 87654321, 0));
  fill(*queue, upTo(20));
  Outcome first, rest;
  queue->dequeueMany(10, first.done());
  queue->dequeueMany(10, rest.done());
  EXPECT_EQ(first.values(), (Values{1, 10, 8, 3, 19, 11, 7, 16, 9, 12}));
  EXPECT_EQ(rest.values(), (Values{18, 0, 5, 13, 14, 2, 15, 4, 6, 17}));
}

TEST(RandomShuffleQueue, SeedsDecide) {
  Values orders[3];
  uint64_t seeds[] = {5, 5, 6};
  for (int i = 0; i < 3; ++i) {
    auto queue = makeQueue(shuffle(-1, 0, seeds[i]));
    fill(*queue, upTo(50));
    orders[i] = drained(queue);
    Values sorted = orders[i];
    std::sort(sorted.begin(), sorted.end());
    EXPECT_EQ(sorted, upTo(50));
  }
  EXPECT_EQ(orders[0], orders[1]);
  EXPECT_NE(orders[0], orders[2]);
  EXPECT_NE(orders[0], upTo(50));
}

// Without seeds two queues give two orders (equal ones: 1 in 50!).
TEST(RandomShuffleQueue, NoSeedsMeansAnyOrder) {
  auto a = makeQueue(shuffle(-1, 0, 0)), b = makeQueue(shuffle(-1, 0, 0));
  fill(*a, upTo(50));
  fill(*b, upTo(50));
  EXPECT_NE(drained(a), drained(b));
}

TEST(RandomShuffleQueue, EachElementIsEquallyLikelyFirst) {
  int first[4] = {};
  for (uint64_t seed = 1; seed <= 4000; ++seed) {
    auto queue = makeQueue(shuffle(-1, 0, seed));
    fill(*queue, upTo(4));
    ++first[take(*queue)];
  }
  // 1000 each; the standard deviation is 27.
  for (int count : first) {
    EXPECT_GT(count, 840);
    EXPECT_LT(count, 1160);
  }
}

TEST(RandomShuffleQueue, KeepsMinAfterDequeueWhileOpen) {
  auto queue = makeQueue(shuffle(10, 2, 1));
  fill(*queue, {1, 2});
  Outcome one, many;
  queue->dequeue(one.done());
  EXPECT_TRUE(one.waits());
  fill(*queue, {3});
  EXPECT_TRUE(one.ok());
  EXPECT_EQ(queue->size(), 2);
  queue->dequeueMany(3, many.done());
  fill(*queue, {4, 5});
  EXPECT_TRUE(many.waits());
  EXPECT_EQ(queue->size(), 2);
  fill(*queue, {6});
  EXPECT_EQ(many.values().size(), 3u);
  EXPECT_EQ(queue->size(), 2);
}

TEST(RandomShuffleQueue, CloseFreesTheRest) {
  auto queue = makeQueue(shuffle(10, 4, 1));
  fill(*queue, {1, 2, 3});
  Outcome one, pair, upTo, closing;
  queue->dequeue(one.done());
  queue->dequeueMany(1, pair.done());
  queue->dequeueUpTo(5, upTo.done());
  EXPECT_TRUE(one.waits());
  queue->close(false, closing.done());
  Values all = one.values();
  for (const Outcome *outcome : {&pair, &upTo})
    for (int64_t value : outcome->values())
      all.push_back(value);
  std::sort(all.begin(), all.end());
  EXPECT_EQ(all, (Values{1, 2, 3}));
  Outcome none;
  queue->dequeue(none.done());
  none.error(WEIR_OUT_OF_RANGE);
}

TEST(RandomShuffleQueue, HoldsBackEnqueuesWhenFull) {
  auto queue = makeQueue(shuffle(3, 1, 1));
  Outcome many, out;
  queue->enqueueMany({vector({1, 2, 3, 4})}, many.done());
  EXPECT_TRUE(many.waits());
  queue->dequeueMany(3, out.done());
  EXPECT_TRUE(many.ok());
  EXPECT_TRUE(out.ok());
  EXPECT_EQ(queue->size(), 1);
}

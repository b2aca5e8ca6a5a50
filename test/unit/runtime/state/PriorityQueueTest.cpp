//===- PriorityQueueTest.cpp - Tests of priority queues -------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/runtime/state/QueueTestUtil.h"

#include <algorithm>
#include <random>

using namespace weir::rt;
using namespace weir::rt::test;

static std::shared_ptr<Queue> makePairs(int64_t capacity = -1) {
  QueueSpec spec = scalarQueue(capacity, QueueKind::Priority);
  spec.components.push_back({WEIR_I64, true, {}});
  return makeQueue(spec);
}

TEST(PriorityQueue, SmallestFirst) {
  auto queue = makeQueue(scalarQueue(-1, QueueKind::Priority));
  fill(*queue, {3, INT64_MAX, -5, 0, INT64_MIN, 7});
  EXPECT_EQ(take(*queue), INT64_MIN);
  EXPECT_EQ(take(*queue), -5);
  fill(*queue, {-1});
  EXPECT_EQ(take(*queue), -1);
  EXPECT_EQ(take(*queue), 0);
  EXPECT_EQ(take(*queue), 3);
  EXPECT_EQ(take(*queue), 7);
  EXPECT_EQ(take(*queue), INT64_MAX);
}

TEST(PriorityQueue, EqualOnesInOrderOfArrival) {
  auto queue = makePairs();
  std::mt19937 random(1);
  std::vector<std::pair<int64_t, int64_t>> expected;
  for (int64_t i = 0; i < 200; ++i) {
    expected.push_back({static_cast<int64_t>(random() % 4), i});
    Outcome in;
    queue->enqueue({scalar(expected.back().first), scalar(i)}, in.done());
  }
  std::sort(expected.begin(), expected.end());
  for (const auto &[priority, value] : expected) {
    Outcome out;
    queue->dequeue(out.done());
    EXPECT_EQ(out.values(0), Values{priority});
    EXPECT_EQ(out.values(1), Values{value});
  }
}

TEST(PriorityQueue, Batches) {
  auto queue = makePairs();
  Outcome in, out;
  queue->enqueueMany({vector({2, 1, 2, 0}), vector({10, 11, 12, 13})},
                     in.done());
  queue->dequeueMany(4, out.done());
  EXPECT_EQ(out.values(0), (Values{0, 1, 2, 2}));
  EXPECT_EQ(out.values(1), (Values{13, 11, 10, 12}));
}

// Elements that come back keep their places among equals.
TEST(PriorityQueue, PutBackKeepsTheOrder) {
  auto queue = makePairs();
  CancellationToken token;
  Outcome many, in, out;
  queue->dequeueMany(9, many.done(), &token);
  queue->enqueueMany({vector({1, 1, 1}), vector({10, 11, 12})}, in.done());
  token.cancel("");
  Outcome later;
  queue->enqueueMany({vector({1, 0}), vector({13, 14})}, later.done());
  queue->dequeueMany(5, out.done());
  EXPECT_EQ(out.values(1), (Values{14, 10, 11, 12, 13}));
}

TEST(PriorityQueue, RefusesOtherPriorities) {
  auto queue = makePairs();
  Outcome shape, batch;
  queue->enqueue({vector({1}), scalar(1)}, shape.done());
  EXPECT_EQ(shape.error(WEIR_INVALID_ARGUMENT),
            "[WEIR0344] queue 'q': shape mismatch in component 0; expected "
            "tensor<i64>, got tensor<1xi64>");
  queue->enqueueMany({ints({1, 1}, {1}), vector({1})}, batch.done());
  batch.error(WEIR_INVALID_ARGUMENT);
}

TEST(PriorityQueue, FullQueueHoldsBackWhateverThePriority) {
  auto queue = makePairs(1);
  Outcome first, second, out, next;
  queue->enqueue({scalar(5), scalar(1)}, first.done());
  queue->enqueue({scalar(0), scalar(2)}, second.done());
  EXPECT_TRUE(second.waits());
  queue->dequeue(out.done());
  EXPECT_EQ(out.values(1), Values{1});
  queue->dequeue(next.done());
  EXPECT_EQ(next.values(1), Values{2});
}

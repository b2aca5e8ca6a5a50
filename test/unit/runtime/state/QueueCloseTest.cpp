//===- QueueCloseTest.cpp - Tests of closing queues -----------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/runtime/state/QueueTestUtil.h"

using namespace weir::rt;
using namespace weir::rt::test;

class QueueClose : public testing::TestWithParam<QueueKind> {
protected:
  std::shared_ptr<Queue> make(int64_t capacity) {
    return makeQueue(scalarQueue(capacity, GetParam()));
  }
  static void closeNow(Queue &queue) {
    Outcome outcome;
    queue.close(false, outcome.done());
    EXPECT_TRUE(outcome.ok());
    EXPECT_TRUE(queue.isClosed());
  }
};

INSTANTIATE_TEST_SUITE_P(Kinds, QueueClose,
                         testing::Values(QueueKind::Fifo,
                                         QueueKind::RandomShuffle,
                                         QueueKind::PaddingFifo,
                                         QueueKind::Priority));

TEST_P(QueueClose, EndsEnqueues) {
  auto queue = make(10);
  closeNow(*queue);
  Outcome one, many;
  queue->enqueue({scalar(1)}, one.done());
  EXPECT_EQ(one.error(WEIR_CANCELLED), "[WEIR0340] queue 'q' is closed; "
                                       "nothing more can be enqueued");
  queue->enqueueMany({vector({1, 2})}, many.done());
  many.error(WEIR_CANCELLED);
}

TEST_P(QueueClose, TwiceIsAnError) {
  auto queue = make(10);
  closeNow(*queue);
  Outcome again, cancelling;
  queue->close(false, again.done());
  EXPECT_EQ(again.error(WEIR_CANCELLED),
            "[WEIR0340] queue 'q' is already closed");
  queue->close(true, cancelling.done());
  EXPECT_TRUE(cancelling.ok());
}

TEST_P(QueueClose, DequeuesGoOnWhileElementsSuffice) {
  auto queue = make(10);
  fill(*queue, {1, 2, 3});
  closeNow(*queue);
  EXPECT_EQ(take(*queue) > 0, true);
  Outcome many, pair, one;
  queue->dequeueMany(3, many.done());
  EXPECT_EQ(many.error(WEIR_OUT_OF_RANGE),
            "[WEIR0341] queue 'q' is closed and has insufficient elements "
            "(requested 3, current size 2)");
  queue->dequeueMany(2, pair.done());
  EXPECT_EQ(pair.values().size(), 2u);
  queue->dequeue(one.done());
  EXPECT_EQ(one.error(WEIR_OUT_OF_RANGE),
            "[WEIR0341] queue 'q' is closed and has insufficient elements "
            "(requested 1, current size 0)");
}

TEST_P(QueueClose, EndsWaitingDequeues) {
  auto queue = make(10);
  Outcome one, many, upTo;
  queue->dequeue(one.done());
  queue->dequeueMany(2, many.done());
  queue->dequeueUpTo(2, upTo.done());
  closeNow(*queue);
  one.error(WEIR_OUT_OF_RANGE);
  many.error(WEIR_OUT_OF_RANGE);
  upTo.error(WEIR_OUT_OF_RANGE);
}

// What a dequeueMany has collected when the queue closes goes to those who
// wait behind it.
TEST_P(QueueClose, CollectedElementsAreServedToTheNext) {
  auto queue = make(10);
  Outcome many, upTo, one;
  queue->dequeueMany(5, many.done());
  queue->dequeueUpTo(2, upTo.done());
  queue->dequeue(one.done());
  fill(*queue, {1, 2, 3});
  EXPECT_EQ(queue->size(), 0);
  closeNow(*queue);
  EXPECT_EQ(many.error(WEIR_OUT_OF_RANGE),
            "[WEIR0341] queue 'q' is closed and has insufficient elements "
            "(requested 5, current size 3)");
  EXPECT_EQ(upTo.values().size(), 2u);
  EXPECT_EQ(one.values().size(), 1u);
  if (GetParam() != QueueKind::RandomShuffle) {
    EXPECT_EQ(upTo.values(), (Values{1, 2}));
    EXPECT_EQ(one.values(), Values{3});
  }
}

TEST_P(QueueClose, UpToGetsWhatIsLeft) {
  auto queue = make(10);
  fill(*queue, {1, 2, 3});
  Outcome waiting, none;
  queue->dequeueUpTo(7, waiting.done());
  EXPECT_TRUE(waiting.waits());
  closeNow(*queue);
  EXPECT_EQ(waiting.values().size(), 3u);
  queue->dequeueUpTo(7, none.done());
  EXPECT_EQ(none.error(WEIR_OUT_OF_RANGE),
            "[WEIR0341] queue 'q' is closed and has insufficient elements "
            "(requested 7, current size 0)");
}

// A close waits for its turn: enqueues that came earlier complete, those that
// came later fail, and the queue is open until then.
TEST_P(QueueClose, ComesAfterEarlierEnqueues) {
  auto queue = make(2);
  fill(*queue, {1, 2});
  Outcome earlier, many, closing, later, second;
  queue->enqueue({scalar(3)}, earlier.done());
  queue->enqueueMany({vector({4, 5})}, many.done());
  queue->close(false, closing.done());
  queue->enqueue({scalar(6)}, later.done());
  queue->close(false, second.done());
  EXPECT_TRUE(closing.waits());
  EXPECT_FALSE(queue->isClosed());
  take(*queue);
  take(*queue);
  EXPECT_TRUE(earlier.ok());
  EXPECT_TRUE(many.waits());
  take(*queue);
  EXPECT_TRUE(many.ok());
  EXPECT_TRUE(closing.ok());
  EXPECT_TRUE(queue->isClosed());
  later.error(WEIR_CANCELLED);
  second.error(WEIR_CANCELLED);
  take(*queue);
  EXPECT_EQ(take(*queue) > 0, true);
  EXPECT_EQ(queue->size(), 0);
}

TEST_P(QueueClose, CancellingEndsPendingEnqueuesAtOnce) {
  auto queue = make(2);
  Outcome many, one, closing, cancelling;
  queue->enqueueMany({vector({1, 2, 3})}, many.done());
  queue->enqueue({scalar(4)}, one.done());
  queue->close(false, closing.done());
  queue->close(true, cancelling.done());
  EXPECT_TRUE(cancelling.ok());
  EXPECT_EQ(many.error(WEIR_CANCELLED),
            "[WEIR0340] queue 'q' is closed; nothing more can be enqueued "
            "(2 of 3 elements were)");
  one.error(WEIR_CANCELLED);
  EXPECT_EQ(closing.error(WEIR_CANCELLED),
            "[WEIR0340] queue 'q' is already closed");
  // What is in stays in.
  EXPECT_EQ(queue->size(), 2);
  Outcome out;
  queue->dequeueMany(2, out.done());
  EXPECT_EQ(out.values().size(), 2u);
}

// A close that gets its turn through a dequeue ends that dequeue as well.
TEST_P(QueueClose, LetsADequeueManyFailThatDrainsTheQueue) {
  auto queue = make(2);
  Outcome in, closing, out, rest;
  queue->enqueueMany({vector({1, 2, 3})}, in.done());
  queue->close(false, closing.done());
  queue->dequeueMany(5, out.done());
  EXPECT_TRUE(in.ok());
  EXPECT_TRUE(closing.ok());
  out.error(WEIR_OUT_OF_RANGE);
  // All three are back, more than the capacity.
  EXPECT_EQ(queue->size(), 3);
  queue->dequeueUpTo(5, rest.done());
  EXPECT_EQ(rest.values().size(), 3u);
}

TEST(FifoQueueClose, PutsCollectedElementsBackInOrder) {
  auto queue = makeQueue(scalarQueue(4));
  Outcome many;
  queue->dequeueMany(30, many.done());
  Values values;
  for (int64_t i = 0; i < 20; ++i)
    values.push_back(i);
  fill(*queue, values);
  Outcome closing;
  queue->close(false, closing.done());
  many.error(WEIR_OUT_OF_RANGE);
  for (int64_t value : values)
    EXPECT_EQ(take(*queue), value);
}

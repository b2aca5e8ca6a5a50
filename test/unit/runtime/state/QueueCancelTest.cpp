//===- QueueCancelTest.cpp - Tests of cancelled and late operations -------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/state/QueueWaiter.h"
#include "test/unit/runtime/state/QueueTestUtil.h"

#include <thread>

using namespace weir::rt;
using namespace weir::rt::test;
using namespace std::chrono_literals;

TEST(QueueCancel, EndsAWaitingDequeue) {
  auto queue = makeQueue(scalarQueue(2));
  CancellationToken token;
  Outcome cancelled, other;
  queue->dequeue(cancelled.done(), &token);
  queue->dequeue(other.done());
  token.cancel("the step was stopped");
  EXPECT_EQ(cancelled.error(WEIR_CANCELLED),
            "[WEIR0342] dequeue from queue 'q' was cancelled: the step was "
            "stopped");
  EXPECT_TRUE(other.waits());
  fill(*queue, {1});
  EXPECT_EQ(other.values(), Values{1});
}

TEST(QueueCancel, EndsAWaitingEnqueue) {
  auto queue = makeQueue(scalarQueue(1));
  fill(*queue, {1});
  CancellationToken token;
  Outcome cancelled, other;
  queue->enqueue({scalar(2)}, cancelled.done(), &token);
  queue->enqueue({scalar(3)}, other.done());
  token.cancel("");
  EXPECT_EQ(cancelled.error(WEIR_CANCELLED),
            "[WEIR0342] enqueue to queue 'q' was cancelled");
  EXPECT_EQ(take(*queue), 1);
  EXPECT_TRUE(other.ok());
  EXPECT_EQ(take(*queue), 3);
}

TEST(QueueCancel, BeforeTheOperation) {
  auto queue = makeQueue(scalarQueue(5));
  fill(*queue, {1});
  CancellationToken token;
  token.cancel("");
  Outcome in, many, out, batch;
  queue->enqueue({scalar(2)}, in.done(), &token);
  queue->enqueueMany({vector({3, 4})}, many.done(), &token);
  queue->dequeue(out.done(), &token);
  queue->dequeueMany(1, batch.done(), &token);
  in.error(WEIR_CANCELLED);
  many.error(WEIR_CANCELLED);
  out.error(WEIR_CANCELLED);
  batch.error(WEIR_CANCELLED);
  EXPECT_EQ(queue->size(), 1);
}

TEST(QueueCancel, AfterTheOperationChangesNothing) {
  auto queue = makeQueue(scalarQueue(1));
  CancellationToken token;
  Outcome out;
  queue->dequeue(out.done(), &token);
  fill(*queue, {1});
  EXPECT_EQ(out.values(), Values{1});
  // The object of the attempt is in use again when the cancellation comes.
  Outcome next;
  queue->dequeue(next.done());
  token.cancel("");
  EXPECT_TRUE(next.waits());
  fill(*queue, {2});
  EXPECT_EQ(next.values(), Values{2});
}

// The elements that a cancelled dequeueMany has collected come back in front
// and in order, and those behind it are served with them.
TEST(QueueCancel, LosesNoElement) {
  auto queue = makeQueue(scalarQueue(2));
  CancellationToken token;
  Outcome many, one;
  queue->dequeueMany(10, many.done(), &token);
  queue->dequeue(one.done());
  fill(*queue, {1, 2, 3, 4});
  EXPECT_EQ(queue->size(), 0);
  token.cancel("");
  EXPECT_EQ(many.error(WEIR_CANCELLED),
            "[WEIR0342] dequeue from queue 'q' was cancelled; the 4 elements "
            "that it had collected are in the queue again");
  EXPECT_EQ(one.values(), Values{1});
  EXPECT_EQ(queue->size(), 3);
  // Above its capacity the queue takes nothing in.
  Outcome in;
  queue->enqueue({scalar(5)}, in.done());
  EXPECT_EQ(take(*queue), 2);
  EXPECT_TRUE(in.waits());
  EXPECT_EQ(take(*queue), 3);
  EXPECT_TRUE(in.ok());
  EXPECT_EQ(take(*queue), 4);
  EXPECT_EQ(take(*queue), 5);
}

TEST(QueueCancel, LosesNoElementOfAnyKind) {
  for (QueueKind kind : {QueueKind::RandomShuffle, QueueKind::PaddingFifo,
                         QueueKind::Priority}) {
    auto queue = makeQueue(scalarQueue(-1, kind));
    CancellationToken token;
    Outcome many, all;
    fill(*queue, {5, 4, 3, 2, 1});
    queue->dequeueMany(8, many.done(), &token);
    EXPECT_EQ(queue->size(), 0);
    token.cancel("");
    many.error(WEIR_CANCELLED);
    queue->dequeueMany(5, all.done());
    Values values = all.values();
    if (kind == QueueKind::PaddingFifo)
      EXPECT_EQ(values, (Values{5, 4, 3, 2, 1}));
    if (kind == QueueKind::Priority)
      EXPECT_EQ(values, (Values{1, 2, 3, 4, 5}));
    std::sort(values.begin(), values.end());
    EXPECT_EQ(values, (Values{1, 2, 3, 4, 5}));
  }
}

TEST(QueueCancel, EnqueueManyTellsHowFarItCame) {
  auto queue = makeQueue(scalarQueue(2));
  CancellationToken token;
  Outcome many, next;
  queue->enqueueMany({vector({1, 2, 3, 4, 5})}, many.done(), &token);
  queue->enqueue({scalar(6)}, next.done());
  EXPECT_EQ(take(*queue), 1);
  token.cancel("");
  EXPECT_EQ(many.error(WEIR_CANCELLED),
            "[WEIR0342] enqueue to queue 'q' was cancelled; 3 of 5 elements "
            "were enqueued");
  EXPECT_EQ(take(*queue), 2);
  EXPECT_EQ(take(*queue), 3);
  EXPECT_EQ(take(*queue), 6);
}

// One token ends all operations of a step, and each callback may start others.
TEST(QueueCancel, EndsAllOperationsOfAStep) {
  auto full = makeQueue(scalarQueue(1)), empty = makeQueue(scalarQueue(1));
  fill(*full, {1});
  CancellationToken token;
  Outcome in, out, next;
  full->enqueue({scalar(2)}, in.done(), &token);
  empty->dequeue(
      [&](Status status, QueueTuple) {
        EXPECT_EQ(status.code(), WEIR_CANCELLED);
        empty->dequeue(next.done(), &token);
      },
      &token);
  empty->dequeueMany(3, out.done(), &token);
  token.cancel("");
  in.error(WEIR_CANCELLED);
  out.error(WEIR_CANCELLED);
  next.error(WEIR_CANCELLED);
}

TEST(QueueCancel, DestroyedQueueEndsWhatWaits) {
  Outcome in, out;
  auto queue = makeQueue(scalarQueue(1)), other = makeQueue(scalarQueue(1));
  fill(*queue, {1});
  queue->enqueue({scalar(2)}, in.done());
  other->dequeueMany(2, out.done());
  queue.reset();
  other.reset();
  EXPECT_EQ(in.error(WEIR_CANCELLED),
            "[WEIR0342] queue 'q' was destroyed while an operation waited in "
            "it");
  out.error(WEIR_CANCELLED);
}

// An operation with a token keeps its queue alive, and no longer than it waits.
TEST(QueueCancel, TokenKeepsTheQueue) {
  auto queue = makeQueue(scalarQueue(1));
  std::weak_ptr<Queue> watched = queue;
  CancellationToken token;
  Outcome out;
  queue->dequeue(out.done(), &token);
  queue.reset();
  EXPECT_FALSE(watched.expired());
  EXPECT_TRUE(out.waits());
  token.cancel("");
  out.error(WEIR_CANCELLED);
  EXPECT_TRUE(watched.expired());
}

TEST(QueueWaiter, TimeOutLosesNothing) {
  auto queue = makeQueue(scalarQueue(10));
  fill(*queue, {1, 2});
  QueueTuple batch;
  {
    QueueWaiter waiter;
    queue->dequeueMany(3, waiter.done(), waiter.token());
    EXPECT_FALSE(waiter.isDone());
    Status status = waiter.wait(1ms, batch);
    EXPECT_EQ(status.code(), WEIR_DEADLINE_EXCEEDED);
    EXPECT_STREQ(status.message(),
                 "[WEIR0343] dequeue from queue 'q' ran out of time: its "
                 "deadline has passed; the 2 elements that it had collected "
                 "are in the queue again");
  }
  // Later enqueues and dequeues work as if nothing had happened.
  fill(*queue, {3});
  QueueWaiter again;
  queue->dequeueMany(3, again.done(), again.token());
  ASSERT_TRUE(again.wait(10s, batch).ok());
  EXPECT_EQ(valuesOf(batch[0]), (Values{1, 2, 3}));
}

TEST(QueueWaiter, TimeOutOfAnEnqueue) {
  auto queue = makeQueue(scalarQueue(1));
  fill(*queue, {1});
  QueueTuple none;
  QueueWaiter waiter;
  queue->enqueue({scalar(2)}, waiter.done(), waiter.token());
  EXPECT_EQ(waiter.wait(1ms, none).code(), WEIR_DEADLINE_EXCEEDED);
  EXPECT_EQ(take(*queue), 1);
  EXPECT_EQ(queue->size(), 0);
}

TEST(QueueWaiter, WaitsForAnotherThread) {
  auto queue = makeQueue(scalarQueue(1));
  std::thread producer([&] {
    for (int64_t i = 0; i < 100; ++i) {
      QueueWaiter waiter;
      QueueTuple none;
      queue->enqueue({scalar(i)}, waiter.done(), waiter.token());
      EXPECT_TRUE(waiter.wait(none).ok());
    }
  });
  for (int64_t i = 0; i < 100; ++i) {
    QueueWaiter waiter;
    QueueTuple tuple;
    queue->dequeue(waiter.done(), waiter.token());
    ASSERT_TRUE(waiter.wait(10s, tuple).ok());
    EXPECT_EQ(valuesOf(tuple[0])[0], i);
  }
  producer.join();
}

TEST(QueueWaiter, FollowsItsStep) {
  auto queue = makeQueue(scalarQueue(1));
  CancellationToken step;
  QueueWaiter waiter(&step);
  queue->dequeue(waiter.done(), waiter.token());
  std::thread canceller([&] { step.cancel("stopped"); });
  QueueTuple none;
  EXPECT_EQ(waiter.wait(none).code(), WEIR_CANCELLED);
  canceller.join();
  // One that is dropped takes its operation along.
  {
    QueueWaiter dropped;
    queue->dequeue(dropped.done(), dropped.token());
  }
  fill(*queue, {1});
  EXPECT_EQ(take(*queue), 1);
}

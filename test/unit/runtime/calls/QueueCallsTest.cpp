//===- QueueCallsTest.cpp - Tests of the nodes of queues ------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/runtime/calls/CallTest.h"

#include <algorithm>
#include <atomic>
#include <thread>

using namespace weir::rt;
using namespace weir::rt::test;

namespace {
class QueueCalls : public CallTest {
protected:
  Node enqueue(int64_t value, int64_t timeout = -1, int32_t queue = kFifo) {
    return Node(weir_node_enqueue)
        .in(handle(queue))
        .in(i64(value))
        .number(timeout);
  }
  Node dequeue(int64_t timeout = -1, int32_t queue = kFifo) {
    return Node(weir_node_dequeue)
        .in(handle(queue))
        .number(timeout)
        .out(WEIR_I64, {});
  }
  Node batch(WeirNodeFn call, int32_t count, int64_t timeout = -1,
             int32_t queue = kFifo) {
    return Node(call)
        .in(handle(queue))
        .in(i32(count))
        .number(timeout)
        .out(WEIR_I64, {-1});
  }
  Node close(bool cancel = false, int32_t queue = kFifo) {
    return Node(weir_node_queue_close).in(handle(queue)).number(cancel);
  }
  int64_t size(int32_t queue = kFifo) {
    return intsOf(
        run(Node(weir_node_queue_size).in(handle(queue)).out(WEIR_I32, {})))[0];
  }
  int64_t take() { return intsOf(run(dequeue()))[0]; }
};
} // namespace

TEST_F(QueueCalls, InAndOut) {
  EXPECT_TRUE(start(enqueue(1))->ok());
  EXPECT_TRUE(start(enqueue(2))->ok());
  EXPECT_EQ(size(), 2);
  EXPECT_EQ(take(), 1);
  EXPECT_EQ(take(), 2);
  EXPECT_EQ(size(), 0);
}

TEST_F(QueueCalls, Waits) {
  auto first = start(dequeue());
  EXPECT_TRUE(first->waits());
  for (int64_t value : {1, 2, 3})
    EXPECT_TRUE(start(enqueue(value))->ok());
  EXPECT_EQ(intsOf(first->output()), Ints{1});
  auto full = start(enqueue(4));
  EXPECT_TRUE(full->waits());
  EXPECT_EQ(take(), 2);
  EXPECT_TRUE(full->ok());
}

TEST_F(QueueCalls, Batches) {
  auto many = start(Node(weir_node_enqueue_many)
                        .in(handle(kFifo))
                        .in(i64s({5}, {1, 2, 3, 4, 5}))
                        .number(-1));
  EXPECT_TRUE(many->waits());
  EXPECT_EQ(intsOf(run(batch(weir_node_dequeue_many, 4))), (Ints{1, 2, 3, 4}));
  EXPECT_TRUE(many->ok());
  EXPECT_TRUE(start(close())->ok());
  EXPECT_EQ(intsOf(run(batch(weir_node_dequeue_up_to, 4))), Ints{5});
  EXPECT_EQ(fail(batch(weir_node_dequeue_up_to, 4), WEIR_OUT_OF_RANGE),
            "[WEIR0341] queue 'q' is closed and has insufficient elements "
            "(requested 4, current size 0)");
}

TEST_F(QueueCalls, Components) {
  Node pair = Node(weir_node_enqueue).in(handle(kPairs)).in(i64(1));
  EXPECT_EQ(fail(pair), "[WEIR0344] queue 'pairs': wrong number of components; "
                        "an element has 2, the value has 1");
  EXPECT_TRUE(start(Node(pair).in(text("one")))->ok());
  Node take = Node(weir_node_dequeue).in(handle(kPairs));
  EXPECT_EQ(fail(Node(take).out(WEIR_I64, {})),
            "[WEIR0326] FIFO queue 'pairs' has 2 components, the node has 1 "
            "outputs");
  EXPECT_EQ(fail(Node(take).out(WEIR_I64, {}).out(WEIR_F32)),
            "[WEIR0326] FIFO queue 'pairs' has component 1 of type "
            "tensor<!weir.string>, but the output of the node is "
            "tensor<*xf32>");
  fail(Node(take).out(WEIR_I64, {1}).out(WEIR_STRING));
  // None of these took anything.
  auto result = start(Node(take).out(WEIR_I64).out(WEIR_STRING, {}));
  EXPECT_EQ(intsOf(result->output(0)), Ints{1});
  EXPECT_EQ(textsOf(result->output(1)), Texts{"one"});
}

// A queue whose elements may be of any shape gives them as they come.
TEST_F(QueueCalls, ElementsOfAnyShape) {
  Node put = Node(weir_node_enqueue).in(handle(kAnything));
  EXPECT_TRUE(start(Node(put).in(f32(1)))->ok());
  EXPECT_TRUE(start(Node(put).in(f32s({2}, {1, 2})))->ok());
  Node take = Node(weir_node_dequeue).in(handle(kAnything));
  EXPECT_EQ(floatsOf(run(Node(take).out(WEIR_F32))), Floats{1});
  EXPECT_EQ(floatsOf(run(Node(take).out(WEIR_F32, {2}))), (Floats{1, 2}));
  EXPECT_EQ(fail(Node(weir_node_dequeue_many)
                     .in(handle(kAnything))
                     .in(i32(1))
                     .out(WEIR_F32)),
            "[WEIR0345] FIFO queue 'anything': dequeuing several elements at "
            "once requires the components to have specified shapes, component "
            "0 is tensor<*xf32>; declare its shape, or use a padding FIFO "
            "queue");
}

TEST_F(QueueCalls, OtherKinds) {
  EXPECT_TRUE(
      start(Node(weir_node_enqueue).in(handle(kPadding)).in(i64s({1}, {1})))
          ->ok());
  EXPECT_TRUE(
      start(Node(weir_node_enqueue).in(handle(kPadding)).in(i64s({2}, {2, 3})))
          ->ok());
  TensorRef padded = run(Node(weir_node_dequeue_many)
                             .in(handle(kPadding))
                             .in(i32(2))
                             .out(WEIR_I64, {-1, -1}));
  EXPECT_EQ(dimsOf(padded), (Dims{2, 2}));
  EXPECT_EQ(intsOf(padded), (Ints{1, 0, 2, 3}));

  for (int64_t priority : {3, 1, 2})
    EXPECT_TRUE(start(Node(weir_node_enqueue)
                          .in(handle(kPriority))
                          .in(i64(priority))
                          .in(f32(static_cast<float>(priority))))
                    ->ok());
  EXPECT_EQ(floatsOf(run(Node(weir_node_dequeue)
                             .in(handle(kPriority))
                             .out(WEIR_I64, {})
                             .out(WEIR_F32, {}),
                         1)),
            Floats{1});

  EXPECT_TRUE(start(Node(weir_node_enqueue_many)
                        .in(handle(kShuffle))
                        .in(i64s({4}, {0, 1, 2, 3})))
                  ->ok());
  Ints seen = intsOf(run(batch(weir_node_dequeue_many, 4, -1, kShuffle)));
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(seen, (Ints{0, 1, 2, 3}));
}

TEST_F(QueueCalls, Closing) {
  Node isClosed =
      Node(weir_node_queue_is_closed).in(handle(kFifo)).out(WEIR_BOOL, {});
  EXPECT_EQ(intsOf(run(isClosed)), Ints{0});
  EXPECT_TRUE(start(enqueue(1))->ok());
  EXPECT_TRUE(start(enqueue(2))->ok());
  auto waiting = start(enqueue(3));
  auto closing = start(close());
  EXPECT_TRUE(closing->waits());
  EXPECT_TRUE(start(close(true))->ok());
  EXPECT_EQ(waiting->error(WEIR_CANCELLED),
            "[WEIR0340] queue 'q' is closed; nothing more can be enqueued");
  closing->error(WEIR_CANCELLED);
  EXPECT_EQ(intsOf(run(isClosed)), Ints{1});
  EXPECT_EQ(take(), 1);
  EXPECT_EQ(fail(close(), WEIR_CANCELLED),
            "[WEIR0340] queue 'q' is already closed");
  fail(enqueue(4), WEIR_CANCELLED);
}

// A close waits in its turn; a step that is cancelled takes it back.
TEST_F(QueueCalls, CancelledClose) {
  EXPECT_TRUE(start(enqueue(1))->ok());
  EXPECT_TRUE(start(enqueue(2))->ok());
  auto waiting = start(enqueue(3));
  CancellationToken other;
  auto closing = start(close(), &other);
  EXPECT_TRUE(closing->waits());
  other.cancel("enough");
  EXPECT_EQ(closing->error(WEIR_CANCELLED),
            "[WEIR0342] close of queue 'q' was cancelled: enough");
  EXPECT_EQ(take(), 1);
  EXPECT_TRUE(waiting->ok());
  EXPECT_TRUE(start(enqueue(4), &token)->waits());
  token.cancel("");
}

TEST_F(QueueCalls, Cancelled) {
  CancellationToken step;
  auto one = start(dequeue(), &step),
       many = start(batch(weir_node_dequeue_many, 2), &step);
  EXPECT_TRUE(one->waits());
  step.cancel("the step ended");
  EXPECT_EQ(one->error(WEIR_CANCELLED),
            "[WEIR0342] dequeue from queue 'q' was cancelled: the step ended");
  many->error(WEIR_CANCELLED);
  start(dequeue(), &step)->error(WEIR_CANCELLED);
  start(dequeue(5), &step)->error(WEIR_CANCELLED);
  start(enqueue(1), &step)->error(WEIR_CANCELLED);
  EXPECT_EQ(size(), 0);
}

TEST_F(QueueCalls, TimeOut) {
  auto late = start(dequeue(20));
  ASSERT_TRUE(late->wait());
  EXPECT_EQ(late->error(WEIR_DEADLINE_EXCEEDED),
            "[WEIR0343] dequeue from queue 'q' ran out of time: its time-out "
            "of 20 ms is over");
  EXPECT_TRUE(start(enqueue(1, 1000))->ok());
  EXPECT_EQ(intsOf(run(dequeue(1000))), Ints{1});
  // One that is not late comes in time.
  auto patient = start(dequeue(60000));
  EXPECT_TRUE(start(enqueue(2))->ok());
  EXPECT_EQ(intsOf(patient->output()), Ints{2});
  // With a time-out of 0 an operation that would wait fails soon.
  auto soon = start(dequeue(0));
  ASSERT_TRUE(soon->wait());
  soon->error(WEIR_DEADLINE_EXCEEDED);
  // The largest number is no time in the past.
  auto forever = start(dequeue(INT64_MAX));
  EXPECT_TRUE(forever->waits());
  token.cancel("end");
  EXPECT_EQ(forever->error(WEIR_CANCELLED),
            "[WEIR0342] dequeue from queue 'q' was cancelled: end");
}

// What a batch had collected when its time was over is in the queue again.
TEST_F(QueueCalls, TimeOutLosesNothing) {
  // It collects while its time is not over: give it more where it was too
  // short.
  bool collected = false;
  for (int64_t time = 30; !collected && time < 60000; time *= 4) {
    auto late = start(batch(weir_node_dequeue_many, 3, time));
    EXPECT_TRUE(start(enqueue(1))->ok());
    EXPECT_TRUE(start(enqueue(2))->ok());
    const int64_t left = size();
    collected = late->waits();
    EXPECT_TRUE(!collected || left == 0) << left;
    ASSERT_TRUE(late->wait());
    late->error(WEIR_DEADLINE_EXCEEDED);
    EXPECT_EQ(size(), 2);
    EXPECT_EQ(take(), 1);
    if (!collected)
      EXPECT_EQ(take(), 2);
  }
  ASSERT_TRUE(collected);
  auto stuck = start(Node(weir_node_enqueue_many)
                         .in(handle(kFifo))
                         .in(i64s({3}, {3, 4, 5}))
                         .number(20));
  ASSERT_TRUE(stuck->wait());
  EXPECT_EQ(stuck->error(WEIR_DEADLINE_EXCEEDED),
            "[WEIR0343] enqueue to queue 'q' ran out of time: its time-out of "
            "20 ms is over; 1 of 3 elements were enqueued");
  EXPECT_EQ(take(), 2);
  EXPECT_EQ(take(), 3);
}

TEST_F(QueueCalls, BadOperands) {
  EXPECT_EQ(fail(Node(weir_node_dequeue_many)
                     .in(handle(kFifo))
                     .in(i32s({1}, {1}))
                     .out(WEIR_I64)),
            "[WEIR0339] the number of elements (operand 1) must be a scalar of "
            "i32 or i64, but is tensor<1xi32>");
  fail(batch(weir_node_dequeue_many, -1));
  fail(Node(weir_node_enqueue).in(handle(kFifo)).in(f32(1)));
  fail(Node(weir_node_queue_size).in(handle(kFifo)).out(WEIR_F32, {}));
}

// Time-outs, cancellations and completions race: every call ends once, and no
// element is lost or doubled.
TEST_F(QueueCalls, TimeOutsAtRandom) {
  constexpr int kThreads = 4;
  constexpr int64_t kEach = 400;
  TensorRef queue = handle(kFifo);
  std::atomic<int64_t> sum{0}, taken{0}, next{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (int64_t i = 0; i < kEach; ++i) {
        int64_t value = ++next;
        for (;;) {
          auto put = start(Node(weir_node_enqueue)
                               .in(queue)
                               .in(i64(value))
                               .number(value % 3));
          ASSERT_TRUE(put->wait());
          if (put->ok())
            break;
          put->error(WEIR_DEADLINE_EXCEEDED);
        }
      }
    });
    threads.emplace_back([&, t] {
      while (taken < kThreads * kEach) {
        CancellationToken step;
        auto got = start(Node(weir_node_dequeue)
                             .in(queue)
                             .number((taken + t) % 3)
                             .out(WEIR_I64, {}),
                         &step);
        if (taken % 5 == 0)
          step.cancel("at random");
        ASSERT_TRUE(got->wait());
        if (!got->ok())
          continue;
        sum += intsOf(got->output())[0];
        ++taken;
      }
    });
  }
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(taken, kThreads * kEach);
  EXPECT_EQ(sum, kThreads * kEach * (kThreads * kEach + 1) / 2);
}

// Producers and consumers through calls, without a time-out.
TEST_F(QueueCalls, ManyThreads) {
  constexpr int kThreads = 4;
  constexpr int64_t kEach = 5000;
  TensorRef queue = handle(kFifo);
  std::atomic<int64_t> sum{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int64_t i = 0; i < kEach; ++i)
        ASSERT_TRUE(start(Node(weir_node_enqueue)
                              .in(queue)
                              .in(i64(t * kEach + i))
                              .number(-1))
                        ->wait());
    });
    threads.emplace_back([&] {
      for (int64_t i = 0; i < kEach; ++i) {
        auto got = start(
            Node(weir_node_dequeue).in(queue).number(-1).out(WEIR_I64, {}));
        ASSERT_TRUE(got->wait());
        sum += intsOf(got->output())[0];
      }
    });
  }
  for (std::thread &thread : threads)
    thread.join();
  constexpr int64_t kAll = kThreads * kEach;
  EXPECT_EQ(sum, kAll * (kAll - 1) / 2);
}

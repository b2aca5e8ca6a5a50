//===- BarrierCallsTest.cpp - Tests of the nodes of barriers --------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/runtime/calls/CallTest.h"

using namespace weir::rt;
using namespace weir::rt::test;

namespace {
class BarrierCalls : public CallTest {
protected:
  Node insert(const Texts &keys, int64_t component, TensorRef values) {
    return Node(weir_node_barrier_insert_many)
        .in(handle(kBarrier))
        .in(texts({static_cast<int64_t>(keys.size())}, keys))
        .in(std::move(values))
        .number(component);
  }
  Node take(int32_t count, int64_t timeout = -1, bool allowSmall = false,
            bool waitForIncomplete = false) {
    return Node(weir_node_barrier_take_many)
        .in(handle(kBarrier))
        .in(i32(count))
        .number(timeout)
        .number(allowSmall)
        .number(waitForIncomplete)
        .out(WEIR_I64, {-1})
        .out(WEIR_STRING, {-1})
        .out(WEIR_I64, {-1})
        .out(WEIR_F32, {-1});
  }
  Node close(bool cancel = false) {
    return Node(weir_node_barrier_close).in(handle(kBarrier)).number(cancel);
  }
  int64_t ready() {
    return intsOf(run(Node(weir_node_barrier_ready_size)
                          .in(handle(kBarrier))
                          .out(WEIR_I32, {})))[0];
  }
  int64_t incomplete() {
    return intsOf(run(Node(weir_node_barrier_incomplete_size)
                          .in(handle(kBarrier))
                          .out(WEIR_I32, {})))[0];
  }
};
} // namespace

TEST_F(BarrierCalls, PutsTogether) {
  EXPECT_TRUE(start(insert({"a", "b"}, 0, i64s({2}, {1, 2})))->ok());
  EXPECT_EQ(incomplete(), 2);
  auto taking = start(take(2));
  EXPECT_TRUE(taking->waits());
  EXPECT_TRUE(start(insert({"b", "a"}, 1, f32s({2}, {20, 10})))->ok());
  EXPECT_EQ(textsOf(taking->output(1)), (Texts{"b", "a"}));
  EXPECT_EQ(intsOf(taking->output(2)), (Ints{2, 1}));
  EXPECT_EQ(floatsOf(taking->output(3)), (Floats{20, 10}));
  EXPECT_EQ(ready(), 0);
  EXPECT_EQ(incomplete(), 0);
}

TEST_F(BarrierCalls, Errors) {
  EXPECT_TRUE(start(insert({"a"}, 0, i64s({1}, {1})))->ok());
  EXPECT_EQ(fail(insert({"a"}, 0, i64s({1}, {1}))),
            "[WEIR0350] barrier 'b': key 'a' already has a value for component "
            "0");
  EXPECT_EQ(fail(insert({"a"}, 2, i64s({1}, {1}))),
            "[WEIR0350] barrier 'b': there is no component 2; an element has "
            "2");
  fail(insert({"a"}, 1, i64s({1}, {1})));
  EXPECT_EQ(fail(Node(weir_node_barrier_take_many)
                     .in(handle(kBarrier))
                     .in(i32(1))
                     .out(WEIR_I64)
                     .out(WEIR_STRING)),
            "[WEIR0326] barrier 'b' has 2 components, so that a take has two "
            "outputs more; the node has 2");
  EXPECT_EQ(fail(Node(weir_node_barrier_close).in(handle(kMean))),
            "[WEIR0338] the handle names accumulator 'mean', where a barrier "
            "is needed");
  fail(take(-1));
}

TEST_F(BarrierCalls, Close) {
  EXPECT_TRUE(start(insert({"a", "b"}, 0, i64s({2}, {1, 2})))->ok());
  EXPECT_TRUE(start(insert({"a"}, 1, f32s({1}, {10})))->ok());
  EXPECT_TRUE(start(close())->ok());
  EXPECT_EQ(fail(close(), WEIR_CANCELLED),
            "[WEIR0340] barrier 'b' is already closed");
  fail(insert({"c"}, 0, i64s({1}, {1})), WEIR_CANCELLED);
  // What is complete now; or all that can be.
  auto patient = start(take(5, -1, true, true));
  EXPECT_TRUE(patient->waits());
  EXPECT_TRUE(start(insert({"b"}, 1, f32s({1}, {20})))->ok());
  EXPECT_EQ(floatsOf(patient->output(3)), (Floats{10, 20}));
  fail(take(1), WEIR_OUT_OF_RANGE);
}

TEST_F(BarrierCalls, SmallBatch) {
  EXPECT_TRUE(start(insert({"a", "b"}, 0, i64s({2}, {1, 2})))->ok());
  EXPECT_TRUE(start(insert({"a"}, 1, f32s({1}, {10})))->ok());
  EXPECT_TRUE(start(close())->ok());
  EXPECT_EQ(floatsOf(run(take(5, -1, true), 3)), Floats{10});
  EXPECT_EQ(fail(take(5, -1, true), WEIR_OUT_OF_RANGE),
            "[WEIR0341] barrier 'b' is closed and has insufficient elements "
            "(requested 1, total size 0)");
  EXPECT_TRUE(start(close(true))->ok());
  EXPECT_EQ(incomplete(), 0);
}

TEST_F(BarrierCalls, TimeOutAndCancellation) {
  auto late = start(take(2, 20));
  EXPECT_TRUE(start(insert({"a"}, 0, i64s({1}, {1})))->ok());
  EXPECT_TRUE(start(insert({"a"}, 1, f32s({1}, {10})))->ok());
  ASSERT_TRUE(late->wait());
  late->error(WEIR_DEADLINE_EXCEEDED);
  EXPECT_EQ(ready(), 1);
  CancellationToken step;
  auto cancelled = start(take(2), &step);
  step.cancel("enough");
  cancelled->error(WEIR_CANCELLED);
  EXPECT_EQ(ready(), 1);
}

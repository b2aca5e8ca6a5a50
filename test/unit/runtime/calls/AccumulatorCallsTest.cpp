//===- AccumulatorCallsTest.cpp - Tests of the nodes of accumulators ------===//
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
class AccumulatorCalls : public CallTest {
protected:
  Node apply(int64_t step, TensorRef gradient, int32_t which = kMean) {
    return Node(weir_node_accumulator_apply)
        .in(handle(which))
        .in(i64(step))
        .in(std::move(gradient));
  }
  Node take(int32_t count, int64_t timeout = -1, int32_t which = kMean) {
    return Node(weir_node_accumulator_take)
        .in(handle(which))
        .in(i32(count))
        .number(timeout)
        .out(WEIR_F32);
  }
  int64_t size() {
    return intsOf(run(Node(weir_node_accumulator_size)
                          .in(handle(kMean))
                          .out(WEIR_I32, {})))[0];
  }
};
} // namespace

TEST_F(AccumulatorCalls, Mean) {
  EXPECT_TRUE(start(apply(0, f32s({2}, {1, 2})))->ok());
  EXPECT_EQ(size(), 1);
  auto waiting = start(take(2));
  EXPECT_TRUE(waiting->waits());
  EXPECT_TRUE(start(apply(0, f32s({2}, {3, 6})))->ok());
  EXPECT_EQ(floatsOf(waiting->output()), (Floats{2, 4}));
  // The take went to step 1: gradients of step 0 are stale now.
  EXPECT_TRUE(start(apply(0, f32s({2}, {1, 2})))->ok());
  EXPECT_EQ(size(), 0);
  EXPECT_TRUE(
      start(Node(weir_node_accumulator_set_step).in(handle(kMean)).in(i64(5)))
          ->ok());
  EXPECT_TRUE(start(apply(4, f32s({2}, {1, 2})))->ok());
  EXPECT_TRUE(start(apply(5, f32s({2}, {1, 2})))->ok());
  EXPECT_EQ(size(), 1);
}

TEST_F(AccumulatorCalls, Sum) {
  for (float value : {1.0f, 2.0f})
    EXPECT_TRUE(start(apply(0, f32(value), kSum))->ok());
  EXPECT_EQ(floatsOf(run(take(1, -1, kSum))), Floats{3});
}

TEST_F(AccumulatorCalls, Errors) {
  EXPECT_EQ(fail(apply(0, f32s({3}, {1, 2, 3}))),
            "[WEIR0349] accumulator 'mean': shape mismatch; expected "
            "tensor<2xf32>, got tensor<3xf32>");
  fail(apply(0, i64(1)));
  EXPECT_EQ(fail(take(0)),
            "[WEIR0349] accumulator 'mean': the number of gradients to take "
            "must be positive, but was 0");
  EXPECT_EQ(fail(Node(weir_node_accumulator_take)
                     .in(handle(kMean))
                     .in(i32(1))
                     .out(WEIR_F64, {2})),
            "[WEIR0326] accumulator 'mean' holds tensor<*xf32>, but the output "
            "of the node is tensor<2xf64>");
  EXPECT_EQ(fail(Node(weir_node_accumulator_apply)
                     .in(handle(kMean))
                     .in(f32(0))
                     .in(f32(0))),
            "[WEIR0339] the step of the gradient (operand 1) must be a scalar "
            "of i32 or i64, but is tensor<f32>");
  EXPECT_EQ(fail(Node(weir_node_accumulator_size)
                     .in(handle(kBarrier))
                     .out(WEIR_I32, {})),
            "[WEIR0338] the handle names barrier 'b', where an accumulator is "
            "needed");
  fail(Node(weir_node_accumulator_set_step).in(handle(kMean)).in(f32(0)));
}

// A take that is late or cancelled takes nothing.
TEST_F(AccumulatorCalls, TimeOutAndCancellation) {
  EXPECT_TRUE(start(apply(0, f32s({2}, {1, 2})))->ok());
  auto late = start(take(2, 20));
  ASSERT_TRUE(late->wait());
  EXPECT_EQ(late->error(WEIR_DEADLINE_EXCEEDED),
            "[WEIR0343] take from accumulator 'mean' ran out of time: its "
            "time-out of 20 ms is over");
  CancellationToken step;
  auto cancelled = start(take(2), &step);
  step.cancel("enough");
  cancelled->error(WEIR_CANCELLED);
  EXPECT_EQ(size(), 1);
  EXPECT_EQ(floatsOf(run(take(1))), (Floats{1, 2}));
}

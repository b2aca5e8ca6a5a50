//===- StackCallsTest.cpp - Tests of the nodes of stacks ------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/runtime/calls/CallTest.h"

#include <algorithm>
#include <thread>

using namespace weir::rt;
using namespace weir::rt::test;

namespace {
class StackCalls : public CallTest {
protected:
  TensorRef stack(int32_t limit = -1, int32_t dtype = WEIR_F32) {
    return run(Node(weir_node_stack)
                   .in(i32(limit))
                   .number(dtype)
                   .out(WEIR_RESOURCE, {}));
  }
  static Node push(const TensorRef &stack, TensorRef value) {
    return Node(weir_node_stack_push)
        .in(stack)
        .in(std::move(value))
        .out(WEIR_F32);
  }
  static Node pop(const TensorRef &stack) {
    return Node(weir_node_stack_pop).in(stack).out(WEIR_F32);
  }
  static Node close(const TensorRef &stack) {
    return Node(weir_node_stack_close).in(stack);
  }
};
} // namespace

TEST_F(StackCalls, LastInFirstOut) {
  TensorRef h = stack();
  EXPECT_EQ(floatsOf(run(push(h, f32(1)))), Floats{1});
  EXPECT_EQ(floatsOf(run(push(h, f32s({2}, {2, 3})))), (Floats{2, 3}));
  EXPECT_EQ(floatsOf(run(pop(h))), (Floats{2, 3}));
  run(push(h, f32(4)));
  EXPECT_EQ(floatsOf(run(pop(h))), Floats{4});
  EXPECT_EQ(floatsOf(run(pop(h))), Floats{1});
  EXPECT_EQ(fail(pop(h)),
            "[WEIR0351] stack 'node' at t:1 is empty, and a value was to be "
            "popped; order the pushes before the pops");
}

TEST_F(StackCalls, Limit) {
  TensorRef h = stack(1);
  run(push(h, f32(1)));
  EXPECT_EQ(fail(push(h, f32(2))),
            "[WEIR0352] stack 'node' at t:1 overflowed its max_size (1); give "
            "it a larger one, or -1 for no bound");
  run(pop(h));
  run(push(h, f32(3)));
  fail(push(stack(0), f32(1)));
  run(push(stack(-5), f32(1)));
  EXPECT_EQ(fail(Node(weir_node_stack)
                     .in(i32s({1}, {1}))
                     .number(WEIR_F32)
                     .out(WEIR_RESOURCE, {})),
            "[WEIR0339] the size of a stack (operand 0) must be a scalar of "
            "i32 or i64, but is tensor<1xi32>");
}

TEST_F(StackCalls, Close) {
  TensorRef h = stack();
  run(push(h, f32(1)));
  EXPECT_TRUE(start(close(h))->ok());
  EXPECT_EQ(fail(push(h, f32(1))),
            "[WEIR0353] stack 'node' at t:1 has already been closed");
  fail(pop(h));
  EXPECT_TRUE(start(close(h))->ok());
}

TEST_F(StackCalls, Types) {
  TensorRef h = stack();
  EXPECT_EQ(fail(push(h, i32(1))), "[WEIR0354] stack 'node' at t:1 must have "
                                   "type f32 but got tensor<i32>");
  TensorRef strings = stack(-1, WEIR_STRING);
  EXPECT_TRUE(
      start(
          Node(weir_node_stack_push).in(strings).in(text("x")).out(WEIR_STRING))
          ->ok());
  EXPECT_EQ(
      textsOf(run(Node(weir_node_stack_pop).in(strings).out(WEIR_STRING))),
      Texts{"x"});
  EXPECT_EQ(fail(pop(handle(kFifo))),
            "[WEIR0338] the handle names FIFO queue 'q', where a stack is "
            "needed");
  EXPECT_EQ(
      fail(
          Node(weir_node_tensor_array_size).in(h).in(f32(0)).out(WEIR_I32, {})),
      "[WEIR0338] the handle names stack 'node' at t:1, where a tensor "
      "array is needed");
}

TEST_F(StackCalls, ManyThreads) {
  constexpr int kThreads = 8, kRounds = 500;
  TensorRef h = stack();
  std::vector<Floats> seen(kThreads);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < kRounds; ++i) {
        run(push(h, f32(static_cast<float>(t * kRounds + i))));
        seen[static_cast<size_t>(t)].push_back(floatsOf(run(pop(h)))[0]);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  Floats all;
  for (const Floats &part : seen)
    all.insert(all.end(), part.begin(), part.end());
  std::sort(all.begin(), all.end());
  for (int i = 0; i < kThreads * kRounds; ++i)
    ASSERT_EQ(all[static_cast<size_t>(i)], static_cast<float>(i));
}

//===- VariableCallsTest.cpp - Tests of the nodes of variables ------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/state/MakeResource.h"
#include "test/unit/runtime/calls/CallTest.h"

#include <thread>

using namespace weir::rt;
using namespace weir::rt::test;

/// n + x, for scalars of i64.
static int32_t addKernel(WeirStep *step) {
  int64_t *sum = static_cast<int64_t *>(weir_rt_output(step, 0, nullptr));
  if (!sum)
    return WEIR_RESOURCE_EXHAUSTED;
  *sum = *static_cast<const int64_t *>(step->feeds[0].data) +
         *static_cast<const int64_t *>(step->feeds[1].data);
  return WEIR_OK;
}

static int32_t failingKernel(WeirStep *step) {
  return weir_rt_fail(step, WEIR_INVALID_ARGUMENT, "kernel", "no", 0, 0);
}

namespace {
class VariableCalls : public CallTest {
protected:
  enum { kW, kN };
  int64_t valueOfN() {
    return intsOf(run(Node(weir_node_read).index(kN).out(WEIR_I64, {})))[0];
  }
  void setN(int64_t value) {
    ASSERT_TRUE(start(Node(weir_node_assign).index(kN).in(i64(value)))->ok());
  }
};
} // namespace

TEST_F(VariableCalls, ByIndex) {
  Node isInitialized =
      Node(weir_node_is_initialized).index(kN).out(WEIR_BOOL, {});
  EXPECT_EQ(intsOf(run(isInitialized)), Ints{0});
  EXPECT_EQ(
      fail(Node(weir_node_read).index(kN).out(WEIR_I64, {}),
           WEIR_FAILED_PRECONDITION),
      "[WEIR0306] variable 'n' (tensor<i64>) is read before it has a value; "
      "assign it first");
  setN(3);
  EXPECT_EQ(intsOf(run(isInitialized)), Ints{1});
  EXPECT_EQ(valueOfN(), 3);
  EXPECT_TRUE(
      start(Node(weir_node_update).index(kN).in(i64(4)).kernel(addKernel))
          ->ok());
  EXPECT_EQ(valueOfN(), 7);
}

TEST_F(VariableCalls, ByHandle) {
  TensorRef w = variable(kW);
  EXPECT_EQ(
      intsOf(run(
          Node(weir_node_is_initialized_resource).in(w).out(WEIR_BOOL, {}))),
      Ints{0});
  fail(Node(weir_node_read_resource).in(w).out(WEIR_F32),
       WEIR_FAILED_PRECONDITION);
  EXPECT_TRUE(
      start(Node(weir_node_assign_resource).in(w).in(f32s({2}, {1, 2})))->ok());
  EXPECT_EQ(floatsOf(run(Node(weir_node_read).index(kW).out(WEIR_F32, {2}))),
            (Floats{1, 2}));
  EXPECT_EQ(floatsOf(run(Node(weir_node_read_resource).in(w).out(WEIR_F32))),
            (Floats{1, 2}));
  TensorRef n = variable(kN);
  EXPECT_EQ(
      fail(Node(weir_node_update_resource).in(n).in(i64(1)).kernel(addKernel),
           WEIR_FAILED_PRECONDITION),
      "[WEIR0306] variable 'n' (tensor<i64>) is read before it has a "
      "value; assign it first");
  setN(1);
  EXPECT_TRUE(
      start(Node(weir_node_update_resource).in(n).in(i64(41)).kernel(addKernel))
          ->ok());
  EXPECT_EQ(valueOfN(), 42);
}

// A read is a copy: it does not change with the variable.
TEST_F(VariableCalls, ReadsCopy) {
  setN(1);
  TensorRef before = run(Node(weir_node_read).index(kN).out(WEIR_I64, {}));
  setN(2);
  EXPECT_EQ(intsOf(before), Ints{1});
}

TEST_F(VariableCalls, Types) {
  EXPECT_EQ(fail(Node(weir_node_assign_resource)
                     .in(variable(kW))
                     .in(f32s({3}, {1, 2, 3}))),
            "[WEIR0308] variable 'w' is tensor<2xf32>, the value is "
            "tensor<3xf32>; dimension 0 is 3, not 2");
  fail(Node(weir_node_assign).index(kN).in(i32(1)));
  EXPECT_FALSE(session->variables.initializedBuffer(kN));
}

// An update whose kernel fails changes nothing.
TEST_F(VariableCalls, FailedUpdate) {
  setN(5);
  EXPECT_EQ(fail(Node(weir_node_update).index(kN).kernel(failingKernel)),
            "[WEIR0312] kernel: no");
  EXPECT_EQ(valueOfN(), 5);
}

TEST_F(VariableCalls, ForeignHandles) {
  EXPECT_EQ(fail(Node(weir_node_read_resource).in(i64(1)).out(WEIR_I64)),
            "[WEIR0338] operand 0 is no handle but tensor<i64>");
  EXPECT_EQ(fail(Node(weir_node_read_resource).in(handle(kFifo)).out(WEIR_I64)),
            "[WEIR0338] the handle names FIFO queue 'q', where a variable is "
            "needed");
  EXPECT_EQ(
      fail(Node(weir_node_enqueue).in(variable(kN)).in(i64(1)).number(-1)),
      "[WEIR0338] the handle names variable 'n', where a queue is needed");
  WeirStatus status = WEIR_STATUS_INIT;
  WeirSession *other = weir_session_create(&callProgram, &status);
  EXPECT_EQ(
      fail(Node(weir_node_read_resource).in(variable(kN, other)).out(WEIR_I64)),
      "[WEIR0338] the handle names variable 'n' of another session; a "
      "handle is of use only in the session that it comes from, and in "
      "those that share its state");
  fail(Node(weir_node_queue_size).in(handle(kFifo, other)).out(WEIR_I32, {}));
  // A handle outlives its session, but is of no use then either.
  TensorRef late = variable(kN, other);
  weir_session_destroy(other);
  fail(Node(weir_node_read_resource).in(late).out(WEIR_I64));
}

TEST_F(VariableCalls, SharedSessions) {
  WeirStatus status = WEIR_STATUS_INIT;
  WeirSession *other =
      weir_session_create_shared(&callProgram, session, &status);
  ASSERT_TRUE(other) << status.message;
  setN(9);
  WeirTensor *value = weir_session_get_variable(other, "n", &status);
  EXPECT_EQ(intsOf(TensorRef(value)), Ints{9});
  // A handle of one is good in the other.
  EXPECT_TRUE(
      start(Node(weir_node_assign_resource).in(variable(kN, other)).in(i64(10)))
          ->ok());
  EXPECT_EQ(valueOfN(), 10);
  ASSERT_TRUE(start(Node(weir_node_enqueue)
                        .in(handle(kFifo, other))
                        .in(i64(1))
                        .number(-1))
                  ->ok());
  weir_session_destroy(other);
  EXPECT_EQ(
      intsOf(
          run(Node(weir_node_queue_size).in(handle(kFifo)).out(WEIR_I32, {}))),
      Ints{1});
}

// Updates of one variable by many threads: none is lost.
TEST_F(VariableCalls, ConcurrentUpdates) {
  constexpr int kThreads = 8, kRounds = 2000;
  setN(0);
  TensorRef n = variable(kN);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < kRounds; ++i) {
        bool byHandle = (i + t) % 2;
        Node node(byHandle ? weir_node_update_resource : weir_node_update);
        node.index(byHandle ? -1 : kN).kernel(addKernel);
        if (byHandle)
          node.in(n);
        ASSERT_TRUE(start(node.in(i64(t + 1)))->ok());
        if (i % 64 == 0)
          run(Node(weir_node_read).index(kN).out(WEIR_I64, {}));
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(valueOfN(), kRounds * (kThreads * (kThreads + 1) / 2));
}

// A table that names a variable that is not there is an error.
TEST_F(VariableCalls, BadIndex) {
  for (int32_t index : {-1, 2})
    fail(Node(weir_node_read).index(index).out(WEIR_I64, {}), WEIR_INTERNAL);
}

TEST_F(VariableCalls, Readers) {
  TensorRef none;
  Status status =
      session->resources.handle(kReader, weir::rt::makeResource, none);
  EXPECT_EQ(status.code(), WEIR_UNIMPLEMENTED);
  EXPECT_STREQ(status.message(),
               "[WEIR0337] reader 'r' cannot be made: this program was linked "
               "without the runtime's input");
}

//===- LoopTest.cpp - Frames and iterations -------------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/runtime/executor/TableBuilder.h"

#include <gtest/gtest.h>

using namespace weir::rt::test;
using Ref = TableBuilder::Ref;

TEST(Loop, Counts) {
  for (int32_t limit : {0, 1, 2, 1000})
    for (int32_t parallel : {1, 2, 10}) {
      TableBuilder b;
      b.fetch(
          b.countingLoop("loop", b.constant(0), b.constant(limit), 0, parallel),
          "i");
      TestSession session(b);
      for (int i = 0; i < 2; ++i) {
        ASSERT_EQ(session.run({}), WEIR_OK) << session.message();
        EXPECT_EQ(session.integer(), limit);
      }
    }
}

// An invariant value is seen by iterations that begin later, also when it comes
// late.
TEST(Loop, LateInvariants) {
  TableBuilder b;
  Ref late = b.feed("x");
  for (int i = 0; i < 5; ++i)
    late = b.kernel("slow", addKernel, {late, late});
  Ref whole = b.kernel(
      "toInteger",
      [](WeirStep *step) -> int32_t {
        *static_cast<int32_t *>(weir_rt_output(step, 0, nullptr)) =
            static_cast<int32_t>(
                *static_cast<const float *>(step->feeds[0].data));
        return WEIR_OK;
      },
      {late}, WEIR_I32);
  b.fetch(b.countingLoop("loop", b.constant(3), whole, 0, 2), "i");
  TestSession session(b);
  ASSERT_EQ(session.run({2}), WEIR_OK) << session.message();
  EXPECT_EQ(session.integer(), 64);
  // Not begun where the limit is below the start.
  ASSERT_EQ(session.run({0}), WEIR_OK) << session.message();
  EXPECT_EQ(session.integer(), 3);
}

/// for i < n: for j < i: total += 1. With everything an iteration needs.
static Ref nested(TableBuilder &b, int32_t n, int32_t parallel) {
  int32_t outer = b.frame("outer", 0, parallel);
  int32_t inner = b.frame("inner", outer, parallel);
  Ref i0 = b.enter("i", b.constant(0), outer);
  Ref total0 = b.enter("total", b.constant(0), outer);
  Ref i = b.merge("i/merge", {i0, i0}, outer);
  Ref total = b.merge("total/merge", {total0, total0}, outer);
  Ref goOn =
      b.kernel("i/less", lessKernel, {i, b.constant(n)}, WEIR_BOOL, outer);
  Ref iGate = b.switchOn("i/switch", i, goOn, outer);
  Ref totalGate = b.switchOn("total/switch", total, goOn, outer);

  // The zero of the inner loop is one of this iteration.
  Ref zero = b.kernel(
      "zero",
      [](WeirStep *step) -> int32_t {
        *static_cast<int32_t *>(weir_rt_output(step, 0, nullptr)) = 0;
        return WEIR_OK;
      },
      {iGate.at(1)}, WEIR_I32, outer);
  Ref j0 = b.enter("j", zero, inner);
  Ref t0 = b.enter("t", totalGate.at(1), inner);
  Ref limit = b.enter("limit", iGate.at(1), inner, /*isInvariant=*/true);
  Ref j = b.merge("j/merge", {j0, j0}, inner);
  Ref t = b.merge("t/merge", {t0, t0}, inner);
  Ref inside = b.kernel("j/less", lessKernel, {j, limit}, WEIR_BOOL, inner);
  Ref jGate = b.switchOn("j/switch", j, inside, inner);
  Ref tGate = b.switchOn("t/switch", t, inside, inner);
  Ref j1 = b.kernel("j/inc", incrementKernel, {jGate.at(1)}, WEIR_I32, inner);
  Ref t1 = b.kernel("t/inc", incrementKernel, {tGate.at(1)}, WEIR_I32, inner);
  b.setInput(j, 1, b.next("j/next", j1, inner));
  b.setInput(t, 1, b.next("t/next", t1, inner));
  Ref innerTotal = b.exit("t/exit", tGate.at(0), inner);

  Ref i1 = b.kernel("i/inc", incrementKernel, {iGate.at(1)}, WEIR_I32, outer);
  b.setInput(i, 1, b.next("i/next", i1, outer));
  b.setInput(total, 1, b.next("total/next", innerTotal, outer));
  return b.exit("total/exit", totalGate.at(0), outer);
}

TEST(Loop, NestedLoops) {
  for (int32_t parallel : {1, 2, 3, 32}) {
    TableBuilder b;
    b.fetch(nested(b, 20, parallel), "total");
    TestSession session(b);
    for (int i = 0; i < 3; ++i) {
      ASSERT_EQ(session.run({}), WEIR_OK) << session.message();
      EXPECT_EQ(session.integer(), 190);
    }
  }
}

// The counter runs ahead of a slow body by parallel_iterations at most.
TEST(Loop, ParallelIterationsAreBounded) {
  static int inFlight, most;
  for (int32_t parallel : {1, 2, 5}) {
    inFlight = most = 0;
    TableBuilder b;
    int32_t loop = b.frame("loop", 0, parallel);
    Ref i0 = b.enter("i", b.constant(0), loop);
    Ref i = b.merge("merge", {i0, i0}, loop);
    Ref goOn =
        b.kernel("less", lessKernel, {i, b.constant(50)}, WEIR_BOOL, loop);
    Ref gate = b.switchOn("switch", i, goOn, loop);
    // Begins with the iteration, and ends after the counter has moved on.
    Ref begun = b.kernel(
        "begin",
        [](WeirStep *step) -> int32_t {
          most = std::max(most, ++inFlight);
          *static_cast<int32_t *>(weir_rt_output(step, 0, nullptr)) = 0;
          return WEIR_OK;
        },
        {gate.at(1)}, WEIR_I32, loop);
    Ref more = b.kernel("increment", incrementKernel, {gate.at(1)}, WEIR_I32,
                        loop, {b.ran(begun)});
    Ref next = b.next("next", more, loop);
    b.setInput(i, 1, next);
    Ref slow = begun;
    for (int k = 0; k < 30; ++k)
      slow = b.kernel("slow", incrementKernel, {slow}, WEIR_I32, loop);
    b.kernel(
        "end",
        [](WeirStep *step) -> int32_t {
          --inFlight;
          *static_cast<int32_t *>(weir_rt_output(step, 0, nullptr)) = 0;
          return WEIR_OK;
        },
        {slow}, WEIR_I32, loop);
    b.fetch(b.exit("exit", gate.at(0), loop), "i");
    TestSession session(b);
    WeirRunOptions options = WEIR_RUN_OPTIONS_INIT;
    options.threads = 1;
    ASSERT_EQ(session.run({}, &options), WEIR_OK) << session.message();
    EXPECT_EQ(session.integer(), 50);
    EXPECT_EQ(inFlight, 0);
    EXPECT_LE(most, parallel);
    if (parallel > 1) {
      EXPECT_GT(most, 1);
    }
  }
}

// A loop in a branch that is not taken ends, and what uses its result is dead.
TEST(Loop, UntakenLoop) {
  TableBuilder b;
  Ref x = b.feed("x");
  Ref positive = b.kernel("positive", positiveKernel, {x}, WEIR_BOOL);
  Ref gate = b.switchOn("gate", b.constant(0), positive);
  Ref counted = b.countingLoop("loop", gate.at(1), b.constant(5), 0);
  Ref other = b.identity("other", gate.at(0));
  Ref merged = b.merge("merged", {counted, other});
  b.fetch(merged, "i");
  b.fetch(merged.at(1), "which");
  TestSession session(b);
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(session.run({1}), WEIR_OK) << session.message();
    EXPECT_EQ(session.integer(0), 5);
    EXPECT_EQ(session.integer(1), 0);
    ASSERT_EQ(session.run({-1}), WEIR_OK) << session.message();
    EXPECT_EQ(session.integer(0), 0);
    EXPECT_EQ(session.integer(1), 1);
  }
}

// The result of an untaken loop, fetched: the switch is named.
TEST(Loop, DeadExitIsExplained) {
  TableBuilder b;
  Ref gate = b.switchOn("gate", b.constant(0), b.constant(false));
  b.fetch(b.countingLoop("loop", gate.at(1), b.constant(5), 0), "i");
  TestSession session(b);
  EXPECT_EQ(session.run({}), WEIR_INVALID_ARGUMENT);
  EXPECT_TRUE(session.says("[WEIR0334]")) << session.message();
  EXPECT_TRUE(session.says("'gate'")) << session.message();
}

// An exit that is never live kills its consumers once, when the frame ends:
// here the exit of a value of the body, on the side that goes on.
TEST(Loop, ExitThatIsNeverLive) {
  TableBuilder b;
  int32_t loop = b.frame("loop", 0);
  Ref i0 = b.enter("i", b.constant(0), loop);
  Ref i = b.merge("merge", {i0, i0}, loop);
  Ref goOn = b.kernel("less", lessKernel, {i, b.constant(3)}, WEIR_BOOL, loop);
  Ref gate = b.switchOn("switch", i, goOn, loop);
  Ref never = b.switchOn("never", gate.at(1), b.constant(false), loop);
  Ref more = b.kernel("inc", incrementKernel, {gate.at(1)}, WEIR_I32, loop);
  b.setInput(i, 1, b.next("next", more, loop));
  Ref dead = b.exit("deadExit", never.at(1), loop);
  Ref live = b.exit("exit", gate.at(0), loop);
  b.fetch(b.merge("merged", {dead, b.identity("copy", live)}).at(1), "which");
  b.fetch(live, "i");
  Ref after = b.trigger("after", {b.ran(dead)});
  b.fetch(b.constant(4), "four", {b.ran(after)});
  TestSession session(b);
  for (int k = 0; k < 2; ++k) {
    ASSERT_EQ(session.run({}), WEIR_OK) << session.message();
    EXPECT_EQ(session.integer(0), 1);
    EXPECT_EQ(session.integer(1), 3);
    EXPECT_EQ(session.integer(2), 4);
  }
}

// A loop within an untaken branch of a loop.
TEST(Loop, UntakenInnerLoop) {
  TableBuilder b;
  int32_t loop = b.frame("outer", 0, 3);
  Ref i0 = b.enter("i", b.constant(0), loop);
  Ref i = b.merge("merge", {i0, i0}, loop);
  Ref goOn = b.kernel("less", lessKernel, {i, b.constant(10)}, WEIR_BOOL, loop);
  Ref gate = b.switchOn("switch", i, goOn, loop);
  // Odd iterations count up to 3 in the inner loop, even ones do not.
  Ref odd = b.kernel(
      "odd",
      [](WeirStep *step) -> int32_t {
        *static_cast<bool *>(weir_rt_output(step, 0, nullptr)) =
            *static_cast<const int32_t *>(step->feeds[0].data) % 2 == 1;
        return WEIR_OK;
      },
      {gate.at(1)}, WEIR_BOOL, loop);
  Ref which = b.switchOn("which", gate.at(1), odd, loop);
  Ref inner = b.countingLoop("inner", which.at(1), b.constant(3), loop);
  Ref joined = b.merge("joined", {which.at(0), inner}, loop);
  Ref more = b.kernel("inc", incrementKernel, {gate.at(1)}, WEIR_I32, loop,
                      {b.ran(joined)});
  b.setInput(i, 1, b.next("next", more, loop));
  b.fetch(b.exit("exit", gate.at(0), loop), "i");
  TestSession session(b);
  ASSERT_EQ(session.run({}), WEIR_OK) << session.message();
  EXPECT_EQ(session.integer(), 10);
}

// An error in the middle of loops leaves the session in order.
TEST(Loop, ErrorInABody) {
  TableBuilder b;
  int32_t loop = b.frame("loop", 0, 4);
  Ref i0 = b.enter("i", b.constant(0), loop);
  Ref x = b.enter("x", b.feed("x"), loop, /*isInvariant=*/true);
  Ref i = b.merge("merge", {i0, i0}, loop);
  Ref goOn = b.kernel("less", lessKernel, {i, b.constant(20)}, WEIR_BOOL, loop);
  Ref gate = b.switchOn("switch", i, goOn, loop);
  Ref more = b.kernel(
      "checked",
      [](WeirStep *step) -> int32_t {
        int32_t value = *static_cast<const int32_t *>(step->feeds[0].data);
        if (static_cast<float>(value) ==
            *static_cast<const float *>(step->feeds[1].data))
          return weir_rt_fail(step, WEIR_OUT_OF_RANGE, nullptr, "bad {0}",
                              value, 0);
        *static_cast<int32_t *>(weir_rt_output(step, 0, nullptr)) = value + 1;
        return WEIR_OK;
      },
      {gate.at(1), x}, WEIR_I32, loop);
  b.setInput(i, 1, b.next("next", more, loop));
  b.fetch(b.exit("exit", gate.at(0), loop), "i");
  TestSession session(b);
  for (int k = 0; k < 3; ++k) {
    EXPECT_EQ(session.run({7}), WEIR_OUT_OF_RANGE);
    EXPECT_TRUE(session.says("'checked': bad 7")) << session.message();
    ASSERT_EQ(session.run({-1}), WEIR_OK) << session.message();
    EXPECT_EQ(session.integer(), 20);
  }
}

// A loop that never ends is ended by its deadline.
TEST(Loop, InfiniteLoopAndDeadline) {
  TableBuilder b;
  int32_t loop = b.frame("loop", 0);
  Ref i0 = b.enter("i", b.constant(0), loop);
  Ref i = b.merge("merge", {i0, i0}, loop);
  Ref gate = b.switchOn("switch", i, b.constant(true), loop);
  b.setInput(i, 1, b.next("next", gate.at(1), loop));
  b.fetch(b.exit("exit", gate.at(0), loop), "i");
  TestSession session(b);
  WeirRunOptions options = WEIR_RUN_OPTIONS_INIT;
  options.timeout_ms = 30;
  for (int k = 0; k < 2; ++k) {
    EXPECT_EQ(session.run({}, &options), WEIR_DEADLINE_EXCEEDED);
    EXPECT_TRUE(session.says("[WEIR0323]")) << session.message();
    EXPECT_TRUE(session.says("within 30 ms")) << session.message();
  }
}

// A loop that polls does not starve what it waits for.
TEST(Loop, PollingLoopIsFair) {
  static bool flag;
  flag = false;
  TableBuilder b;
  Ref x = b.feed("x");
  // Ready before the loop begins, and so below it in the stack.
  Ref chain = x;
  for (int k = 0; k < 20; ++k)
    chain = b.kernel("chain", addKernel, {chain, x});
  b.kernel("set",
           [](WeirStep *step) -> int32_t {
             flag = true;
             *static_cast<float *>(weir_rt_output(step, 0, nullptr)) = 0;
             return WEIR_OK;
           },
           {chain});
  int32_t loop = b.frame("loop", 0);
  Ref i0 = b.enter("i", b.constant(0), loop);
  Ref i = b.merge("merge", {i0, i0}, loop);
  Ref unset = b.kernel(
      "poll",
      [](WeirStep *step) -> int32_t {
        *static_cast<bool *>(weir_rt_output(step, 0, nullptr)) = !flag;
        return WEIR_OK;
      },
      {i}, WEIR_BOOL, loop);
  Ref gate = b.switchOn("switch", i, unset, loop);
  b.setInput(i, 1, b.next("next", gate.at(1), loop));
  b.fetch(b.exit("exit", gate.at(0), loop), "i");
  TestSession session(b);
  WeirRunOptions options = WEIR_RUN_OPTIONS_INIT;
  options.threads = 1;
  // Ends the test where it does.
  options.timeout_ms = 60000;
  ASSERT_EQ(session.run({1}, &options), WEIR_OK) << session.message();
}

// An exit on the wrong side of the switch would leave the loop many times.
TEST(Loop, ExitsOnceOnly) {
  TableBuilder b;
  int32_t loop = b.frame("loop", 0);
  Ref i0 = b.enter("i", b.constant(0), loop);
  Ref i = b.merge("merge", {i0, i0}, loop);
  Ref goOn = b.kernel("less", lessKernel, {i, b.constant(3)}, WEIR_BOOL, loop);
  Ref gate = b.switchOn("switch", i, goOn, loop);
  Ref more = b.kernel("inc", incrementKernel, {gate.at(1)}, WEIR_I32, loop);
  b.setInput(i, 1, b.next("next", more, loop));
  b.fetch(b.exit("exit", gate.at(1), loop), "i");
  TestSession session(b);
  EXPECT_EQ(session.run({}), WEIR_FAILED_PRECONDITION);
  EXPECT_TRUE(session.says("[WEIR0139] 'exit': the exit of a loop has a value "
                           "a second time"))
      << session.message();
}

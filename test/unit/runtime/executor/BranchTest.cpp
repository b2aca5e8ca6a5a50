//===- BranchTest.cpp - Switches, merges and dead values ------------------===//
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

TEST(Dataflow, AddsTwoFeeds) {
  TableBuilder b;
  b.fetch(b.kernel("sum", addKernel, {b.feed("x"), b.feed("y")}), "sum");
  TestSession session(b);
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(session.run({1, 2.5f}), WEIR_OK) << session.message();
    EXPECT_EQ(session.number(), 3.5f);
  }
}

// What a caller gets is its own: not its feed, nor the program's constant.
TEST(Dataflow, FetchesAreCopies) {
  TableBuilder b;
  Ref x = b.feed("x");
  b.fetch(x, "a");
  b.fetch(b.identity("same", x), "b");
  b.fetch(b.constant(7.0f), "c");
  TestSession session(b);
  float value = 3;
  WeirView view = {&value, nullptr, 0, WEIR_F32};
  WeirTensor *fetches[3];
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(
        weir_session_run(session.session, 0, &view, fetches, &session.status),
        WEIR_OK);
    float *data[3];
    for (int j = 0; j < 3; ++j)
      data[j] = static_cast<float *>(weir_tensor_view(fetches[j]).data);
    EXPECT_EQ(*data[0], 3);
    EXPECT_EQ(*data[1], 3);
    EXPECT_EQ(*data[2], 7);
    EXPECT_NE(data[0], &value);
    EXPECT_NE(data[0], data[1]);
    // The next run must not see this.
    *data[2] = 8;
    for (WeirTensor *fetch : fetches)
      weir_tensor_release(fetch);
  }
}

/// x > 0 ? x + x : x * x, and which of them.
static void conditional(TableBuilder &b) {
  Ref x = b.feed("x");
  Ref positive = b.kernel("positive", positiveKernel, {x}, WEIR_BOOL);
  Ref gate = b.switchOn("gate", x, positive);
  Ref square = b.kernel("square", mulKernel, {gate.at(0), gate.at(0)});
  Ref twice = b.kernel("twice", addKernel, {gate.at(1), gate.at(1)});
  Ref result = b.merge("result", {square, twice});
  b.fetch(result, "value");
  b.fetch(result.at(1), "index");
}

TEST(Dataflow, TakesOneBranch) {
  TableBuilder b;
  conditional(b);
  TestSession session(b);
  ASSERT_EQ(session.run({4}), WEIR_OK) << session.message();
  EXPECT_EQ(session.number(0), 8);
  EXPECT_EQ(session.integer(1), 1);
  ASSERT_EQ(session.run({-4}), WEIR_OK) << session.message();
  EXPECT_EQ(session.number(0), 16);
  EXPECT_EQ(session.integer(1), 0);
}

// The message names the fetch, the switch, and what decided.
TEST(Dataflow, DeadFetchIsExplained) {
  TableBuilder b;
  Ref x = b.feed("x");
  Ref positive = b.kernel("positive", positiveKernel, {x}, WEIR_BOOL);
  Ref gate = b.switchOn("gate", x, positive);
  Ref live = b.switchOn("other", x, b.constant(true));
  b.fetch(b.kernel("sum", addKernel, {live.at(1), gate.at(1)}), "wanted");
  TestSession session(b);
  ASSERT_EQ(session.run({1}), WEIR_OK) << session.message();
  EXPECT_EQ(session.run({-1}), WEIR_INVALID_ARGUMENT);
  EXPECT_TRUE(session.says("[WEIR0334]")) << session.message();
  EXPECT_TRUE(session.says("'wanted'")) << session.message();
  EXPECT_TRUE(session.says("output 1 of the switch 'gate'"))
      << session.message();
  EXPECT_TRUE(session.says("took output 0")) << session.message();
  EXPECT_TRUE(session.says("'positive'")) << session.message();
  // The session is as good as before.
  ASSERT_EQ(session.run({2}), WEIR_OK) << session.message();
  EXPECT_EQ(session.number(), 4);
}

TEST(Dataflow, MergeOfThreeTakesTheLiveOne) {
  for (int32_t which : {0, 1, 2, 7, -3}) {
    TableBuilder b;
    Ref gate = b.switchOn("gate", b.feed("x"), b.constant(which), 0, 3);
    Ref merged = b.merge("merged", {gate.at(2), gate.at(0), gate.at(1)});
    b.fetch(merged, "value");
    b.fetch(merged.at(1), "index");
    TestSession session(b);
    ASSERT_EQ(session.run({5}), WEIR_OK) << session.message();
    EXPECT_EQ(session.number(0), 5);
    // An index out of range chooses the last output.
    const int32_t inputs[] = {1, 2, 0};
    EXPECT_EQ(session.integer(1), which >= 0 && which < 3 ? inputs[which] : 0);
  }
}

// The first live value wins, later ones are dropped.
TEST(Dataflow, MergeIgnoresLaterValues) {
  TableBuilder b;
  Ref x = b.feed("x");
  Ref late = b.kernel("late", addKernel, {x, x});
  Ref merged = b.merge("merged", {late, x});
  b.fetch(merged, "value");
  b.fetch(merged.at(1), "index");
  b.fetch(late, "late");
  TestSession session(b);
  ASSERT_EQ(session.run({5}), WEIR_OK) << session.message();
  EXPECT_EQ(session.number(0), 5);
  EXPECT_EQ(session.integer(1), 1);
  EXPECT_EQ(session.number(2), 10);
}

TEST(Dataflow, MergeTakesAConstantAtOnce) {
  TableBuilder b;
  Ref x = b.feed("x");
  b.fetch(b.merge("now", {x, b.constant(9.0f)}).at(0), "now");
  Ref sum = b.kernel("sum", addKernel, {x, x});
  b.fetch(b.merge("after", {sum, b.constant(8.0f)}, 0, {b.ran(sum)}), "after");
  TestSession session(b);
  ASSERT_EQ(session.run({5}), WEIR_OK) << session.message();
  EXPECT_EQ(session.number(0), 9);
  EXPECT_EQ(session.number(1), 8);
}

// All control inputs of a merge have to arrive, dead or not.
TEST(Dataflow, MergeWaitsForItsControlInputs) {
  TableBuilder b;
  Ref x = b.feed("x");
  Ref gate = b.switchOn("gate", x, b.constant(false));
  Ref dead = b.identity("dead", gate.at(1));
  Ref merged = b.merge("merged", {x, dead}, 0, {b.ran(dead)});
  b.fetch(merged, "value");
  TestSession session(b);
  ASSERT_EQ(session.run({5}), WEIR_OK) << session.message();
  EXPECT_EQ(session.number(), 5);
}

TEST(Dataflow, MergeOfDeadValuesIsDead) {
  TableBuilder b;
  Ref x = b.feed("x");
  Ref gate = b.switchOn("gate", x, b.constant(false));
  Ref merged = b.merge("merged", {b.identity("a", gate.at(1)), gate.at(1)});
  b.fetch(merged, "value");
  TestSession session(b);
  EXPECT_EQ(session.run({5}), WEIR_INVALID_ARGUMENT);
  EXPECT_TRUE(session.says("'gate'")) << session.message();
}

// A control edge carries deadness; a control edge on the switch itself does
// not; a trigger takes it away.
TEST(Dataflow, ControlEdgesCarryDeadness) {
  for (int variant = 0; variant < 4; ++variant) {
    TableBuilder b;
    Ref x = b.feed("x");
    Ref gate = b.switchOn("gate", x, b.constant(false));
    Ref dead = b.identity("dead", gate.at(1));
    Ref control = variant == 0   ? b.ran(dead)
                  : variant == 1 ? gate.at(1)
                  : variant == 2 ? b.ran(gate)
                                 : b.ran(b.trigger("trigger", {b.ran(dead)}));
    b.fetch(b.identity("copy", x, 0, {control}), "value");
    TestSession session(b);
    EXPECT_EQ(session.run({5}), variant < 2 ? WEIR_INVALID_ARGUMENT : WEIR_OK)
        << variant << session.message();
    if (variant >= 2) {
      EXPECT_EQ(session.number(), 5);
    }
  }
}

// A dead kernel is not run.
TEST(Dataflow, DeadKernelsDoNotRun) {
  TableBuilder b;
  Ref x = b.feed("x");
  Ref gate = b.switchOn("gate", x, b.constant(true));
  Ref bad = b.kernel("bad", failingKernel, {gate.at(0)});
  b.fetch(b.merge("merged", {bad, gate.at(1)}), "value");
  TestSession session(b);
  ASSERT_EQ(session.run({5}), WEIR_OK) << session.message();
  EXPECT_EQ(session.number(), 5);
}

TEST(Dataflow, PredicateMustBeAScalar) {
  TableBuilder b;
  Ref x = b.feed("x");
  b.fetch(b.switchOn("gate", x, x).at(0), "value");
  TestSession session(b);
  EXPECT_EQ(session.run({5}), WEIR_INVALID_ARGUMENT);
  EXPECT_EQ(session.message(),
            "[WEIR0328] 'gate': the predicate is tensor<f32>, not one boolean "
            "or one i32");
}

TEST(Dataflow, ErrorsNameTheNode) {
  TableBuilder b;
  Ref x = b.feed("x");
  Ref bad = b.kernel("bad", failingKernel, {x});
  b.fetch(b.kernel("sum", addKernel, {bad, x}), "value");
  TestSession session(b);
  EXPECT_EQ(session.run({5}), WEIR_INVALID_ARGUMENT);
  EXPECT_EQ(session.message(), "[WEIR0330] 'bad': no luck");
}

// A graph that waits for itself is an error that says so, never a hang.
TEST(Dataflow, CirclesAreReported) {
  TableBuilder b;
  Ref x = b.feed("x");
  Ref first = b.kernel("first", addKernel, {x, x});
  Ref second = b.kernel("second", addKernel, {first, x});
  b.setInput(first, 1, second);
  b.fetch(second, "value");
  TestSession session(b);
  EXPECT_EQ(session.run({5}), WEIR_FAILED_PRECONDITION);
  EXPECT_TRUE(session.says("[WEIR0324]")) << session.message();
  EXPECT_TRUE(session.says("'first' waits for 'second'")) << session.message();
  EXPECT_TRUE(session.says("'second' waits for 'first'")) << session.message();
}

TEST(Dataflow, RunsWithoutNodes) {
  TableBuilder b;
  TestSession session(b);
  EXPECT_EQ(session.run({}), WEIR_OK) << session.message();
}

// Large numbers of inputs and outputs go through the heap.
TEST(Dataflow, ManyInputs) {
  TableBuilder b;
  Ref x = b.feed("x");
  auto sum = [](WeirStep *step) -> int32_t {
    float total = 0;
    for (int i = 0; i < 100; ++i)
      total += *static_cast<const float *>(step->feeds[i].data);
    for (int i = 0; i < 20; ++i)
      *static_cast<float *>(weir_rt_output(step, i, nullptr)) =
          total + static_cast<float>(i);
    return WEIR_OK;
  };
  Ref many =
      b.kernel("many", sum, std::vector<Ref>(100, x), WEIR_F32, 0, {}, 20);
  b.fetch(many.at(19), "value");
  TestSession session(b);
  ASSERT_EQ(session.run({2}), WEIR_OK) << session.message();
  EXPECT_EQ(session.number(), 219);
}

//===- PartsTest.cpp - Steps whose parts run side by side -----------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/core/Allocator.h"
#include "runtime/executor/StepRun.h"
#include "runtime/trace/TraceFile.h"
#include "test/unit/runtime/executor/FakeCalls.h"
#include "test/unit/runtime/executor/TableBuilder.h"

#include <chrono>
#include <gtest/gtest.h>
#include <thread>

using namespace weir::rt;
using namespace weir::rt::test;

static std::string cpu(int32_t number) { return TableBuilder::device(number); }

/// y = (x + 1) * 2, with the addition on the second device.
static void addElsewhere(SpreadBuilder &spread) {
  TableBuilder &here = spread.part(cpu(0)), &there = spread.part(cpu(1));
  auto x = here.feed("x");
  here.send("x:0", {x}, 0, 1);
  auto sum = here.receive("sum:0", 1, 0);
  here.fetch(here.kernel("mul", mulKernel, {sum, here.constant(2.0f)}), "y");
  auto there_x = there.receive("x:0", 0, 1);
  there.send("sum:0",
             {there.kernel("add", addKernel, {there_x, there.constant(1.0f)})},
             1, 0);
}

TEST(Parts, SendToEachOther) {
  SpreadBuilder spread;
  addElsewhere(spread);
  TestSession session(spread);
  ASSERT_EQ(session.status.code, WEIR_OK) << session.message();
  for (int i = 0; i < 500; ++i) {
    ASSERT_EQ(session.run({static_cast<float>(i)}), WEIR_OK)
        << session.message();
    EXPECT_EQ(session.number(), (static_cast<float>(i) + 1) * 2);
  }
}

TEST(Parts, OnOneThread) {
  SpreadBuilder spread;
  addElsewhere(spread);
  TestSession session(spread);
  WeirRunOptions options = WEIR_RUN_OPTIONS_INIT;
  options.threads = 1;
  ASSERT_EQ(session.run({4}, &options), WEIR_OK) << session.message();
  EXPECT_EQ(session.number(), 10);
}

TEST(Parts, StepsAtATime) {
  SpreadBuilder spread;
  addElsewhere(spread);
  const WeirProgram &program = spread.program();
  TestSession first(program);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 100; ++i) {
        float x = static_cast<float>(t * 100 + i);
        WeirView view = {&x, nullptr, 0, WEIR_F32};
        WeirTensor *y = nullptr;
        WeirStatus status = WEIR_STATUS_INIT;
        ASSERT_EQ(weir_session_run(first.session, 0, &view, &y, &status),
                  WEIR_OK);
        EXPECT_EQ(*static_cast<float *>(weir_tensor_view(y).data), (x + 1) * 2);
        weir_tensor_release(y);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST(Parts, ShareFeedsAndPutFetchesTogether) {
  SpreadBuilder spread;
  TableBuilder &a = spread.part(cpu(0)), &b = spread.part(cpu(1)),
               &c = spread.part(cpu(2));
  a.fetch(a.kernel("a", addKernel, {a.feed("x"), a.constant(1.0f)}), "x+1");
  auto x = b.feed("x"), z = b.feed("z");
  b.fetch(z, "z");
  b.fetch(b.kernel("b", addKernel, {x, z}), "x+z");
  c.fetch(c.feed("x"), "x");
  TestSession session(spread);
  ASSERT_EQ(session.run({3, 10}), WEIR_OK) << session.message();
  EXPECT_EQ(session.number(0), 4);
  EXPECT_EQ(session.number(1), 10);
  EXPECT_EQ(session.number(2), 13);
  EXPECT_EQ(session.number(3), 3);
}

static int32_t sevenEntry(WeirStep *step) {
  float *out = static_cast<float *>(weir_rt_output(step, 0, nullptr));
  if (!out)
    return WEIR_RESOURCE_EXHAUSTED;
  *out = 7;
  return WEIR_OK;
}

TEST(Parts, StraightLines) {
  SpreadBuilder spread;
  spread.straightPart(sevenEntry, "a", cpu(0));
  spread.straightPart(sevenEntry, "b", cpu(1));
  TestSession session(spread);
  ASSERT_EQ(session.run({}), WEIR_OK) << session.message();
  EXPECT_EQ(session.number(0) + session.number(1), 14);
}

TEST(Parts, ControlEdgesCross) {
  SpreadBuilder spread;
  TableBuilder &here = spread.part(cpu(0)), &there = spread.part(cpu(1));
  auto x = here.feed("x");
  auto gate = here.call("gate", Gate::call, {x}, {WEIR_F32});
  here.send("ran", {}, 0, 1, {TableBuilder::ran(gate)});
  auto ran = there.receive("ran", 0, 1, 0);
  there.fetch(there.constant(5.0f), "y", {TableBuilder::ran(ran)});
  TestSession session(spread);
  std::thread opener([] {
    Gate::get().waitFor(1);
    Gate::get().open();
  });
  ASSERT_EQ(session.run({1}), WEIR_OK) << session.message();
  opener.join();
  EXPECT_EQ(session.number(), 5);
}

/// The branch is chosen here, and merged there.
TEST(Parts, DeadValuesCross) {
  SpreadBuilder spread;
  TableBuilder &here = spread.part(cpu(0)), &there = spread.part(cpu(1));
  auto x = here.feed("x");
  auto gate = here.switchOn(
      "if", x, here.kernel("positive", positiveKernel, {x}, WEIR_BOOL));
  here.send("no", {gate.at(0)}, 0, 1);
  here.send("yes", {gate.at(1)}, 0, 1);
  auto merged = there.merge(
      "merge", {there.receive("no", 0, 1), there.receive("yes", 0, 1)});
  there.fetch(merged, "y");
  there.fetch(merged.at(1), "which");
  TestSession session(spread);
  ASSERT_EQ(session.run({2}), WEIR_OK) << session.message();
  EXPECT_EQ(session.number(0), 2);
  EXPECT_EQ(session.integer(1), 1);
  ASSERT_EQ(session.run({-3}), WEIR_OK) << session.message();
  EXPECT_EQ(session.number(0), -3);
  EXPECT_EQ(session.integer(1), 0);
}

/// A control edge of what did not run is received dead, and so is the value of
/// a send that a dead control edge kept from running.
TEST(Parts, DeadControlEdgesCross) {
  SpreadBuilder spread;
  TableBuilder &here = spread.part(cpu(0)), &there = spread.part(cpu(1));
  auto x = here.feed("x");
  auto gate = here.switchOn(
      "if", x, here.kernel("positive", positiveKernel, {x}, WEIR_BOOL));
  auto ran = here.identity("ran", gate.at(1));
  here.send("ran", {}, 0, 1, {TableBuilder::ran(ran)});
  here.send("one", {here.constant(1.0f)}, 0, 1, {TableBuilder::ran(ran)});
  auto signal = there.receive("ran", 0, 1, 0);
  auto value = there.identity("value", there.receive("one", 0, 1), 0,
                              {TableBuilder::ran(signal)});
  auto other = there.receive("other", 0, 1);
  here.send("other", {gate.at(0)}, 0, 1);
  there.fetch(there.merge("merge", {value, other}), "y");
  TestSession session(spread);
  ASSERT_EQ(session.run({2}), WEIR_OK) << session.message();
  EXPECT_EQ(session.number(0), 1);
  ASSERT_EQ(session.run({-3}), WEIR_OK) << session.message();
  EXPECT_EQ(session.number(0), -3);
}

TEST(Parts, ADeadFetchIsAnError) {
  SpreadBuilder spread;
  TableBuilder &here = spread.part(cpu(0)), &there = spread.part(cpu(1));
  auto x = here.feed("x");
  auto gate = here.switchOn(
      "if", x, here.kernel("positive", positiveKernel, {x}, WEIR_BOOL));
  here.send("yes", {gate.at(1)}, 0, 1);
  there.fetch(there.receive("yes", 0, 1), "y");
  TestSession session(spread);
  EXPECT_EQ(session.run({-1}), WEIR_INVALID_ARGUMENT);
  EXPECT_TRUE(session.says("[WEIR0334] fetch 'y'")) << session.message();
}

TEST(Parts, TheFirstErrorIsTheSteps) {
  SpreadBuilder spread;
  TableBuilder &here = spread.part(cpu(0)), &there = spread.part(cpu(1));
  auto x = here.feed("x");
  here.send("x", {x}, 0, 1);
  // These two wait for what will never come.
  here.fetch(here.receive("y", 1, 0), "y");
  here.call("gate", Gate::call, {x}, {WEIR_F32});
  there.send(
      "y", {there.kernel("broken", failingKernel, {there.receive("x", 0, 1)})},
      1, 0);
  TestSession session(spread);
  for (int i = 0; i < 50; ++i) {
    ASSERT_EQ(session.run({1}), WEIR_INVALID_ARGUMENT);
    EXPECT_EQ(session.message(), "[WEIR0330] 'broken': no luck");
  }
  EXPECT_EQ(Gate::get().waiting(), 0u);
}

TEST(Parts, AnErrorOfAStraightLine) {
  SpreadBuilder spread;
  TableBuilder &here = spread.part(cpu(0));
  here.fetch(here.receive("never", 1, 0), "y");
  spread.straightPart(failingKernel, "z", cpu(1));
  TestSession session(spread);
  ASSERT_EQ(session.run({}), WEIR_INVALID_ARGUMENT);
  EXPECT_TRUE(session.says("no luck")) << session.message();
}

TEST(Parts, ADeadlineNamesWhatWaits) {
  SpreadBuilder spread;
  TableBuilder &here = spread.part(cpu(0)), &there = spread.part(cpu(1));
  here.fetch(here.receive("w:0", 1, 0), "y");
  auto gate =
      there.call("gate", Gate::call, {there.constant(1.0f)}, {WEIR_F32});
  there.send("w:0", {gate}, 1, 0);
  TestSession session(spread);
  WeirRunOptions options = WEIR_RUN_OPTIONS_INIT;
  EXPECT_TRUE(withLongerDeadlines([&](int32_t time) {
    options.timeout_ms = time;
    EXPECT_EQ(session.run({}, &options), WEIR_DEADLINE_EXCEEDED);
    return session.says("'receive w:0' waits for tensor 'w:0' from "
                        "/job:localhost/replica:0/task:0/device:CPU:1");
  })) << session.message();
  EXPECT_EQ(Gate::get().waiting(), 0u);
}

/// Also where the part that looks at the clock has ended.
TEST(Parts, ADeadlineIsOneOfAllParts) {
  SpreadBuilder spread;
  TableBuilder &here = spread.part(cpu(0)), &there = spread.part(cpu(1));
  here.fetch(here.constant(1.0f), "y");
  there.fetch(
      there.call("gate", Gate::call, {there.constant(1.0f)}, {WEIR_F32}), "z");
  TestSession session(spread);
  WeirRunOptions options = WEIR_RUN_OPTIONS_INIT;
  EXPECT_TRUE(withLongerDeadlines([&](int32_t time) {
    options.timeout_ms = time;
    EXPECT_EQ(session.run({}, &options), WEIR_DEADLINE_EXCEEDED);
    EXPECT_TRUE(session.says("within " + std::to_string(time) + " ms"))
        << session.message();
    return session.says("'gate'");
  })) << session.message();
  EXPECT_EQ(Gate::get().waiting(), 0u);
}

TEST(Parts, AStallReportListsAllParts) {
  SpreadBuilder spread;
  TableBuilder &here = spread.part(cpu(0)), &there = spread.part(cpu(1));
  here.fetch(here.receive("w:0", 1, 0), "y");
  auto gate =
      there.call("gate", Gate::call, {there.constant(1.0f)}, {WEIR_F32});
  there.send("w:0", {gate}, 1, 0);
  TestSession session(spread);
  WeirRunOptions options = WEIR_RUN_OPTIONS_INIT;
  options.stall_report_ms = 20;
  ErrorOutput output;
  std::thread opener([&] {
    Gate::get().waitFor(1);
    output.waitFor("[WEIR0327]");
    Gate::get().open();
  });
  EXPECT_EQ(session.run({}, &options), WEIR_OK) << session.message();
  opener.join();
  std::string text = output.finish();
  EXPECT_NE(text.find("[WEIR0327]"), std::string::npos) << text;
  EXPECT_NE(text.find("'receive w:0' waits for tensor"), std::string::npos);
  EXPECT_NE(text.find("'gate'"), std::string::npos) << text;
}

TEST(Parts, AreCancelledTogether) {
  SpreadBuilder spread;
  TableBuilder &here = spread.part(cpu(0)), &there = spread.part(cpu(1));
  auto gate = here.call("gate", Gate::call, {here.constant(1.0f)}, {WEIR_F32});
  here.fetch(gate, "a");
  there.fetch(there.receive("never", 0, 1), "b");
  TestSession session(spread);
  WeirCancellation *cancellation = weir_cancellation_create();
  WeirRunOptions options = WEIR_RUN_OPTIONS_INIT;
  options.cancellation = cancellation;
  std::thread canceller([&] {
    Gate::get().waitFor(1);
    weir_cancellation_cancel(cancellation, "enough");
  });
  EXPECT_EQ(session.run({}, &options), WEIR_CANCELLED);
  EXPECT_TRUE(session.says("enough")) << session.message();
  canceller.join();
  EXPECT_EQ(Gate::get().waiting(), 0u);
  weir_cancellation_destroy(cancellation);
}

TEST(Parts, AStepThatNeverGetsItsTensorIsNoEndlessOne) {
  // A part that is run on its own has a rendezvous of its own.
  TableBuilder builder;
  builder.send("mine", {builder.feed("x")}, 0, 0);
  builder.fetch(builder.receive("mine", 0, 0), "y");
  TestSession session(builder);
  ASSERT_EQ(session.run({3}), WEIR_OK) << session.message();
  EXPECT_EQ(session.number(), 3);
}

TEST(Parts, WhatIsNeverSent) {
  SpreadBuilder spread;
  TableBuilder &here = spread.part(cpu(0)), &there = spread.part(cpu(1));
  here.fetch(here.receive("t:0", 1, 0), "y");
  there.fetch(there.feed("x"), "z");
  TestSession session(spread);
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(session.run({3}), WEIR_FAILED_PRECONDITION);
    EXPECT_TRUE(session.says("[WEIR0375] 'receive t:0': tensor 't:0' is never "
                             "sent: " +
                             cpu(1)))
        << session.message();
  }
}

TEST(Parts, AKeyThatIsSentTwice) {
  TableBuilder builder;
  auto x = builder.feed("x");
  builder.send("t", {x}, 0, 0);
  builder.send("t", {x}, 0, 0);
  builder.fetch(builder.receive("t", 0, 0), "y");
  TestSession session(builder);
  EXPECT_EQ(session.run({3}), WEIR_INTERNAL);
  EXPECT_TRUE(session.says("[WEIR0371]")) << session.message();
}

TEST(Parts, WhatComesIsOfAnotherType) {
  SpreadBuilder spread;
  TableBuilder &here = spread.part(cpu(0)), &there = spread.part(cpu(1));
  here.send("t", {here.constant(1)}, 0, 1);
  there.fetch(there.receive("t", 0, 1, WEIR_F32), "y");
  TestSession session(spread);
  EXPECT_EQ(session.run({}), WEIR_INVALID_ARGUMENT);
  EXPECT_TRUE(session.says("[WEIR0326] 'receive t': output 0 is tensor<i32>"))
      << session.message();
}

static int32_t tracedAdd(WeirStep *step) {
  const int64_t mark = weir_rt_trace_begin(step);
  const int32_t code = addKernel(step);
  weir_rt_trace_end(step, mark, "traced");
  return code;
}

TEST(Parts, TheTraceHasTheirDevices) {
  SpreadBuilder spread;
  TableBuilder &here = spread.part(cpu(0)), &there = spread.part(cpu(1));
  here.send("x:0", {here.feed("x")}, 0, 1);
  there.fetch(there.kernel("add", tracedAdd,
                           {there.receive("x:0", 0, 1), there.constant(1.0f)}),
              "y");
  TestSession session(spread);
  startTrace();
  for (int i = 0; i < 10; ++i)
    ASSERT_EQ(session.run({1}), WEIR_OK) << session.message();
  std::vector<TracePart> parts(1);
  ASSERT_TRUE(stopTrace(parts[0].data).ok());
  const TraceSummary summary = summarizeTrace(parts);
  ASSERT_EQ(summary.devices.size(), 1u);
  EXPECT_EQ(summary.devices[0].name, cpu(1));
  EXPECT_EQ(summary.devices[0].count, 10);
  ASSERT_EQ(summary.kernels.size(), 1u);
  EXPECT_EQ(summary.kernels[0].name, "traced");
  ASSERT_EQ(summary.sends.size(), 1u);
  EXPECT_EQ(summary.sends[0].name, "x:0");
  EXPECT_EQ(summary.sends[0].count, 10);
  EXPECT_EQ(summary.sends[0].bytes, 40);
  ASSERT_EQ(summary.receives.size(), 1u);
  EXPECT_EQ(summary.receives[0].bytes, 40);
  const std::vector<std::string> &tracks = parts[0].data.tracks;
  for (const TraceEvent &event : parts[0].data.events)
    if (event.kind == TraceKind::Send)
      EXPECT_EQ(tracks[static_cast<size_t>(event.track) - 1], cpu(0));
    else if (event.kind == TraceKind::Receive)
      EXPECT_EQ(tracks[static_cast<size_t>(event.track) - 1], cpu(1));
}

TEST(Parts, RunAsAWholeOnly) {
  SpreadBuilder spread;
  addElsewhere(spread);
  TestSession session(spread);
  EXPECT_EQ(
      weir_partial_run_begin(session.session, 0, nullptr, &session.status),
      nullptr);
  EXPECT_EQ(session.status.code, WEIR_UNIMPLEMENTED);
  EXPECT_TRUE(session.says("[WEIR0322] entry 'step' is spread over 2 devices"))
      << session.message();
  // Parts are not there by name.
  EXPECT_EQ(weir_session_entry(session.session, "step", &session.status), 0);
  EXPECT_EQ(weir_session_entry(session.session, "step.1", &session.status), -1);
  EXPECT_EQ(session.status.code, WEIR_NOT_FOUND);
}

/// Neither rendezvous nor memory are left by steps that fail.
TEST(Parts, AbortedStepsLeaveNothing) {
  SpreadBuilder spread;
  TableBuilder &here = spread.part(cpu(0)), &there = spread.part(cpu(1));
  auto x = here.feed("x");
  for (int i = 0; i < 20; ++i)
    here.send("unused" + std::to_string(i), {x}, 0, 1);
  here.fetch(here.receive("y", 1, 0), "y");
  there.send(
      "y",
      {there.kernel("broken", failingKernel, {there.receive("unused0", 0, 1)})},
      1, 0);
  TestSession session(spread);
  auto runMany = [&] {
    for (int i = 0; i < 500; ++i)
      ASSERT_EQ(session.run({1}), WEIR_INVALID_ARGUMENT);
    trimAllocator();
  };
  runMany();
  const int64_t before = allocatorStats().systemBytes;
  runMany();
  // What the threads of the pool keep at hand may be something else each time;
  // what is sent in these steps would be twice as much.
  EXPECT_LE(allocatorStats().systemBytes, before + (1 << 19));
}

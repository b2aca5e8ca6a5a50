//===- PartialRunTest.cpp - Steps in several calls ------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/runtime/executor/FakeCalls.h"
#include "test/unit/runtime/executor/TableBuilder.h"

#include <gtest/gtest.h>
#include <thread>

using namespace weir::rt;
using namespace weir::rt::test;
using Ref = TableBuilder::Ref;

namespace {

/// A partial run of a session's only entry.
class Partial {
public:
  explicit Partial(TestSession &session,
                   const WeirRunOptions *options = nullptr)
      : run(weir_partial_run_begin(session.session, 0, options, &status)) {}
  ~Partial() {
    if (run)
      end();
    weir_status_clear(&status);
  }

  int32_t feed(int32_t index, float value) {
    WeirView view = {&value, nullptr, 0, WEIR_F32};
    return weir_partial_run_feed(run, index, &view, &status);
  }
  int32_t fetch(int32_t index, float &value) {
    if (WeirTensor *tensor = weir_partial_run_fetch(run, index, &status)) {
      value = *static_cast<const float *>(weir_tensor_view(tensor).data);
      weir_tensor_release(tensor);
    }
    return status.code;
  }
  int32_t end() {
    return weir_partial_run_end(std::exchange(run, nullptr), &status);
  }
  bool says(const char *part) const {
    return status.message &&
           std::string(status.message).find(part) != std::string::npos;
  }

  WeirStatus status = WEIR_STATUS_INIT;
  WeirPartialRun *run;
};

} // namespace

/// first = x + x, second = first + y, both fetched.
static void twoStages(TableBuilder &b) {
  Ref x = b.feed("x"), y = b.feed("y");
  Ref first = b.kernel("first", addKernel, {x, x});
  b.fetch(first, "first");
  b.fetch(b.kernel("second", addKernel, {first, y}), "second");
}

TEST(PartialRun, FeedsComeLater) {
  TableBuilder b;
  twoStages(b);
  TestSession session(b);
  for (int i = 0; i < 3; ++i) {
    Partial run(session);
    ASSERT_NE(run.run, nullptr);
    float value = 0;
    EXPECT_EQ(run.fetch(0, value), WEIR_FAILED_PRECONDITION);
    EXPECT_TRUE(run.says("[WEIR0322] fetch 'first' of entry 'step' needs what "
                         "has not been fed yet: 'x'"))
        << run.status.message;
    ASSERT_EQ(run.feed(0, 3), WEIR_OK) << run.status.message;
    ASSERT_EQ(run.fetch(0, value), WEIR_OK) << run.status.message;
    EXPECT_EQ(value, 6);
    EXPECT_EQ(run.fetch(1, value), WEIR_FAILED_PRECONDITION);
    EXPECT_TRUE(run.says("'y'")) << run.status.message;
    // The next feed depends on what came out.
    ASSERT_EQ(run.feed(1, value * 10), WEIR_OK) << run.status.message;
    ASSERT_EQ(run.fetch(1, value), WEIR_OK) << run.status.message;
    EXPECT_EQ(value, 66);
    EXPECT_EQ(run.end(), WEIR_OK) << run.status.message;
  }
}

TEST(PartialRun, EachOnce) {
  TableBuilder b;
  twoStages(b);
  TestSession session(b);
  Partial run(session);
  float value;
  ASSERT_EQ(run.feed(0, 3), WEIR_OK);
  EXPECT_EQ(run.feed(0, 3), WEIR_FAILED_PRECONDITION);
  EXPECT_TRUE(run.says("feed 'x' of entry 'step' has its value already"));
  ASSERT_EQ(run.fetch(0, value), WEIR_OK);
  EXPECT_EQ(run.fetch(0, value), WEIR_FAILED_PRECONDITION);
  EXPECT_TRUE(run.says("was handed out already"));
  EXPECT_EQ(run.feed(9, 3), WEIR_INVALID_ARGUMENT);
  EXPECT_EQ(run.fetch(-1, value), WEIR_INVALID_ARGUMENT);
  // Wrong types are errors of the call, not of the run.
  int32_t number = 3;
  WeirView view = {&number, nullptr, 0, WEIR_I32};
  EXPECT_EQ(weir_partial_run_feed(run.run, 1, &view, &run.status),
            WEIR_INVALID_ARGUMENT);
  ASSERT_EQ(run.feed(1, 1), WEIR_OK);
  ASSERT_EQ(run.fetch(1, value), WEIR_OK);
  EXPECT_EQ(value, 7);
}

// What is not fetched and what is not fed go with the run.
TEST(PartialRun, EndsEarly) {
  TableBuilder b;
  twoStages(b);
  TestSession session(b);
  {
    Partial run(session);
    EXPECT_EQ(run.end(), WEIR_OK);
  }
  Partial run(session);
  ASSERT_EQ(run.feed(0, 3), WEIR_OK);
  EXPECT_EQ(run.end(), WEIR_OK);
}

TEST(PartialRun, EndCancelsWhatWaits) {
  TableBuilder b;
  Ref x = b.feed("x");
  b.fetch(b.call("wait", Gate::call, {x}, {WEIR_F32}), "y");
  b.fetch(b.feed("other"), "z");
  TestSession session(b);
  Partial run(session);
  ASSERT_EQ(run.feed(0, 3), WEIR_OK);
  EXPECT_EQ(Gate::get().waiting(), 1u);
  EXPECT_EQ(run.end(), WEIR_OK) << run.status.message;
  EXPECT_EQ(Gate::get().waiting(), 0u);
}

// Where all feeds have come, the end waits for the rest.
TEST(PartialRun, EndWaits) {
  makeTestQueue(10);
  TableBuilder b;
  Ref y = b.call("wait", Gate::call, {b.feed("x")}, {WEIR_F32});
  b.call("enqueue", enqueueCall, {y}, {});
  TestSession session(b);
  Partial run(session);
  ASSERT_EQ(run.feed(0, 3), WEIR_OK);
  std::thread other([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    Gate::get().open();
  });
  EXPECT_EQ(run.end(), WEIR_OK) << run.status.message;
  other.join();
  EXPECT_EQ(testQueue->size(), 1);
}

// Nodes go on between the calls, when a wait is over.
TEST(PartialRun, RunsBetweenCalls) {
  makeTestQueue(10);
  TableBuilder b;
  Ref y = b.call("wait", Gate::call, {b.feed("x")}, {WEIR_F32});
  b.call("enqueue", enqueueCall, {y}, {});
  b.fetch(b.feed("other"), "z");
  TestSession session(b);
  Partial run(session);
  ASSERT_EQ(run.feed(0, 3), WEIR_OK);
  Gate::get().waitFor(1);
  Gate::get().open();
  for (int i = 0; i < 60000 && testQueue->size() == 0; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(testQueue->size(), 1);
}

TEST(PartialRun, ErrorsComeOut) {
  TableBuilder b;
  Ref x = b.feed("x");
  b.fetch(b.kernel("bad", failingKernel, {x}), "y");
  b.fetch(x, "x");
  TestSession session(b);
  Partial run(session);
  float value;
  EXPECT_EQ(run.feed(0, 1), WEIR_INVALID_ARGUMENT);
  EXPECT_TRUE(run.says("[WEIR0330] 'bad': no luck"));
  EXPECT_EQ(run.fetch(0, value), WEIR_INVALID_ARGUMENT);
  EXPECT_TRUE(run.says("[WEIR0330] 'bad': no luck"));
  EXPECT_EQ(run.end(), WEIR_INVALID_ARGUMENT);
  EXPECT_TRUE(run.says("[WEIR0330] 'bad': no luck"));
}

// A fetch sleeps until another thread feeds... what it waits for outside.
TEST(PartialRun, FetchWaitsForACall) {
  TableBuilder b;
  b.fetch(b.call("wait", Gate::call, {b.feed("x")}, {WEIR_F32}), "y");
  TestSession session(b);
  Partial run(session);
  ASSERT_EQ(run.feed(0, 4), WEIR_OK);
  std::thread other([] {
    Gate::get().waitFor(1);
    Gate::get().open();
  });
  float value = 0;
  EXPECT_EQ(run.fetch(0, value), WEIR_OK) << run.status.message;
  EXPECT_EQ(value, 4);
  other.join();
}

TEST(PartialRun, DeadlinesHold) {
  TableBuilder b;
  b.fetch(b.call("wait", Gate::call, {b.feed("x")}, {WEIR_F32}), "y");
  TestSession session(b);
  WeirRunOptions options = WEIR_RUN_OPTIONS_INIT;
  EXPECT_TRUE(withLongerDeadlines([&](int32_t time) {
    options.timeout_ms = time;
    Partial run(session, &options);
    // The time may be over before the call.
    const bool isFed = run.feed(0, 4) == WEIR_OK;
    EXPECT_TRUE(isFed || run.status.code == WEIR_DEADLINE_EXCEEDED);
    float value;
    EXPECT_EQ(run.fetch(0, value), WEIR_DEADLINE_EXCEEDED);
    const bool isNamed = run.says("'wait'");
    EXPECT_EQ(run.end(), WEIR_DEADLINE_EXCEEDED);
    return isFed && isNamed;
  }));
}

// The session may go first.
TEST(PartialRun, SessionGoesFirst) {
  TableBuilder b;
  b.fetch(b.call("wait", Gate::call, {b.feed("x")}, {WEIR_F32}), "y");
  auto session = std::make_unique<TestSession>(b);
  Partial run(*session);
  ASSERT_EQ(run.feed(0, 4), WEIR_OK);
  session.reset();
  float value;
  EXPECT_EQ(run.fetch(0, value), WEIR_CANCELLED);
  EXPECT_EQ(run.end(), WEIR_CANCELLED);
}

// Several threads feed and fetch one run.
TEST(PartialRun, SeveralThreads) {
  TableBuilder b;
  constexpr int kCount = 8;
  for (int i = 0; i < kCount; ++i) {
    Ref x = b.feed("x" + std::to_string(i));
    Ref y = b.call("wait", Gate::call, {x}, {WEIR_F32});
    b.fetch(b.kernel("sum", addKernel, {x, y}), "y" + std::to_string(i));
  }
  TestSession session(b);
  for (int round = 0; round < 20; ++round) {
    Partial run(session);
    std::atomic<bool> isOver{false};
    std::thread opener([&] {
      while (!isOver)
        Gate::get().open();
    });
    std::vector<std::thread> threads;
    for (int i = 0; i < kCount; ++i)
      threads.emplace_back([&, i] {
        WeirStatus status = WEIR_STATUS_INIT;
        float x = static_cast<float>(i);
        WeirView view = {&x, nullptr, 0, WEIR_F32};
        EXPECT_EQ(weir_partial_run_feed(run.run, i, &view, &status), WEIR_OK);
        WeirTensor *y = weir_partial_run_fetch(run.run, i, &status);
        ASSERT_NE(y, nullptr) << status.message;
        EXPECT_EQ(*static_cast<const float *>(weir_tensor_view(y).data), 2 * x);
        weir_tensor_release(y);
      });
    for (std::thread &thread : threads)
      thread.join();
    EXPECT_EQ(run.end(), WEIR_OK);
    isOver = true;
    opener.join();
  }
}

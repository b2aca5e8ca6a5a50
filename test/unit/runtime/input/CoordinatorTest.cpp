//===- CoordinatorTest.cpp - Entry points that run beside others ----------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/input/Coordinator.h"
#include "runtime/core/Session.h"

#include <atomic>
#include <gtest/gtest.h>
#include <thread>

using namespace weir::rt;

namespace {

/// What the entry points of the program below do and see.
struct Counters {
  std::atomic<int64_t> counted{0}, closed{0}, waiting{0}, closedAt{-1};
};
Counters counters;

bool isCancelled(WeirStep *step) {
  const WeirRunOptions *options = Step::of(step).options;
  return options && options->cancellation &&
         options->cancellation->token.isCancelled();
}

// count(limit): counts; at the limit there are no data.
int32_t runCount(WeirStep *step) {
  int64_t limit = *static_cast<const int64_t *>(step->feeds[0].data);
  if (counters.counted.fetch_add(1) < limit)
    return WEIR_OK;
  --counters.counted;
  return weir_rt_fail(step, WEIR_OUT_OF_RANGE, "count", "no more", 0, 0);
}

// wait(): as a step that waits in a queue: until it is cancelled.
int32_t runWait(WeirStep *step) {
  ++counters.waiting;
  while (!isCancelled(step))
    std::this_thread::yield();
  return weir_rt_fail(step, WEIR_CANCELLED, "wait", "cancelled", 0, 0);
}

// fail(): an error.
int32_t runFail(WeirStep *step) {
  return weir_rt_fail(step, WEIR_DATA_LOSS, "fail", "[WEIR0361] damaged", 0, 0);
}

// cancelled(): an error that only means something else when all are to stop.
int32_t runCancelled(WeirStep *step) {
  return weir_rt_fail(step, WEIR_CANCELLED, "enqueue", "the queue is closed", 0,
                      0);
}

// slow(): not to be interrupted.
int32_t runSlow(WeirStep *) {
  std::this_thread::sleep_for(std::chrono::milliseconds(40));
  return WEIR_OK;
}

// close() and closeTwice().
int32_t runClose(WeirStep *) {
  counters.closedAt = counters.counted.load();
  ++counters.closed;
  return WEIR_OK;
}
int32_t runCloseAgain(WeirStep *step) {
  ++counters.closed;
  return runCancelled(step);
}

// give() -> x
int32_t runGive(WeirStep *step) {
  ++counters.counted;
  return weir_rt_output(step, 0, nullptr) ? WEIR_OK : WEIR_RESOURCE_EXHAUSTED;
}

const WeirTensorDesc kLimit[] = {{"limit", nullptr, 0, WEIR_I64}};
const WeirTensorDesc kX[] = {{"x", nullptr, 0, WEIR_F32}};
const WeirEntryDesc kEntries[] = {
    {"count", runCount, kLimit, nullptr, 1, 0, nullptr},
    {"wait", runWait, nullptr, nullptr, 0, 0, nullptr},
    {"fail", runFail, nullptr, nullptr, 0, 0, nullptr},
    {"cancelled", runCancelled, nullptr, nullptr, 0, 0, nullptr},
    {"slow", runSlow, nullptr, nullptr, 0, 0, nullptr},
    {"close", runClose, nullptr, nullptr, 0, 0, nullptr},
    {"close_again", runCloseAgain, nullptr, nullptr, 0, 0, nullptr},
    {"give", runGive, nullptr, kX, 0, 1, nullptr},
};
const WeirProgram kProgram = {WEIR_PROGRAM_ABI,
                              0,
                              "input",
                              "",
                              nullptr,
                              kEntries,
                              nullptr,
                              sizeof(kEntries) / sizeof(kEntries[0]),
                              0};

class CoordinatorTest : public testing::Test {
protected:
  void SetUp() override {
    counters.counted = counters.closed = counters.waiting = 0;
    counters.closedAt = -1;
    WeirStatus status = WEIR_STATUS_INIT;
    session = weir_session_create(&kProgram, &status);
    ASSERT_TRUE(session) << status.message;
  }
  void TearDown() override { weir_session_destroy(session); }

  static RunnerOptions runner(const std::string &entry,
                              const std::string &closingEntry = "",
                              int32_t threads = 1) {
    RunnerOptions options;
    options.entry = entry;
    options.closingEntry = closingEntry;
    options.threads = threads;
    return options;
  }
  static RunnerOptions counting(int64_t limit, int32_t threads) {
    RunnerOptions options = runner("count", "close", threads);
    TensorRef feed;
    EXPECT_TRUE(createTensor(WEIR_I64, 0, nullptr, feed).ok());
    *static_cast<int64_t *>(feed.get()->data) = limit;
    options.feeds.push_back(std::move(feed));
    return options;
  }
  static void waitFor(const std::atomic<int64_t> &counter, int64_t value) {
    while (counter < value)
      std::this_thread::yield();
  }

  WeirSession *session = nullptr;
};

TEST_F(CoordinatorTest, EndOfDataEndsARunner) {
  Coordinator coordinator(*session);
  ASSERT_TRUE(coordinator.start(counting(100, 3)).ok());
  Status status = coordinator.join();
  EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(counters.counted, 100);
  EXPECT_EQ(coordinator.stepCount(), 100);
  // The closing entry runs once, when all threads have ended.
  EXPECT_EQ(counters.closed, 1);
  EXPECT_EQ(counters.closedAt, 100);
  // The others would have gone on.
  EXPECT_FALSE(coordinator.shouldStop());
}

TEST_F(CoordinatorTest, StopEndsWhatWaits) {
  Coordinator coordinator(*session);
  ASSERT_TRUE(coordinator.start(runner("wait", "close", 2)).ok());
  ASSERT_TRUE(coordinator.start(runner("give")).ok());
  waitFor(counters.waiting, 2);
  waitFor(counters.counted, 5);
  EXPECT_EQ(counters.closed, 0);
  coordinator.requestStop();
  EXPECT_TRUE(coordinator.shouldStop());
  Status status = coordinator.join();
  EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(counters.closed, 1);
  EXPECT_EQ(coordinator.start(runner("give")).code(), WEIR_FAILED_PRECONDITION);
}

TEST_F(CoordinatorTest, AnErrorStopsAll) {
  Coordinator coordinator(*session);
  ASSERT_TRUE(coordinator.start(runner("wait", "close")).ok());
  waitFor(counters.waiting, 1);
  ASSERT_TRUE(coordinator.start(runner("fail", "close")).ok());
  Status status = coordinator.join();
  EXPECT_EQ(status.code(), WEIR_DATA_LOSS);
  EXPECT_STREQ(status.message(), "[WEIR0361] runner 'fail': fail: damaged");
  EXPECT_EQ(counters.closed, 2);
  // The error stays.
  EXPECT_EQ(coordinator.join().code(), WEIR_DATA_LOSS);
}

TEST_F(CoordinatorTest, CancelledIsAnErrorWhileNothingStops) {
  Coordinator coordinator(*session);
  ASSERT_TRUE(coordinator.start(runner("cancelled")).ok());
  Status status = coordinator.join();
  EXPECT_EQ(status.code(), WEIR_CANCELLED);
  EXPECT_STREQ(status.message(),
               "[WEIR0312] runner 'cancelled': enqueue: the queue is closed");
}

TEST_F(CoordinatorTest, StepsOfOthersEndToo) {
  Coordinator coordinator(*session);
  WeirRunOptions options = WEIR_RUN_OPTIONS_INIT;
  options.cancellation = coordinator.cancellation();
  std::thread thread([&] {
    waitFor(counters.waiting, 1);
    ASSERT_TRUE(coordinator.start(runner("fail")).ok());
  });
  WeirStatus status = WEIR_STATUS_INIT;
  EXPECT_EQ(
      weir_session_run_with(session, 1, nullptr, nullptr, &options, &status),
      WEIR_CANCELLED);
  weir_status_clear(&status);
  thread.join();
  EXPECT_EQ(coordinator.join().code(), WEIR_DATA_LOSS);
}

TEST_F(CoordinatorTest, StepsAreCounted) {
  Coordinator coordinator(*session);
  RunnerOptions options = runner("give", "close", 4);
  options.steps = 10;
  ASSERT_TRUE(coordinator.start(std::move(options)).ok());
  EXPECT_TRUE(coordinator.join().ok());
  EXPECT_EQ(counters.counted, 10);
  EXPECT_EQ(counters.closedAt, 10);
}

TEST_F(CoordinatorTest, JoinHasADeadline) {
  Coordinator coordinator(*session);
  ASSERT_TRUE(coordinator.start(runner("slow", "close")).ok());
  Status status = coordinator.join(std::chrono::milliseconds(1));
  EXPECT_EQ(status.code(), WEIR_DEADLINE_EXCEEDED);
  EXPECT_STREQ(status.message(),
               "[WEIR0368] after 1 ms these runners still ran: 'slow'");
  EXPECT_TRUE(coordinator.shouldStop());
  // They end with the step that they are in.
  EXPECT_TRUE(coordinator.join().ok());
  EXPECT_EQ(counters.closed, 1);
}

TEST_F(CoordinatorTest, DestructionStops) {
  {
    Coordinator coordinator(*session);
    ASSERT_TRUE(coordinator.start(runner("wait", "close_again")).ok());
    waitFor(counters.waiting, 1);
  }
  EXPECT_EQ(counters.closed, 1);
}

TEST_F(CoordinatorTest, AQueueThatIsClosedAlreadyIsNoError) {
  Coordinator coordinator(*session);
  RunnerOptions options = runner("give", "close_again");
  options.steps = 1;
  ASSERT_TRUE(coordinator.start(std::move(options)).ok());
  EXPECT_TRUE(coordinator.join().ok());
}

TEST_F(CoordinatorTest, ErrorsOfAClosingEntryCount) {
  Coordinator coordinator(*session);
  RunnerOptions options = runner("give", "fail");
  options.steps = 1;
  ASSERT_TRUE(coordinator.start(std::move(options)).ok());
  EXPECT_STREQ(coordinator.join().message(),
               "[WEIR0361] closing entry 'fail': fail: damaged");
}

TEST_F(CoordinatorTest, RunnersThatCannotBe) {
  Coordinator coordinator(*session);
  EXPECT_EQ(coordinator.start(runner("none")).code(), WEIR_NOT_FOUND);
  EXPECT_EQ(coordinator.start(runner("wait", "none")).code(), WEIR_NOT_FOUND);
  EXPECT_STREQ(coordinator.start(runner("count")).message(),
               "[WEIR0368] runner 'count' has 1 feeds, 0 values are given");
  EXPECT_STREQ(coordinator.start(runner("wait", "count")).message(),
               "[WEIR0368] runner 'wait' is closed by entry 'count', which has "
               "feeds; a closing entry has none");
  EXPECT_STREQ(coordinator.start(runner("wait", "", 0)).message(),
               "[WEIR0368] runner 'wait' is to have 0 threads");
  EXPECT_TRUE(coordinator.join().ok());
}

} // namespace

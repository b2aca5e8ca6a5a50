//===- ConcurrencyTest.cpp - Steps and nodes on several threads -----------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/runtime/executor/FakeCalls.h"
#include "test/unit/runtime/executor/TableBuilder.h"

#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <thread>

using namespace weir::rt;
using namespace weir::rt::test;
using Ref = TableBuilder::Ref;

/// Kernels that are at work, the most that were, and how many are to be before
/// one of them ends.
static std::atomic<int> atWork, mostAtWork, wantedAtWork;

/// Waits until `isThere`; for a minute at most.
template <typename Condition> static bool waitUntil(Condition isThere) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!isThere() && std::chrono::steady_clock::now() < end)
    std::this_thread::yield();
  return isThere();
}

/// x + 1 after a while.
static int32_t slowKernel(WeirStep *step) {
  int now = ++atWork, most = mostAtWork;
  while (most < now && !mostAtWork.compare_exchange_weak(most, now))
    ;
  if (!waitUntil([] { return mostAtWork >= wantedAtWork; }))
    return WEIR_ABORTED;
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  float x = *static_cast<const float *>(step->feeds[0].data);
  *static_cast<float *>(weir_rt_output(step, 0, nullptr)) = x + 1;
  --atWork;
  return WEIR_OK;
}

/// Takes a little more time than is worth another thread.
static int32_t mediumKernel(WeirStep *step) {
  auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(5);
  while (std::chrono::steady_clock::now() < end)
    ;
  float x = *static_cast<const float *>(step->feeds[0].data);
  *static_cast<float *>(weir_rt_output(step, 0, nullptr)) = x + 1;
  return WEIR_OK;
}

// Long kernels run side by side, on as many threads as are allowed.
TEST(Concurrency, LongKernelsShareThreads) {
  for (int32_t threads : {1, 2, 4}) {
    mostAtWork = 0;
    wantedAtWork = threads;
    TableBuilder b;
    Ref x = b.feed("x"), sum = x;
    for (int i = 0; i < 12; ++i)
      sum =
          b.kernel("sum", addKernel, {sum, b.kernel("slow", slowKernel, {x})});
    b.fetch(sum, "y");
    TestSession session(b);
    WeirRunOptions options = WEIR_RUN_OPTIONS_INIT;
    options.threads = threads;
    for (int i = 0; i < 3; ++i) {
      ASSERT_EQ(session.run({1}, &options), WEIR_OK) << session.message();
      EXPECT_EQ(session.number(), 25);
    }
    EXPECT_EQ(mostAtWork, threads);
  }
}

// Kernels that are just worth it, in nested loops, with everything in flight.
TEST(Concurrency, LoopsOnSeveralThreads) {
  TableBuilder b;
  int32_t loop = b.frame("loop", 0, 8);
  Ref i0 = b.enter("i", b.constant(0), loop);
  Ref x = b.enter("x", b.feed("x"), loop, /*isInvariant=*/true);
  Ref total0 = b.enter("total", b.constant(0.0f), loop);
  Ref i = b.merge("merge", {i0, i0}, loop);
  Ref total = b.merge("total/merge", {total0, total0}, loop);
  Ref goOn =
      b.kernel("less", lessKernel, {i, b.constant(100)}, WEIR_BOOL, loop);
  Ref gate = b.switchOn("switch", i, goOn, loop);
  Ref totalGate = b.switchOn("total/switch", total, goOn, loop);
  Ref more = b.kernel("inc", incrementKernel, {gate.at(1)}, WEIR_I32, loop);
  b.setInput(i, 1, b.next("next", more, loop));
  Ref sum = totalGate.at(1);
  for (int k = 0; k < 4; ++k) {
    Ref work =
        b.kernel("work", mediumKernel, {x}, WEIR_F32, loop, {gate.at(1)});
    sum = b.kernel("sum", addKernel, {sum, work}, WEIR_F32, loop);
  }
  b.setInput(total, 1, b.next("total/next", sum, loop));
  b.fetch(b.exit("exit", totalGate.at(0), loop), "total");
  TestSession session(b);
  WeirRunOptions options = WEIR_RUN_OPTIONS_INIT;
  options.threads = 4;
  for (int k = 0; k < 5; ++k) {
    ASSERT_EQ(session.run({1}, &options), WEIR_OK) << session.message();
    EXPECT_EQ(session.number(), 800);
  }
}

TEST(Concurrency, EightStepsOnOneSession) {
  makeTestQueue(4);
  TableBuilder b;
  Ref x = b.feed("x");
  Ref in = b.call("enqueue", enqueueCall, {b.constant(1.0f)}, {});
  Ref out = b.call("dequeue", dequeueCall, {}, {WEIR_F32}, {b.ran(in)});
  Ref work = b.kernel("work", mediumKernel, {x});
  Ref sum = b.kernel("sum", addKernel, {out, work});
  b.fetch(sum, "y");
  b.fetch(b.countingLoop("loop", b.constant(0), b.constant(20), 0), "i");
  const WeirProgram &program = b.program();
  WeirStatus status = WEIR_STATUS_INIT;
  WeirSession *session = weir_session_create(&program, &status);
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      WeirStatus result = WEIR_STATUS_INIT;
      WeirRunOptions options = WEIR_RUN_OPTIONS_INIT;
      options.threads = 1 + t % 3;
      float x = static_cast<float>(t);
      WeirView view = {&x, nullptr, 0, WEIR_F32};
      for (int i = 0; i < 200; ++i) {
        WeirTensor *fetches[2];
        ASSERT_EQ(weir_session_run_with(session, 0, &view, fetches, &options,
                                        &result),
                  WEIR_OK)
            << result.message;
        EXPECT_EQ(
            *static_cast<const float *>(weir_tensor_view(fetches[0]).data),
            x + 2);
        EXPECT_EQ(
            *static_cast<const int32_t *>(weir_tensor_view(fetches[1]).data),
            20);
        for (WeirTensor *fetch : fetches)
          weir_tensor_release(fetch);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  weir_session_destroy(session);
  EXPECT_EQ(testQueue->size(), 0);
}

// An error on one thread while kernels run on others.
TEST(Concurrency, ErrorAmongLongKernels) {
  wantedAtWork = 0;
  TableBuilder b;
  Ref x = b.feed("x"), sum = x;
  for (int i = 0; i < 8; ++i)
    sum = b.kernel("sum", addKernel, {sum, b.kernel("slow", slowKernel, {x})});
  sum = b.kernel("sum", addKernel,
                 {sum, b.kernel("bad", failingKernel,
                                {b.kernel("slow", slowKernel, {x})})});
  b.fetch(sum, "y");
  TestSession session(b);
  WeirRunOptions options = WEIR_RUN_OPTIONS_INIT;
  options.threads = 3;
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(session.run({1}, &options), WEIR_INVALID_ARGUMENT);
    EXPECT_EQ(session.message(), "[WEIR0330] 'bad': no luck");
  }
}

// What a call that has ended lets run goes on beside a long kernel.
TEST(Concurrency, CallsEndBesideALongKernel) {
  static std::atomic<bool> hasBegun, isDone;
  hasBegun = isDone = false;
  TableBuilder b;
  Ref x = b.feed("x");
  Ref waits = b.call("wait", Gate::call, {x}, {WEIR_F32});
  b.kernel("after",
           [](WeirStep *step) -> int32_t {
             isDone = true;
             *static_cast<float *>(weir_rt_output(step, 0, nullptr)) = 0;
             return WEIR_OK;
           },
           {waits});
  // The call ends while it runs; it ends only when that which the call lets run
  // has.
  b.kernel("long",
           [](WeirStep *step) -> int32_t {
             hasBegun = true;
             *static_cast<float *>(weir_rt_output(step, 0, nullptr)) = 0;
             return waitUntil([] { return isDone.load(); }) ? WEIR_OK
                                                            : WEIR_ABORTED;
           },
           {b.kernel("later", addKernel, {x, x})});
  TestSession session(b);
  WeirRunOptions options = WEIR_RUN_OPTIONS_INIT;
  options.threads = 2;
  std::thread other([] {
    Gate::get().waitFor(1);
    waitUntil([] { return hasBegun.load(); });
    Gate::get().open();
  });
  EXPECT_EQ(session.run({1}, &options), WEIR_OK) << session.message();
  other.join();
}

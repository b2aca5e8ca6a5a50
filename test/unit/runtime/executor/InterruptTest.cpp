//===- InterruptTest.cpp - Kernels that would never end -------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/runtime/executor/TableBuilder.h"

#include <chrono>
#include <gtest/gtest.h>
#include <thread>

using namespace weir::rt::test;

/// What a raised loop is as a kernel.
static int32_t endlessKernel(WeirStep *step) {
  for (;;)
    if (int32_t code = weir_rt_poll(step))
      return code;
}

TEST(InterruptedKernel, Deadline) {
  TableBuilder b;
  b.fetch(b.kernel("endless", endlessKernel, {b.constant(1.0f)}), "y");
  TestSession session(b);
  for (int32_t threads : {1, 2}) {
    WeirRunOptions options = WEIR_RUN_OPTIONS_INIT;
    options.timeout_ms = 20;
    options.threads = threads;
    // The same session again: nothing of the first step is left.
    for (int k = 0; k < 2; ++k) {
      EXPECT_EQ(session.run({}, &options), WEIR_DEADLINE_EXCEEDED);
      EXPECT_TRUE(session.says("entry 'step' has not ended within 20 ms; "
                               "'endless' was running"))
          << session.message();
    }
  }
}

TEST(InterruptedKernel, Cancellation) {
  TableBuilder b;
  b.fetch(b.kernel("endless", endlessKernel, {b.constant(1.0f)}), "y");
  TestSession session(b);
  for (int32_t threads : {1, 2}) {
    WeirRunOptions options = WEIR_RUN_OPTIONS_INIT;
    options.threads = threads;
    options.cancellation = weir_cancellation_create();
    std::thread other([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      weir_cancellation_cancel(options.cancellation, "enough");
    });
    EXPECT_EQ(session.run({}, &options), WEIR_CANCELLED);
    other.join();
    EXPECT_TRUE(
        session.says("entry 'step' was cancelled: enough; 'endless' was "
                     "running"))
        << session.message();
    weir_cancellation_destroy(options.cancellation);
  }
}

// The error of one node ends the kernel of another.
TEST(InterruptedKernel, ErrorElsewhere) {
  TableBuilder b;
  TableBuilder::Ref one = b.constant(1.0f);
  TableBuilder::Ref slow =
      b.kernel("slow",
               [](WeirStep *step) -> int32_t {
                 std::this_thread::sleep_for(std::chrono::milliseconds(20));
                 *static_cast<float *>(weir_rt_output(step, 0, nullptr)) = 1;
                 return WEIR_OK;
               },
               {one});
  b.fetch(b.kernel("unlucky", failingKernel, {slow}), "x");
  b.fetch(b.kernel("endless", endlessKernel, {one}), "y");
  TestSession session(b);
  WeirRunOptions options = WEIR_RUN_OPTIONS_INIT;
  options.threads = 2;
  // Ends the test where the error is not heard of.
  options.timeout_ms = 60000;
  EXPECT_EQ(session.run({}, &options), WEIR_INVALID_ARGUMENT);
  EXPECT_TRUE(session.says("no luck")) << session.message();
}

//===- InterruptTest.cpp - Ending straight-line steps early ---------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/core/Session.h"
#include "test/unit/runtime/FakeProgram.h"

#include <chrono>
#include <gtest/gtest.h>
#include <string>
#include <thread>

using weir::rt::test::fakeProgram;
using weir::rt::test::spinsBegun;

namespace {

/// A session, and the error of its last step.
struct Spinning {
  Spinning() : session(weir_session_create(&fakeProgram, &status)) {}
  ~Spinning() {
    weir_session_destroy(session);
    weir_status_clear(&status);
  }

  int32_t run(const WeirRunOptions &options) {
    int32_t entry = weir_session_entry(session, "spin", &status);
    return weir_session_run_with(session, entry, nullptr, nullptr, &options,
                                 &status);
  }
  bool says(const char *part) {
    return status.message &&
           std::string(status.message).find(part) != std::string::npos;
  }

  WeirStatus status = WEIR_STATUS_INIT;
  WeirSession *session;
};

} // namespace

TEST(Interrupt, DeadlineOfALoop) {
  Spinning spinning;
  WeirRunOptions options = WEIR_RUN_OPTIONS_INIT;
  options.timeout_ms = 20;
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(spinning.run(options), WEIR_DEADLINE_EXCEEDED);
  EXPECT_GE(std::chrono::steady_clock::now() - start,
            std::chrono::milliseconds(20));
  EXPECT_TRUE(spinning.says("[WEIR0323]")) << spinning.status.message;
  EXPECT_TRUE(spinning.says("entry 'spin' has not ended within 20 ms"))
      << spinning.status.message;
}

TEST(Interrupt, CancellationOfALoop) {
  Spinning spinning;
  WeirRunOptions options = WEIR_RUN_OPTIONS_INIT;
  // A deadline that the clock never reaches is none.
  options.timeout_ms = INT64_MAX;
  options.cancellation = weir_cancellation_create();
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    weir_cancellation_cancel(options.cancellation, "enough");
  });
  EXPECT_EQ(spinning.run(options), WEIR_CANCELLED);
  other.join();
  EXPECT_TRUE(spinning.says("entry 'spin' was cancelled: enough"))
      << spinning.status.message;
  // So is one that begins afterwards.
  EXPECT_EQ(spinning.run(options), WEIR_CANCELLED);
  weir_cancellation_destroy(options.cancellation);
}

// The deadline of a whole step may come to a part of it as a cancellation.
TEST(Interrupt, DeadlineOfAnother) {
  Spinning spinning;
  WeirRunOptions options = WEIR_RUN_OPTIONS_INIT;
  options.timeout_ms = 3600000;
  options.cancellation = weir_cancellation_create();
  options.cancellation->token.cancel("", WEIR_DEADLINE_EXCEEDED);
  EXPECT_EQ(spinning.run(options), WEIR_DEADLINE_EXCEEDED);
  EXPECT_TRUE(spinning.says("entry 'spin' has not ended within 3600000 ms"))
      << spinning.status.message;
  weir_cancellation_destroy(options.cancellation);
}

// A session that is destroyed ends its steps, and waits until they have ended.
TEST(Interrupt, DestroyedSession) {
  WeirStatus status = WEIR_STATUS_INIT;
  WeirSession *session = weir_session_create(&fakeProgram, &status);
  const int32_t entry = weir_session_entry(session, "spin", &status);
  std::atomic<bool> ended{false};
  int32_t code = WEIR_OK;
  WeirStatus error = WEIR_STATUS_INIT;
  const int before = spinsBegun;
  std::thread other([&] {
    code = weir_session_run(session, entry, nullptr, nullptr, &error);
    ended = true;
  });
  while (spinsBegun == before)
    std::this_thread::yield();
  EXPECT_FALSE(ended);
  weir_session_destroy(session);
  other.join();
  EXPECT_EQ(code, WEIR_CANCELLED);
  ASSERT_NE(error.message, nullptr);
  EXPECT_NE(std::string(error.message).find("the session was destroyed"),
            std::string::npos)
      << error.message;
  weir_status_clear(&error);
}

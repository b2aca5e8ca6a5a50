//===- SessionTest.cpp - Tests of sessions and steps ----------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/core/Allocator.h"
#include "runtime/core/Tensor.h"
#include "test/unit/runtime/FakeProgram.h"

#include <cstring>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

using namespace weir::rt;
using weir::rt::test::fakeProgram;

namespace {

class SessionTest : public testing::Test {
protected:
  SessionTest() : session(weir_session_create(&fakeProgram, &status)) {}
  ~SessionTest() override {
    weir_session_destroy(session);
    weir_status_clear(&status);
  }

  int32_t entry(const char *name) {
    WeirStatus unused = WEIR_STATUS_INIT;
    int32_t index = weir_session_entry(session, name, &unused);
    EXPECT_GE(index, 0) << name;
    return index;
  }

  /// Runs one step; keeps the fetch.
  int32_t run(const char *name, std::vector<WeirView> feeds) {
    fetch = TensorRef();
    WeirTensor *out = nullptr;
    int32_t code =
        weir_session_run(session, entry(name), feeds.data(), &out, &status);
    fetch = TensorRef(out);
    return code;
  }

  std::string message() { return status.message ? status.message : ""; }
  bool says(const char *part) {
    return message().find(part) != std::string::npos;
  }

  WeirStatus status = WEIR_STATUS_INIT;
  WeirSession *session;
  TensorRef fetch;
};

} // namespace

TEST_F(SessionTest, RunsASimpleStep) {
  float x = 2.5f;
  ASSERT_EQ(run("null", {{&x, nullptr, 0, WEIR_F32}}), WEIR_OK) << message();
  EXPECT_EQ(*static_cast<float *>(fetch.view().data), 2.5f);
}

TEST_F(SessionTest, UnknownEntry) {
  EXPECT_EQ(weir_session_entry(session, "evaluate", &status), -1);
  EXPECT_EQ(status.code, WEIR_NOT_FOUND);
  EXPECT_EQ(weir_session_entry(session, nullptr, &status), -1);
  EXPECT_EQ(weir_session_run(session, 99, nullptr, nullptr, &status),
            WEIR_NOT_FOUND);
  EXPECT_EQ(weir_session_run(session, -1, nullptr, nullptr, &status),
            WEIR_NOT_FOUND);
}

TEST_F(SessionTest, NoPlaceForFeedsOrFetches) {
  WeirTensor *out = nullptr;
  EXPECT_EQ(weir_session_run(session, entry("null"), nullptr, &out, &status),
            WEIR_INVALID_ARGUMENT);
  EXPECT_TRUE(says("gives no place for its feeds")) << message();
  float x = 1;
  WeirView feed = {&x, nullptr, 0, WEIR_F32};
  EXPECT_EQ(weir_session_run(session, entry("null"), &feed, nullptr, &status),
            WEIR_INVALID_ARGUMENT);
  EXPECT_TRUE(says("gives no place for its fetches")) << message();
}

TEST_F(SessionTest, FeedOfAnotherTypeIsNamed) {
  float x[15] = {};
  int32_t y[3] = {};
  const int64_t bad[] = {3, 5}, rows[] = {3};
  EXPECT_EQ(run("train", {{x, bad, 2, WEIR_F32}, {y, rows, 1, WEIR_I32}}),
            WEIR_INVALID_ARGUMENT);
  EXPECT_EQ(message(), "[WEIR0302] feed 'x' of entry 'train': expected "
                       "tensor<?x4xf32>, got tensor<3x5xf32>; dimension 1 is "
                       "5, not 4");
  const int64_t good[] = {3, 4};
  EXPECT_EQ(run("train", {{x, good, 2, WEIR_F32}, {y, rows, 1, WEIR_F32}}),
            WEIR_INVALID_ARGUMENT);
  EXPECT_TRUE(says("its elements are f32, not i32")) << message();
  EXPECT_EQ(run("train", {{x, rows, 1, WEIR_F32}, {y, rows, 1, WEIR_I32}}),
            WEIR_INVALID_ARGUMENT);
  EXPECT_TRUE(says("its rank is 1, not 2")) << message();
}

TEST_F(SessionTest, FeedThatIsNoTensor) {
  float x[16] = {};
  int32_t y[4] = {};
  const int64_t rows[] = {4}, negative[] = {-1, 4};
  const int64_t huge[] = {int64_t(1) << 61, 4}, good[] = {4, 4};
  WeirView labels = {y, rows, 1, WEIR_I32};
  EXPECT_EQ(run("train", {{x, negative, 2, WEIR_F32}, labels}),
            WEIR_INVALID_ARGUMENT);
  EXPECT_TRUE(says("extent 0 of a tensor is -1")) << message();
  EXPECT_EQ(run("train", {{x, huge, 2, WEIR_F32}, labels}),
            WEIR_RESOURCE_EXHAUSTED);
  EXPECT_EQ(run("train", {{nullptr, good, 2, WEIR_F32}, labels}),
            WEIR_INVALID_ARGUMENT);
  EXPECT_TRUE(says("data is null")) << message();
  EXPECT_EQ(run("train", {{x, nullptr, 2, WEIR_F32}, labels}),
            WEIR_INVALID_ARGUMENT);
  EXPECT_EQ(run("train", {{x, good, 2, 8}, labels}), WEIR_INVALID_ARGUMENT);
  EXPECT_EQ(run("train", {{x, good, 99, WEIR_F32}, labels}),
            WEIR_INVALID_ARGUMENT);
  EXPECT_EQ(run("train",
                {{reinterpret_cast<char *>(x) + 1, good, 2, WEIR_F32}, labels}),
            WEIR_INVALID_ARGUMENT);
  EXPECT_TRUE(says("not aligned")) << message();
}

TEST_F(SessionTest, EmptyFeedIsFine) {
  const int64_t none[] = {0, 4};
  ASSERT_EQ(run("predict", {{nullptr, none, 2, WEIR_F32}}), WEIR_OK)
      << message();
  EXPECT_EQ(fetch.view().dims[0], 0);
}

TEST_F(SessionTest, GeneratedCodeReportsErrors) {
  float x[8] = {};
  int32_t y[3] = {};
  const int64_t xDims[] = {2, 4}, yDims[] = {3};
  EXPECT_EQ(run("train", {{x, xDims, 2, WEIR_F32}, {y, yDims, 1, WEIR_I32}}),
            WEIR_INVALID_ARGUMENT);
  EXPECT_EQ(message(), "[WEIR0312] train/batch: x has 2 rows, y has 3");
  EXPECT_FALSE(fetch);
}

TEST_F(SessionTest, UninitializedVariableIsNamed) {
  float x[4] = {};
  int32_t y[1] = {};
  const int64_t xDims[] = {1, 4}, yDims[] = {1};
  std::vector<WeirView> feeds = {{x, xDims, 2, WEIR_F32},
                                 {y, yDims, 1, WEIR_I32}};
  EXPECT_EQ(run("train", feeds), WEIR_FAILED_PRECONDITION);
  EXPECT_EQ(message(),
            "[WEIR0306] train/read_w: variable 'w' (tensor<4xf32>) is read "
            "before it has a value; run one of the entries 'init', 'restore' "
            "first");
  ASSERT_EQ(run("init", {}), WEIR_OK);
  EXPECT_EQ(run("train", feeds), WEIR_OK) << message();
  EXPECT_EQ(*static_cast<float *>(fetch.view().data), 6.0f);
}

TEST_F(SessionTest, StringsTravel) {
  const int64_t dims[] = {2};
  WeirString strings[] = {{"ab", 2}, {nullptr, 0}};
  ASSERT_EQ(run("echo", {{strings, dims, 1, WEIR_STRING}}), WEIR_OK)
      << message();
  const WeirString *out = static_cast<WeirString *>(fetch.view().data);
  EXPECT_EQ(std::string(out[0].data, 2), "ab");
  EXPECT_EQ(out[1].size, 0);
  strings[1].size = 3;
  EXPECT_EQ(run("echo", {{strings, dims, 1, WEIR_STRING}}),
            WEIR_INVALID_ARGUMENT);
  EXPECT_TRUE(says("string element 1 has size 3 and no data")) << message();
}

// What a step does not free is used again by the next.
TEST_F(SessionTest, ReclaimsWhatAStepLeaves) {
  int64_t bytes = 1 << 16;
  WeirView feed = {&bytes, nullptr, 0, WEIR_I64};
  ASSERT_EQ(run("leak", {feed}), WEIR_OK);
  int64_t calls = allocatorStats().systemAllocations;
  for (int i = 0; i < 1000; ++i)
    ASSERT_EQ(run("leak", {feed}), WEIR_OK);
  EXPECT_EQ(allocatorStats().systemAllocations, calls);
}

TEST_F(SessionTest, TooMuchMemoryIsAnError) {
  for (int64_t bytes : {int64_t(-1), INT64_MIN, INT64_MAX, int64_t(1) << 45}) {
    EXPECT_EQ(run("leak", {{&bytes, nullptr, 0, WEIR_I64}}),
              WEIR_RESOURCE_EXHAUSTED);
    EXPECT_TRUE(says("entry 'leak' needs a buffer of")) << message();
  }
}

// The third of three buffers does not fit; the two before it are not lost.
TEST_F(SessionTest, FailsInTheMiddleOfAStep) {
  trimAllocator();
  int64_t bytes = 1 << 20;
  setAllocatorLimits(allocatorStats().systemBytes + (5 << 19), 0);
  EXPECT_EQ(run("leak", {{&bytes, nullptr, 0, WEIR_I64}}),
            WEIR_RESOURCE_EXHAUSTED);
  bytes = 1 << 18;
  EXPECT_EQ(run("leak", {{&bytes, nullptr, 0, WEIR_I64}}), WEIR_OK);
  setAllocatorLimits(0, 0);
}

TEST_F(SessionTest, CodeThatBreaksItsContract) {
  int64_t extent = 3;
  WeirView feed = {&extent, nullptr, 0, WEIR_I64};
  EXPECT_EQ(run("broken", {feed}), WEIR_INTERNAL);
  EXPECT_TRUE(says("fetch 'bad' of entry 'broken' is declared tensor<4xf32>, "
                   "the code made tensor<3xf32>"))
      << message();
  extent = -1;
  EXPECT_EQ(run("broken", {feed}), WEIR_INTERNAL);
  EXPECT_TRUE(says("ended without a value for fetch 'bad'")) << message();
  extent = -2;
  EXPECT_EQ(run("broken", {feed}), WEIR_ABORTED);
  EXPECT_TRUE(says("gave no reason")) << message();
  extent = 4;
  EXPECT_EQ(run("broken", {feed}), WEIR_OK);
}

// Eight threads step on one session; each sees its own feeds and fetches.
TEST_F(SessionTest, ConcurrentSteps) {
  ASSERT_EQ(run("init", {}), WEIR_OK);
  int32_t null = entry("null"), train = entry("train"), init = entry("init");
  std::vector<std::thread> threads;
  std::atomic<int> failures{0};
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      WeirStatus own = WEIR_STATUS_INIT;
      std::vector<float> rows(64 * 4, 0.0f);
      std::vector<int32_t> labels(64);
      const int64_t xDims[] = {64, 4}, yDims[] = {64};
      WeirView batch[] = {{rows.data(), xDims, 2, WEIR_F32},
                          {labels.data(), yDims, 1, WEIR_I32}};
      for (int i = 0; i < 2000; ++i) {
        float x = static_cast<float>(t * 10000 + i);
        WeirView feed = {&x, nullptr, 0, WEIR_F32};
        WeirTensor *out = nullptr;
        if (weir_session_run(session, null, &feed, &out, &own) ||
            *static_cast<float *>(weir_tensor_view(out).data) != x)
          ++failures;
        if (out)
          weir_tensor_release(out);
        // Only the first thread writes variables: that steps race there is the
        // program's business, not the runtime's.
        if (t != 0)
          continue;
        failures += weir_session_run(session, init, nullptr, nullptr, &own);
        failures += weir_session_run(session, train, batch, &out, &own);
        weir_tensor_release(out);
      }
      weir_status_clear(&own);
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(failures, 0);
}

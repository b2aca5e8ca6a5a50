//===- VariablesTest.cpp - Tests of the state of a session ----------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/state/Variables.h"
#include "runtime/core/Tensor.h"
#include "runtime/state/State.h"
#include "test/unit/runtime/FakeProgram.h"

#include <cstring>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

using namespace weir::rt;
using weir::rt::test::fakeProgram;

/// The variables of the fake program in `state`.
static std::vector<std::shared_ptr<Variable>>
declare(const std::shared_ptr<State> &state) {
  Declared declared;
  EXPECT_TRUE(State::declare(state, fakeProgram, declared).ok());
  return declared.variables;
}

static std::vector<std::shared_ptr<Variable>> declare() {
  return declare(std::make_shared<State>());
}

TEST(Variables, HaveNoValueAtFirst) {
  Variables variables(fakeProgram, declare());
  EXPECT_EQ(variables.initializedBuffer(0), nullptr);
  void *buffer = variables.writableBuffer(0);
  ASSERT_NE(buffer, nullptr);
  EXPECT_EQ(variables.initializedBuffer(0), nullptr);
  variables.markInitialized(0);
  EXPECT_EQ(variables.initializedBuffer(0), buffer);
  EXPECT_EQ(variables.writableBuffer(0), buffer);
}

// Two sessions on one state see each other's values, whoever is first.
TEST(Variables, AreThoseOfTheState) {
  auto state = std::make_shared<State>();
  Variables one(fakeProgram, declare(state)), two(fakeProgram, declare(state));
  EXPECT_EQ(two.initializedBuffer(0), nullptr);
  void *buffer = one.writableBuffer(0);
  EXPECT_EQ(two.writableBuffer(0), buffer);
  one.markInitialized(0);
  EXPECT_EQ(two.initializedBuffer(0), buffer);
  EXPECT_EQ(two.initializedBuffer(1), nullptr);
  two.writableBuffer(1);
  two.markInitialized(1);
  EXPECT_EQ(one.initializedBuffer(1), two.writableBuffer(1));
}

// Threads that write a variable first at the same time get one buffer.
TEST(Variables, AllocateOnce) {
  for (int round = 0; round < 50; ++round) {
    Variables variables(fakeProgram, declare());
    void *seen[8];
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t)
      threads.emplace_back([&, t] { seen[t] = variables.writableBuffer(0); });
    for (std::thread &thread : threads)
      thread.join();
    for (void *buffer : seen)
      EXPECT_EQ(buffer, seen[0]);
  }
}

TEST(Variables, GetAndSet) {
  WeirStatus status = WEIR_STATUS_INIT;
  WeirSession *session = weir_session_create(&fakeProgram, &status);
  ASSERT_NE(session, nullptr);
  EXPECT_EQ(weir_session_get_variable(session, "w", &status), nullptr);
  EXPECT_EQ(status.code, WEIR_FAILED_PRECONDITION);
  float values[] = {1, 2, 3, 4};
  const int64_t dims[] = {4};
  WeirView view = {values, dims, 1, WEIR_F32};
  ASSERT_EQ(weir_session_set_variable(session, "w", &view, &status), WEIR_OK);
  WeirTensor *copy = weir_session_get_variable(session, "w", &status);
  ASSERT_NE(copy, nullptr);
  EXPECT_EQ(std::memcmp(weir_tensor_view(copy).data, values, sizeof(values)),
            0);
  // It is a copy: the variable moves on without it.
  values[0] = 9;
  ASSERT_EQ(weir_session_set_variable(session, "w", &view, &status), WEIR_OK);
  EXPECT_EQ(*static_cast<float *>(weir_tensor_view(copy).data), 1);
  weir_tensor_release(copy);

  EXPECT_EQ(weir_session_get_variable(session, "v", &status), nullptr);
  EXPECT_EQ(status.code, WEIR_NOT_FOUND);
  EXPECT_NE(std::strstr(status.message, "did you mean"), nullptr);
  const int64_t wrong[] = {3};
  view.dims = wrong;
  EXPECT_EQ(weir_session_set_variable(session, "w", &view, &status),
            WEIR_INVALID_ARGUMENT);
  EXPECT_STREQ(status.message,
               "[WEIR0308] variable 'w' is tensor<4xf32>, the value is "
               "tensor<3xf32>; dimension 0 is 3, not 4");
  view = {nullptr, dims, 1, WEIR_F32};
  EXPECT_EQ(weir_session_set_variable(session, "w", &view, &status),
            WEIR_INVALID_ARGUMENT);
  weir_status_clear(&status);
  weir_session_destroy(session);
}

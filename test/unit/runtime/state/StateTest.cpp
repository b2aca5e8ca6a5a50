//===- StateTest.cpp - Tests of what sessions share -----------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/state/State.h"
#include "runtime/core/Session.h"
#include "runtime/state/Barrier.h"
#include "runtime/state/ConditionalAccumulator.h"
#include "runtime/state/MakeResource.h"
#include "test/unit/runtime/state/QueueTestUtil.h"

#include <thread>

using namespace weir::rt;
using namespace weir::rt::test;

static const int64_t kTwo[] = {2}, kThree[] = {3};
static const WeirTensorDesc kW[] = {{"w", kTwo, 1, WEIR_F32}};
static const WeirTensorDesc kScalar[] = {{"", nullptr, 0, WEIR_I64}};
static const int64_t kFive[] = {0, 5, 0, 0, 0}, kSix[] = {0, 6, 0, 0, 0};
static const int64_t kZero[] = {0}, kOne[] = {1};
static const WeirResourceDesc kQueue[] = {
    {"q", kScalar, kFive, WEIR_RESOURCE_QUEUE, 1, 5}};

static WeirProgram program(const WeirTensorDesc *variable,
                           const WeirResourceDesc *resource) {
  WeirProgram made = {};
  made.abi = WEIR_PROGRAM_ABI;
  made.name = "p";
  made.variables = variable;
  made.variable_count = variable ? 1 : 0;
  made.resources = resource;
  made.resource_count = resource ? 1 : 0;
  return made;
}

/// The error of a session on `second` that shares the state of one on `first`.
static std::string conflict(const WeirProgram &first, const WeirProgram &second,
                            int32_t code = WEIR_FAILED_PRECONDITION) {
  WeirStatus status = WEIR_STATUS_INIT;
  WeirSession *session = weir_session_create(&first, &status);
  EXPECT_TRUE(session) << status.message;
  EXPECT_EQ(weir_session_create_shared(&second, session, &status), nullptr);
  EXPECT_EQ(status.code, code);
  std::string message = status.message ? status.message : "";
  weir_status_clear(&status);
  weir_session_destroy(session);
  return message;
}

static std::string malformed(const WeirProgram &bad) {
  WeirStatus status = WEIR_STATUS_INIT;
  EXPECT_EQ(weir_session_create(&bad, &status), nullptr);
  EXPECT_EQ(status.code, WEIR_INVALID_ARGUMENT);
  std::string message = status.message ? status.message : "";
  weir_status_clear(&status);
  return message;
}

TEST(State, OutlivesThePrograms) {
  WeirStatus status = WEIR_STATUS_INIT;
  WeirSession *second;
  WeirProgram two = program(kW, kQueue);
  {
    // The names of the first program go with it.
    std::string name = "w", queue = "q";
    WeirTensorDesc variable = {name.c_str(), kTwo, 1, WEIR_F32};
    WeirResourceDesc resource = {queue.c_str(),       kScalar, kFive,
                                 WEIR_RESOURCE_QUEUE, 1,       5};
    WeirProgram one = program(&variable, &resource);
    WeirSession *first = weir_session_create(&one, &status);
    ASSERT_TRUE(first) << status.message;
    float values[] = {1, 2};
    WeirView view = {values, kTwo, 1, WEIR_F32};
    ASSERT_EQ(weir_session_set_variable(first, "w", &view, &status), WEIR_OK);
    second = weir_session_create_shared(&two, first, &status);
    ASSERT_TRUE(second) << status.message;
    weir_session_destroy(first);
    name = "?";
    queue = "?";
  }
  TensorRef value(weir_session_get_variable(second, "w", &status));
  ASSERT_TRUE(value);
  EXPECT_EQ(static_cast<float *>(value.get()->data)[1], 2);
  TensorRef handle;
  ASSERT_TRUE(second->resources.handle(0, makeResource, handle).ok());
  EXPECT_EQ(peekResource(handle.get())->describe(), "FIFO queue 'q'");
  weir_session_destroy(second);
}

TEST(State, DifferentVariables) {
  WeirTensorDesc other = {"w", kThree, 1, WEIR_F32};
  EXPECT_EQ(conflict(program(kW, nullptr), program(&other, nullptr)),
            "[WEIR0347] 'w' is declared as variable of type tensor<2xf32> in "
            "the state that is shared, but as variable of type tensor<3xf32> "
            "in program 'p'; use the same declaration, or another name");
  WeirTensorDesc doubles = {"w", kTwo, 1, WEIR_F64};
  conflict(program(kW, nullptr), program(&doubles, nullptr));
}

TEST(State, DifferentResources) {
  WeirResourceDesc other = kQueue[0];
  other.numbers = kSix;
  EXPECT_EQ(conflict(program(nullptr, kQueue), program(nullptr, &other),
                     WEIR_INVALID_ARGUMENT),
            "[WEIR0347] shared queue 'q' has capacity 5 but requested was 6; "
            "use the same declaration, or another name");
  WeirResourceDesc barrier = {"q", kScalar, nullptr, WEIR_RESOURCE_BARRIER,
                              1,   0};
  EXPECT_EQ(conflict(program(nullptr, kQueue), program(nullptr, &barrier)),
            "[WEIR0347] 'q' is declared as queue with components tensor<i64> "
            "and numbers 0, 5, 0, 0, 0 in the state that is shared, but as "
            "barrier with components tensor<i64> in program 'p'; use the same "
            "declaration, or another name");
  WeirResourceDesc mean = {"a", kW, kZero, WEIR_RESOURCE_ACCUMULATOR, 1, 1},
                   sum = mean;
  sum.numbers = kOne;
  EXPECT_EQ(conflict(program(nullptr, &mean), program(nullptr, &sum)),
            "[WEIR0347] 'a' is declared as accumulator with components "
            "tensor<2xf32> and numbers 0 in the state that is shared, but as "
            "accumulator with components tensor<2xf32> and numbers 1 in "
            "program 'p'; use the same declaration, or another name");
}

TEST(State, VariableAndResource) {
  WeirTensorDesc variable = {"q", kTwo, 1, WEIR_F32};
  EXPECT_EQ(conflict(program(nullptr, kQueue), program(&variable, nullptr)),
            "[WEIR0347] 'q' is declared as queue with components tensor<i64> "
            "and numbers 0, 5, 0, 0, 0 in the state that is shared, but as "
            "variable of type tensor<2xf32> in program 'p'; use the same "
            "declaration, or another name");
  conflict(program(&variable, nullptr), program(nullptr, kQueue));
}

// What a program that does not fit declares does not come into the state.
TEST(State, AllOrNothing) {
  auto state = std::make_shared<State>();
  Declared declared;
  WeirTensorDesc conflicting[] = {{"new", kTwo, 1, WEIR_F32},
                                  {"w", kThree, 1, WEIR_F32}};
  WeirTensorDesc other = {"new", kThree, 1, WEIR_F32};
  WeirProgram first = program(kW, nullptr),
              second = program(conflicting, nullptr),
              third = program(&other, nullptr);
  second.variable_count = 2;
  EXPECT_TRUE(State::declare(state, first, declared).ok());
  EXPECT_FALSE(State::declare(state, second, declared).ok());
  EXPECT_TRUE(State::declare(state, third, declared).ok());
  // Two rows of one program are held to the same.
  WeirTensorDesc twice[] = {{"v", kTwo, 1, WEIR_F32}, {"v", kTwo, 1, WEIR_F32}};
  WeirProgram fourth = program(twice, nullptr);
  fourth.variable_count = 2;
  EXPECT_TRUE(State::declare(state, fourth, declared).ok());
  EXPECT_EQ(declared.variables[0], declared.variables[1]);
  twice[1].dtype = WEIR_I64;
  EXPECT_FALSE(
      State::declare(std::make_shared<State>(), fourth, declared).ok());
}

TEST(State, MalformedTables) {
  WeirProgram none = program(nullptr, nullptr);
  none.resource_count = 1;
  EXPECT_EQ(malformed(none),
            "[WEIR0309] program 'p' is malformed: it has no table of "
            "resources; compile it again with this version of Weir");
  WeirResourceDesc desc = kQueue[0];
  desc.name = nullptr;
  malformed(program(nullptr, &desc));
  desc = kQueue[0];
  desc.kind = 9;
  EXPECT_EQ(malformed(program(nullptr, &desc)),
            "[WEIR0309] program 'p' is malformed: resource 'q' is of the "
            "unknown kind 9; compile it again with this version of Weir");
  desc = kQueue[0];
  desc.components = nullptr;
  malformed(program(nullptr, &desc));
  desc = kQueue[0];
  desc.numbers = nullptr;
  malformed(program(nullptr, &desc));
  desc = kQueue[0];
  const int64_t kind[] = {4};
  desc.numbers = kind;
  desc.number_count = 1;
  malformed(program(nullptr, &desc));
  desc = kQueue[0];
  WeirTensorDesc component = {"", nullptr, 2, WEIR_F32};
  desc.components = &component;
  malformed(program(nullptr, &desc));
}

// A declaration that is no queue is an error at its first use, every time.
TEST(State, BadDeclarations) {
  const int64_t negative[] = {0, -7, 0, 0, 0};
  WeirResourceDesc desc = kQueue[0];
  desc.numbers = negative;
  WeirProgram bad = program(nullptr, &desc);
  WeirStatus status = WEIR_STATUS_INIT;
  WeirSession *session = weir_session_create(&bad, &status);
  ASSERT_TRUE(session);
  for (int i = 0; i < 2; ++i) {
    TensorRef handle;
    Status made = session->resources.handle(0, makeResource, handle);
    EXPECT_STREQ(made.message(),
                 "[WEIR0346] FIFO queue 'q' has capacity -7; give at least 1, "
                 "or -1 for no bound");
  }
  weir_session_destroy(session);
  WeirTensorDesc strings = {"", nullptr, 0, WEIR_STRING};
  desc = {"a", &strings, nullptr, WEIR_RESOURCE_ACCUMULATOR, 1, 0};
  std::shared_ptr<Resource> none;
  EXPECT_EQ(makeResource(desc, none).code(), WEIR_INVALID_ARGUMENT);
  desc.component_count = 0;
  EXPECT_STREQ(makeResource(desc, none).message(),
               "[WEIR0348] accumulator 'a' is declared with 0 components; it "
               "has one, the gradient");
  desc.kind = WEIR_RESOURCE_BARRIER;
  EXPECT_EQ(makeResource(desc, none).code(), WEIR_INVALID_ARGUMENT);
  EXPECT_FALSE(none);
}

// Threads that use a resource first at the same time get one.
TEST(State, MadeOnce) {
  for (int round = 0; round < 20; ++round) {
    WeirProgram one = program(nullptr, kQueue);
    WeirStatus status = WEIR_STATUS_INIT;
    WeirSession *session = weir_session_create(&one, &status);
    WeirSession *second = weir_session_create_shared(&one, session, &status);
    Resource *seen[8];
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t)
      threads.emplace_back([&, t] {
        TensorRef handle;
        EXPECT_TRUE((t % 2 ? session : second)
                        ->resources.handle(0, makeResource, handle)
                        .ok());
        seen[t] = peekResource(handle.get());
      });
    for (std::thread &thread : threads)
      thread.join();
    for (Resource *resource : seen)
      EXPECT_EQ(resource, seen[0]);
    weir_session_destroy(session);
    weir_session_destroy(second);
  }
}

// What waits in a resource ends with the last session, also where a handle or a
// token would keep the resource.
TEST(State, EndsWhatWaits) {
  WeirTensorDesc gradient = {"", kTwo, 1, WEIR_F32};
  WeirResourceDesc descs[] = {
      kQueue[0],
      {"b", kScalar, nullptr, WEIR_RESOURCE_BARRIER, 1, 0},
      {"a", &gradient, nullptr, WEIR_RESOURCE_ACCUMULATOR, 1, 0}};
  WeirProgram one = program(nullptr, descs);
  one.resource_count = 3;
  WeirStatus status = WEIR_STATUS_INIT;
  WeirSession *session = weir_session_create(&one, &status);
  TensorRef handles[3];
  for (int32_t i = 0; i < 3; ++i)
    ASSERT_TRUE(session->resources.handle(i, makeResource, handles[i]).ok());
  CancellationToken token;
  Outcome dequeue, taker, mean, later;
  auto *queue = static_cast<Queue *>(peekResource(handles[0].get()));
  queue->dequeue(dequeue.done(), &token);
  static_cast<Barrier *>(peekResource(handles[1].get()))
      ->takeMany(1, false, taker.done(), &token);
  static_cast<ConditionalAccumulator *>(peekResource(handles[2].get()))
      ->take(1, mean.done(), &token);
  EXPECT_TRUE(dequeue.waits() && taker.waits() && mean.waits());
  weir_session_destroy(session);
  EXPECT_EQ(dequeue.error(WEIR_CANCELLED),
            "[WEIR0342] queue 'q' was destroyed while an operation waited in "
            "it");
  taker.error(WEIR_CANCELLED);
  EXPECT_EQ(mean.error(WEIR_CANCELLED),
            "[WEIR0342] accumulator 'a' was destroyed while a take waited in "
            "it");
  queue->enqueue({scalar(1)}, later.done());
  later.error(WEIR_CANCELLED);
  token.cancel("");
  EXPECT_EQ(dequeue.calls, 1);
}

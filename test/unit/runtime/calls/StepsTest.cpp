//===- StepsTest.cpp - Tests of calls in steps ----------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The calls under the executor: sessions that share queues and variables, steps
// that wait, sessions that go while they do.
//
//===----------------------------------------------------------------------===//

#include "runtime/core/Tensor.h"
#include "weir-c/dataflow.h"
#include "weir-c/session.h"

#include <atomic>
#include <gtest/gtest.h>
#include <string>
#include <thread>
#include <vector>

using namespace weir::rt;

//===----------------------------------------------------------------------===//
// The program
//===----------------------------------------------------------------------===//

/// n + x, for scalars of i64.
static int32_t addKernel(WeirStep *step) {
  int64_t *sum = static_cast<int64_t *>(weir_rt_output(step, 0, nullptr));
  if (!sum)
    return WEIR_RESOURCE_EXHAUSTED;
  *sum = *static_cast<const int64_t *>(step->feeds[0].data) +
         *static_cast<const int64_t *>(step->feeds[1].data);
  return WEIR_OK;
}

static WeirHandleDesc queueHandle = {0, 0}, variableHandle = {1, 0};
static const WeirView kConstants[] = {
    {&queueHandle, nullptr, 0, WEIR_RESOURCE},
    {&variableHandle, nullptr, 0, WEIR_RESOURCE}};
static const WeirEdge kQueue = {-1, 0}, kVariable = {-1, 1}, kFirst = {0, 0};
static const WeirFrameDesc kGraph[] = {{"graph", -1, 1}};
static const WeirTensorDesc kI64[] = {{"x", nullptr, 0, WEIR_I64}};
static const int64_t kNoTimeOut[] = {-1}, kShort[] = {30};

static WeirNodeDesc node(int32_t kind, const char *name) {
  WeirNodeDesc desc = {};
  desc.kind = kind;
  desc.name = name;
  desc.index = kind == WEIR_NODE_CALL ? -1 : 0;
  return desc;
}

static WeirNodeDesc feed() {
  WeirNodeDesc desc = node(WEIR_NODE_FEED, "'x' at t:1");
  desc.output_count = 1;
  desc.outputs = kI64;
  return desc;
}

static WeirNodeDesc fetchFirst() {
  WeirNodeDesc desc = node(WEIR_NODE_FETCH, "'y' at t:9");
  desc.input_count = 1;
  desc.inputs = &kFirst;
  return desc;
}

static WeirNodeDesc call(const char *name, WeirNodeFn fn,
                         const WeirEdge *inputs, int32_t inputCount,
                         bool hasOutput, const int64_t *number = nullptr) {
  WeirNodeDesc desc = node(WEIR_NODE_CALL, name);
  desc.call = fn;
  desc.inputs = inputs;
  desc.input_count = inputCount;
  desc.outputs = kI64;
  desc.output_count = hasOutput;
  desc.numbers = number;
  desc.number_count = number != nullptr;
  return desc;
}

static WeirNodeDesc withKernel(WeirNodeDesc desc) {
  desc.kernel = addKernel;
  return desc;
}

static const WeirEdge kQueueAndX[] = {kQueue, kFirst},
                      kVariableAndX[] = {kVariable, kFirst};
static const WeirNodeDesc kPut[] = {
    feed(),
    call("'put' at t:2", weir_node_enqueue, kQueueAndX, 2, false, kNoTimeOut)};
/// A dequeue; `getsBegun` counts those that wait or have ended.
static std::atomic<int> getsBegun{0};
static void getCall(WeirNodeCall *call) {
  weir_node_dequeue(call);
  ++getsBegun;
}
static const WeirNodeDesc kGet[] = {
    call("'get' at t:3", getCall, &kQueue, 1, true, kNoTimeOut), fetchFirst()};
static const WeirNodeDesc kGetSoon[] = {
    call("'get_soon' at t:4", weir_node_dequeue, &kQueue, 1, true, kShort),
    fetchFirst()};
static const WeirNodeDesc kSet[] = {
    feed(),
    call("'set' at t:5", weir_node_assign_resource, kVariableAndX, 2, false)};
static const WeirNodeDesc kAdd[] = {
    feed(), withKernel(call("'add' at t:6", weir_node_update_resource,
                            kVariableAndX, 2, false))};
static const WeirNodeDesc kRead[] = {
    call("'read' at t:7", weir_node_read_resource, &kVariable, 1, true),
    fetchFirst()};

static WeirDataflow flow(const WeirNodeDesc *nodes) {
  return {nodes, kGraph, kConstants, 2, 1, 2};
}
static const WeirDataflow kFlows[] = {flow(kPut), flow(kGet), flow(kGetSoon),
                                      flow(kSet), flow(kAdd), flow(kRead)};

enum Entry : int32_t { Put, Get, GetSoon, Set, Add, Read };
static const WeirEntryDesc kEntries[] = {
    {"put", weir_rt_run_dataflow, kI64, nullptr, 1, 0, &kFlows[0], nullptr,
     nullptr, 0},
    {"get", weir_rt_run_dataflow, nullptr, kI64, 0, 1, &kFlows[1], nullptr,
     nullptr, 0},
    {"get_soon", weir_rt_run_dataflow, nullptr, kI64, 0, 1, &kFlows[2], nullptr,
     nullptr, 0},
    {"set", weir_rt_run_dataflow, kI64, nullptr, 1, 0, &kFlows[3], nullptr,
     nullptr, 0},
    {"add", weir_rt_run_dataflow, kI64, nullptr, 1, 0, &kFlows[4], nullptr,
     nullptr, 0},
    {"read", weir_rt_run_dataflow, nullptr, kI64, 0, 1, &kFlows[5], nullptr,
     nullptr, 0},
};
static const WeirTensorDesc kVariables[] = {{"n", nullptr, 0, WEIR_I64}};
static const int64_t kQueueNumbers[] = {0, 2, 0, 0, 0};
static const WeirResourceDesc kResources[] = {
    {"q", kI64, kQueueNumbers, WEIR_RESOURCE_QUEUE, 1, 5}};
static const WeirProgram kProgram = {
    WEIR_PROGRAM_ABI, 1, "steps", "",      kVariables, kEntries,
    kResources,       6, 1,       nullptr, 0};

//===----------------------------------------------------------------------===//
// Running it
//===----------------------------------------------------------------------===//

namespace {

struct Result {
  int32_t code;
  std::string message;
  int64_t value = 0;
};

class Steps : public testing::Test {
protected:
  Steps() : session(weir_session_create(&kProgram, &status)) {
    EXPECT_TRUE(session) << status.message;
  }
  ~Steps() override {
    weir_session_destroy(session);
    weir_status_clear(&status);
  }

  static Result run(WeirSession *on, Entry entry, int64_t x = 0,
                    const WeirRunOptions *options = nullptr) {
    WeirStatus status = WEIR_STATUS_INIT;
    WeirView view = {&x, nullptr, 0, WEIR_I64};
    WeirTensor *fetch = nullptr;
    Result result;
    result.code =
        weir_session_run_with(on, entry, &view, &fetch, options, &status);
    result.message = status.message ? status.message : "";
    if (fetch) {
      result.value = *static_cast<int64_t *>(fetch->data);
      weir_tensor_release(fetch);
    }
    weir_status_clear(&status);
    return result;
  }
  Result run(Entry entry, int64_t x = 0) { return run(session, entry, x); }
  void check(Entry entry, int64_t x = 0) {
    Result result = run(entry, x);
    EXPECT_EQ(result.code, WEIR_OK) << result.message;
  }
  int64_t valueOf(Entry entry) {
    Result result = run(entry);
    EXPECT_EQ(result.code, WEIR_OK) << result.message;
    return result.value;
  }

  WeirStatus status = WEIR_STATUS_INIT;
  WeirSession *session;
};

} // namespace

TEST_F(Steps, QueueBetweenSteps) {
  check(Put, 1);
  check(Put, 2);
  EXPECT_EQ(valueOf(Get), 1);
  EXPECT_EQ(valueOf(Get), 2);
  Result late = run(GetSoon);
  EXPECT_EQ(late.code, WEIR_DEADLINE_EXCEEDED);
  EXPECT_EQ(late.message,
            "[WEIR0343] 'get_soon' at t:4: dequeue from queue 'q' ran out of "
            "time: its time-out of 30 ms is over");
}

// A step waits for another, of a session that shares the queue.
TEST_F(Steps, WaitForAnotherSession) {
  WeirSession *other = weir_session_create_shared(&kProgram, session, &status);
  ASSERT_TRUE(other) << status.message;
  std::thread waiting([&] { EXPECT_EQ(valueOf(Get), 7); });
  EXPECT_EQ(run(other, Put, 7).code, WEIR_OK);
  waiting.join();
  weir_session_destroy(other);
}

TEST_F(Steps, Deadline) {
  WeirRunOptions options = WEIR_RUN_OPTIONS_INIT;
  options.timeout_ms = 30;
  Result late = run(session, Get, 0, &options);
  EXPECT_EQ(late.code, WEIR_DEADLINE_EXCEEDED) << late.message;
  check(Put, 3);
  EXPECT_EQ(valueOf(Get), 3);
}

// A session that goes ends its steps that wait; the other keeps its own.
TEST_F(Steps, DestroyedWhileWaiting) {
  for (int round = 0; round < 20; ++round) {
    WeirSession *other =
        weir_session_create_shared(&kProgram, session, &status);
    ASSERT_TRUE(other) << status.message;
    const int before = getsBegun;
    Result result = {WEIR_OK, ""};
    std::thread waiting([&] { result = run(other, Get); });
    while (getsBegun == before)
      std::this_thread::yield();
    weir_session_destroy(other);
    waiting.join();
    EXPECT_EQ(result.code, WEIR_CANCELLED) << result.message;
    check(Put, round);
    EXPECT_EQ(valueOf(Get), round);
  }
}

TEST_F(Steps, UninitializedVariable) {
  Result result = run(Read);
  EXPECT_EQ(result.code, WEIR_FAILED_PRECONDITION);
  EXPECT_EQ(result.message,
            "[WEIR0306] 'read' at t:7: variable 'n' (tensor<i64>) is read "
            "before it has a value; assign it first");
}

// Eight threads of steps that update one variable, on two sessions of a family.
TEST_F(Steps, ConcurrentUpdates) {
  constexpr int64_t kThreads = 8, kRounds = 500;
  WeirSession *other = weir_session_create_shared(&kProgram, session, &status);
  ASSERT_TRUE(other) << status.message;
  check(Set, 0);
  std::vector<std::thread> threads;
  for (int64_t t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      WeirSession *mine = t % 2 ? session : other;
      for (int64_t i = 0; i < kRounds; ++i) {
        EXPECT_EQ(run(mine, Add, t + 1).code, WEIR_OK);
        if (i % 50 == 0)
          EXPECT_EQ(run(mine, Read).code, WEIR_OK);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(valueOf(Read), kRounds * kThreads * (kThreads + 1) / 2);
  weir_session_destroy(other);
}

// Steps as producers and consumers: nothing is lost or doubled.
TEST_F(Steps, ProducersAndConsumers) {
  constexpr int64_t kThreads = 4, kEach = 400;
  std::atomic<int64_t> sum{0};
  std::vector<std::thread> threads;
  for (int64_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int64_t i = 0; i < kEach; ++i)
        check(Put, t * kEach + i);
    });
    threads.emplace_back([&] {
      for (int64_t i = 0; i < kEach; ++i)
        sum += valueOf(Get);
    });
  }
  for (std::thread &thread : threads)
    thread.join();
  constexpr int64_t kAll = kThreads * kEach;
  EXPECT_EQ(sum, kAll * (kAll - 1) / 2);
}

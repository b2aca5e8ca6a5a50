//===- GpuStepTest.cpp - Steps whose checks a GPU makes -------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/executor/NodeCall.h"
#include "runtime/trace/Trace.h"
#include "test/unit/runtime/device/gpu/fake_cuda/FakeCuda.h"
#include "test/unit/runtime/executor/FakeCalls.h"
#include "test/unit/runtime/executor/TableBuilder.h"
#include "weir-c/dataflow.h"
#include "weir-c/gpu.h"

#include <atomic>
#include <gtest/gtest.h>
#include <thread>

using namespace weir::rt;
using namespace weir::rt::test;

namespace {

std::string gpu() { return TableBuilder::device(0, "GPU"); }

//===----------------------------------------------------------------------===//
// Host code of kernels
//===----------------------------------------------------------------------===//

const WeirGpuImage image = {80, 0, "fake increment check guarded fault", 35};
const WeirGpuKernelDesc kernels[] = {{"increment", nullptr},
                                     {"check", nullptr},
                                     {"guarded", nullptr},
                                     {"fault", nullptr}};
enum { increment, check, guarded, fault };
const WeirGpuModule code = {"code", &image, nullptr, kernels, 1, 4};

int32_t launch(WeirStep *step, int32_t kernel, std::vector<void *> values) {
  const int64_t one[] = {1, 1, 1};
  std::vector<void *> arguments;
  for (void *&value : values)
    arguments.push_back(&value);
  return weir_rt_gpu_launch(step, &code, kernel, one, one, 0, arguments.data(),
                            kernels[kernel].name);
}

/// x + 1.
int32_t incrementThere(WeirStep *step) {
  void *out = weir_rt_output(step, 0, nullptr);
  return out ? launch(step, increment, {out, step->feeds[0].data})
             : int32_t(WEIR_RESOURCE_EXHAUSTED);
}

int32_t launchCheck(WeirStep *step, void *record, const char *node,
                    void *value) {
  const int64_t site =
      weir_rt_check_site(step, WEIR_INVALID_ARGUMENT, node,
                         "[WEIR0330] {0} is outside 0 <= i < {1}");
  return launch(step, check, {record, reinterpret_cast<void *>(site), value});
}

/// x + 1, where x is not negative.
int32_t checkedAs(WeirStep *step, const char *node) {
  void *record = weir_rt_check_record(step),
       *out = weir_rt_output(step, 0, nullptr);
  if (!record || !out)
    return WEIR_RESOURCE_EXHAUSTED;
  void *in = step->feeds[0].data;
  const int32_t checked = launchCheck(step, record, node, in);
  return checked != WEIR_OK ? checked
                            : launch(step, guarded, {record, out, in});
}
int32_t checkedThere(WeirStep *step) {
  return checkedAs(step, "'rows' at net.mlir:8");
}
int32_t otherThere(WeirStep *step) {
  return checkedAs(step, "'other' at net.mlir:9");
}

/// What the host reads of the device, where x is not negative.
int32_t readHere(WeirStep *step) {
  void *record = weir_rt_check_record(step),
       *place = weir_rt_host_alloc(step, 4),
       *out = weir_rt_output(step, 0, nullptr);
  if (!record || !place || !out)
    return WEIR_RESOURCE_EXHAUSTED;
  void *in = step->feeds[0].data;
  int64_t event = 0;
  for (int32_t result :
       {launchCheck(step, record, "'read' at net.mlir:7", in),
        weir_rt_event_record(step, WEIR_STREAM_COMPUTE, &event),
        weir_rt_event_wait(step, event, WEIR_STREAM_TRANSFER),
        weir_rt_enqueue_to_host(step, WEIR_STREAM_TRANSFER, place, in, 4),
        weir_rt_event_record(step, WEIR_STREAM_TRANSFER, &event),
        weir_rt_event_synchronize(step, event)})
    if (result != WEIR_OK)
      return result;
  const int32_t result = weir_rt_enqueue_write(step, out, place, 4);
  weir_rt_host_free(step, place);
  return result;
}

int32_t faultThere(WeirStep *step) {
  void *out = weir_rt_output(step, 0, nullptr);
  return out ? launch(step, fault, {}) : int32_t(WEIR_RESOURCE_EXHAUSTED);
}

std::atomic<int32_t> hostKernels{0};
int32_t countHere(WeirStep *step) {
  ++hostKernels;
  void *out = weir_rt_output(step, 0, nullptr);
  if (!out)
    return WEIR_RESOURCE_EXHAUSTED;
  *static_cast<float *>(out) = 1;
  return WEIR_OK;
}

/// x < 0.
int32_t isNegative(WeirStep *step) {
  void *out = weir_rt_output(step, 0, nullptr);
  if (!out)
    return WEIR_RESOURCE_EXHAUSTED;
  const bool no = false;
  return weir_rt_enqueue_write(step, out, &no, 1);
}

//===----------------------------------------------------------------------===//
// Tests
//===----------------------------------------------------------------------===//

constexpr const char *rowsError =
    "[WEIR0330] 'rows' at net.mlir:8: 10 is outside 0 <= i < 20";

class GpuStepTest : public testing::Test {
protected:
  void SetUp() override {
    spread.kinds = {&weir_device_kind_gpu};
    fakeCudaReset();
  }
  void TearDown() override { fakeCudaReset(); }

  static int64_t waits() { return fakeCudaCalls("cuEventSynchronize"); }

  SpreadBuilder spread;
};

/// The waits of a step of `count` checked kernels.
int64_t waitsOf(int count) {
  SpreadBuilder spread;
  spread.kinds = {&weir_device_kind_gpu};
  TableBuilder &b = spread.part(gpu());
  TableBuilder::Ref value = b.feed("x");
  for (int i = 0; i < count; ++i)
    value = b.kernel("rows" + std::to_string(i), checkedThere, {value});
  b.fetch(value, "y");
  TestSession session(spread);
  EXPECT_EQ(session.run({0}), WEIR_OK) << session.message();
  EXPECT_EQ(session.number(), static_cast<float>(count));
  fakeCudaReset();
  EXPECT_EQ(session.run({3}), WEIR_OK) << session.message();
  EXPECT_EQ(session.number(), static_cast<float>(count + 3));
  return fakeCudaCalls("cuEventSynchronize");
}

TEST_F(GpuStepTest, ChecksDoNotWait) {
  EXPECT_LE(waitsOf(1), 3);
  EXPECT_EQ(waitsOf(10), waitsOf(1));
}

TEST_F(GpuStepTest, ChecksThatFailEndTheStep) {
  TableBuilder &b = spread.part(gpu());
  auto rows = b.kernel("rows", checkedThere, {b.feed("x")});
  b.fetch(b.kernel("after", incrementThere, {rows}), "y");
  TestSession session(spread);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(session.run({-1}), WEIR_INVALID_ARGUMENT);
    EXPECT_EQ(session.message(), rowsError);
    // The next step knows nothing of it.
    ASSERT_EQ(session.run({5}), WEIR_OK) << session.message();
    EXPECT_EQ(session.number(), 7);
  }
}

TEST_F(GpuStepTest, TheFirstFailureWins) {
  TableBuilder &b = spread.part(gpu());
  auto x = b.feed("x");
  auto rows = b.kernel("rows", checkedThere, {x});
  b.fetch(b.kernel("other", otherThere, {x}, WEIR_F32, 0, {rows}), "y");
  b.fetch(rows, "rows");
  TestSession session(spread);
  EXPECT_EQ(session.run({-1}), WEIR_INVALID_ARGUMENT);
  EXPECT_EQ(session.message(), rowsError);
}

TEST_F(GpuStepTest, WhatTheHostReadsIsChecked) {
  TableBuilder &b = spread.part(gpu());
  b.fetch(b.kernel("read", readHere, {b.feed("x")}), "y");
  TestSession session(spread);
  EXPECT_EQ(session.run({-1}), WEIR_INVALID_ARGUMENT);
  EXPECT_EQ(session.message(),
            "[WEIR0330] 'read' at net.mlir:7: 10 is outside 0 <= i < 20");
  ASSERT_EQ(session.run({5}), WEIR_OK) << session.message();
  EXPECT_EQ(session.number(), 5);
}

TEST_F(GpuStepTest, VariablesStayAsTheyWere) {
  spread.variables = {{"v", nullptr, 0, WEIR_F32}};
  TableBuilder &b = spread.part(gpu());
  auto x = b.feed("x");
  auto rows = b.kernel("rows", checkedThere, {x});
  auto assigned = b.call("assign", weir_node_assign, {rows}, {}, {}, 0, 0);
  b.fetch(b.call("read", weir_node_read, {}, {WEIR_F32},
                 {TableBuilder::ran(assigned)}, 0, 0),
          "v");
  TestSession session(spread);
  ASSERT_EQ(session.run({3}), WEIR_OK) << session.message();
  EXPECT_EQ(session.number(), 4);
  EXPECT_EQ(session.run({-1}), WEIR_INVALID_ARGUMENT);
  EXPECT_EQ(session.message(), rowsError);
  WeirTensor *value =
      weir_session_get_variable(session.session, "v", &session.status);
  ASSERT_TRUE(value) << session.message();
  EXPECT_EQ(*static_cast<float *>(weir_tensor_view(value).data), 4);
  weir_tensor_release(value);
}

TEST_F(GpuStepTest, UpdatesAreChecked) {
  spread.variables = {{"v", nullptr, 0, WEIR_F32}};
  TableBuilder &b = spread.part(gpu());
  auto x = b.feed("x");
  auto assigned = b.call("assign", weir_node_assign, {x}, {}, {}, 0, 0);
  // v = v + 1, where v is not negative.
  auto updated = b.call("update", weir_node_update, {x}, {},
                        {TableBuilder::ran(assigned)}, 0, 0);
  b.setKernel(updated, checkedThere);
  TestSession session(spread);
  ASSERT_EQ(session.run({3}), WEIR_OK) << session.message();
  EXPECT_EQ(session.run({-2}), WEIR_INVALID_ARGUMENT);
  EXPECT_EQ(session.message(), rowsError);
  WeirTensor *value =
      weir_session_get_variable(session.session, "v", &session.status);
  ASSERT_TRUE(value) << session.message();
  EXPECT_EQ(*static_cast<float *>(weir_tensor_view(value).data), -2);
  weir_tensor_release(value);
}

/// Not even that a node has run goes to another device before that is sure.
TEST_F(GpuStepTest, SendsWaitForChecks) {
  TableBuilder &b = spread.part(gpu());
  auto rows = b.kernel("rows", checkedThere, {b.feed("x")});
  b.send("ran", {}, 0, 1, {TableBuilder::ran(rows)});
  TableBuilder &host = spread.part(TableBuilder::device(1));
  auto ran = host.receive("ran", 0, 1, 0);
  host.fetch(host.kernel("count", countHere, {}, WEIR_F32, 0,
                         {TableBuilder::ran(ran)}),
             "y");
  TestSession session(spread);
  hostKernels = 0;
  ASSERT_EQ(session.run({1}), WEIR_OK) << session.message();
  EXPECT_EQ(hostKernels, 1);
  EXPECT_EQ(session.run({-1}), WEIR_INVALID_ARGUMENT);
  EXPECT_TRUE(session.says("'rows' at net.mlir:8: 10 is outside"))
      << session.message();
  EXPECT_EQ(hostKernels, 1);
}

/// What a call does may be seen from outside.
TEST_F(GpuStepTest, CallsWaitForChecks) {
  static std::atomic<int32_t> calls{0};
  calls = 0;
  auto count = [](WeirNodeCall *call) {
    ++calls;
    call->finish(Status());
  };
  TableBuilder &b = spread.part(gpu());
  auto rows = b.kernel("rows", checkedThere, {b.feed("x")});
  b.call("count", count, {}, {}, {TableBuilder::ran(rows)});
  TestSession session(spread);
  ASSERT_EQ(session.run({1}), WEIR_OK) << session.message();
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(session.run({-1}), WEIR_INVALID_ARGUMENT);
  EXPECT_EQ(session.message(), rowsError);
  EXPECT_EQ(calls, 1);
}

TEST_F(GpuStepTest, PredicatesWaitForChecks) {
  TableBuilder &b = spread.part(gpu());
  auto x = b.feed("x");
  auto rows = b.kernel("rows", checkedThere, {x});
  auto sign = b.kernel("sign", isNegative, {rows}, WEIR_BOOL);
  auto chosen = b.switchOn("switch", rows, sign);
  b.fetch(b.merge("merge", {chosen.at(0), chosen.at(1)}), "y");
  TestSession session(spread);
  ASSERT_EQ(session.run({1}), WEIR_OK) << session.message();
  EXPECT_EQ(session.number(), 2);
  EXPECT_EQ(session.run({-1}), WEIR_INVALID_ARGUMENT);
  EXPECT_EQ(session.message(), rowsError);
}

/// Steps at the same time on one GPU: each has the errors that are its own.
TEST_F(GpuStepTest, StepsSideBySide) {
  TableBuilder &b = spread.part(gpu());
  b.fetch(b.kernel("rows", checkedThere, {b.feed("x")}), "y");
  const WeirProgram &program = spread.program();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&program, t] {
      TestSession session(program);
      for (int i = 0; i < 100; ++i) {
        const bool fails = (i + t) % 2 == 0;
        EXPECT_EQ(session.run({fails ? -1.0f : static_cast<float>(i)}),
                  fails ? WEIR_INVALID_ARGUMENT : WEIR_OK)
            << session.message();
        if (fails)
          EXPECT_EQ(session.message(), rowsError);
        else
          EXPECT_EQ(session.number(), static_cast<float>(i + 1));
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

/// Kernels are in the trace as the GPU ran them.
TEST_F(GpuStepTest, KernelsAreTraced) {
  TableBuilder &b = spread.part(gpu());
  auto rows = b.kernel("rows", checkedThere, {b.feed("x")});
  b.fetch(b.kernel("after", incrementThere, {rows}), "y");
  TestSession session(spread);
  ASSERT_EQ(session.run({1}), WEIR_OK) << session.message();
  startTrace();
  for (int i = 0; i < 2; ++i)
    ASSERT_EQ(session.run({1}), WEIR_OK) << session.message();
  TraceData trace;
  ASSERT_TRUE(stopTrace(trace).ok());
  int32_t lane = -1;
  for (const TraceData::Lane &known : trace.lanes)
    if (known.name == "kernels")
      lane = known.lane;
  std::vector<std::string> names;
  int64_t last = 0;
  for (const TraceEvent &event : trace.events) {
    if (event.lane != lane)
      continue;
    names.push_back(event.name);
    EXPECT_EQ(event.kind, TraceKind::Kernel);
    EXPECT_EQ(event.end - event.begin, 1'000'000) << event.name;
    EXPECT_GE(event.begin, last) << event.name;
    last = event.end;
    EXPECT_EQ(trace.tracks.at(static_cast<size_t>(event.track) - 1), gpu());
  }
  EXPECT_EQ(names, (std::vector<std::string>{"check", "guarded", "increment",
                                             "check", "guarded", "increment"}));
}

/// A driver that fails in the middle: the step has its error.
TEST_F(GpuStepTest, CallsThatFail) {
  TableBuilder &b = spread.part(gpu());
  b.fetch(b.kernel("rows", checkedThere, {b.feed("x")}), "y");
  TestSession session(spread);
  ASSERT_EQ(session.run({1}), WEIR_OK) << session.message();
  for (const char *call :
       {"cuLaunchKernel", "cuMemAllocAsync", "cuMemcpyHtoDAsync_v2",
        "cuMemcpyDtoHAsync_v2", "cuEventRecord", "cuStreamWaitEvent",
        "cuEventSynchronize"}) {
    fakeCudaFail(call, fakeInvalidValue);
    EXPECT_NE(session.run({1}), WEIR_OK) << call;
    EXPECT_TRUE(session.says("[WEIR043")) << session.message();
    ASSERT_EQ(session.run({1}), WEIR_OK) << session.message();
    EXPECT_EQ(session.number(), 2);
  }
}

TEST_F(GpuStepTest, FaultsEndTheStep) {
  TableBuilder &b = spread.part(gpu());
  b.fetch(b.kernel("fault", faultThere, {b.feed("x")}), "y");
  TestSession session(spread);
  EXPECT_EQ(session.run({1}), WEIR_INTERNAL);
  EXPECT_TRUE(session.says("[WEIR0433]") &&
              session.says("CUDA_ERROR_ILLEGAL_ADDRESS"))
      << session.message();
}

} // namespace

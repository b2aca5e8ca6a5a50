//===- DeviceStepTest.cpp - Steps on a device with its own memory ---------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/runtime/device/GuardedDevice.h"
#include "test/unit/runtime/executor/FakeCalls.h"
#include "test/unit/runtime/executor/TableBuilder.h"
#include "weir-c/device.h"

#include <gtest/gtest.h>

using namespace weir::rt;
using namespace weir::rt::test;

static std::string cpu(int32_t number) { return TableBuilder::device(number); }
static std::string guarded(int32_t number) {
  return TableBuilder::device(number, "TEST");
}

// ---- Kernels of such a device: they copy what they look at.

template <typename T> static T input(WeirStep *step, int32_t index) {
  T value = {};
  weir_rt_copy_to_host(step, &value, step->feeds[index].data, sizeof(T));
  return value;
}

template <typename T>
static int32_t output(WeirStep *step, int32_t index, T value) {
  void *there = weir_rt_output(step, index, nullptr);
  return there ? weir_rt_copy_to_device(step, there, &value, sizeof(T))
               : int32_t(WEIR_RESOURCE_EXHAUSTED);
}

static int32_t addThere(WeirStep *step) {
  return output(step, 0, input<float>(step, 0) + input<float>(step, 1));
}
static int32_t positiveThere(WeirStep *step) {
  return output<bool>(step, 0, input<float>(step, 0) > 0);
}
static int32_t lessThere(WeirStep *step) {
  return output<bool>(step, 0,
                      input<int32_t>(step, 0) < input<int32_t>(step, 1));
}
static int32_t incrementThere(WeirStep *step) {
  return output<int32_t>(step, 0, input<int32_t>(step, 0) + 1);
}
/// x * 3 through memory that it frees, and memory that it forgets.
static int32_t scratchThere(WeirStep *step) {
  void *kept = weir_rt_alloc(step, 4), *forgotten = weir_rt_alloc(step, 4);
  if (!kept || !forgotten)
    return WEIR_RESOURCE_EXHAUSTED;
  float x = input<float>(step, 0) * 3, y = 0;
  weir_rt_copy_to_device(step, kept, &x, 4);
  weir_rt_copy_to_device(step, forgotten, &x, 4);
  weir_rt_copy_to_host(step, &y, kept, 4);
  weir_rt_free(step, kept);
  return output(step, 0, y);
}

namespace {
/// Everything that tests make on the devices is given back.
class DeviceStep : public testing::Test {
protected:
  void SetUp() override {
    for (int32_t i : {0, 1})
      live[i] = GuardedDevice::get(i).liveCount();
  }
  void TearDown() override {
    for (int32_t i : {0, 1})
      EXPECT_EQ(GuardedDevice::get(i).liveCount(), live[i]);
  }
  size_t live[2];
};

SpreadBuilder onDevices() {
  SpreadBuilder spread;
  spread.kinds = {&guardedKind};
  return spread;
}
} // namespace

TEST_F(DeviceStep, KernelsGetItsMemory) {
  SpreadBuilder spread = onDevices();
  TableBuilder &b = spread.part(guarded(0));
  auto x = b.feed("x");
  auto sum = b.kernel("add", addThere, {x, b.constant(1.0f)});
  b.fetch(b.kernel("again", addThere, {sum, x}), "y");
  b.fetch(sum, "sum");
  b.fetch(x, "x");
  TestSession session(spread);
  ASSERT_EQ(session.status.code, WEIR_OK) << session.message();
  for (int i = 0; i < 20; ++i) {
    ASSERT_EQ(session.run({static_cast<float>(i)}), WEIR_OK)
        << session.message();
    EXPECT_EQ(session.number(0), static_cast<float>(2 * i + 1));
    EXPECT_EQ(session.number(1), static_cast<float>(i + 1));
    EXPECT_EQ(session.number(2), static_cast<float>(i));
  }
}

TEST_F(DeviceStep, ScratchMemoryIsReclaimed) {
  SpreadBuilder spread = onDevices();
  TableBuilder &b = spread.part(guarded(0));
  b.fetch(b.kernel("scratch", scratchThere, {b.feed("x")}), "y");
  TestSession session(spread);
  ASSERT_EQ(session.run({5}), WEIR_OK) << session.message();
  EXPECT_EQ(session.number(), 15);
}

TEST_F(DeviceStep, SendsAndReceives) {
  SpreadBuilder spread = onDevices();
  TableBuilder &host = spread.part(cpu(0)), &first = spread.part(guarded(0)),
               &second = spread.part(guarded(1));
  host.send("x", {host.feed("x")}, 0, 1);
  auto x = first.receive("x", 0, 1);
  first.send("x+1", {first.kernel("add", addThere, {x, first.constant(1.0f)})},
             1, 2);
  auto y = second.receive("x+1", 1, 2);
  second.send("x+3",
              {second.kernel("add", addThere, {y, second.constant(2.0f)})}, 2,
              0);
  host.fetch(host.kernel("twice", mulKernel,
                         {host.receive("x+3", 2, 0), host.constant(2.0f)}),
             "y");
  TestSession session(spread);
  for (int i = 0; i < 50; ++i) {
    ASSERT_EQ(session.run({static_cast<float>(i)}), WEIR_OK)
        << session.message();
    EXPECT_EQ(session.number(), static_cast<float>(2 * (i + 3)));
  }
}

TEST_F(DeviceStep, ControlFlowReadsPredicates) {
  SpreadBuilder spread = onDevices();
  TableBuilder &b = spread.part(guarded(0));
  auto x = b.feed("x");
  auto gate =
      b.switchOn("if", x, b.kernel("positive", positiveThere, {x}, WEIR_BOOL));
  auto more = b.kernel("more", addThere, {gate.at(1), b.constant(100.0f)});
  auto merged = b.merge("merge", {gate.at(0), more});
  b.fetch(merged, "y");
  // The number of the input goes into a kernel.
  b.fetch(b.kernel("next", incrementThere, {merged.at(1)}, WEIR_I32), "which");
  TestSession session(spread);
  ASSERT_EQ(session.run({1}), WEIR_OK) << session.message();
  EXPECT_EQ(session.number(0), 101);
  EXPECT_EQ(session.integer(1), 2);
  ASSERT_EQ(session.run({-1}), WEIR_OK) << session.message();
  EXPECT_EQ(session.number(0), -1);
  EXPECT_EQ(session.integer(1), 1);
}

TEST_F(DeviceStep, Loops) {
  SpreadBuilder spread = onDevices();
  TableBuilder &b = spread.part(guarded(0));
  int32_t loop = b.frame("loop", 0, 4);
  auto i = b.enter("enter", b.constant(0), loop);
  auto head = b.merge("merge", {i, i}, loop);
  auto goOn =
      b.kernel("less", lessThere, {head, b.constant(7)}, WEIR_BOOL, loop);
  auto gate = b.switchOn("switch", head, goOn, loop);
  auto more =
      b.kernel("increment", incrementThere, {gate.at(1)}, WEIR_I32, loop);
  b.setInput(head, 1, b.next("next", more, loop));
  b.fetch(b.exit("exit", gate.at(0), loop), "n");
  TestSession session(spread);
  ASSERT_EQ(session.run({}), WEIR_OK) << session.message();
  EXPECT_EQ(session.integer(), 7);
}

/// A call of the runtime looks at the host's memory, and what it makes comes
/// back.
TEST_F(DeviceStep, CallsGetTheHostsMemory) {
  SpreadBuilder spread = onDevices();
  TableBuilder &b = spread.part(guarded(0));
  auto sum = b.kernel("add", addThere, {b.feed("x"), b.constant(1.0f)});
  auto checked = b.call("check", weir_node_check_numerics, {sum}, {WEIR_F32});
  b.fetch(b.kernel("again", addThere, {checked, sum}), "y");
  TestSession session(spread);
  ASSERT_EQ(session.run({2}), WEIR_OK) << session.message();
  EXPECT_EQ(session.number(), 6);
}

TEST_F(DeviceStep, ErrorsOfKernels) {
  SpreadBuilder spread = onDevices();
  TableBuilder &b = spread.part(guarded(0));
  b.fetch(b.kernel("broken", failingKernel, {b.feed("x")}), "y");
  TestSession session(spread);
  EXPECT_EQ(session.run({2}), WEIR_INVALID_ARGUMENT);
  EXPECT_TRUE(session.says("'broken': no luck")) << session.message();
}

/// The work goes on after a launch: its errors are the step's all the same.
TEST_F(DeviceStep, ErrorsOfWorkThatWasGiven) {
  SpreadBuilder spread = onDevices();
  TableBuilder &b = spread.part(guarded(0));
  b.noOp("nothing", {});
  TestSession session(spread);
  ASSERT_EQ(session.run({}), WEIR_OK) << session.message();
  GuardedDevice::get(0).setError(Status(WEIR_INTERNAL, "illegal address"));
  EXPECT_EQ(session.run({}), WEIR_INTERNAL);
  EXPECT_TRUE(session.says("illegal address")) << session.message();
  EXPECT_EQ(session.run({}), WEIR_OK) << session.message();
}

TEST_F(DeviceStep, AFullDevice) {
  SpreadBuilder spread = onDevices();
  TableBuilder &b = spread.part(guarded(0));
  b.fetch(b.kernel("add", addThere, {b.feed("x"), b.constant(1.0f)}), "y");
  TestSession session(spread);
  ASSERT_EQ(session.run({2}), WEIR_OK);
  GuardedDevice::get(0).setFull(true);
  EXPECT_EQ(session.run({2}), WEIR_RESOURCE_EXHAUSTED);
  EXPECT_TRUE(session.says(guarded(0))) << session.message();
  GuardedDevice::get(0).setFull(false);
  EXPECT_EQ(session.run({2}), WEIR_OK) << session.message();
}

TEST_F(DeviceStep, StringsStayWithTheHost) {
  SpreadBuilder spread = onDevices();
  TableBuilder &b = spread.part(guarded(0));
  auto text = b.feed("s", WEIR_STRING);
  b.fetch(b.kernel("len", addThere, {text, text}), "y");
  TestSession session(spread);
  WeirString value = {"a", 1};
  WeirView view = {&value, nullptr, 0, WEIR_STRING};
  WeirTensor *fetch = nullptr;
  EXPECT_EQ(
      weir_session_run(session.session, 0, &view, &fetch, &session.status),
      WEIR_INVALID_ARGUMENT);
  EXPECT_TRUE(
      session.says("[WEIR0376] 'len': tensor<!weir.string> can only be in "
                   "the memory of the host"))
      << session.message();
}

TEST_F(DeviceStep, ADeviceThatIsNotThere) {
  SpreadBuilder spread;
  TableBuilder &b = spread.part(TableBuilder::device(0, "BROKEN"));
  b.fetch(b.feed("x"), "y");
  TestSession unknown(spread);
  EXPECT_EQ(unknown.session, nullptr);
  EXPECT_EQ(unknown.status.code, WEIR_NOT_FOUND);
  EXPECT_TRUE(unknown.says("[WEIR0373]")) << unknown.message();
  spread.kinds = {&brokenKind};
  TestSession missing(spread);
  EXPECT_EQ(missing.session, nullptr);
  EXPECT_EQ(missing.status.code, WEIR_UNAVAILABLE);
  EXPECT_TRUE(missing.says("no driver for")) << missing.message();
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

namespace {
/// A variable `v` (f32) of device `number`: v = x, then v = v + x.
SpreadBuilder variableProgram(int32_t number = 0) {
  SpreadBuilder spread = onDevices();
  spread.variables = {{"v", nullptr, 0, WEIR_F32}};
  TableBuilder &b = spread.part(guarded(number));
  auto x = b.feed("x");
  auto assigned = b.call("assign", weir_node_assign, {x}, {}, {}, 0, 0);
  auto updated = b.call("update", weir_node_update, {x}, {},
                        {TableBuilder::ran(assigned)}, 0, 0);
  b.setKernel(updated, addThere);
  auto read = b.call("read", weir_node_read, {}, {WEIR_F32},
                     {TableBuilder::ran(updated)}, 0, 0);
  b.fetch(b.kernel("add", addThere, {read, b.constant(1.0f)}), "v+1");
  b.fetch(read, "v");
  return spread;
}

// A program of the host on the same variable: read() -> v, double().
int32_t readHere(WeirStep *step) {
  const float *v =
      static_cast<const float *>(weir_rt_variable_read(step, 0, "read"));
  float *out = static_cast<float *>(weir_rt_output(step, 0, nullptr));
  if (!v || !out)
    return WEIR_FAILED_PRECONDITION;
  *out = *v;
  return WEIR_OK;
}
int32_t doubleHere(WeirStep *step) {
  const float *v =
      static_cast<const float *>(weir_rt_variable_read(step, 0, "double"));
  float *out = static_cast<float *>(weir_rt_variable_write(step, 0));
  if (!v || !out)
    return WEIR_FAILED_PRECONDITION;
  *out = *v * 2;
  weir_rt_variable_written(step, 0);
  // Seen within the step.
  return *static_cast<float *>(weir_rt_variable_read(step, 0, "double")) == *out
             ? readHere(step)
             : int32_t(WEIR_INTERNAL);
}
int32_t setFive(WeirStep *step) {
  float *out = static_cast<float *>(weir_rt_variable_write(step, 0));
  if (!out)
    return WEIR_RESOURCE_EXHAUSTED;
  *out = 5;
  weir_rt_variable_written(step, 0);
  return WEIR_OK;
}
const WeirTensorDesc kV[] = {{"v", nullptr, 0, WEIR_F32}};
const WeirEntryDesc kHostEntries[] = {
    {"read", readHere, nullptr, kV, 0, 1, nullptr, nullptr, nullptr, 0},
    {"double", doubleHere, nullptr, kV, 0, 1, nullptr, nullptr, nullptr, 0},
    {"set", setFive, nullptr, nullptr, 0, 0, nullptr, nullptr, nullptr, 0},
};
const WeirProgram kHostProgram = {
    WEIR_PROGRAM_ABI, 1, "host", "",      kV, kHostEntries,
    nullptr,          3, 0,      nullptr, 0};

float runHost(WeirSession *session, const char *entry, WeirStatus &status) {
  WeirTensor *fetch = nullptr;
  int32_t index = weir_session_entry(session, entry, &status);
  if (weir_session_run(session, index, nullptr, &fetch, &status) != WEIR_OK)
    return -1;
  float value = *static_cast<float *>(weir_tensor_view(fetch).data);
  weir_tensor_release(fetch);
  return value;
}

float variable(WeirSession *session, WeirStatus &status) {
  WeirTensor *value = weir_session_get_variable(session, "v", &status);
  if (!value)
    return -1;
  float number = *static_cast<float *>(weir_tensor_view(value).data);
  weir_tensor_release(value);
  return number;
}
} // namespace

TEST_F(DeviceStep, VariablesAreAssignedReadAndUpdated) {
  SpreadBuilder spread = variableProgram();
  TestSession session(spread);
  ASSERT_NE(session.session, nullptr) << session.message();
  ASSERT_EQ(session.run({3}), WEIR_OK) << session.message();
  EXPECT_EQ(session.number(0), 7);
  EXPECT_EQ(session.number(1), 6);
  // The value is there, and nowhere else.
  EXPECT_GT(GuardedDevice::get(0).liveCount(), live[0]);
}

TEST_F(DeviceStep, VariablesAreReadAndSetFromOutside) {
  SpreadBuilder spread = variableProgram();
  TestSession session(spread);
  WeirStatus status = WEIR_STATUS_INIT;
  EXPECT_EQ(variable(session.session, status), -1);
  EXPECT_EQ(status.code, WEIR_FAILED_PRECONDITION);
  float eleven = 11;
  WeirView view = {&eleven, nullptr, 0, WEIR_F32};
  ASSERT_EQ(weir_session_set_variable(session.session, "v", &view, &status),
            WEIR_OK);
  EXPECT_GT(GuardedDevice::get(0).liveCount(), live[0]);
  EXPECT_EQ(variable(session.session, status), 11);
  weir_status_clear(&status);
}

/// Code of the host, which holds addresses of variables, works on copies.
TEST_F(DeviceStep, VariablesAreSharedWithTheHost) {
  SpreadBuilder spread = variableProgram();
  TestSession session(spread);
  WeirStatus status = WEIR_STATUS_INIT;
  WeirSession *host =
      weir_session_create_shared(&kHostProgram, session.session, &status);
  ASSERT_NE(host, nullptr) << status.message;
  EXPECT_EQ(runHost(host, "read", status), -1);
  EXPECT_EQ(status.code, WEIR_FAILED_PRECONDITION);
  ASSERT_EQ(session.run({3}), WEIR_OK) << session.message();
  EXPECT_EQ(runHost(host, "read", status), 6) << status.message;
  EXPECT_EQ(runHost(host, "double", status), 12) << status.message;
  EXPECT_EQ(variable(session.session, status), 12);
  ASSERT_EQ(weir_session_run(host, weir_session_entry(host, "set", &status),
                             nullptr, nullptr, &status),
            WEIR_OK);
  EXPECT_EQ(variable(session.session, status), 5);
  weir_session_destroy(host);
  weir_status_clear(&status);
}

/// A variable that the host's code has used stays with the host, for its
/// address may be known; one of another device stays there.
TEST_F(DeviceStep, VariablesStayWhereTheyAre) {
  WeirStatus status = WEIR_STATUS_INIT;
  WeirSession *host = weir_session_create(&kHostProgram, &status);
  ASSERT_EQ(weir_session_run(host, weir_session_entry(host, "set", &status),
                             nullptr, nullptr, &status),
            WEIR_OK);
  for (int32_t number : {0, 1}) {
    SpreadBuilder spread = variableProgram(number);
    WeirSession *session =
        weir_session_create_shared(&spread.program(), host, &status);
    ASSERT_NE(session, nullptr) << status.message;
    float x = 4;
    WeirView view = {&x, nullptr, 0, WEIR_F32};
    WeirTensor *fetches[2] = {};
    ASSERT_EQ(weir_session_run(session, 0, &view, fetches, &status), WEIR_OK)
        << status.message;
    EXPECT_EQ(*static_cast<float *>(weir_tensor_view(fetches[0]).data), 9);
    weir_tensor_release(fetches[0]);
    weir_tensor_release(fetches[1]);
    EXPECT_EQ(runHost(host, "read", status), 8);
    EXPECT_EQ(GuardedDevice::get(number).liveCount(), live[number] + 1)
        << "the constant, and no variable";
    weir_session_destroy(session);
  }
  weir_session_destroy(host);
  weir_status_clear(&status);
}

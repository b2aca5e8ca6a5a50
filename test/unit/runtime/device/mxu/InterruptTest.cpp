//===- InterruptTest.cpp - Runs that are ended before their end -----------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/core/Session.h"
#include "runtime/device/mxu/MxuDevice.h"
#include "test/unit/runtime/device/mxu/Assemble.h"
#include "test/unit/runtime/executor/FakeCalls.h"
#include "test/unit/runtime/executor/TableBuilder.h"
#include "gtest/gtest.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

using namespace weir;
using namespace weir::mxu;
using namespace weir::mxu::test;
using rt::test::SpreadBuilder;
using rt::test::TableBuilder;
using rt::test::TestSession;
using rt::test::withLongerDeadlines;

namespace {

/// Copies a scalar, behind `pools` instructions each of which takes seconds.
std::vector<uint8_t> copyProgram(int pools) {
  Window w = {};
  w.images = w.strideHeight = w.strideWidth = 1;
  w.dilationHeight = w.dilationWidth = w.channels = 1;
  w.height = w.width = w.kernelHeight = w.kernelWidth = 180;
  w.outHeight = w.outWidth = 300;
  ImageParts parts;
  parts.array = 32;
  parts.windows.push_back(w);
  parts.entries = {tensor(false, 4, 4, false, 1), tensor(true, 4, 4, false, 1)};
  parts.instructions.push_back(make(
      Opcode::lda,
      {{"space", 2}, {"stride", 4}, {"lanes", 4}, {"rows", 1}, {"ub", 32700}}));
  for (int i = 0; i < pools; ++i)
    parts.instructions.push_back(make(Opcode::pool, {{"source", 0},
                                                     {"ub", 0},
                                                     {"rows", 30000},
                                                     {"window", 0},
                                                     {"first", 0}}));
  parts.instructions.push_back(make(
      Opcode::sta,
      {{"space", 3}, {"stride", 4}, {"lanes", 4}, {"rows", 1}, {"ub", 32700}}));
  serialize(parts.instructions);
  parts.instructions.push_back(make(Opcode::halt));
  return buildImage(parts);
}

/// Kernels that have begun.
std::atomic<int> begun{0};

template <int Pools> int32_t copyKernel(WeirStep *step) {
  ++begun;
  static const std::vector<uint8_t> image = copyProgram(Pools);
  void *memory = weir_rt_output(step, 0, nullptr);
  WeirView out = {memory, nullptr, 0, WEIR_F32};
  return weir_rt_mxu_run(step, Pools ? "'slow'" : "'fast'", image.data(),
                         static_cast<int64_t>(image.size()), 1, step->feeds, 1,
                         &out);
}
constexpr int manyPools = 50;

/// A step that computes "y" on the accelerator from "x".
class AcceleratedStep {
public:
  explicit AcceleratedStep(const char *node, WeirEntryFn kernel) {
    std::string there = TableBuilder::device(0, "MXU");
    TableBuilder &host = spread.part(TableBuilder::device(0));
    TableBuilder &part = spread.part(there);
    spread.kinds = {&weir_device_kind_mxu};
    auto x = part.kernel(node, kernel, {part.feed("x")});
    part.fetch(x, "y");
    host.fetch(host.constant(1.0f), "one");
    session.emplace(spread);
  }

  SpreadBuilder spread;
  std::optional<TestSession> session;
};

WeirRunOptions deadline(int64_t milliseconds) {
  WeirRunOptions options = WEIR_RUN_OPTIONS_INIT;
  options.timeout_ms = milliseconds;
  return options;
}

/// The device that sessions on `step` use.
MxuDevice &deviceOf(AcceleratedStep &step) {
  rt::Device *device = nullptr;
  rt::Status found = rt::findDevice(TableBuilder::device(0, "MXU"),
                                    step.spread.program(), device);
  EXPECT_TRUE(found.ok()) << found.message();
  return *static_cast<MxuDevice *>(device);
}

void expectUsable() {
  AcceleratedStep fast("fast", copyKernel<0>);
  EXPECT_EQ(fast.session->run({2.5f}), WEIR_OK) << fast.session->message();
  EXPECT_EQ(fast.session->number(1), 2.5f);
}

TEST(InterruptedRun, MeetsItsDeadline) {
  AcceleratedStep slow("slow", copyKernel<manyPools>);
  for (int32_t threads : {1, 2}) {
    EXPECT_TRUE(withLongerDeadlines([&](int32_t time) {
      WeirRunOptions options = deadline(time);
      options.threads = threads;
      EXPECT_EQ(slow.session->run({1}, &options), WEIR_DEADLINE_EXCEEDED);
      EXPECT_TRUE(slow.session->says(
          "[WEIR0323] the step of entry 'step' has not ended within " +
          std::to_string(time) + " ms; "))
          << slow.session->message();
      return slow.session->says(" ms; 'slow' was running");
    })) << slow.session->message();
    expectUsable();
  }
}

TEST(InterruptedRun, IsCancelled) {
  AcceleratedStep slow("slow", copyKernel<manyPools>);
  WeirRunOptions options = WEIR_RUN_OPTIONS_INIT;
  options.cancellation = weir_cancellation_create();
  std::thread other([&, before = begun.load()] {
    while (begun == before)
      std::this_thread::yield();
    weir_cancellation_cancel(options.cancellation, "enough");
  });
  EXPECT_EQ(slow.session->run({1}, &options), WEIR_CANCELLED);
  other.join();
  weir_cancellation_destroy(options.cancellation);
  EXPECT_TRUE(slow.session->says("was cancelled: enough; 'slow' was running"))
      << slow.session->message();
  expectUsable();
}

/// Something else that runs on the device for as long as this lives.
class Occupation {
public:
  explicit Occupation(MxuDevice &device) : device(device) {
    std::future<void> hasBegun = begun.get_future();
    thread = std::thread([this] {
      float in = 1, out = 0;
      WeirMxuFigures figures;
      rt::Status status = this->device.run(
          image.data(), static_cast<int64_t>(image.size()),
          {{&in, nullptr, 0, WEIR_F32}}, {{&out, nullptr, 0, WEIR_F32}},
          [this] {
            if (!std::exchange(isAsked, true))
              begun.set_value();
            return !isOver;
          },
          figures);
      EXPECT_EQ(status.code(), WEIR_CANCELLED);
    });
    hasBegun.wait();
  }
  ~Occupation() {
    isOver = true;
    thread.join();
  }

private:
  MxuDevice &device;
  std::vector<uint8_t> image = copyProgram(manyPools);
  std::promise<void> begun;
  bool isAsked = false;
  std::atomic<bool> isOver{false};
  std::thread thread;
};

TEST(WaitForTheDevice, MeetsTheDeadline) {
  AcceleratedStep fast("fast", copyKernel<0>);
  {
    Occupation occupation(deviceOf(fast));
    EXPECT_TRUE(withLongerDeadlines([&](int32_t time) {
      WeirRunOptions options = deadline(time);
      EXPECT_EQ(fast.session->run({1}, &options), WEIR_DEADLINE_EXCEEDED);
      EXPECT_TRUE(fast.session->says("has not ended within "))
          << fast.session->message();
      return fast.session->says(" ms; 'fast' was running");
    })) << fast.session->message();
  }
  expectUsable();
}

TEST(WaitForTheDevice, IsCancelled) {
  AcceleratedStep fast("fast", copyKernel<0>);
  {
    Occupation occupation(deviceOf(fast));
    WeirRunOptions options = WEIR_RUN_OPTIONS_INIT;
    options.cancellation = weir_cancellation_create();
    std::thread other([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      weir_cancellation_cancel(options.cancellation, "enough");
    });
    EXPECT_EQ(fast.session->run({1}, &options), WEIR_CANCELLED);
    other.join();
    weir_cancellation_destroy(options.cancellation);
    EXPECT_TRUE(fast.session->says("was cancelled: enough"))
        << fast.session->message();
  }
  expectUsable();
}

// Who waits is served in the order of arrival; who gives up in the middle holds
// nobody up.
TEST(WaitForTheDevice, WhoGivesUpLeavesTheLine) {
  MxuDevice device("mxu", &machines[0]);
  std::vector<uint8_t> image = copyProgram(0);
  std::atomic<int> waiting{0};
  std::vector<int> ended;
  std::mutex mutex;
  std::vector<std::thread> threads;
  {
    Occupation occupation(device);
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&, i] {
        bool isCounted = false;
        float in = static_cast<float>(i), out = 0;
        WeirMxuFigures figures;
        rt::Status status = device.run(
            image.data(), static_cast<int64_t>(image.size()),
            {{&in, nullptr, 0, WEIR_F32}}, {{&out, nullptr, 0, WEIR_F32}},
            [&] {
              if (!std::exchange(isCounted, true))
                ++waiting;
              return i != 1;
            },
            figures);
        EXPECT_EQ(status.code(), i == 1 ? WEIR_CANCELLED : WEIR_OK);
        EXPECT_EQ(out, i == 1 ? 0.0f : in);
        std::lock_guard<std::mutex> lock(mutex);
        ended.push_back(i);
      });
      while (waiting <= i)
        std::this_thread::yield();
    }
    auto hasEnded = [&] {
      std::lock_guard<std::mutex> lock(mutex);
      return !ended.empty();
    };
    while (!hasEnded())
      std::this_thread::yield();
  }
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(ended.size(), 4u);
  EXPECT_EQ(ended.front(), 1);
}

// However large an instruction is, not much of it is done unasked.
TEST(InterruptedRun, AsksWithinInstructions) {
  const Machine &machine = machines[2];
  auto gemm = Convolution::matrix(4096, 256, 256);
  Random random(9);
  std::vector<uint8_t> image = buildImage(gemm.program(
      machine.array, random.bytes(256 * 256), random.requantize(256)));
  Program program;
  ASSERT_TRUE(
      readProgram(image.data(), static_cast<int64_t>(image.size()), program)
          .ok());
  Simulator simulator(machine);
  std::vector<uint8_t> in(4096 * 256), out(4096 * 256);
  int asked = 0;
  EXPECT_TRUE(simulator.run(program, {in.data(), out.data()}, nullptr, 4096,
                            [&] { return ++asked; }));
  // One instruction has 268 million products.
  EXPECT_GT(asked, 50);
  // A run that is ended there, and the next one.
  EXPECT_FALSE(simulator.run(program, {in.data(), out.data()}, nullptr, 4096,
                             [&] { return --asked > 20; }));
  EXPECT_EQ(asked, 20);
  std::vector<uint8_t> again(out.size());
  EXPECT_TRUE(simulator.run(program, {in.data(), again.data()}, nullptr, 4096,
                            [] { return true; }));
  EXPECT_EQ(out, again);
}

TEST(InterruptedCheck, IsAskedToo) {
  std::vector<uint8_t> image = copyProgram(1000);
  Program program;
  int asked = 0;
  EXPECT_EQ(readProgram(image.data(), static_cast<int64_t>(image.size()),
                        program, nullptr, [&] { return ++asked < 3; })
                .code(),
            WEIR_CANCELLED);
  EXPECT_EQ(asked, 3);
}

TEST(InterruptedCount, IsAskedToo) {
  auto gemm = Convolution::matrix(1, 8, 5);
  Random random(2);
  std::vector<uint8_t> image =
      buildImage(gemm.program(32, random.bytes(40), random.requantize(5)));
  Program program;
  ASSERT_TRUE(
      readProgram(image.data(), static_cast<int64_t>(image.size()), program)
          .ok());
  WeirMxuFigures figures;
  int asked = 0;
  EXPECT_FALSE(
      countCycles(program, 1 << 20, figures, [&] { return ++asked < 3; }));
  EXPECT_EQ(asked, 3);
}

} // namespace

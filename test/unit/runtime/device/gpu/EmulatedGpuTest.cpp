//===- EmulatedGpuTest.cpp - A GPU on the CPU -----------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/device/gpu/GpuDevice.h"

#include <cstring>
#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace weir::rt;

namespace {

constexpr const char *deviceName =
    "/job:localhost/replica:0/task:0/device:GPU:0";

/// Each thread adds the number of its block and its own to an element.
void addNumbers(const WeirGpuBlock *block, void *const *arguments) {
  int32_t *data = *static_cast<int32_t **>(arguments[0]);
  const int64_t count = *static_cast<int64_t *>(arguments[1]);
  auto *shared = static_cast<int32_t *>(block->shared);
  const int64_t number =
      (block->index[2] * block->grid[1] + block->index[1]) * block->grid[0] +
      block->index[0];
  for (int64_t t = 0; t < block->block[0]; ++t)
    shared[t] = static_cast<int32_t>(1000 * number + t);
  for (int64_t t = 0; t < block->block[0]; ++t)
    if (number * block->block[0] + t < count)
      data[number * block->block[0] + t] += shared[t];
}

class EmulatedGpuTest : public testing::Test {
protected:
  EmulatedGpuTest() {
    Status made = makeGpu(deviceName, 0, "emulate:1", owned);
    EXPECT_TRUE(made.ok()) << made.message();
    device = static_cast<GpuDevice *>(owned.get());
  }

  Status launch(std::vector<int64_t> grid, int64_t threads, void *memory,
                int64_t count, int32_t kernel = 0) {
    const WeirGpuKernelDesc kernels[] = {{"add", addNumbers},
                                         {"cuda_only", nullptr}};
    WeirGpuModule module = {};
    module.name = "code";
    module.kernels = kernels;
    module.kernel_count = 2;
    const int64_t block[3] = {threads, 1, 1};
    void *arguments[] = {&memory, &count};
    return device->run({module, kernel, grid.data(), block, 4 * threads,
                        arguments, "'add' at net.mlir:1"});
  }

  std::unique_ptr<Device> owned;
  GpuDevice *device;
};

TEST_F(EmulatedGpuTest, RunsAllBlocks) {
  void *memory = nullptr;
  ASSERT_TRUE(device->allocate(4 * 22, memory).ok());
  const std::vector<int32_t> zeros(22);
  ASSERT_TRUE(device->copyToDevice(memory, zeros.data(), 4 * 22).ok());
  ASSERT_TRUE(launch({3, 2, 1}, 4, memory, 22).ok());
  ASSERT_TRUE(device->synchronize().ok());
  std::vector<int32_t> result(22);
  ASSERT_TRUE(device->copyToHost(result.data(), memory, 4 * 22).ok());
  for (int32_t i = 0; i < 22; ++i)
    EXPECT_EQ(result[static_cast<size_t>(i)], i / 4 * 1000 + i % 4);
  device->release(memory);
}

TEST_F(EmulatedGpuTest, GridsOfNothingDoNothing) {
  EXPECT_TRUE(launch({0, 1, 1}, 4, nullptr, 8).ok());
  EXPECT_TRUE(launch({1, 0, 1}, 4, nullptr, 8).ok());
}

TEST_F(EmulatedGpuTest, RefusesGridsThatNoGpuTakes) {
  Status status = launch({int64_t(1) << 31, 1, 1}, 4, nullptr, 0);
  EXPECT_EQ(status.code(), WEIR_RESOURCE_EXHAUSTED);
  EXPECT_STREQ(status.message(),
               "[WEIR0432] 'add' at net.mlir:1: its result needs 2147483648 "
               "blocks of threads, more than a GPU takes at once");
  EXPECT_EQ(launch({1, 65536, 1}, 4, nullptr, 0).code(),
            WEIR_RESOURCE_EXHAUSTED);
}

TEST_F(EmulatedGpuTest, CodeForGpusOnly) {
  Status status = launch({1, 1, 1}, 4, nullptr, 0, 1);
  EXPECT_EQ(status.code(), WEIR_FAILED_PRECONDITION);
  EXPECT_NE(std::string(status.message()).find("[WEIR0431]"),
            std::string::npos);
}

TEST_F(EmulatedGpuTest, HasNoMoreMemoryThanItSays) {
  void *memory = nullptr, *more = nullptr;
  ASSERT_TRUE(device->allocate(1 << 19, memory).ok());
  Status status = device->allocate((1 << 19) + 1, more);
  EXPECT_EQ(status.code(), WEIR_RESOURCE_EXHAUSTED);
  EXPECT_EQ(std::string(status.message()),
            std::string("[WEIR0432] ") + deviceName +
                " has no room for 524289 bytes; 524288 are free");
  device->release(memory);
  EXPECT_TRUE(device->allocate(1 << 20, more).ok());
}

TEST_F(EmulatedGpuTest, CopiesWithinItsMemoryOnly) {
  void *memory = nullptr;
  ASSERT_TRUE(device->allocate(64, memory).ok());
  char host[128] = {};
  for (const Status &status :
       {device->copyToHost(host, host, 1), device->copyToDevice(host, host, 1),
        device->copyToHost(host, memory, 65),
        device->copyInside(host, memory, 1),
        device->copyInside(memory, host, 1)}) {
    EXPECT_EQ(status.code(), WEIR_INTERNAL);
    EXPECT_NE(std::string(status.message()).find("[WEIR0434]"),
              std::string::npos);
  }
  EXPECT_TRUE(device->copyToHost(host, nullptr, 0).ok());
}

/// As late as a real one may: code that does not wait is found.
TEST_F(EmulatedGpuTest, TransfersComeWhenSomethingWaits) {
  void *memory = nullptr;
  ASSERT_TRUE(device->allocate(8, memory).ok());
  ASSERT_TRUE(device->enqueueWrite(memory, 7, 8).ok());
  int64_t host = 0;
  GpuDevice::Event before = 0, after = 0;
  ASSERT_TRUE(device->record(WEIR_STREAM_TRANSFER, before).ok());
  ASSERT_TRUE(
      device->enqueueToHost(WEIR_STREAM_TRANSFER, &host, memory, 8).ok());
  ASSERT_TRUE(device->record(WEIR_STREAM_TRANSFER, after).ok());
  ASSERT_TRUE(device->synchronize(before).ok());
  EXPECT_EQ(host, 0);
  ASSERT_TRUE(device->synchronize(after).ok());
  EXPECT_EQ(host, 7);
  // So is code that gives memory back which a copy still reads.
  ASSERT_TRUE(
      device->enqueueToHost(WEIR_STREAM_TRANSFER, &host, memory, 8).ok());
  ASSERT_TRUE(device->record(WEIR_STREAM_TRANSFER, after).ok());
  device->release(memory);
  const Status status = device->synchronize(after);
  EXPECT_NE(std::string(status.message()).find("[WEIR0434]"),
            std::string::npos);
}

TEST(GpuOptions, OthersAreErrors) {
  std::unique_ptr<Device> device;
  for (const char *options : {"emulated", "emulate:", "emulate:0", "emulate:x",
                              "emulate:-1", "emulate:1x", "rocm"}) {
    Status status = makeGpu(deviceName, 0, options, device);
    EXPECT_EQ(status.code(), WEIR_INVALID_ARGUMENT) << options;
    EXPECT_NE(std::string(status.message()).find("[WEIR0436]"),
              std::string::npos)
        << options;
  }
}

} // namespace

//===- CudaDriverTest.cpp - What is asked of the driver of GPUs -----------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/device/gpu/CudaDriver.h"
#include "runtime/device/gpu/GpuDevice.h"
#include "test/unit/runtime/device/gpu/fake_cuda/FakeCuda.h"

#include <gtest/gtest.h>
#include <string>
#include <thread>
#include <vector>

using namespace weir::rt;

namespace {

constexpr const char *deviceName =
    "/job:localhost/replica:0/task:0/device:GPU:0";
constexpr const char *node = "'k' at net.mlir:1";

const WeirGpuKernelDesc kernels[] = {
    {"twice", nullptr}, {"fault", nullptr}, {"missing", nullptr}};
enum { twice, fault, missing };

WeirGpuModule moduleOf(const WeirGpuImage *image, const char *ptx = nullptr) {
  WeirGpuModule module = {};
  module.name = "code";
  module.images = image;
  module.image_count = image ? 1 : 0;
  module.ptx = ptx;
  module.kernels = kernels;
  module.kernel_count = 3;
  return module;
}

const WeirGpuImage cubin = {80, 0, "fake twice fault", 17};

class CudaDriver : public testing::Test {
protected:
  CudaDriver() {
    fakeCudaReset();
    used = fakeCudaUsedBytes();
    make();
    fakeCudaReset();
    open = fakeCudaOpenWork();
  }
  void TearDown() override {
    // What has failed is broken for good.
    if (device->synchronize().ok())
      EXPECT_EQ(fakeCudaUsedBytes(), used);
    fakeCudaReset();
  }

  void make() {
    Status made = makeGpu(deviceName, 0, "cuda", owned);
    ASSERT_TRUE(made.ok()) << made.message();
    device = static_cast<GpuDevice *>(owned.get());
  }

  Status launch(const WeirGpuModule &code, int32_t kernel,
                void *memory = nullptr, int64_t count = 0, int64_t shared = 0) {
    const int64_t one[] = {1, 1, 1};
    void *arguments[] = {&memory, &count};
    return device->run({code, kernel, one, one, shared, arguments, node});
  }

  /// What this device has not done yet; others may be there.
  int64_t openWork() { return fakeCudaOpenWork() - open; }

  void *allocate(int64_t bytes) {
    void *memory = nullptr;
    EXPECT_TRUE(device->allocate(bytes, memory).ok());
    return memory;
  }

  /// The error that `status` is, but for the name of the device.
  static std::string text(const Status &status) {
    std::string text = status.message();
    if (size_t at = text.find(deviceName); at != std::string::npos)
      text.replace(at, std::string(deviceName).size(), "GPU");
    return text;
  }

  int64_t used = 0, open = 0;
  std::unique_ptr<Device> owned;
  GpuDevice *device = nullptr;
  const WeirGpuModule code = moduleOf(&cubin);
};

TEST_F(CudaDriver, OnlyTheLastCopyWaits) {
  std::vector<int32_t> data(100, 7);
  void *memory = allocate(400);
  ASSERT_TRUE(device->copyToDevice(memory, data.data(), 400).ok());
  // The host may use its memory again at once.
  data.assign(100, 0);
  for (int i = 0; i < 2; ++i)
    ASSERT_TRUE(launch(code, twice, memory, 100).ok());
  EXPECT_EQ(fakeCudaCalls("cuEventSynchronize"), 0);
  EXPECT_EQ(openWork(), 3);
  ASSERT_TRUE(device->copyToHost(data.data(), memory, 400).ok());
  EXPECT_LE(fakeCudaCalls("cuEventSynchronize"), 1);
  for (int32_t i = 0; i < 100; ++i)
    EXPECT_EQ(data[static_cast<size_t>(i)], 28 + 3 * i);
  EXPECT_EQ(fakeCudaCalls("cuModuleLoadDataEx"), 1);
  device->release(memory);
}

TEST_F(CudaDriver, TransfersDoNotWaitForLaterKernels) {
  void *memory = allocate(8), *other = allocate(8);
  const int64_t seven = 7;
  ASSERT_TRUE(device->enqueueWrite(memory, 7, 8).ok());
  ASSERT_TRUE(device->enqueueWrite(other, 7, 8).ok());
  void *locked = nullptr;
  ASSERT_TRUE(device->hostAllocate(8, locked).ok());
  GpuDevice::Event copied = 0;
  ASSERT_TRUE(device->orderTransfer().ok());
  ASSERT_TRUE(
      device->enqueueToHost(WEIR_STREAM_TRANSFER, locked, memory, 8).ok());
  ASSERT_TRUE(device->record(WEIR_STREAM_TRANSFER, copied).ok());
  ASSERT_TRUE(launch(code, twice, other, 2).ok());
  ASSERT_TRUE(device->synchronize(copied).ok());
  EXPECT_EQ(*static_cast<int64_t *>(locked), seven);
  EXPECT_EQ(openWork(), 1);
  // Kernels that are to overwrite what is copied wait for it.
  ASSERT_TRUE(device->orderTransfer().ok());
  ASSERT_TRUE(
      device->enqueueToHost(WEIR_STREAM_TRANSFER, locked, memory, 8).ok());
  ASSERT_TRUE(device->record(WEIR_STREAM_TRANSFER, copied).ok());
  ASSERT_TRUE(device->wait(copied, WEIR_STREAM_COMPUTE).ok());
  ASSERT_TRUE(device->enqueueWrite(memory, 0, 8).ok());
  ASSERT_TRUE(device->synchronize().ok());
  EXPECT_EQ(*static_cast<int64_t *>(locked), seven);
  device->hostRelease(locked);
  device->release(memory);
  device->release(other);
}

TEST_F(CudaDriver, WritesOfAllSizes) {
  void *memory = allocate(16);
  const std::vector<char> ones(16, 1);
  ASSERT_TRUE(device->copyToDevice(memory, ones.data(), 16).ok());
  auto *at = static_cast<char *>(memory);
  ASSERT_TRUE(device->enqueueWrite(at + 1, 0xabcdef22, 1).ok());
  ASSERT_TRUE(device->enqueueWrite(at + 2, 0xabcd2222, 2).ok());
  ASSERT_TRUE(device->enqueueWrite(at + 4, 0x44444444, 4).ok());
  ASSERT_TRUE(device->enqueueWrite(at + 8, 0x8887868584838281, 8).ok());
  std::vector<char> result(16);
  ASSERT_TRUE(device->copyToHost(result.data(), memory, 16).ok());
  EXPECT_EQ(std::string(result.begin(), result.end()),
            "\x01\x22\x22\x22\x44\x44\x44\x44\x81\x82\x83\x84\x85\x86\x87\x88");
  device->release(memory);
}

TEST_F(CudaDriver, LargeCopiesNeedNoPageLockedMemory) {
  const int64_t bytes = 9 << 20;
  std::vector<char> data(static_cast<size_t>(bytes), 3);
  void *memory = allocate(bytes);
  ASSERT_TRUE(device->copyToDevice(memory, data.data(), bytes).ok());
  EXPECT_EQ(fakeCudaCalls("cuMemHostAlloc"), 0);
  data.assign(data.size(), 0);
  ASSERT_TRUE(device->copyToHost(data.data(), memory, bytes).ok());
  EXPECT_EQ(data, std::vector<char>(data.size(), 3));
  device->release(memory);
}

TEST_F(CudaDriver, StagingMemoryIsUsedAgain) {
  void *memory = allocate(1 << 20);
  std::vector<char> data(1 << 20);
  for (int i = 0; i < 50; ++i) {
    ASSERT_TRUE(device->copyToDevice(memory, data.data(), 1 << 20).ok());
    ASSERT_TRUE(device->synchronize().ok());
  }
  EXPECT_EQ(fakeCudaCalls("cuMemHostAlloc"), 1);
  // So are events.
  EXPECT_LE(fakeCudaCalls("cuEventCreate"), 4);
  device->release(memory);
}

TEST_F(CudaDriver, EachThreadMakesTheContextItsOwn) {
  void *memory = allocate(4);
  std::thread([&] {
    const int32_t seven = 7;
    EXPECT_TRUE(device->copyToDevice(memory, &seven, 4).ok());
    EXPECT_TRUE(launch(code, twice, memory, 1).ok());
    EXPECT_TRUE(device->synchronize().ok());
  }).join();
  int32_t result = 0;
  ASSERT_TRUE(device->copyToHost(&result, memory, 4).ok());
  EXPECT_EQ(result, 14);
  device->release(memory);
}

TEST_F(CudaDriver, LargeSharedMemoryIsAskedFor) {
  void *memory = allocate(4);
  ASSERT_TRUE(launch(code, twice, memory, 1, 48 * 1024).ok());
  EXPECT_EQ(fakeCudaCalls("cuFuncSetAttribute"), 0);
  const WeirGpuModule other = moduleOf(&cubin);
  ASSERT_TRUE(launch(other, twice, memory, 1, 48 * 1024 + 1).ok());
  EXPECT_EQ(fakeCudaCalls("cuFuncSetAttribute"), 1);
  device->release(memory);
}

TEST_F(CudaDriver, TakesTheImageOfItsArchitecture) {
  const WeirGpuImage specific = {90, 1, "not a cubin", 11};
  EXPECT_NE(text(launch(moduleOf(&specific), twice)).find("[WEIR0435]"),
            std::string::npos);
  // Another generation's is of no use, but PTX is.
  const WeirGpuImage older = {70, 0, "not a cubin", 11};
  void *memory = allocate(4);
  const WeirGpuModule withPtx = moduleOf(&older, ".version 8.0 twice");
  EXPECT_TRUE(launch(withPtx, twice, memory, 1).ok());
  device->release(memory);
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

TEST_F(CudaDriver, CallsThatFail) {
  void *memory = allocate(8);
  int64_t host = 0;
  GpuDevice::Event event = 0;
  struct {
    const char *call, *said;
    std::function<Status()> run;
  } const cases[] = {
      {"cuCtxSetCurrent", "cuCtxSetCurrent",
       [&] { return device->synchronize(); }},
      {"cuLaunchKernel", "cuLaunchKernel", [&] { return launch(code, twice); }},
      {"cuMemcpyDtoHAsync_v2", "cuMemcpyDtoHAsync",
       [&] { return device->copyToHost(&host, memory, 8); }},
      {"cuMemcpyHtoDAsync_v2", "cuMemcpyHtoDAsync",
       [&] { return device->copyToDevice(memory, &host, 8); }},
      {"cuMemcpyDtoDAsync_v2", "cuMemcpyDtoDAsync",
       [&] { return device->copyInside(memory, memory, 8); }},
      {"cuMemsetD32Async", "cuMemsetD32Async",
       [&] { return device->enqueueWrite(memory, 1, 8); }},
      {"cuEventRecord", "cuEventRecord",
       [&] { return device->record(WEIR_STREAM_COMPUTE, event); }},
      {"cuStreamWaitEvent", "cuStreamWaitEvent",
       [&] {
         Status status = launch(code, twice, memory, 1);
         return status.ok() ? device->orderTransfer() : std::move(status);
       }},
      {"cuEventSynchronize", "work on it",
       [&] {
         Status status = launch(code, twice, memory, 1);
         return status.ok() ? device->synchronize() : std::move(status);
       }},
  };
  for (const auto &failing : cases) {
    fakeCudaFail(failing.call, fakeInvalidValue);
    const Status status = failing.run();
    EXPECT_EQ(status.code(), WEIR_INTERNAL) << failing.call;
    std::string expected = std::string("[WEIR0433] ") +
                           (failing.said == std::string("cuLaunchKernel")
                                ? std::string(node) + ": "
                                : std::string()) +
                           "GPU: " + failing.said +
                           " failed (CUDA_ERROR_INVALID_VALUE)";
    EXPECT_EQ(text(status), expected);
    // It was that call only.
    EXPECT_TRUE(device->synchronize().ok()) << failing.call;
  }
  device->release(memory);
}

TEST_F(CudaDriver, CodeThatDoesNotLoad) {
  const WeirGpuImage bad = {80, 0, "not a cubin", 11};
  const WeirGpuModule broken = moduleOf(&bad);
  EXPECT_EQ(text(launch(broken, twice)),
            "[WEIR0433] GPU: cuModuleLoadDataEx failed "
            "(CUDA_ERROR_INVALID_IMAGE)");
  EXPECT_EQ(text(launch(code, missing)),
            "[WEIR0433] GPU: cuModuleGetFunction failed "
            "(CUDA_ERROR_NOT_FOUND)");
}

TEST_F(CudaDriver, ErrorsWithoutAName) {
  fakeCudaFail("cuLaunchKernel", 12345);
  EXPECT_NE(text(launch(code, twice)).find("cuLaunchKernel failed (?)"),
            std::string::npos);
}

TEST_F(CudaDriver, KernelsThatFaultFailWhereTheHostWaits) {
  ASSERT_TRUE(launch(code, fault).ok());
  const std::string expected =
      "[WEIR0433] GPU: work on it failed (CUDA_ERROR_ILLEGAL_ADDRESS)";
  Status status = device->synchronize();
  EXPECT_EQ(status.code(), WEIR_INTERNAL);
  EXPECT_EQ(text(status), expected);
  // The GPU is of no use to this process any more.
  EXPECT_NE(text(launch(code, twice)).find("CUDA_ERROR_ILLEGAL_ADDRESS"),
            std::string::npos);
}

TEST_F(CudaDriver, MemoryThatIsNotThere) {
  void *memory = nullptr;
  Status status = device->allocate(int64_t(1) << 40, memory);
  EXPECT_EQ(status.code(), WEIR_RESOURCE_EXHAUSTED);
  EXPECT_EQ(text(status), "[WEIR0432] GPU has no room for 1099511627776 bytes; "
                          "1073741824 of 1073741824 are free");
  EXPECT_EQ(device->allocate(-1, memory).code(), WEIR_RESOURCE_EXHAUSTED);
  fakeCudaFail("cuMemHostAlloc", fakeOutOfMemory);
  status = device->hostAllocate(1 << 16, memory);
  EXPECT_EQ(text(status), "[WEIR0432] the host has no room for 65536 "
                          "page-locked bytes for copies of GPU");
  // Copies do without.
  fakeCudaFail("cuMemHostAlloc", fakeOutOfMemory);
  std::vector<char> data(1 << 17, 5);
  memory = allocate(1 << 17);
  EXPECT_TRUE(device->copyToDevice(memory, data.data(), 1 << 17).ok());
  device->release(memory);
}

TEST_F(CudaDriver, DevicesThatDoNotStart) {
  for (const char *call :
       {"cuDeviceGet", "cuDeviceGetAttribute", "cuDevicePrimaryCtxRetain",
        "cuStreamCreate", "cuDeviceGetDefaultMemPool",
        "cuMemPoolSetAttribute"}) {
    std::unique_ptr<Device> other;
    fakeCudaFail(call, fakeInvalidValue);
    EXPECT_EQ(text(makeGpu(deviceName, 0, "cuda", other)),
              std::string("[WEIR0433] GPU: ") + call +
                  " failed (CUDA_ERROR_INVALID_VALUE)");
  }
  std::unique_ptr<Device> other;
  EXPECT_EQ(text(makeGpu(deviceName, 1, "cuda", other)),
            "[WEIR0430] GPU is not there: this machine has 1 GPUs, numbered "
            "from 0");
}

/// The driver is opened once for a process, so that these have one each.
[[noreturn]] void openIn(const char *failing, int result) {
  fakeCudaFail(failing, result);
  const cuda::Driver *driver = nullptr;
  const Status status = cuda::Driver::open(driver);
  std::fprintf(stderr, "%s\n", status.message());
  std::exit(status.ok() ? 0 : status.code());
}

TEST(CudaDriverDeathTest, DriverThatDoesNotStart) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(openIn("cuInit", fakeNoDevice),
              testing::ExitedWithCode(WEIR_FAILED_PRECONDITION),
              "WEIR0430.*the driver does not start .CUDA_ERROR_NO_DEVICE.");
  EXPECT_EXIT(openIn("cuDeviceGetCount", fakeNoDevice),
              testing::ExitedWithCode(WEIR_FAILED_PRECONDITION),
              "WEIR0430.*the driver finds none");
}

} // namespace

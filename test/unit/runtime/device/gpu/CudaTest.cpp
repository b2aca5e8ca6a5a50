//===- CudaTest.cpp - A GPU of this machine -------------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/device/gpu/GpuDevice.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace weir::rt;

namespace {

constexpr const char *deviceName =
    "/job:localhost/replica:0/task:0/device:GPU:0";

/// data[i] = 2 * data[i] + i of the first `count` elements, blocks of 32.
constexpr const char *ptx = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry twice(.param .u64 data, .param .u64 count) {
  .reg .pred %p;
  .reg .b32 %r<5>;
  .reg .b64 %d<5>;
  ld.param.u64 %d0, [data];
  ld.param.u64 %d1, [count];
  mov.u32 %r0, %ctaid.x;
  mov.u32 %r1, %tid.x;
  mad.lo.s32 %r2, %r0, 32, %r1;
  cvt.u64.u32 %d2, %r2;
  setp.ge.u64 %p, %d2, %d1;
  @%p bra END;
  cvta.to.global.u64 %d0, %d0;
  shl.b64 %d3, %d2, 2;
  add.s64 %d4, %d0, %d3;
  ld.global.u32 %r3, [%d4];
  mad.lo.s32 %r4, %r3, 2, %r2;
  st.global.u32 [%d4], %r4;
END:
  ret;
})";

TEST(Cuda, RunsKernels) {
  std::unique_ptr<Device> owned;
  Status made = makeGpu(deviceName, 0, "cuda", owned);
  if (!made.ok())
    GTEST_SKIP() << made.message();
  auto *device = static_cast<GpuDevice *>(owned.get());
  void *memory = nullptr;
  int64_t count = 100;
  ASSERT_TRUE(device->allocate(4 * count, memory).ok());
  std::vector<int32_t> data(100, 7);
  ASSERT_TRUE(device->copyToDevice(memory, data.data(), 4 * count).ok());
  const WeirGpuKernelDesc kernels[] = {{"twice", nullptr}};
  WeirGpuModule module = {};
  module.name = "code";
  module.ptx = ptx;
  module.kernels = kernels;
  module.kernel_count = 1;
  const int64_t grid[] = {4, 1, 1}, block[] = {32, 1, 1};
  void *arguments[] = {&memory, &count};
  for (int i = 0; i < 2; ++i) {
    Status status = device->run(
        {module, 0, grid, block, 0, arguments, "'twice' at net.mlir:1"});
    ASSERT_TRUE(status.ok()) << status.message();
  }
  ASSERT_TRUE(device->synchronize().ok());
  ASSERT_TRUE(device->copyToHost(data.data(), memory, 4 * count).ok());
  for (int32_t i = 0; i < 100; ++i)
    EXPECT_EQ(data[static_cast<size_t>(i)], 28 + 3 * i);
  device->release(memory);
  Status status = device->allocate(int64_t(1) << 60, memory);
  EXPECT_EQ(status.code(), WEIR_RESOURCE_EXHAUSTED);
}

TEST(Cuda, CodeForOtherArchitectures) {
  std::unique_ptr<Device> owned;
  Status made = makeGpu(deviceName, 0, "", owned);
  if (!made.ok())
    GTEST_SKIP() << made.message();
  const WeirGpuKernelDesc kernels[] = {{"twice", nullptr}};
  WeirGpuModule module = {};
  module.kernels = kernels;
  module.kernel_count = 1;
  const int64_t one[] = {1, 1, 1};
  Status status = static_cast<GpuDevice *>(owned.get())
                      ->run({module, 0, one, one, 0, nullptr, "'k'"});
  EXPECT_NE(std::string(status.message()).find("[WEIR0435]"),
            std::string::npos);
}

TEST(Cuda, SaysWhatIsMissing) {
  // A number that no machine has; or there is no driver at all.
  std::unique_ptr<Device> device;
  Status status = makeGpu("/job:localhost/replica:0/task:0/device:GPU:4096",
                          4096, "cuda", device);
  ASSERT_FALSE(status.ok());
  EXPECT_NE(std::string(status.message()).find("[WEIR0430]"),
            std::string::npos);
}

} // namespace

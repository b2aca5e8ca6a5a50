//===- DeviceTest.cpp -----------------------------------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/device/mxu/MxuDevice.h"

#include "test/unit/runtime/device/mxu/Assemble.h"
#include "gtest/gtest.h"

#include <thread>

using namespace weir::mxu;
using namespace weir::mxu::test;
using weir::rt::Device;
using weir::rt::Status;

namespace {

constexpr const char *deviceName =
    "/job:localhost/replica:0/task:0/device:MXU:0";

class DeviceTest : public testing::Test {
protected:
  DeviceTest() {
    Status made = weir_device_kind_mxu.create(deviceName, 0, "32x32", owned);
    EXPECT_TRUE(made.ok()) << made.message();
    device = static_cast<MxuDevice *>(owned.get());
    Random random(1);
    k = random.bytes(8 * 5);
    requantize = random.requantize(5);
    x = random.bytes(6 * 8);
    image = buildImage(gemm.program(32, k, requantize));
  }

  /// The error of a run on `rows` rows, or "".
  std::string run(int64_t rows, int64_t columns = 8, int32_t dtype = WEIR_I8) {
    void *in, *out;
    EXPECT_TRUE(device->allocate(rows * columns * 4, in).ok());
    EXPECT_TRUE(device->allocate(rows * 5, out).ok());
    if (columns == 8 && rows <= 6)
      EXPECT_TRUE(device->copyToDevice(in, x.data(), rows * columns).ok());
    int64_t inDims[] = {rows, columns}, outDims[] = {rows, 5};
    Status status = device->run(
        image.data(), int64_t(image.size()), {{in, inDims, 2, dtype}},
        {{out, outDims, 2, WEIR_I8}}, [] { return true; }, figures);
    y.assign(size_t(rows * 5), 0);
    EXPECT_TRUE(device->copyToHost(y.data(), out, rows * 5).ok());
    device->release(in);
    device->release(out);
    return status.message();
  }

  std::unique_ptr<Device> owned;
  MxuDevice *device;
  Convolution gemm = Convolution::matrix(2, 8, 5);
  std::vector<int8_t> k, x, y;
  Requantize requantize;
  std::vector<uint8_t> image;
  WeirMxuFigures figures;
};

void expectError(const std::string &got, const char *expected) {
  EXPECT_NE(got.find(expected), std::string::npos)
      << "got: " << got << "\nexpected: " << expected;
}

TEST_F(DeviceTest, RunsRowsOfAnyNumber) {
  for (int64_t rows : {2, 6, 4, 0}) {
    EXPECT_EQ(run(rows), "");
    std::vector<int8_t> part(x.begin(), x.begin() + rows * 8);
    EXPECT_EQ(y, gemm.compute(part, rows, k, requantize));
    EXPECT_EQ(figures.macs, rows * 8 * 5);
  }
}

TEST_F(DeviceTest, RowsThatNoLoopTakes) {
  expectError(run(5), "[WEIR0446] the loops of the program leave 1 of 5 rows");
}

TEST_F(DeviceTest, TensorsThatAreNotThoseOfTheProgram) {
  expectError(run(2, 9), "[WEIR0445] entry 0 of the program is rows of 8 bytes "
                         "with elements of 1, got tensor<2x9xi8>");
  expectError(run(2, 2, WEIR_I32), "[WEIR0445]");
  Status status = device->run(
      image.data(), int64_t(image.size()), {}, {}, [] { return true; },
      figures);
  expectError(status.message(), "[WEIR0445] the program has 1 inputs and 1 "
                                "outputs, got 0 and 0");
  // The rows of input and output differ.
  int64_t inDims[] = {2, 8}, outDims[] = {4, 5};
  status = device->run(
      image.data(), int64_t(image.size()), {{x.data(), inDims, 2, WEIR_I8}},
      {{x.data(), outDims, 2, WEIR_I8}}, [] { return true; }, figures);
  expectError(status.message(), "[WEIR0445] entry 1 of the program is 2 rows");
}

TEST_F(DeviceTest, ProgramsForAnotherArray) {
  image = buildImage(gemm.program(128, k, requantize));
  expectError(run(2), "[WEIR0441] the program is for an array of 128, and "
                      "/job:localhost/replica:0/task:0/device:MXU:0 has one of "
                      "32");
}

TEST_F(DeviceTest, BecomesWhatItsFirstProgramIsFor) {
  ASSERT_TRUE(weir_device_kind_mxu.create(deviceName, 0, "", owned).ok());
  device = static_cast<MxuDevice *>(owned.get());
  // A program that cannot run decides nothing.
  std::vector<uint8_t> small = image;
  image = buildImage(gemm.program(128, k, requantize));
  expectError(run(5), "[WEIR0446]");
  image = std::move(small);
  EXPECT_EQ(run(6), "");
  EXPECT_EQ(y, gemm.compute(x, 6, k, requantize));
  image = buildImage(gemm.program(128, k, requantize));
  expectError(run(2), "[WEIR0441] the program is for an array of 128, and "
                      "/job:localhost/replica:0/task:0/device:MXU:0 has one of "
                      "32, as the first program that ran on it was compiled "
                      "for");
}

TEST_F(DeviceTest, DamagedPrograms) {
  image[100] ^= 1;
  expectError(run(2), "[WEIR0440]");
  image[100] ^= 1;
  EXPECT_EQ(run(2), "");
}

TEST_F(DeviceTest, AnotherProgramInTheSamePlace) {
  EXPECT_EQ(run(6), "");
  std::vector<int8_t> before = y;
  requantize.bias[0] ^= 1 << 20;
  std::vector<uint8_t> other = buildImage(gemm.program(32, k, requantize));
  ASSERT_EQ(other.size(), image.size());
  std::copy(other.begin(), other.end(), image.begin());
  EXPECT_EQ(run(6), "");
  EXPECT_EQ(y, gemm.compute(x, 6, k, requantize));
}

TEST_F(DeviceTest, MemoryHasAnEnd) {
  void *memory;
  EXPECT_TRUE(device->allocate(0, memory).ok());
  EXPECT_NE(memory, nullptr);
  EXPECT_EQ(device->bytesInUse(), 64);
  void *none;
  Status status = device->allocate(dramBytes, none);
  EXPECT_EQ(status.code(), WEIR_RESOURCE_EXHAUSTED);
  expectError(status.message(),
              "[WEIR0447] /job:localhost/replica:0/task:0/device:MXU:0 has no "
              "8589934592 bytes of memory: 8589934528 of 8589934592 are free");
  device->release(memory);
  device->release(nullptr);
  EXPECT_EQ(device->bytesInUse(), 0);
}

TEST_F(DeviceTest, RunsThatAreNotToGoOn) {
  int64_t inDims[] = {4096, 8}, outDims[] = {4096, 5};
  std::vector<int8_t> in(4096 * 8), out(4096 * 5);
  int asked = 0;
  Status status = device->run(
      image.data(), int64_t(image.size()), {{in.data(), inDims, 2, WEIR_I8}},
      {{out.data(), outDims, 2, WEIR_I8}}, [&] { return ++asked < 3; },
      figures);
  EXPECT_EQ(status.code(), WEIR_CANCELLED);
  EXPECT_EQ(asked, 3);
  // Nothing of it is left.
  EXPECT_EQ(device->bytesInUse(), 0);
  EXPECT_EQ(run(6), "");
  EXPECT_EQ(y, gemm.compute(x, 6, k, requantize));
}

TEST_F(DeviceTest, SeveralThreads) {
  auto expected = gemm.compute(x, 6, k, requantize);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int j = 0; j < 20; ++j) {
        int64_t inDims[] = {6, 8}, outDims[] = {6, 5};
        std::vector<int8_t> in = x, out(6 * 5);
        WeirMxuFigures own;
        Status status = device->run(
            image.data(), int64_t(image.size()),
            {{in.data(), inDims, 2, WEIR_I8}},
            {{out.data(), outDims, 2, WEIR_I8}}, [] { return true; }, own);
        EXPECT_TRUE(status.ok()) << status.message();
        EXPECT_EQ(out, expected);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST(DeviceOptionsTest, Machines) {
  const Machine *machine;
  EXPECT_TRUE(parseMachine("128x128", machine).ok());
  EXPECT_EQ(machine->array, 128);
  EXPECT_TRUE(parseMachine("256x256", machine).ok());
  EXPECT_EQ(machine->array, 256);
  expectError(parseMachine("48x48", machine).message(),
              "[WEIR0448] there is no accelerator '48x48'; there are 32x32, "
              "128x128 and 256x256");
}

} // namespace

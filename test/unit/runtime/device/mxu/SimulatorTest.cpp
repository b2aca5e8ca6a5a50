//===- SimulatorTest.cpp --------------------------------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/device/mxu/Simulator.h"

#include "test/unit/runtime/device/mxu/Assemble.h"
#include "gtest/gtest.h"

#include <algorithm>

using namespace weir::mxu;
using namespace weir::mxu::test;

namespace {

class SimulatorTest : public testing::TestWithParam<int64_t> {
protected:
  /// Runs a program on one input and one output of `outputBytes`.
  static std::vector<int8_t> run(const ImageParts &parts,
                                 const std::vector<int8_t> &x, int64_t rows,
                                 size_t outputBytes) {
    std::vector<uint8_t> image = buildImage(parts);
    Program program;
    weir::rt::Status status =
        readProgram(image.data(), static_cast<int64_t>(image.size()), program);
    EXPECT_TRUE(status.ok()) << status.message();
    std::vector<int8_t> y(outputBytes);
    if (!status.ok())
      return y;
    std::vector<uint8_t> in(x.begin(), x.end());
    static std::unique_ptr<Simulator> simulators[3];
    auto &simulator = simulators[program.machine - machines];
    if (!simulator)
      simulator = std::make_unique<Simulator>(*program.machine);
    EXPECT_TRUE(simulator->run(
        program, {in.data(), reinterpret_cast<uint8_t *>(y.data())}, nullptr,
        rows, [] { return true; }));
    return y;
  }

  static void check(const Convolution &convolution, int64_t rounds,
                    Random &random) {
    const Window &w = convolution.window;
    int64_t rows = rounds * w.images;
    auto x = random.bytes(rows * w.height * w.width * w.channels);
    auto k = random.bytes(w.depth() * convolution.outputs);
    Requantize r = random.requantize(convolution.outputs);
    auto expected = convolution.compute(x, rows, k, r);
    auto got =
        run(convolution.program(GetParam(), k, r), x, rows, expected.size());
    ASSERT_EQ(got, expected) << "images " << w.images << " of " << w.height
                             << 'x' << w.width << 'x' << w.channels;
  }
};

TEST_P(SimulatorTest, RandomMatrices) {
  Random random(1);
  for (int i = 0; i < 12; ++i)
    check(Convolution::matrix(random.in(1, 70), random.in(1, 300),
                              random.in(1, 280)),
          random.in(0, 2), random);
}

TEST_P(SimulatorTest, RandomConvolutions) {
  Random random(2);
  for (int i = 0; i < 25; ++i)
    check(Convolution::random(random, GetParam()), random.in(1, 2), random);
}

TEST_P(SimulatorTest, EveryProductAtItsLargest) {
  // 255 * -128 in each place: sums as large as they get.
  auto c = Convolution::matrix(3, 513, 17);
  std::vector<int8_t> x(3 * 513, 127), k(513 * 17, -128);
  Requantize r{-128,
               0,
               -128,
               127,
               std::vector<int32_t>(17, 0),
               std::vector<int32_t>(17, 1),
               std::vector<int32_t>(17, 18)};
  EXPECT_EQ(run(c.program(GetParam(), k, r), x, 3, 3 * 17),
            c.compute(x, 3, k, r));
}

/// The largest of what the positions of `w` read, of `channels` each.
std::vector<int8_t> largest(const Window &w, int64_t channels,
                            const std::vector<int8_t> &x) {
  std::vector<int8_t> all;
  for (int64_t p = 0; p < w.positions(); ++p)
    for (int64_t c = 0; c < channels; ++c) {
      int64_t j = p % w.outWidth, y = p / w.outWidth % w.outHeight,
              n = p / (int64_t(w.outHeight) * w.outWidth);
      int8_t most = -128;
      for (int64_t a = 0; a < w.kernelHeight; ++a)
        for (int64_t b = 0; b < w.kernelWidth; ++b) {
          int64_t line = y * w.strideHeight + a * w.dilationHeight - w.padTop,
                  column = j * w.strideWidth + b * w.dilationWidth - w.padLeft;
          if (line >= 0 && line < w.height && column >= 0 && column < w.width)
            most = std::max(
                most,
                x[static_cast<size_t>(
                    ((n * w.height + line) * w.width + column) * channels +
                    c)]);
        }
      all.push_back(most);
    }
  return all;
}

TEST_P(SimulatorTest, Pools) {
  Random random(3);
  int64_t array = GetParam();
  for (int i = 0; i < 20; ++i) {
    Window w = Convolution::random(random, array).window;
    w.channels = static_cast<uint32_t>(random.in(1, array));
    ImageParts parts;
    parts.array = array;
    parts.windows.push_back(w);
    int64_t in = int64_t(w.height) * w.width * w.channels,
            out = int64_t(w.outHeight) * w.outWidth * w.channels;
    parts.entries = {tensor(false, 1, in, true, dynamicRows),
                     tensor(true, 1, out, true, dynamicRows)};
    parts.instructions =
        inLoop(w.images, {make(Opcode::lda, {{"space", 2},
                                             {"stride", w.channels},
                                             {"lanes", w.channels},
                                             {"rows", w.plane()},
                                             {"ub", 3}}),
                          make(Opcode::pool, {{"source", 3},
                                              {"ub", 3 + w.plane()},
                                              {"rows", w.positions()},
                                              {"window", 0},
                                              {"first", 0}}),
                          make(Opcode::sta, {{"space", 3},
                                             {"stride", w.channels},
                                             {"lanes", w.channels},
                                             {"rows", w.positions()},
                                             {"ub", 3 + w.plane()}})});
    auto x = random.bytes(in * w.images);
    auto expected = largest(w, w.channels, x);
    ASSERT_EQ(run(parts, x, w.images, expected.size()), expected);
  }
}

// A matrix product whose sums are the places of images, pooled on their way.
TEST_P(SimulatorTest, PoolsOfSums) {
  Random random(6);
  int64_t array = GetParam();
  for (int i = 0; i < 20; ++i) {
    Window w = Convolution::random(random, array).window;
    int64_t depth = random.in(1, 9), outputs = random.in(1, 20);
    auto gemm = Convolution::matrix(w.plane(), depth, outputs);
    auto x = random.bytes(w.plane() * depth), k = random.bytes(depth * outputs);
    Requantize r = random.requantize(outputs);
    auto expected = largest(w, outputs, gemm.compute(x, w.plane(), k, r));
    ImageParts parts = gemm.program(array, k, r);
    parts.windows.push_back(w);
    parts.entries = {
        tensor(false, 1, w.plane() * depth, true, dynamicRows),
        tensor(true, 1, w.positions() * outputs, true, dynamicRows)};
    for (Instruction &instruction : parts.instructions) {
      if (instruction.opcode() == Opcode::loop)
        instruction.set("images", 1);
      if (instruction.opcode() == Opcode::sta)
        instruction.set("rows", w.positions());
      if (instruction.opcode() != Opcode::act)
        continue;
      Instruction pooled(Opcode::actp);
      pooled.setTokens(instruction.waits(), instruction.signals());
      for (const char *field : {"acc", "ub", "param", "zero", "min", "max"})
        pooled.set(field, instruction.get(field));
      pooled.set("window", 1).set("rows", w.positions());
      instruction = pooled;
    }
    ASSERT_EQ(run(parts, x, 1, expected.size()), expected);
  }
}

INSTANTIATE_TEST_SUITE_P(Arrays, SimulatorTest, testing::Values(32, 128, 256));

} // namespace

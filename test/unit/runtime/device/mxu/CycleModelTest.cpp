//===- CycleModelTest.cpp -------------------------------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/device/mxu/CycleModel.h"

#include "test/unit/runtime/device/mxu/Assemble.h"
#include "gtest/gtest.h"

using namespace weir::mxu;
using namespace weir::mxu::test;

namespace {

WeirMxuFigures count(const ImageParts &parts, int64_t rows) {
  std::vector<uint8_t> image = buildImage(parts);
  Program program;
  weir::rt::Status status =
      readProgram(image.data(), static_cast<int64_t>(image.size()), program);
  EXPECT_TRUE(status.ok()) << status.message();
  WeirMxuFigures figures = {};
  if (status.ok())
    EXPECT_TRUE(countCycles(program, rows, figures));
  return figures;
}

WeirMxuFigures countGemm(int64_t m, int64_t n, int64_t k, int64_t array) {
  auto gemm = Convolution::matrix(m, k, n);
  Random random(4);
  return count(gemm.program(array, std::vector<int8_t>(size_t(k * n)),
                            random.requantize(n)),
               m);
}

/// What SCALE-Sim v2 counts for weight-stationary dataflow, without stalls.
int64_t scaleSim(int64_t m, int64_t n, int64_t k, int64_t array) {
  return (k + array - 1) / array * ((n + array - 1) / array) *
             (3 * array + m - 2) -
         1;
}

// Cycles that scale-sim-v2 printed (topology GEMM, InterfaceBandwidth CALC,
// weight-stationary) for (M, N, K) on arrays of 32x32 and 128x128.
TEST(CycleModelTest, SystolicPartEqualsScaleSim) {
  const struct {
    int64_t m, n, k, on32, on128;
  } goldens[] = {{128, 64, 256, 3551, 1019},
                 {256, 256, 2048, 179199, 20415},
                 {100, 100, 100, 3103, 481},
                 {64, 128, 512, 10111, 1783},
                 {512, 512, 512, 155135, 14303}};
  for (const auto &g : goldens) {
    EXPECT_EQ(countGemm(g.m, g.n, g.k, 32).serial_systolic_cycles, g.on32);
    EXPECT_EQ(countGemm(g.m, g.n, g.k, 128).serial_systolic_cycles, g.on128);
  }
}

TEST(CycleModelTest, SystolicPartEqualsTheClosedForm) {
  Random random(5);
  for (int i = 0; i < 60; ++i) {
    int64_t m = random.in(1, 1000), n = random.in(1, 700),
            k = random.in(1, 700), array = machines[random.in(0, 2)].array;
    WeirMxuFigures f = countGemm(m, n, k, array);
    EXPECT_EQ(f.serial_systolic_cycles, scaleSim(m, n, k, array));
    EXPECT_EQ(f.macs, m * n * k);
  }
}

TEST(CycleModelTest, EveryCycleOfTheMatrixUnitHasACause) {
  Random random(6);
  for (int i = 0; i < 40; ++i) {
    WeirMxuFigures f = countGemm(random.in(1, 900), random.in(1, 400),
                                 random.in(1, 400), machines[i % 3].array);
    EXPECT_EQ(f.matrix_cycles + f.wait_weights + f.wait_load + f.wait_vector +
                  f.wait_store + f.wait_issue + f.drain,
              f.cycles);
    EXPECT_GE(f.cycles, f.matrix_cycles);
  }
}

/// Tiles one after the other from the queue of weights, `rows` rows each.
ImageParts streamTiles(int64_t array, int64_t tiles, int64_t rows) {
  ImageParts parts;
  parts.array = array;
  parts.weights.resize(static_cast<size_t>(array * array));
  for (int64_t i = 0; i < tiles; ++i) {
    parts.instructions.push_back(make(
        Opcode::ldw,
        {{"space", 0}, {"stride", array}, {"lanes", array}, {"rows", array}}));
    parts.instructions.push_back(make(Opcode::mxw));
    parts.instructions.push_back(
        make(Opcode::mm, {{"rows", rows}, {"swap", 1}}));
  }
  parts.instructions.push_back(make(Opcode::halt));
  return parts;
}

TEST(CycleModelTest, WeightsAreShiftedInBehindTheRows) {
  // A tile takes 128 * 128 / 64 = 256 cycles to load, 128 to shift in. With
  // 1024 rows for each, only the first is waited for.
  WeirMxuFigures f = count(streamTiles(128, 10, 1024), 1);
  EXPECT_EQ(f.wait_weights, 256 + 100 + 128);
  EXPECT_EQ(f.matrix_cycles, 10 * 1024);
  EXPECT_EQ(f.drain, 2 * 128 - 2);
  EXPECT_EQ(f.cycles, 256 + 100 + 128 + 10 * 1024 + 2 * 128 - 2);
}

TEST(CycleModelTest, FewRowsWaitForTheWeightsMemory) {
  // The first TPU: 65536 bytes at 48.6 a cycle are 1349 cycles, for 200 rows:
  // 14.8 % (the paper has 12.7 % for its MLP0, with unpublished layers).
  WeirMxuFigures f = count(streamTiles(256, 100, 200), 1);
  double active = double(f.matrix_cycles) / double(f.cycles);
  EXPECT_NEAR(active, 200.0 / 1349, 0.003);
  EXPECT_GT(f.wait_weights, 80 * f.cycles / 100);
}

TEST(CycleModelTest, WaitsGoByTheLastTokenThatArrived) {
  ImageParts parts;
  parts.array = 32;
  parts.entries = {tensor(false, 1, 32, true, dynamicRows)};
  parts.instructions = inLoop(
      64, {make(Opcode::lda,
                {{"space", 2}, {"stride", 32}, {"lanes", 32}, {"rows", 64}}),
           make(Opcode::mm, {{"rows", 64}}),
           make(Opcode::act, {{"rows", 64}, {"ub", 64}, {"max", 1}}),
           make(Opcode::mm, {{"rows", 64}})});
  WeirMxuFigures f = count(parts, 64);
  // The second instruction, 2048 bytes at 16 a cycle, the latency; then the
  // array's depth, the rows of act and its latency.
  EXPECT_EQ(f.wait_load, 1 + 128 + 100);
  EXPECT_EQ(f.wait_vector, 2 * 32 - 2 + 64 + 16);
  EXPECT_EQ(f.bytes_read, 2048);
}

TEST(CycleModelTest, PoolingOnTheWayTakesWhatPoolingAloneDoes) {
  ImageParts parts;
  parts.array = 32;
  parts.windows.push_back({3, 8, 8, 1, 4, 4, 2, 2, 2, 2, 1, 1, 0, 0, {}});
  auto vectorCycles = [&](std::vector<Instruction> code) {
    code.push_back(make(Opcode::halt));
    parts.instructions = std::move(code);
    WeirMxuFigures f = count(parts, 1);
    EXPECT_EQ(f.cycles, f.queue_cycles[2] + (f.instructions - 1) * 16);
    return f.queue_cycles[2];
  };
  // Each sum is read once.
  EXPECT_EQ(vectorCycles({make(Opcode::actp, {{"rows", 48}})}), 192);
  EXPECT_EQ(vectorCycles({make(Opcode::act, {{"rows", 192}}),
                          make(Opcode::pool, {{"rows", 48}, {"ub", 192}})}),
            192 + 192);
}

TEST(CycleModelTest, TextForPeople) {
  std::string text = figuresText(countGemm(512, 512, 512, 128));
  EXPECT_NE(text.find("systolic part 14303"), std::string::npos) << text;
  EXPECT_NE(text.find("utilisation"), std::string::npos) << text;
}

} // namespace

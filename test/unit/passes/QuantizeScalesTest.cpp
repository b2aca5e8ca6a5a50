//===- QuantizeScalesTest.cpp - From real numbers to integers -------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Quantize/Scales.h"

#include "gtest/gtest.h"
#include <cmath>
#include <limits>
#include <random>

using namespace weir;

TEST(QuantizeScales, ZeroIsExactAndEndsAreWithinAStep) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> ends(-50, 50);
  for (int i = 0; i < 10000; ++i) {
    double a = ends(random), b = ends(random);
    double low = std::min(a, b), high = std::max(a, b);
    Storage storage = storageOf(low, high);
    ASSERT_GT(storage.scale, 0);
    ASSERT_GE(storage.zero, -128);
    ASSERT_LE(storage.zero, 127);
    double least = (-128 - storage.zero) * double(storage.scale),
           most = (127 - storage.zero) * double(storage.scale);
    EXPECT_LE(least, std::min(low, 0.0) + storage.scale * 0.51);
    EXPECT_GE(most, std::max(high, 0.0) - storage.scale * 0.51);
  }
}

TEST(QuantizeScales, RangesOfNothing) {
  EXPECT_EQ(storageOf(0, 0).scale, 1);
  EXPECT_EQ(storageOf(0, 0).zero, 0);
  // One sign: zero is at an end.
  EXPECT_EQ(storageOf(2, 5).zero, -128);
  EXPECT_EQ(storageOf(-5, -2).zero, 127);
  float tiny = std::numeric_limits<float>::min();
  EXPECT_EQ(storageOf(0, 1e-45).scale, tiny);
  Storage widest = storageOf(-std::numeric_limits<float>::max(),
                             std::numeric_limits<float>::max());
  EXPECT_TRUE(std::isfinite(widest.scale));
}

TEST(QuantizeScales, MultipliersAreTheFactor) {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> exponents(-30, 29);
  for (int i = 0; i < 100000; ++i) {
    double factor = std::exp2(exponents(random));
    Multiplier m = multiplierOf(factor);
    ASSERT_GE(m.shift, 1);
    ASSERT_LE(m.shift, 62);
    ASSERT_GE(m.multiplier, 1 << 30);
    EXPECT_NEAR(std::ldexp(double(m.multiplier), -m.shift) / factor, 1,
                0x1p-31);
  }
}

TEST(QuantizeScales, ExtremeMultipliers) {
  EXPECT_EQ(multiplierOf(0).multiplier, 0);
  // Rounded up to the next power of two.
  Multiplier up = multiplierOf(std::nextafter(1.0, 0.0));
  EXPECT_EQ(std::ldexp(double(up.multiplier), -up.shift), 1);
  Multiplier small = multiplierOf(0x1.8p-60);
  EXPECT_EQ(small.shift, 62);
  EXPECT_EQ(small.multiplier, 6);
  Multiplier large = multiplierOf(1e300);
  EXPECT_EQ(large.shift, 1);
  EXPECT_EQ(large.multiplier, std::numeric_limits<int32_t>::max());
}

TEST(QuantizeScales, WeightsOfEachColumnHaveTheirScale) {
  float weights[] = {1.0f, 100.0f, 0.0f, -0.5f, -50.0f, 0.0f};
  float bias[] = {0.5f, -2.0f, 7.0f};
  QuantizedWeights result = *quantizeWeights(weights, bias, 0.25f);
  EXPECT_EQ(result.weights, (std::vector<int8_t>{127, 127, 0, -64, -64, 0}));
  EXPECT_FLOAT_EQ(result.scales[0], 1.0f / 127);
  EXPECT_FLOAT_EQ(result.scales[1], 100.0f / 127);
  EXPECT_EQ(result.scales[2], 1);
  EXPECT_EQ(result.bias, (std::vector<int32_t>{254, -10, 28}));
}

TEST(QuantizeScales, NoSumWrapsAround) {
  std::mt19937 random(3);
  std::uniform_real_distribution<float> numbers(-1, 1);
  for (float scale : {1e-30f, 1e-6f, 1.0f, 1e30f})
    for (float largest : {1e-30f, 1.0f, 1e7f}) {
      std::vector<float> weights(100000), bias{largest, 0.0f};
      for (float &weight : weights)
        weight = numbers(random);
      auto found = quantizeWeights(weights, bias, scale);
      ASSERT_TRUE(found);
      const QuantizedWeights &result = *found;
      for (size_t n = 0; n < bias.size(); ++n) {
        double sum = std::abs(double(result.bias[n]));
        for (size_t i = n; i < weights.size(); i += bias.size())
          sum += std::abs(double(result.weights[i])) * 255;
        EXPECT_LT(sum, 0x1p31);
        EXPECT_TRUE(std::isfinite(result.scales[n]));
        EXPECT_GT(result.scales[n], 0);
      }
    }
}

TEST(QuantizeScales, BiasThatNoSumHolds) {
  float weights[] = {1.0f}, bias[] = {1e30f};
  EXPECT_FALSE(quantizeWeights(weights, bias, 1e-30f));
}

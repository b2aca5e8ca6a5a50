//===- Scales.cpp - From real numbers to scales and integers --------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Quantize/Scales.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace weir {

/// A scale that f32 holds and divides by without trouble.
static float scaleOf(double exact) {
  return std::clamp(static_cast<float>(exact),
                    std::numeric_limits<float>::min(),
                    std::numeric_limits<float>::max());
}

Storage storageOf(double low, double high) {
  low = std::min(low, 0.0);
  high = std::max(high, 0.0);
  if (low == high)
    return {};
  Storage storage;
  storage.scale = scaleOf((high - low) / 255);
  storage.zero = static_cast<int32_t>(
      std::clamp(std::nearbyint(-128 - low / storage.scale), -128.0, 127.0));
  return storage;
}

namespace {
/// One column of weights, every `stride`-th number.
struct Column {
  llvm::ArrayRef<float> weights;
  size_t first, stride;
  float bias, inputScale;

  /// Stores the column with `scale`. False where a sum could wrap around.
  bool store(float scale, int8_t *to, int32_t &storedBias) const {
    double whole = std::nearbyint(bias / (double(inputScale) * scale));
    double largest = std::abs(whole);
    for (size_t i = first; i < weights.size(); i += stride) {
      double q =
          std::clamp(std::nearbyint(double(weights[i]) / scale), -127.0, 127.0);
      to[i] = static_cast<int8_t>(q);
      largest += std::abs(q) * 255;
    }
    if (largest >= 0x1p31)
      return false;
    storedBias = static_cast<int32_t>(whole);
    return true;
  }
};
} // namespace

std::optional<QuantizedWeights> quantizeWeights(llvm::ArrayRef<float> weights,
                                                llvm::ArrayRef<float> bias,
                                                float inputScale) {
  QuantizedWeights result;
  result.weights.resize(weights.size());
  result.bias.resize(bias.size());
  for (size_t n = 0; n < bias.size(); ++n) {
    Column column{weights, n, bias.size(), bias[n], inputScale};
    float largest = 0;
    for (size_t i = n; i < weights.size(); i += bias.size())
      largest = std::max(largest, std::abs(weights[i]));
    float scale = largest == 0 ? 1 : scaleOf(double(largest) / 127);
    while (!column.store(scale, result.weights.data(), result.bias[n])) {
      scale *= 2;
      if (std::isinf(scale))
        return std::nullopt;
    }
    result.scales.push_back(scale);
  }
  return result;
}

Multiplier multiplierOf(double factor) {
  int exponent = 0;
  double mantissa = std::frexp(factor, &exponent);
  auto multiplier = static_cast<int64_t>(std::nearbyint(mantissa * 0x1p31));
  int shift = 31 - exponent;
  if (multiplier == int64_t(1) << 31) {
    multiplier /= 2;
    --shift;
  }
  if (shift > 62)
    return {static_cast<int32_t>(std::nearbyint(factor * 0x1p62)), 62};
  // So large that any sum but 0 is clamped.
  if (shift < 1)
    return {std::numeric_limits<int32_t>::max(), 1};
  return {static_cast<int32_t>(multiplier), shift};
}

} // namespace weir

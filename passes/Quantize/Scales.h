//===- Scales.h - From real numbers to scales and integers -*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The arithmetic of docs/spec/quantization.md that is done once, by the
// compiler.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_PASSES_QUANTIZE_SCALES_H
#define WEIR_PASSES_QUANTIZE_SCALES_H

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace weir {

/// How real numbers are stored in int8.
struct Storage {
  float scale = 1;
  int32_t zero = 0;
};

/// Rule P2. Both ends are finite.
Storage storageOf(double low, double high);

/// Weights as rule P3 has them, in row-major order with the columns last, and
/// what belongs to each column.
struct QuantizedWeights {
  std::vector<int8_t> weights;
  std::vector<int32_t> bias;
  std::vector<float> scales;
};

/// Rules P3 to P5. `bias` has one number for each column, and the number of
/// weights is a multiple of that; all are finite. Nothing where no scale makes
/// a bias fit into 32 bits.
std::optional<QuantizedWeights> quantizeWeights(llvm::ArrayRef<float> weights,
                                                llvm::ArrayRef<float> bias,
                                                float inputScale);

/// Rule Q9: `factor` as multiplier / 2^shift. It is not negative and finite.
struct Multiplier {
  int32_t multiplier, shift;
};
Multiplier multiplierOf(double factor);

} // namespace weir

#endif // WEIR_PASSES_QUANTIZE_SCALES_H

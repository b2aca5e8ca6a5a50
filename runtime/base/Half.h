//===- Half.h - Conversions of 16-bit floats --------------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Round to nearest, ties to even; NaN stays NaN.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_BASE_HALF_H
#define WEIR_RUNTIME_BASE_HALF_H

#include <cstdint>
#include <cstring>

namespace weir::rt {

inline uint16_t floatToBf16(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  if ((bits & 0x7fffffff) > 0x7f800000)
    return static_cast<uint16_t>(bits >> 16 | 0x40);
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

inline float bf16ToFloat(uint16_t half) {
  uint32_t bits = static_cast<uint32_t>(half) << 16;
  float value;
  std::memcpy(&value, &bits, 4);
  return value;
}

inline uint16_t floatToF16(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  uint16_t sign = static_cast<uint16_t>(bits >> 16 & 0x8000);
  bits &= 0x7fffffff;
  if (bits > 0x7f800000)
    return sign | 0x7e00;
  if (bits >= 0x47800000) // 2^16: beyond the largest, also after rounding.
    return sign | 0x7c00;
  if (bits < 0x38800000) {
    // Subnormal: adding 0.5 leaves the rounded mantissa in the low bits.
    float magnitude;
    std::memcpy(&magnitude, &bits, 4);
    magnitude += 0.5f;
    std::memcpy(&bits, &magnitude, 4);
    return static_cast<uint16_t>(sign | (bits - 0x3f000000));
  }
  bits += 0xfff + (bits >> 13 & 1);
  return static_cast<uint16_t>(sign | ((bits - 0x38000000) >> 13));
}

inline float f16ToFloat(uint16_t half) {
  uint32_t sign = static_cast<uint32_t>(half & 0x8000) << 16;
  uint32_t exponent = half >> 10 & 0x1f, mantissa = half & 0x3ff, bits;
  float value;
  if (exponent == 0) {
    value = static_cast<float>(mantissa) * 0x1p-24f;
    return sign ? -value : value;
  }
  bits = sign | (exponent == 31 ? 0x7f800000 : (exponent + 112) << 23) |
         mantissa << 13;
  std::memcpy(&value, &bits, 4);
  return value;
}

} // namespace weir::rt

#endif // WEIR_RUNTIME_BASE_HALF_H

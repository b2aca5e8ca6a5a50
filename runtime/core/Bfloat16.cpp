//===- Bfloat16.cpp - Conversions that compilers call ---------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM calls these by name where the processor has no such instruction.
// Debian's libgcc does not have them yet. A bf16 is returned in the low half of
// the register that a float is returned in.
//
//===----------------------------------------------------------------------===//

#include "weir-c/program.h"

#include <cstdint>
#include <cstring>

static float withBits(uint32_t bits) {
  float result;
  std::memcpy(&result, &bits, sizeof(result));
  return result;
}

static uint32_t bitsOf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

extern "C" {

/// Rounds to the nearest bf16, ties to even; NaN stays NaN.
float __truncsfbf2(float value) {
  uint32_t bits = bitsOf(value);
  if (value != value)
    return withBits((bits >> 16) | 0x40);
  return withBits((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

/// As above, in one rounding: what is cut off on the way to f32 is kept as a
/// last bit that breaks ties.
float __truncdfbf2(double value) {
  float narrow = static_cast<float>(value);
  if (narrow != narrow || static_cast<double>(narrow) == value)
    return __truncsfbf2(narrow);
  uint32_t bits = bitsOf(narrow);
  // Round to odd: toward zero, with the last bit set.
  bool larger = (static_cast<double>(narrow) > value) == (value > 0);
  if (larger)
    --bits;
  return __truncsfbf2(withBits(bits | 1));
}

} // extern "C"

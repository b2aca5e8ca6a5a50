//===- Arithmetic.h - What nodes do with elements -------------- -*- C++
//-*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions of elements in the type in which they are computed (ComputeType).
// Integers wrap; they are computed as uint64_t, where that is defined.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_INTERPRETER_ARITHMETIC_H
#define WEIR_LIB_INTERPRETER_ARITHMETIC_H

#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>

namespace weir {

template <typename C> C negative(C x) {
  if constexpr (std::integral<C>)
    return static_cast<C>(0 - static_cast<uint64_t>(x));
  else
    return -x;
}

template <typename C> C sum(C a, C b) {
  if constexpr (std::integral<C>)
    return static_cast<C>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  else
    return a + b;
}

template <typename C> C difference(C a, C b) {
  if constexpr (std::integral<C>)
    return static_cast<C>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
  else
    return a - b;
}

template <typename C> C product(C a, C b) {
  if constexpr (std::integral<C>)
    return static_cast<C>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  else
    return a * b;
}

/// The larger: NaN wins, and 0 is larger than -0.
template <typename C> C larger(C a, C b) {
  if constexpr (std::floating_point<C>) {
    if (std::isnan(a) || std::isnan(b))
      return std::numeric_limits<C>::quiet_NaN();
    if (a == b)
      return std::signbit(a) ? b : a;
  }
  return a < b ? b : a;
}

template <typename C> C smaller(C a, C b) {
  if constexpr (std::floating_point<C>) {
    if (std::isnan(a) || std::isnan(b))
      return std::numeric_limits<C>::quiet_NaN();
    if (a == b)
      return std::signbit(a) ? a : b;
  }
  return b < a ? b : a;
}

/// Integers round towards zero; by 0 they give 0.
template <typename C> C quotient(C a, C b) {
  if constexpr (std::integral<C>) {
    if (b == C(0))
      return C(0);
    // The smallest number has no opposite: it wraps to itself.
    if (std::is_signed_v<C> && b == static_cast<C>(-1))
      return negative(a);
    return static_cast<C>(a / b);
  } else {
    return a / b;
  }
}

} // namespace weir

#endif // WEIR_LIB_INTERPRETER_ARITHMETIC_H

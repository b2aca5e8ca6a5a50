//===- Element.h - One element of a tensor -*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The C++ type of each element type, and how a number becomes one: every
// conversion rounds once, to nearest, ties to even.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_INTERPRETER_ELEMENT_H
#define WEIR_LIB_INTERPRETER_ELEMENT_H

#include "weir-c/types.h"

#include <cmath>
#include <concepts>
#include <cstdint>
#include <type_traits>

namespace weir {

/// An element of 16 bits that holds a float. Arithmetic on one goes through
/// `float`, which is wide enough that the second rounding changes nothing for
/// + - * / and the square root.
template <WeirDType dtype> struct SmallFloat {
  uint16_t bits = 0;

  SmallFloat() = default;
  explicit SmallFloat(float value);
  explicit SmallFloat(double value);
  explicit operator float() const;
};
using Half = SmallFloat<WEIR_F16>;
using BFloat16 = SmallFloat<WEIR_BF16>;

template <typename T>
concept IsSmallFloat = std::same_as<T, Half> || std::same_as<T, BFloat16>;
template <typename T>
concept IsFloat = IsSmallFloat<T> || std::floating_point<T>;
template <typename T>
concept IsInteger = std::integral<T> && !std::same_as<T, bool>;

/// What one operation on elements of type T is computed in.
template <typename T>
using ComputeType = std::conditional_t<IsSmallFloat<T>, float, T>;

/// What sums and products of many elements are computed in: wide for floats,
/// so that the judge's value is the better one; integers wrap.
template <typename T>
using SumType = std::conditional_t<
    IsFloat<T>, double,
    std::conditional_t<std::same_as<T, bool>, bool, uint64_t>>;

/// An integer as a float of 16 bits, rounded once.
template <typename To> To roundInteger(uint64_t magnitude, bool negative);

/// `value` as an element of type To: integers wrap, floats round once. A float
/// becomes an integer only where its truncation is one (see castElement).
template <typename To, typename From> To convertTo(From value) {
  if constexpr (std::same_as<To, From>)
    return value;
  else if constexpr (IsSmallFloat<From>)
    return convertTo<To>(static_cast<float>(value));
  else if constexpr (std::same_as<To, bool>)
    return value != From(0);
  else if constexpr (IsSmallFloat<To> && std::floating_point<From>)
    return To(value);
  else if constexpr (IsSmallFloat<To>)
    return value < From(0)
               ? roundInteger<To>(0 - static_cast<uint64_t>(value), true)
               : roundInteger<To>(static_cast<uint64_t>(value), false);
  else
    return static_cast<To>(value);
}

/// Calls `function` with a value of the C++ type of `dtype`, which is no
/// string.
template <typename Function>
decltype(auto) dispatch(WeirDType dtype, Function &&function) {
  switch (dtype) {
  case WEIR_F64:
    return function(double());
  case WEIR_F16:
    return function(Half());
  case WEIR_BF16:
    return function(BFloat16());
  case WEIR_BOOL:
    return function(false);
  case WEIR_I8:
    return function(int8_t());
  case WEIR_I16:
    return function(int16_t());
  case WEIR_I32:
    return function(int32_t());
  case WEIR_I64:
    return function(int64_t());
  case WEIR_U8:
    return function(uint8_t());
  case WEIR_U16:
    return function(uint16_t());
  case WEIR_U32:
    return function(uint32_t());
  case WEIR_U64:
    return function(uint64_t());
  default:
    return function(float());
  }
}

/// As dispatch for a `dtype` that is a float.
template <typename Function>
decltype(auto) dispatchFloat(WeirDType dtype, Function &&function) {
  switch (dtype) {
  case WEIR_F64:
    return function(double());
  case WEIR_F16:
    return function(Half());
  case WEIR_BF16:
    return function(BFloat16());
  default:
    return function(float());
  }
}

} // namespace weir

#endif // WEIR_LIB_INTERPRETER_ELEMENT_H

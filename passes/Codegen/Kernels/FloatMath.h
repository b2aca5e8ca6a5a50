//===- FloatMath.h - Elementary functions in vector code --------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_PASSES_CODEGEN_KERNELS_FLOATMATH_H
#define WEIR_PASSES_CODEGEN_KERNELS_FLOATMATH_H

#include "mlir/IR/Builders.h"

namespace weir::kernels {

using namespace mlir;

/// Emits elementary functions of f32 values, or vectors of them, with
/// arithmetic only. Each is within 3 units in the last place of the exact value
/// over the whole range, NaN, infinities, zeros, and subnormal numbers included
/// (results that are subnormal: within 3 of the smallest).
class FloatMath {
public:
  /// `fma`: whether a fused multiply-add is cheap.
  FloatMath(OpBuilder &b, Location loc, bool fma) : b(b), loc(loc), fma(fma) {}

  Value exp(Value x);
  Value exp2(Value x);
  Value expm1(Value x);
  Value log(Value x);
  Value log2(Value x);
  Value log1p(Value x);
  Value tanh(Value x);
  Value erf(Value x);
  Value rsqrt(Value x);
  /// For |x| up to `largestAngle`.
  Value sin(Value x) { return sinOrCos(x, false); }
  Value cos(Value x) { return sinOrCos(x, true); }

  static constexpr double largestAngle = 1e6;

private:
  /// x = n * ln 2 + r: exp(r) - 1 and n, as a float and as an integer.
  struct ExpParts {
    Value fraction, n, integer;
  };
  ExpParts reduceExp(Value x);
  /// (1 + fraction) * 2^n, also where 2^n itself does not fit.
  Value scaled(const ExpParts &parts);
  /// x = (1 + m) * 2^e: log(1 + m) and e.
  std::pair<Value, Value> reduceLog(Value x);
  Value logSpecials(Value x, Value result);
  Value sinOrCos(Value x, bool cosine);

  Type withElement(Value like, Type element);
  Value constant(Value like, double value);
  Value integer(Value like, int64_t value);
  Value add(Value x, Value y);
  Value sub(Value x, Value y);
  Value mul(Value x, Value y);
  Value madd(Value x, Value y, Value z);
  Value polynomial(Value x, ArrayRef<double> highestFirst);
  Value less(Value x, Value y);
  Value select(Value condition, Value x, Value y);
  Value powerOfTwo(Value exponent, Value like);

  OpBuilder &b;
  Location loc;
  bool fma;
};

} // namespace weir::kernels

#endif // WEIR_PASSES_CODEGEN_KERNELS_FLOATMATH_H

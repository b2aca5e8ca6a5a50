//===- FloatMath.cpp - Elementary functions in vector code ----------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The classic single-precision reductions (Cody and Waite) and minimax
// polynomials. Comparisons are ordered, so that NaN takes the arithmetic path
// and stays NaN. Rounding to an integer adds and subtracts 1.5 * 2^23, which
// every target does in two instructions.
//
//===----------------------------------------------------------------------===//

#include "passes/Codegen/Kernels/FloatMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <limits>

using namespace mlir;
using namespace weir;
using namespace weir::kernels;

static constexpr double roundingShift = 12582912.0;
/// ln 2 in two parts; the first has so few bits that n times it is exact.
static constexpr double ln2High = 0.693359375;
static constexpr double ln2Low = -2.12194440054690583e-4;

Type FloatMath::withElement(Value like, Type element) {
  if (auto type = dyn_cast<VectorType>(like.getType()))
    return type.clone(element);
  return element;
}

Value FloatMath::constant(Value like, double value) {
  Type type = like.getType();
  TypedAttr attribute = b.getFloatAttr(getElementTypeOrSelf(type), value);
  if (auto shaped = dyn_cast<VectorType>(type))
    attribute = DenseElementsAttr::get(shaped, Attribute(attribute));
  return arith::ConstantOp::create(b, loc, attribute);
}

Value FloatMath::integer(Value like, int64_t value) {
  Type type = withElement(like, b.getI32Type());
  TypedAttr attribute = b.getI32IntegerAttr(value);
  if (auto shaped = dyn_cast<VectorType>(type))
    attribute = DenseElementsAttr::get(shaped, Attribute(attribute));
  return arith::ConstantOp::create(b, loc, attribute);
}

Value FloatMath::add(Value x, Value y) {
  return arith::AddFOp::create(b, loc, x, y);
}
Value FloatMath::sub(Value x, Value y) {
  return arith::SubFOp::create(b, loc, x, y);
}
Value FloatMath::mul(Value x, Value y) {
  return arith::MulFOp::create(b, loc, x, y);
}
Value FloatMath::madd(Value x, Value y, Value z) {
  if (fma)
    return math::FmaOp::create(b, loc, x, y, z);
  return add(mul(x, y), z);
}
Value FloatMath::less(Value x, Value y) {
  return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, x, y);
}
Value FloatMath::select(Value condition, Value x, Value y) {
  return arith::SelectOp::create(b, loc, condition, x, y);
}

Value FloatMath::polynomial(Value x, ArrayRef<double> highestFirst) {
  Value result = constant(x, highestFirst.front());
  for (double coefficient : highestFirst.drop_front())
    result = madd(result, x, constant(x, coefficient));
  return result;
}

/// 2^exponent for exponents of normal numbers.
Value FloatMath::powerOfTwo(Value exponent, Value like) {
  Value biased = arith::AddIOp::create(b, loc, exponent, integer(like, 127));
  Value bits = arith::ShLIOp::create(b, loc, biased, integer(like, 23));
  return arith::BitcastOp::create(b, loc, like.getType(), bits);
}

FloatMath::ExpParts FloatMath::reduceExp(Value x) {
  Value shift = constant(x, roundingShift);
  Value shifted = madd(x, constant(x, 1.44269504088896341), shift);
  ExpParts parts;
  parts.n = sub(shifted, shift);
  Value bits =
      arith::BitcastOp::create(b, loc, withElement(x, b.getI32Type()), shifted);
  parts.integer = arith::SubIOp::create(b, loc, bits, integer(x, 0x4B400000));
  Value r = madd(parts.n, constant(x, -ln2High), x);
  r = madd(parts.n, constant(x, -ln2Low), r);
  Value p = polynomial(r, {1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3,
                           4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1});
  parts.fraction = madd(mul(r, r), p, r);
  return parts;
}

Value FloatMath::scaled(const ExpParts &parts) {
  Value one = constant(parts.fraction, 1.0);
  Value half =
      arith::ShRSIOp::create(b, loc, parts.integer, integer(parts.fraction, 1));
  Value rest = arith::SubIOp::create(b, loc, parts.integer, half);
  Value y = mul(add(parts.fraction, one), powerOfTwo(half, parts.fraction));
  return mul(y, powerOfTwo(rest, parts.fraction));
}

Value FloatMath::exp(Value x) {
  Value low = constant(x, -104.0), high = constant(x, 89.0);
  x = select(less(x, low), low, x);
  x = select(less(high, x), high, x);
  return scaled(reduceExp(x));
}

Value FloatMath::exp2(Value x) {
  Value low = constant(x, -151.0), high = constant(x, 129.0);
  x = select(less(x, low), low, x);
  x = select(less(high, x), high, x);
  Value shift = constant(x, roundingShift);
  Value shifted = add(x, shift);
  ExpParts parts;
  parts.n = sub(shifted, shift);
  Value bits =
      arith::BitcastOp::create(b, loc, withElement(x, b.getI32Type()), shifted);
  parts.integer = arith::SubIOp::create(b, loc, bits, integer(x, 0x4B400000));
  Value r = sub(x, parts.n);
  Value p = polynomial(r, {1.535336188319500e-4, 1.339887440266574e-3,
                           9.618437357674640e-3, 5.550332471162809e-2,
                           2.402264791363012e-1, 6.931472028550421e-1});
  parts.fraction = mul(r, p);
  return scaled(parts);
}

Value FloatMath::expm1(Value x) {
  Value low = constant(x, -30.0), high = constant(x, 89.0);
  Value clamped = select(less(x, low), low, x);
  clamped = select(less(high, clamped), high, clamped);
  ExpParts parts = reduceExp(clamped);
  // (1 + f) * 2^n - 1 = f * 2^n + (2^n - 1), the last exact for small n;
  // f alone where n is 0. The reduction loses the sign of zero.
  Value small = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                      parts.integer, integer(x, 64));
  Value none = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                     parts.integer, integer(x, 0));
  Value exponent =
      arith::SelectOp::create(b, loc, small, parts.integer, integer(x, 64));
  Value scale = powerOfTwo(exponent, x);
  Value moderate = madd(parts.fraction, scale, sub(scale, constant(x, 1.0)));
  Value result = select(small, moderate, scaled(parts));
  result = select(none, parts.fraction, result);
  return math::CopySignOp::create(b, loc, result, x);
}

std::pair<Value, Value> FloatMath::reduceLog(Value x) {
  Type integers = withElement(x, b.getI32Type());
  // Subnormal numbers are made normal first.
  Value tiny = less(x, constant(x, 1.17549435e-38));
  Value normal = select(tiny, mul(x, constant(x, 33554432.0)), x);
  Value bias =
      arith::SelectOp::create(b, loc, tiny, integer(x, 25), integer(x, 0));
  // Splits so that the mantissa lies in [sqrt(1/2), sqrt(2)).
  Value bits = arith::BitcastOp::create(b, loc, integers, normal);
  Value from = arith::SubIOp::create(b, loc, bits, integer(x, 0x3F3504F3));
  Value e = arith::ShRSIOp::create(b, loc, from, integer(x, 23));
  Value down = arith::ShLIOp::create(b, loc, e, integer(x, 23));
  Value mantissa = arith::BitcastOp::create(
      b, loc, x.getType(), arith::SubIOp::create(b, loc, bits, down));
  e = arith::SubIOp::create(b, loc, e, bias);
  return {sub(mantissa, constant(x, 1.0)),
          arith::SIToFPOp::create(b, loc, x.getType(), e)};
}

/// log(1 + m) - m + m^2 / 2 for the m of `reduceLog`.
static constexpr double logCoefficients[] = {
    7.0376836292e-2,  -1.1514610310e-1, 1.1676998740e-1,
    -1.2420140846e-1, 1.4249322787e-1,  -1.6668057665e-1,
    2.0000714765e-1,  -2.4999993993e-1, 3.3333331174e-1};

Value FloatMath::logSpecials(Value x, Value result) {
  double infinity = std::numeric_limits<double>::infinity();
  Value zero = constant(x, 0.0), inf = constant(x, infinity);
  Value isZero =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, x, zero);
  // True of infinity and NaN, which are their own logarithms.
  Value finite = less(x, inf);
  result = select(finite, result, x);
  result = select(isZero, constant(x, -infinity), result);
  return select(less(x, zero),
                constant(x, std::numeric_limits<double>::quiet_NaN()), result);
}

Value FloatMath::log(Value x) {
  auto [m, e] = reduceLog(x);
  Value square = mul(m, m);
  Value y = mul(mul(m, square), polynomial(m, logCoefficients));
  y = madd(e, constant(x, ln2Low), y);
  y = madd(square, constant(x, -0.5), y);
  y = add(m, y);
  return logSpecials(x, madd(e, constant(x, ln2High), y));
}

Value FloatMath::log2(Value x) {
  auto [m, e] = reduceLog(x);
  Value square = mul(m, m);
  Value y = mul(mul(m, square), polynomial(m, logCoefficients));
  y = madd(square, constant(x, -0.5), y);
  // log2(e) = 1 + 0.4427: the large part of m enters unrounded.
  Value rest = constant(x, 0.44269504088896341);
  Value result = madd(y, rest, mul(m, rest));
  result = add(add(result, y), m);
  return logSpecials(x, add(result, e));
}

Value FloatMath::log1p(Value x) {
  // log(u) * x / (u - 1) undoes the rounding of u = 1 + x.
  Value one = constant(x, 1.0);
  Value u = add(x, one);
  Value d = sub(u, one);
  Value none = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, u, one);
  Value inf = constant(x, std::numeric_limits<double>::infinity());
  Value isInf =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, u, inf);
  Value divisor = select(none, one, d);
  Value result = mul(log(u), arith::DivFOp::create(b, loc, x, divisor));
  result = select(none, x, result);
  return select(isInf, inf, result);
}

Value FloatMath::tanh(Value x) {
  // With t = exp(-2|x|) - 1: tanh |x| = -t / (2 + t).
  Value magnitude = math::AbsFOp::create(b, loc, x);
  Value t = expm1(mul(magnitude, constant(x, -2.0)));
  Value result = arith::DivFOp::create(b, loc, t, add(t, constant(x, 2.0)));
  return math::CopySignOp::create(b, loc, result, x);
}

Value FloatMath::erf(Value x) {
  Value t = math::AbsFOp::create(b, loc, x);
  Value s = mul(x, x);
  // Large: 1 - exp(polynomial).
  Value r = madd(constant(x, -1.72853470e-5), t, constant(x, 3.83197126e-4));
  Value u = madd(constant(x, -3.88396438e-3), t, constant(x, 2.42546219e-2));
  r = madd(r, s, u);
  for (double coefficient : {-1.06777877e-1, -6.34846687e-1, -1.28717512e-1})
    r = madd(r, t, constant(x, coefficient));
  r = sub(mul(r, t), t);
  // Past 4 the result is 1 and the polynomial is no longer its logarithm.
  Value far = less(constant(x, 4.0), t);
  r = select(far, constant(x, -30.0), r);
  Value large = sub(constant(x, 1.0), exp(r));
  large = math::CopySignOp::create(b, loc, large, x);
  Value small = polynomial(s, {-5.96761703e-4, 4.99119423e-3, -2.67681349e-2,
                               1.12819925e-1, -3.76125336e-1, 1.28379166e-1});
  small = madd(small, x, x);
  return select(less(constant(x, 0.927734375), t), large, small);
}

Value FloatMath::rsqrt(Value x) {
  return arith::DivFOp::create(b, loc, constant(x, 1.0),
                               math::SqrtOp::create(b, loc, x));
}

Value FloatMath::sinOrCos(Value x, bool cosine) {
  // The reduction by pi / 2 is done in double precision: 33 bits of pi / 2
  // times an integer below 2^20 are exact.
  Value wide = arith::ExtFOp::create(b, loc, withElement(x, b.getF64Type()), x);
  Value shift = constant(wide, 6755399441055744.0);
  Value shifted = add(mul(wide, constant(wide, 0.63661977236758134308)), shift);
  Value n = sub(shifted, shift);
  Value r = sub(wide, mul(n, constant(wide, 1.57079632673412561417)));
  r = sub(r, mul(n, constant(wide, 6.07710050650619224932e-11)));
  Value bits =
      arith::BitcastOp::create(b, loc, withElement(x, b.getI64Type()), shifted);
  Value quadrant =
      arith::TruncIOp::create(b, loc, withElement(x, b.getI32Type()), bits);
  if (cosine)
    quadrant = arith::AddIOp::create(b, loc, quadrant, integer(x, 1));
  Value y = arith::TruncFOp::create(b, loc, x.getType(), r);
  Value z = mul(y, y);
  Value sine =
      polynomial(z, {-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1});
  sine = madd(mul(sine, z), y, y);
  Value cos = polynomial(
      z, {2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2});
  cos = madd(mul(z, z), cos, madd(z, constant(x, -0.5), constant(x, 1.0)));
  auto bit = [&](int64_t mask) -> Value {
    Value masked = arith::AndIOp::create(b, loc, quadrant, integer(x, mask));
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, masked,
                                 integer(x, 0));
  };
  Value result = select(bit(1), cos, sine);
  return select(bit(2), arith::NegFOp::create(b, loc, result), result);
}

//===- ScalarBuilder.cpp - Bodies of element-wise nodes
//--------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Weir/Builders.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace weir {

/// `element` in the shape of `like`: itself, or a vector of it.
static Type shapedLike(Type like, Type element) {
  if (auto vector = dyn_cast<VectorType>(like))
    return vector.clone(element);
  return element;
}

bool ScalarBuilder::isFloat(Value x) const {
  return isa<FloatType>(getElementTypeOrSelf(x));
}

Value ScalarBuilder::constantOf(Type type, double value) {
  Type element = getElementTypeOrSelf(type);
  TypedAttr attribute;
  if (auto floating = dyn_cast<FloatType>(element))
    attribute = builder.getFloatAttr(floating, value);
  else
    attribute = builder.getIntegerAttr(element, static_cast<int64_t>(value));
  if (auto vector = dyn_cast<VectorType>(type))
    attribute = DenseElementsAttr::get(vector, Attribute(attribute));
  return arith::ConstantOp::create(builder, loc, attribute);
}

Value ScalarBuilder::constant(double value) { return constantOf(type, value); }

Value ScalarBuilder::add(Value a, Value b) {
  return isFloat(a) ? arith::AddFOp::create(builder, loc, a, b).getResult()
                    : arith::AddIOp::create(builder, loc, a, b);
}
Value ScalarBuilder::sub(Value a, Value b) {
  return isFloat(a) ? arith::SubFOp::create(builder, loc, a, b).getResult()
                    : arith::SubIOp::create(builder, loc, a, b);
}
Value ScalarBuilder::mul(Value a, Value b) {
  return isFloat(a) ? arith::MulFOp::create(builder, loc, a, b).getResult()
                    : arith::MulIOp::create(builder, loc, a, b);
}
Value ScalarBuilder::div(Value a, Value b) {
  return arith::DivFOp::create(builder, loc, a, b);
}
Value ScalarBuilder::pow(Value a, Value b) {
  return math::PowFOp::create(builder, loc, a, b);
}

Value ScalarBuilder::maximum(Value a, Value b) {
  if (isFloat(a))
    return arith::MaximumFOp::create(builder, loc, a, b);
  return isUnsigned ? arith::MaxUIOp::create(builder, loc, a, b).getResult()
                    : arith::MaxSIOp::create(builder, loc, a, b);
}
Value ScalarBuilder::minimum(Value a, Value b) {
  if (isFloat(a))
    return arith::MinimumFOp::create(builder, loc, a, b);
  return isUnsigned ? arith::MinUIOp::create(builder, loc, a, b).getResult()
                    : arith::MinSIOp::create(builder, loc, a, b);
}

Value ScalarBuilder::neg(Value x) {
  if (isFloat(x))
    return arith::NegFOp::create(builder, loc, x);
  return arith::SubIOp::create(builder, loc, constantOf(x.getType(), 0), x);
}
Value ScalarBuilder::abs(Value x) {
  if (isFloat(x))
    return math::AbsFOp::create(builder, loc, x);
  return math::AbsIOp::create(builder, loc, x);
}
Value ScalarBuilder::sign(Value x) {
  Value zero = constantOf(x.getType(), 0), one = constantOf(x.getType(), 1),
        minus = constantOf(x.getType(), -1);
  Value up = compare(x, zero, ComparePredicate::gt),
        down = compare(x, zero, ComparePredicate::lt);
  // What is neither above nor below 0 is 0 or NaN, and stays what it is.
  return select(up, one, select(down, minus, x));
}

Value ScalarBuilder::exp(Value x) {
  return math::ExpOp::create(builder, loc, x);
}
Value ScalarBuilder::expm1(Value x) {
  return math::ExpM1Op::create(builder, loc, x);
}
Value ScalarBuilder::log(Value x) {
  return math::LogOp::create(builder, loc, x);
}
Value ScalarBuilder::log1p(Value x) {
  return math::Log1pOp::create(builder, loc, x);
}
Value ScalarBuilder::sqrt(Value x) {
  return math::SqrtOp::create(builder, loc, x);
}
Value ScalarBuilder::rsqrt(Value x) {
  return div(constantOf(x.getType(), 1.0), sqrt(x));
}
Value ScalarBuilder::sin(Value x) {
  return math::SinOp::create(builder, loc, x);
}
Value ScalarBuilder::cos(Value x) {
  return math::CosOp::create(builder, loc, x);
}
Value ScalarBuilder::tanh(Value x) {
  return math::TanhOp::create(builder, loc, x);
}
Value ScalarBuilder::erf(Value x) {
  return math::ErfOp::create(builder, loc, x);
}
Value ScalarBuilder::floor(Value x) {
  return math::FloorOp::create(builder, loc, x);
}
Value ScalarBuilder::ceil(Value x) {
  return math::CeilOp::create(builder, loc, x);
}
Value ScalarBuilder::roundEven(Value x) {
  return math::RoundEvenOp::create(builder, loc, x);
}

Value ScalarBuilder::sigmoid(Value x) {
  Value one = constantOf(x.getType(), 1.0);
  return div(one, add(one, exp(neg(x))));
}
Value ScalarBuilder::relu(Value x) {
  return maximum(x, constantOf(x.getType(), 0));
}

Value ScalarBuilder::isFinite(Value x) {
  // NaN and the infinities are what x - x does not make 0 of.
  return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ,
                               sub(x, x), constantOf(x.getType(), 0.0));
}

Value ScalarBuilder::logicalNot(Value x) {
  return logicalXor(x, constantOf(x.getType(), 1));
}
Value ScalarBuilder::logicalAnd(Value a, Value b) {
  return arith::AndIOp::create(builder, loc, a, b);
}
Value ScalarBuilder::logicalOr(Value a, Value b) {
  return arith::OrIOp::create(builder, loc, a, b);
}
Value ScalarBuilder::logicalXor(Value a, Value b) {
  return arith::XOrIOp::create(builder, loc, a, b);
}

Value ScalarBuilder::compare(Value a, Value b, ComparePredicate predicate) {
  struct Row {
    arith::CmpFPredicate floating;
    arith::CmpIPredicate signedInteger, unsignedInteger;
  };
  using F = arith::CmpFPredicate;
  using I = arith::CmpIPredicate;
  static constexpr Row rows[] = {
      {F::OEQ, I::eq, I::eq},   {F::UNE, I::ne, I::ne},
      {F::OLT, I::slt, I::ult}, {F::OLE, I::sle, I::ule},
      {F::OGT, I::sgt, I::ugt}, {F::OGE, I::sge, I::uge},
  };
  const Row &row = rows[static_cast<unsigned>(predicate)];
  if (isFloat(a))
    return arith::CmpFOp::create(builder, loc, row.floating, a, b);
  // Booleans are ordered as 0 < 1.
  bool unsignedOrder = isUnsigned || getElementTypeOrSelf(a).isInteger(1);
  return arith::CmpIOp::create(
      builder, loc, unsignedOrder ? row.unsignedInteger : row.signedInteger, a,
      b);
}

Value ScalarBuilder::select(Value condition, Value a, Value b) {
  return arith::SelectOp::create(builder, loc, condition, a, b);
}

Value ScalarBuilder::cast(Value x, Type from, Type to, OutOfRange outOfRange) {
  auto signless = [&](Type type) -> Type {
    auto integer = dyn_cast<IntegerType>(type);
    return integer ? builder.getIntegerType(integer.getWidth()) : type;
  };
  Type target = shapedLike(x.getType(), signless(to));
  unsigned fromWidth = from.getIntOrFloatBitWidth(),
           toWidth = to.getIntOrFloatBitWidth();
  bool fromUnsigned = from.isUnsignedInteger() || from.isInteger(1),
       toUnsigned = to.isUnsignedInteger();
  if (to.isInteger(1) && !from.isInteger(1)) {
    Value zero = constantOf(x.getType(), 0);
    return compare(x, zero, ComparePredicate::ne);
  }
  if (isa<FloatType>(from) && isa<FloatType>(to)) {
    if (signless(from) == signless(to))
      return x;
    if (fromWidth == toWidth) // f16 and bf16 meet in f32.
      return arith::TruncFOp::create(
          builder, loc, target,
          arith::ExtFOp::create(
              builder, loc, shapedLike(x.getType(), builder.getF32Type()), x));
    return fromWidth < toWidth
               ? arith::ExtFOp::create(builder, loc, target, x).getResult()
               : arith::TruncFOp::create(builder, loc, target, x);
  }
  if (isa<IntegerType>(from) && isa<IntegerType>(to)) {
    if (fromWidth == toWidth)
      return x;
    if (fromWidth > toWidth)
      return arith::TruncIOp::create(builder, loc, target, x);
    return fromUnsigned
               ? arith::ExtUIOp::create(builder, loc, target, x).getResult()
               : arith::ExtSIOp::create(builder, loc, target, x);
  }
  if (isa<FloatType>(to))
    return fromUnsigned
               ? arith::UIToFPOp::create(builder, loc, target, x).getResult()
               : arith::SIToFPOp::create(builder, loc, target, x);

  // Float to integer. The conversion itself is undefined outside the range, so
  // it only ever sees what is inside. The bounds are powers of two, exact in
  // every float type that reaches them.
  Value wide =
      fromWidth < 32
          ? arith::ExtFOp::create(
                builder, loc, shapedLike(x.getType(), builder.getF32Type()), x)
                .getResult()
          : x;
  int valueBits = static_cast<int>(toWidth) - (toUnsigned ? 0 : 1);
  double upper = std::ldexp(1.0, valueBits), lower = toUnsigned ? 0.0 : -upper;
  Value high = constantOf(wide.getType(), upper),
        low = constantOf(wide.getType(), lower);
  Value below =
      toUnsigned
          ? arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLE, wide,
                                  constantOf(wide.getType(), -1.0))
                .getResult()
          : arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLT, wide,
                                  low)
                .getResult();
  Value above = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OGE,
                                      wide, high);
  Value nan = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNO,
                                    wide, wide);
  Value outside = logicalOr(logicalOr(below, above), nan);
  Value safe = select(outside, constantOf(wide.getType(), 0.0), wide);
  Value inside =
      toUnsigned
          ? arith::FPToUIOp::create(builder, loc, target, safe).getResult()
          : arith::FPToSIOp::create(builder, loc, target, safe);
  auto bound = [&](bool largest) -> Value {
    llvm::APInt bits =
        toUnsigned ? (largest ? llvm::APInt::getMaxValue(toWidth)
                              : llvm::APInt::getMinValue(toWidth))
                   : (largest ? llvm::APInt::getSignedMaxValue(toWidth)
                              : llvm::APInt::getSignedMinValue(toWidth));
    TypedAttr attribute =
        builder.getIntegerAttr(getElementTypeOrSelf(target), bits);
    if (auto vector = dyn_cast<VectorType>(target))
      attribute = DenseElementsAttr::get(vector, Attribute(attribute));
    return arith::ConstantOp::create(builder, loc, attribute);
  };
  if (outOfRange == OutOfRange::minimum)
    return select(outside, bound(false), inside);
  return select(above, bound(true), select(below, bound(false), inside));
}

} // namespace weir

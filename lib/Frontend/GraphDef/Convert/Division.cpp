//===- Division.cpp - Division of integers, and remainders --------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Weir divides floating-point numbers only. Integers up to 32 bits are divided
// as f64, which is exact; those of 64 bits as well, and the quotient is set
// right by looking at the remainder.

#include "lib/Frontend/GraphDef/Convert/Converters.h"

using namespace weir;
using namespace weir::graphdef;
using mlir::Type;

namespace {
struct Division {
  Value quotient, remainder;
};
} // namespace

/// Division by zero is an error of the step.
static Value checkDivisor(NodeConversion &n, Value divisor, Value quotient) {
  Value isSane =
      n.compare(divisor, n.scalarLike(divisor, 0), ComparePredicate::ne);
  if (!isSane || !quotient)
    return {};
  if (n.isConstant(1)) {
    std::optional<Tensor> known = n.constant(1);
    for (int64_t i = 0; known && i < known->size(); ++i)
      if (known->getInteger(i) == 0)
        known.reset();
    if (known)
      return quotient;
  }
  mlir::Operation *check = n.makeStateful<AssertOp>(
      isSane, {}, n.text("message", "division of an integer by zero"));
  Value gated = n.make<IdentityOp>(quotient);
  if (gated)
    llvm::cast<NodeInterface>(gated.getDefiningOp())
        .getControlInputsMutable()
        .append(check->getResults().back());
  return gated;
}

/// The quotient rounded down, and what is left.
static Division floorDivide(NodeConversion &n, Value a, Value b) {
  Type wide = n.builder.getF64Type(), element = n.elementOf(a);
  auto quotientOf = [&](Value x) {
    return n.cast(
        n.make<FloorOp>(n.make<DivOp>({n.cast(x, wide), n.cast(b, wide)})),
        element);
  };
  auto left = [&](Value quotient) {
    return n.make<SubOp>({a, n.make<MulOp>({quotient, b})});
  };
  Value quotient = quotientOf(a);
  Value remainder = left(quotient);
  if (element.getIntOrFloatBitWidth() < 64)
    return {quotient, remainder};
  quotient = n.make<AddOp>({quotient, quotientOf(remainder)});
  remainder = left(quotient);
  // Off by one at most; the remainder says so.
  Value zero = n.scalarLike(a, 0), one = n.scalarLike(a, 1);
  auto both = [&](Value x, Value y) { return n.make<LogicalAndOp>({x, y}); };
  Value isPositive = n.compare(b, zero, ComparePredicate::gt);
  Value isNegative = n.compare(b, zero, ComparePredicate::lt);
  Value tooHigh = n.make<LogicalOrOp>(
      {both(isPositive, n.compare(remainder, zero, ComparePredicate::lt)),
       both(isNegative, n.compare(remainder, zero, ComparePredicate::gt))});
  Value tooLow = n.make<LogicalOrOp>(
      {both(isPositive, n.compare(remainder, b, ComparePredicate::ge)),
       both(isNegative, n.compare(remainder, b, ComparePredicate::le))});
  quotient = n.make<AddOp>(
      {quotient, n.make<SubOp>({n.make<SelectOp>({tooLow, one, zero}),
                                n.make<SelectOp>({tooHigh, one, zero})})});
  return {quotient, left(quotient)};
}

/// The quotient rounded towards zero, and what is left.
static Division truncateDivide(NodeConversion &n, Value a, Value b) {
  Division down = floorDivide(n, a, b);
  Value zero = n.scalarLike(a, 0), one = n.scalarLike(a, 1);
  if (n.elementOf(a).isUnsignedInteger())
    return down;
  Value negative =
      n.make<LogicalXorOp>({n.compare(a, zero, ComparePredicate::lt),
                            n.compare(b, zero, ComparePredicate::lt)});
  Value step = n.make<LogicalAndOp>(
      {n.compare(down.remainder, zero, ComparePredicate::ne), negative});
  Value quotient =
      n.make<AddOp>({down.quotient, n.make<SelectOp>({step, one, zero})});
  return {quotient, n.make<SubOp>({a, n.make<MulOp>({quotient, b})})};
}

/// The same of floating-point numbers; f32 and smaller are divided as f64.
static Division divideFloats(NodeConversion &n, Value a, Value b, bool down) {
  Type element = n.elementOf(a), wide = n.builder.getF64Type();
  a = n.cast(a, wide);
  b = n.cast(b, wide);
  Value exact = n.make<DivOp>({a, b});
  Value quotient = n.make<FloorOp>(exact);
  if (!down)
    quotient = n.make<SelectOp>(
        {n.compare(exact, n.scalarLike(exact, 0), ComparePredicate::lt),
         n.make<CeilOp>(exact), quotient});
  Value remainder = n.make<SubOp>({a, n.make<MulOp>({quotient, b})});
  return {n.cast(quotient, element), n.cast(remainder, element)};
}

template <bool down, bool wantsRemainder>
static LogicalResult convertDivision(NodeConversion &n) {
  Value a = n.tensor(0), b = n.tensor(1);
  if (!a || !b)
    return mlir::failure();
  if (n.elementOf(a) != n.elementOf(b))
    return n.fail("its inputs are of different types");
  if (llvm::isa<mlir::FloatType>(n.elementOf(a))) {
    if (!wantsRemainder && down)
      return n.emit<FloorOp>(n.make<DivOp>({a, b}));
    Division division = divideFloats(n, a, b, down);
    return n.output(wantsRemainder ? division.remainder : division.quotient);
  }
  if (!n.elementOf(a).isIntOrFloat())
    return n.fail("its inputs are no numbers");
  Division division = down ? floorDivide(n, a, b) : truncateDivide(n, a, b);
  return n.output(checkDivisor(
      n, b, wantsRemainder ? division.remainder : division.quotient));
}

static LogicalResult convertDiv(NodeConversion &n) {
  Value a = n.tensor(0), b = n.tensor(1);
  if (!a || !b)
    return mlir::failure();
  if (llvm::isa<mlir::FloatType>(n.elementOf(a)))
    return n.emit<DivOp>({a, b});
  return convertDivision<false, false>(n);
}

void weir::graphdef::addDivisionConverters(ConverterTable &table) {
  table["Div"] = convertDiv;
  table["FloorDiv"] = convertDivision<true, false>;
  table["FloorMod"] = convertDivision<true, true>;
  table["TruncateDiv"] = convertDivision<false, false>;
  table["Mod"] = table["TruncateMod"] = convertDivision<false, true>;
}

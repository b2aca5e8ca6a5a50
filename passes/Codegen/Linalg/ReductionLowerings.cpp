//===- ReductionLowerings.cpp - Reductions
//---------------------------------------- ===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Weir/Builders.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "passes/Codegen/Linalg/Lowering.h"

using namespace mlir;

namespace weir {

using Iterator = utils::IteratorType;

/// The extreme value of an element type: what every other wins against.
static Value worst(Emitter &e, Type element, bool isUnsigned, bool largest) {
  if (auto floating = dyn_cast<FloatType>(element))
    return arith::ConstantOp::create(
        e,
        e.getFloatAttr(floating, APFloat::getInf(floating.getFloatSemantics(),
                                                 /*Negative=*/largest)));
  unsigned width = element.getIntOrFloatBitWidth();
  APInt bits = largest ? (isUnsigned ? APInt::getMinValue(width)
                                     : APInt::getSignedMinValue(width))
                       : (isUnsigned ? APInt::getMaxValue(width)
                                     : APInt::getSignedMaxValue(width));
  return arith::ConstantOp::create(e, e.getIntegerAttr(element, bits));
}

/// Loops in the order of the operand's dimensions. `combine` takes the scalar
/// builder, an element and the value so far.
template <typename OpT, typename Combine>
static Value reduce(OpT op, Value input, Emitter &e, Value neutral,
                    Combine combine) {
  int64_t rank = Emitter::typeOf(input).getRank();
  SmallVector<Iterator> iterators;
  SmallVector<AffineExpr> kept;
  SmallVector<OpFoldResult> dims;
  for (int64_t i = 0; i < rank; ++i) {
    bool reduced = llvm::is_contained(op.getAxes(), i);
    iterators.push_back(reduced ? Iterator::reduction : Iterator::parallel);
    if (reduced)
      continue;
    kept.push_back(e.getAffineDimExpr(i));
    dims.push_back(e.dim(input, i));
  }
  SmallVector<AffineMap> maps{e.getMultiDimIdentityMap(rank),
                              AffineMap::get(rank, 0, kept, e.getContext())};
  Type wide = neutral.getType();
  bool isUnsigned =
      Emitter::typeOf(op.getInput()).getElementType().isUnsignedInteger();
  Value result =
      e.generic(
           input, e.filled(dims, neutral), maps, iterators,
           [&](ImplicitLocOpBuilder &b, ValueRange args) -> SmallVector<Value> {
             Value x = args[0];
             if (x.getType() != wide)
               x = arith::ExtFOp::create(b, wide, x);
             ScalarBuilder scalars(b, b.getLoc(), wide, isUnsigned);
             return {combine(scalars, args[1], x)};
           })
          .front();
  result = e.converted(result, Emitter::typeOf(input).getElementType());
  return op.getKeepDims() ? e.addUnits(result, op.getAxes()) : result;
}

static Value lowerSum(ReduceSumOp op, ReduceSumOp::Adaptor adaptor,
                      Emitter &e) {
  Type wide = accumulator(Emitter::typeOf(adaptor.getInput()).getElementType());
  return reduce(
      op, adaptor.getInput(), e, e.scalar(wide, 0),
      [](ScalarBuilder &b, Value sum, Value x) { return b.add(sum, x); });
}

static Value lowerProd(ReduceProdOp op, ReduceProdOp::Adaptor adaptor,
                       Emitter &e) {
  Type wide = accumulator(Emitter::typeOf(adaptor.getInput()).getElementType());
  return reduce(op, adaptor.getInput(), e, e.scalar(wide, 1),
                [](ScalarBuilder &b, Value product, Value x) {
                  return b.mul(product, x);
                });
}

template <typename OpT> static bool isUnsignedOperand(OpT op) {
  return Emitter::typeOf(op.getInput()).getElementType().isUnsignedInteger();
}

static Value lowerMax(ReduceMaxOp op, ReduceMaxOp::Adaptor adaptor,
                      Emitter &e) {
  Type element = Emitter::typeOf(adaptor.getInput()).getElementType();
  return reduce(
      op, adaptor.getInput(), e,
      worst(e, element, isUnsignedOperand(op), /*largest=*/true),
      [](ScalarBuilder &b, Value best, Value x) { return b.maximum(best, x); });
}

static Value lowerMin(ReduceMinOp op, ReduceMinOp::Adaptor adaptor,
                      Emitter &e) {
  Type element = Emitter::typeOf(adaptor.getInput()).getElementType();
  return reduce(
      op, adaptor.getInput(), e,
      worst(e, element, isUnsignedOperand(op), /*largest=*/false),
      [](ScalarBuilder &b, Value best, Value x) { return b.minimum(best, x); });
}

static Value lowerAny(ReduceAnyOp op, ReduceAnyOp::Adaptor adaptor,
                      Emitter &e) {
  return reduce(
      op, adaptor.getInput(), e, e.scalar(e.getI8Type(), 0),
      [](ScalarBuilder &b, Value any, Value x) { return b.logicalOr(any, x); });
}

static Value lowerAll(ReduceAllOp op, ReduceAllOp::Adaptor adaptor,
                      Emitter &e) {
  return reduce(op, adaptor.getInput(), e, e.scalar(e.getI8Type(), 1),
                [](ScalarBuilder &b, Value all, Value x) {
                  return b.logicalAnd(all, x);
                });
}

/// One pass that carries the extreme and its place. A place of -1 says that no
/// element was taken yet, which only NaN that are passed over leave at the end.
template <typename OpT>
static Value lowerArg(OpT op, typename OpT::Adaptor adaptor, Emitter &e) {
  constexpr bool largest = std::is_same_v<OpT, ArgmaxOp>;
  Value input = adaptor.getInput();
  RankedTensorType type = Emitter::typeOf(input);
  Type element = type.getElementType(), to = op.getTo();
  int64_t rank = type.getRank(), axis = op.getAxis();
  if (type.isDynamicDim(axis)) {
    OpFoldResult extent = e.dim(input, axis);
    e.require(e.compare(arith::CmpIPredicate::sgt, extent, e.index(0)),
              WEIR_INVALID_ARGUMENT,
              "[WEIR0331] there is no extreme of nothing: an extent of its "
              "operand is {0}",
              extent, e.index(0));
  }
  SmallVector<Iterator> iterators(rank, Iterator::parallel);
  iterators[axis] = Iterator::reduction;
  SmallVector<AffineExpr> kept;
  SmallVector<OpFoldResult> dims;
  for (int64_t i = 0; i < rank; ++i)
    if (i != axis) {
      kept.push_back(e.getAffineDimExpr(i));
      dims.push_back(e.dim(input, i));
    }
  bool isUnsigned = isUnsignedOperand(op), floating = isa<FloatType>(element);
  bool skip = floating && op.getNan() == NanRule::skip;
  SmallVector<Value> outs{
      e.filled(dims, worst(e, element, isUnsigned, largest)),
      e.filled(dims, e.scalar(to, skip ? -1 : 0))};
  AffineMap out = AffineMap::get(rank, 0, kept, e.getContext());
  Value place = e.generic(
      input, outs, {e.getMultiDimIdentityMap(rank), out, out}, iterators,
      [&](ImplicitLocOpBuilder &b, ValueRange args) -> SmallVector<Value> {
        Value x = args[0], best = args[1], at = args[2];
        ScalarBuilder scalars(b, b.getLoc(), element, isUnsigned);
        Value take = scalars.compare(
            x, best, largest ? ComparePredicate::gt : ComparePredicate::lt);
        if (floating && !skip) {
          // The first NaN wins: over all numbers, not over a NaN.
          Value nan = arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, x, x);
          Value number =
              arith::CmpFOp::create(b, arith::CmpFPredicate::ORD, best, best);
          take = arith::OrIOp::create(b, take,
                                      arith::AndIOp::create(b, nan, number));
        } else if (skip) {
          Value number =
              arith::CmpFOp::create(b, arith::CmpFPredicate::ORD, x, x);
          Value zero = arith::ConstantOp::create(b, b.getIntegerAttr(to, 0));
          Value none =
              arith::CmpIOp::create(b, arith::CmpIPredicate::slt, at, zero);
          take = arith::OrIOp::create(b, take,
                                      arith::AndIOp::create(b, none, number));
        }
        Value here =
            arith::IndexCastOp::create(b, to, linalg::IndexOp::create(b, axis));
        return {arith::SelectOp::create(b, take, x, best),
                arith::SelectOp::create(b, take, here, at)};
      })[1];
  if (!skip)
    return place;
  return e.parallel(
      place, e.getMultiDimIdentityMap(rank - 1), e.empty(dims, to),
      [&](ImplicitLocOpBuilder &b, ValueRange args) -> SmallVector<Value> {
        Value zero = arith::ConstantOp::create(b, b.getIntegerAttr(to, 0));
        return {arith::MaxSIOp::create(b, args[0], zero)};
      });
}

void addReductionLowerings(Lowerings &lowerings) {
  lowerings.add<ReduceSumOp>(lowerSum);
  lowerings.add<ReduceProdOp>(lowerProd);
  lowerings.add<ReduceMaxOp>(lowerMax);
  lowerings.add<ReduceMinOp>(lowerMin);
  lowerings.add<ReduceAnyOp>(lowerAny);
  lowerings.add<ReduceAllOp>(lowerAll);
  lowerings.add<ArgmaxOp>(lowerArg<ArgmaxOp>);
  lowerings.add<ArgminOp>(lowerArg<ArgminOp>);
}

} // namespace weir

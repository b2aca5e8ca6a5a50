//===- QuantizedLowerings.cpp - Arithmetic on int8 ------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A contraction is a plain one of int8 in sums of i32, which is what the
// kernels know to make fast. As sums wrap around, the zero point of the input
// comes out of it:
//
//   bias + sum (x - zero) * w  =  (bias - zero * sum w) + sum x * w
//
// and an image has its zero point for a padding, which so adds nothing.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "passes/Codegen/Linalg/Convolution.h"

using namespace mlir;

namespace weir {

using Iterator = utils::IteratorType;

/// One number for all places, or one for each place of a dimension: an operand
/// of a generic, or a value that its body uses.
class Numbers {
public:
  /// `maps` and `inputs` of the generic get what is needed; `map` picks the
  /// dimension.
  template <typename T>
  Numbers(Emitter &e, Type element, ArrayRef<T> numbers, AffineMap map,
          SmallVectorImpl<Value> &inputs, SmallVectorImpl<AffineMap> &maps) {
    auto attribute = [&](T number) -> Attribute {
      if constexpr (std::is_same_v<T, float>)
        return e.getFloatAttr(element, number);
      else
        return e.getIntegerAttr(element, number);
    };
    if (numbers.size() == 1) {
      uniform = arith::ConstantOp::create(
          e, cast<TypedAttr>(attribute(numbers.front())));
      return;
    }
    auto type =
        RankedTensorType::get({static_cast<int64_t>(numbers.size())}, element);
    place = inputs.size();
    inputs.push_back(arith::ConstantOp::create(
        e,
        DenseElementsAttr::get(type, llvm::map_to_vector(numbers, attribute))));
    maps.push_back(map);
  }
  Value operator()(ValueRange args) const {
    return uniform ? uniform : args[place];
  }

private:
  Value uniform;
  size_t place = 0;
};

//===----------------------------------------------------------------------===//
// quantize and dequantize
//===----------------------------------------------------------------------===//

/// What both work on: the input, and the map of its axis.
template <typename Op>
static AffineMap axisMap(Op op, Value input, Emitter &e) {
  int64_t rank = Emitter::typeOf(input).getRank();
  auto axis = static_cast<int64_t>(op.getAxis());
  return axis < 0 ? AffineMap::get(rank, 0, e.getContext())
                  : AffineMap::get(rank, 0, e.getAffineDimExpr(axis));
}

static Value lowerQuantize(QuantizeOp op, QuantizeOp::Adaptor adaptor,
                           Emitter &e) {
  Value input = adaptor.getInput();
  Type real = e.getF32Type();
  AffineMap map = axisMap(op, input, e);
  SmallVector<Value> inputs{input};
  SmallVector<AffineMap> maps{
      e.getMultiDimIdentityMap(Emitter::typeOf(input).getRank())};
  SmallVector<float> zeroPoints(op.getZeroPoints());
  Numbers scales(e, real, op.getScales(), map, inputs, maps),
      zeros(e, real, ArrayRef<float>(zeroPoints), map, inputs, maps);
  Value low = e.scalar(real, -128), high = e.scalar(real, 127);
  return e.parallel(
      inputs, maps, e.empty(e.dims(input), e.getI8Type()),
      [&](ImplicitLocOpBuilder &b, ValueRange args) -> SmallVector<Value> {
        Value zero = zeros(args);
        Value q = arith::DivFOp::create(b, args[0], scales(args));
        q = math::RoundEvenOp::create(b, q);
        // Far from zero the sum is inexact, and clamped either way.
        q = arith::AddFOp::create(b, q, zero);
        Value isNaN = arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, q, q);
        q = arith::SelectOp::create(b, isNaN, zero, q);
        q = arith::MaximumFOp::create(b, q, low);
        q = arith::MinimumFOp::create(b, q, high);
        return {arith::FPToSIOp::create(b, b.getI8Type(), q)};
      });
}

static Value lowerDequantize(DequantizeOp op, DequantizeOp::Adaptor adaptor,
                             Emitter &e) {
  Value input = adaptor.getInput();
  AffineMap map = axisMap(op, input, e);
  SmallVector<Value> inputs{input};
  SmallVector<AffineMap> maps{
      e.getMultiDimIdentityMap(Emitter::typeOf(input).getRank())};
  Numbers scales(e, e.getF32Type(), op.getScales(), map, inputs, maps),
      zeros(e, e.getI32Type(), op.getZeroPoints(), map, inputs, maps);
  return e.parallel(
      inputs, maps, e.empty(e.dims(input), e.getF32Type()),
      [&](ImplicitLocOpBuilder &b, ValueRange args) -> SmallVector<Value> {
        Value q = arith::ExtSIOp::create(b, b.getI32Type(), args[0]);
        q = arith::SubIOp::create(b, q, zeros(args));
        Value x = arith::SIToFPOp::create(b, b.getF32Type(), q);
        return {arith::MulFOp::create(b, x, scales(args))};
      });
}

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

/// The elements of a node of a constant, or nothing.
static DenseIntElementsAttr constantOf(Value value) {
  auto constant = value.getDefiningOp<ConstantOp>();
  return constant ? dyn_cast<DenseIntElementsAttr>(constant.getValue())
                  : DenseIntElementsAttr();
}

/// The bias less the zero point times the sum of each column of `weights`, the
/// last dimension of which is the columns. Known at once for constants.
template <typename Op>
static Value foldZero(Op op, Value weightsNode, Value weights, Value bias,
                      Emitter &e) {
  auto zero = static_cast<int32_t>(op.getInputZero());
  if (zero == 0)
    return bias;
  DenseIntElementsAttr knownWeights = constantOf(weightsNode),
                       knownBias = constantOf(op.getBias());
  if (knownWeights && knownBias) {
    SmallVector<uint32_t> sums;
    for (const APInt &number : knownBias)
      sums.push_back(static_cast<uint32_t>(number.getSExtValue()));
    size_t at = 0;
    for (const APInt &number : knownWeights)
      sums[at++ % sums.size()] -= static_cast<uint32_t>(zero) *
                                  static_cast<uint32_t>(number.getSExtValue());
    SmallVector<int32_t> folded(sums.begin(), sums.end());
    return arith::ConstantOp::create(
        e, DenseElementsAttr::get(Emitter::typeOf(bias),
                                  ArrayRef<int32_t>(folded)));
  }
  int64_t rank = Emitter::typeOf(weights).getRank();
  SmallVector<Iterator> iterators(rank, Iterator::reduction);
  iterators.back() = Iterator::parallel;
  Value minus = arith::ConstantOp::create(e, e.getI32IntegerAttr(-zero));
  return e
      .generic(
          weights, bias,
          {e.getMultiDimIdentityMap(rank),
           AffineMap::get(rank, 0, e.getAffineDimExpr(rank - 1))},
          iterators,
          [&](ImplicitLocOpBuilder &b, ValueRange args) -> SmallVector<Value> {
            Value w = arith::ExtSIOp::create(b, b.getI32Type(), args[0]);
            w = arith::MulIOp::create(b, w, minus);
            return {arith::AddIOp::create(b, args[1], w)};
          })
      .front();
}

/// A product of two int8, added to an i32.
static SmallVector<Value> multiplyAddInt8(ImplicitLocOpBuilder &b,
                                          ValueRange args) {
  Value x = arith::ExtSIOp::create(b, b.getI32Type(), args[0]);
  Value w = arith::ExtSIOp::create(b, b.getI32Type(), args[1]);
  return {arith::AddIOp::create(b, args[2], arith::MulIOp::create(b, x, w))};
}

namespace {
/// What makes int8 of sums: one number for all columns, or one for each.
struct Scaling {
  SmallVector<int64_t> rounding, shift, low, high;
  /// Whether the shifted product is in 32 bits, for all sums.
  bool isNarrow;

  template <typename Op> explicit Scaling(Op op);
};
} // namespace

/// t + zero is ((sum * multiplier + 2^(shift - 1) + (zero << shift)) >> shift.
/// For the usual shifts none of that leaves 64 bits, nor does it with 2^63 on
/// top, which makes the shift one of an unsigned number: an instruction that
/// CPUs have. Its result is 2^(63 - shift) too large, which is below 2^31, so
/// that it can be clamped in 32 bits, and of which the last 8 bits are 0.
template <typename Op> Scaling::Scaling(Op op) {
  isNarrow = llvm::all_of(
      op.getShifts(), [](int32_t shift) { return shift >= 33 && shift <= 54; });
  auto zero = static_cast<int32_t>(op.getOutputZero()),
       min = static_cast<int32_t>(op.getMin()),
       max = static_cast<int32_t>(op.getMax());
  for (int64_t by : op.getShifts()) {
    uint64_t half = uint64_t(1) << (by - 1);
    shift.push_back(by);
    if (!isNarrow) {
      rounding.push_back(static_cast<int64_t>(half));
      continue;
    }
    int64_t excess = int64_t(1) << (63 - by);
    rounding.push_back(static_cast<int64_t>(
        half + (static_cast<uint64_t>(int64_t(zero)) << by) +
        (uint64_t(1) << 63)));
    low.push_back(min + excess);
    high.push_back(max + excess);
  }
}

/// The int8 that sums become, with `bias` added: one for each place of the last
/// dimension.
template <typename Op>
static Value requantize(Op op, Value sums, Value bias, Emitter &e) {
  int64_t rank = Emitter::typeOf(sums).getRank();
  AffineMap columns = AffineMap::get(rank, 0, e.getAffineDimExpr(rank - 1));
  SmallVector<Value> inputs{sums, bias};
  SmallVector<AffineMap> maps{e.getMultiDimIdentityMap(rank), columns};
  Type wide = e.getI64Type(), narrow = e.getI32Type();
  auto numbers = [&](Type type, ArrayRef<int64_t> values) {
    return Numbers(e, type, values, columns, inputs, maps);
  };
  Scaling scaling(op);
  // 32 bits made wide: the product is one instruction.
  Numbers multiplier(e, narrow, op.getMultipliers(), columns, inputs, maps),
      rounding = numbers(wide, scaling.rounding),
      shift = numbers(wide, scaling.shift);
  auto shifted = [&](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
    Value sum = arith::AddIOp::create(b, args[0], args[1]);
    Value t = arith::MulIOp::create(
        b, arith::ExtSIOp::create(b, wide, sum),
        arith::ExtSIOp::create(b, wide, multiplier(args)));
    t = arith::AddIOp::create(b, t, rounding(args));
    if (scaling.isNarrow)
      return arith::ShRUIOp::create(b, t, shift(args));
    return arith::ShRSIOp::create(b, t, shift(args));
  };
  if (scaling.isNarrow) {
    Numbers low = numbers(narrow, scaling.low),
            high = numbers(narrow, scaling.high);
    return e.parallel(
        inputs, maps, e.empty(e.dims(sums), e.getI8Type()),
        [&](ImplicitLocOpBuilder &b, ValueRange args) -> SmallVector<Value> {
          Value t = arith::TruncIOp::create(b, narrow, shifted(b, args));
          t = arith::MaxSIOp::create(b, t, low(args));
          t = arith::MinSIOp::create(b, t, high(args));
          return {arith::TruncIOp::create(b, b.getI8Type(), t)};
        });
  }
  auto number = [&](uint32_t value) {
    return e.scalar(wide, static_cast<int32_t>(value));
  };
  Value zero = number(op.getOutputZero()), low = number(op.getMin()),
        high = number(op.getMax());
  return e.parallel(
      inputs, maps, e.empty(e.dims(sums), e.getI8Type()),
      [&](ImplicitLocOpBuilder &b, ValueRange args) -> SmallVector<Value> {
        Value t = arith::AddIOp::create(b, shifted(b, args), zero);
        t = arith::MaxSIOp::create(b, t, low);
        t = arith::MinSIOp::create(b, t, high);
        return {arith::TruncIOp::create(b, b.getI8Type(), t)};
      });
}

static Value lowerMatmul(QuantizedMatmulOp op,
                         QuantizedMatmulOp::Adaptor adaptor, Emitter &e) {
  Value lhs = adaptor.getLhs(), rhs = adaptor.getRhs();
  e.requireEqual(0, 1, 1, 0);
  Value bias = foldZero(op, op.getRhs(), rhs, adaptor.getBias(), e);
  AffineExpr m, n, k;
  bindDims(e.getContext(), m, n, k);
  SmallVector<AffineMap> maps = AffineMap::inferFromExprList(
      SmallVector<SmallVector<AffineExpr, 4>>{{m, k}, {k, n}, {m, n}},
      e.getContext());
  Value init =
      e.filled({e.dim(lhs, 0), e.dim(rhs, 1)}, e.scalar(e.getI32Type(), 0));
  Value sums =
      e.generic({lhs, rhs}, init, maps,
                {Iterator::parallel, Iterator::parallel, Iterator::reduction},
                multiplyAddInt8)
          .front();
  return requantize(op, sums, bias, e);
}

static Value lowerConv2d(QuantizedConv2dOp op,
                         QuantizedConv2dOp::Adaptor adaptor, Emitter &e) {
  Value input = adaptor.getInput(), filter = adaptor.getFilter();
  Convolution convolution(e, op, Emitter::typeOf(input).getShape().slice(1, 2),
                          Emitter::typeOf(filter).getShape().take_front(2));
  e.requireEqual(0, 3, 1, 2);
  Value bias = foldZero(op, op.getFilter(), filter, adaptor.getBias(), e);
  Value image = convolution.pad(
      input, e.scalar(e.getI8Type(), static_cast<int32_t>(op.getInputZero())));
  Value init = convolution.zeros(input, filter, e.getI32Type());
  Value sums = e.generic({image, filter}, init, convolution.maps,
                         convolution.iterators, multiplyAddInt8)
                   .front();
  return requantize(op, sums, bias, e);
}

void addQuantizedLowerings(Lowerings &lowerings) {
  lowerings.add<QuantizeOp>(lowerQuantize);
  lowerings.add<DequantizeOp>(lowerDequantize);
  lowerings.add<QuantizedMatmulOp>(lowerMatmul);
  lowerings.add<QuantizedConv2dOp>(lowerConv2d);
}

} // namespace weir

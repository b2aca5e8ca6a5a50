//===- DynamicShapeLowerings.cpp - Extents that are values ----------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shapes and places that come from operands. Every extent is checked before a
// tensor is made of it or an element is touched.
//
//===----------------------------------------------------------------------===//

#include "dialects/Weir/Builders.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "passes/Codegen/Linalg/Lowering.h"

using namespace mlir;

namespace weir {

using Predicate = arith::CmpIPredicate;

/// A tensor has fewer elements than this, so that sizes in bytes do not wrap.
static constexpr int64_t kMaxElements = int64_t(1) << 44;

static Value both(Emitter &e, Value a, Value b) {
  return arith::AndIOp::create(e, a, b);
}

static Value choose(Emitter &e, Value condition, Value a, Value b) {
  return arith::SelectOp::create(e, condition, a, b);
}

/// The entries of a vector of integers as indices.
static SmallVector<Value> entriesOf(Emitter &e, Value vector) {
  SmallVector<Value> entries;
  for (int64_t i = 0; i < Emitter::typeOf(vector).getDimSize(0); ++i)
    entries.push_back(arith::IndexCastOp::create(
        e, e.getIndexType(),
        tensor::ExtractOp::create(e, vector, e.toValue(e.index(i)))));
  return entries;
}

/// Checks that a tensor can have the extents, and gives their product.
static Value requireShape(Emitter &e, ArrayRef<Value> extents) {
  Value zero = e.toValue(e.index(0)), limit = e.toValue(e.index(kMaxElements)),
        one = e.toValue(e.index(1));
  Value count = one;
  for (Value extent : extents) {
    // count <= limit / extent, so that the product does not wrap.
    Value divisor = arith::MaxSIOp::create(e, extent, one);
    Value most = arith::DivSIOp::create(e, limit, divisor);
    Value fits = both(e, e.compare(Predicate::sge, extent, zero),
                      e.compare(Predicate::sle, count, most));
    e.require(fits, WEIR_INVALID_ARGUMENT,
              "[WEIR0451] no tensor has an extent of {0} where {1} elements "
              "are before it",
              extent, count);
    count = arith::MulIOp::create(e, count, extent);
  }
  return count;
}

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

/// How many integers there are from `start` to `limit`, as 64 bits without a
/// sign.
static Value countIntegers(Emitter &e, Value start, Value limit, Value delta,
                           bool isUnsigned) {
  Type wide = e.getI64Type();
  auto widened = [&](Value x) -> Value {
    if (x.getType() == wide)
      return x;
    return isUnsigned ? arith::ExtUIOp::create(e, wide, x).getResult()
                      : arith::ExtSIOp::create(e, wide, x).getResult();
  };
  start = widened(start);
  limit = widened(limit);
  delta = widened(delta);
  Value zero = e.scalar(wide, 0), one = e.scalar(wide, 1);
  auto compare = [&](Predicate predicate, Value a, Value b) -> Value {
    return arith::CmpIOp::create(e, predicate, a, b);
  };
  Value isUp =
      compare(isUnsigned ? Predicate::ugt : Predicate::sgt, delta, zero);
  Value from = choose(e, isUp, start, limit),
        to = choose(e, isUp, limit, start);
  Value fits =
      both(e, compare(Predicate::ne, delta, zero),
           compare(isUnsigned ? Predicate::ule : Predicate::sle, from, to));
  Value backwards = arith::SubIOp::create(e, zero, delta);
  // The division is made even where the check below fails.
  Value step = choose(e, fits, choose(e, isUp, delta, backwards), one);
  Value way = arith::SubIOp::create(e, to, from);
  Value whole = arith::DivUIOp::create(e, way, step);
  Value rest = arith::RemUIOp::create(e, way, step);
  Value more =
      arith::ExtUIOp::create(e, wide, compare(Predicate::ne, rest, zero));
  Value count = arith::AddIOp::create(e, whole, more);
  Value few = compare(Predicate::ule, count, e.scalar(wide, kMaxElements));
  e.require(both(e, fits, few), WEIR_INVALID_ARGUMENT,
            "[WEIR0450] a range leads to its limit in at most {0} steps that "
            "are not 0",
            e.index(kMaxElements), e.index(0));
  return count;
}

static Value countFloats(Emitter &e, Value start, Value limit, Value delta) {
  Type type = accumulator(start.getType());
  auto widened = [&](Value x) -> Value {
    return x.getType() == type ? x
                               : arith::ExtFOp::create(e, type, x).getResult();
  };
  ScalarBuilder b(e, e.getLoc(), type, false);
  Value way = b.sub(widened(limit), widened(start));
  Value steps = b.ceil(b.div(way, widened(delta)));
  // False for a NaN, which a delta of 0 gives, or an infinity.
  Value few =
      both(e, b.compare(steps, b.constant(0), ComparePredicate::ge),
           b.compare(steps, b.constant(static_cast<double>(kMaxElements)),
                     ComparePredicate::le));
  e.require(few, WEIR_INVALID_ARGUMENT,
            "[WEIR0450] a range leads to its limit in at most {0} steps that "
            "are not 0",
            e.index(kMaxElements), e.index(0));
  Value safe = choose(e, few, steps, b.constant(0));
  return arith::FPToSIOp::create(e, e.getI64Type(), safe);
}

static Value lowerRange(RangeOp op, RangeOp::Adaptor adaptor, Emitter &e) {
  auto scalar = [&](Value tensor) -> Value {
    return tensor::ExtractOp::create(e, tensor, ValueRange());
  };
  Value start = scalar(adaptor.getStart()), limit = scalar(adaptor.getLimit()),
        delta = scalar(adaptor.getDelta());
  Type element = start.getType();
  bool isUnsigned =
      Emitter::typeOf(op.getStart()).getElementType().isUnsignedInteger();
  Value count = isa<FloatType>(element)
                    ? countFloats(e, start, limit, delta)
                    : countIntegers(e, start, limit, delta, isUnsigned);
  Value extent = arith::IndexCastOp::create(e, e.getIndexType(), count);
  return e.parallel(
      {}, {}, e.empty(OpFoldResult(extent), element),
      [&](ImplicitLocOpBuilder &b, ValueRange) -> SmallVector<Value> {
        Value i = arith::IndexCastOp::create(b, b.getI64Type(),
                                             linalg::IndexOp::create(b, 0));
        if (!isa<FloatType>(element)) {
          Value steps = i;
          if (element != b.getI64Type())
            steps = arith::TruncIOp::create(b, element, i);
          Value way = arith::MulIOp::create(b, steps, delta);
          return {arith::AddIOp::create(b, start, way)};
        }
        Type type = accumulator(element);
        auto widened = [&](Value x) -> Value {
          return x.getType() == type
                     ? x
                     : arith::ExtFOp::create(b, type, x).getResult();
        };
        Value steps = arith::SIToFPOp::create(b, type, i);
        Value way = arith::MulFOp::create(b, steps, widened(delta));
        Value sum = arith::AddFOp::create(b, widened(start), way);
        return {type == element
                    ? sum
                    : arith::TruncFOp::create(b, element, sum).getResult()};
      });
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

static Value lowerDynamicReshape(DynamicReshapeOp op,
                                 DynamicReshapeOp::Adaptor adaptor,
                                 Emitter &e) {
  Value input = adaptor.getInput();
  RankedTensorType type = Emitter::typeOf(input);
  SmallVector<Value> extents = entriesOf(e, adaptor.getShape());
  Value count = e.toValue(e.product(e.dims(input)));
  Value one = e.toValue(e.index(1)), rest = e.toValue(e.index(-1)), open;
  // The product of what is said, with 1 for a -1, which there is one of.
  SmallVector<Value> said, isOpen;
  for (Value extent : extents) {
    isOpen.push_back(e.compare(Predicate::eq, extent, rest));
    said.push_back(choose(e, isOpen.back(), one, extent));
    if (open)
      e.require(arith::XOrIOp::create(e, both(e, open, isOpen.back()),
                                      e.scalar(e.getI1Type(), 1)),
                WEIR_INVALID_ARGUMENT,
                "[WEIR0451] a shape has one extent of {0} at most", rest, one);
    open = open ? arith::OrIOp::create(e, open, isOpen.back()).getResult()
                : isOpen.back();
  }
  Value known = requireShape(e, said);
  Value divisor = arith::MaxSIOp::create(e, known, one);
  Value left = arith::DivSIOp::create(e, count, divisor);
  for (auto [extent, is] : llvm::zip(said, isOpen))
    extent = choose(e, is, left, extent);
  Value total = known;
  if (open)
    total = choose(e, open, arith::MulIOp::create(e, known, left), known);
  e.require(e.compare(Predicate::eq, total, count), WEIR_INVALID_ARGUMENT,
            "[WEIR0332] {0} elements do not fit a shape of {1}", count, known);
  SmallVector<Value> sizes;
  for (Value extent : said)
    sizes.push_back(arith::IndexCastOp::create(e, e.getI64Type(), extent));
  auto result = RankedTensorType::get(
      SmallVector<int64_t>(said.size(), ShapedType::kDynamic),
      type.getElementType());
  if (said.empty())
    return tensor::CollapseShapeOp::create(
        e, result,
        tensor::CastOp::create(
            e,
            RankedTensorType::get(SmallVector<int64_t>(type.getRank(), 1),
                                  type.getElementType()),
            input),
        ArrayRef<ReassociationIndices>());
  return tensor::ReshapeOp::create(
      e, result, input,
      tensor::FromElementsOp::create(
          e,
          RankedTensorType::get(static_cast<int64_t>(sizes.size()),
                                e.getI64Type()),
          sizes));
}

static Value lowerDynamicBroadcast(DynamicBroadcastOp op,
                                   DynamicBroadcastOp::Adaptor adaptor,
                                   Emitter &e) {
  Value input = adaptor.getInput();
  RankedTensorType type = Emitter::typeOf(input);
  SmallVector<Value> extents = entriesOf(e, adaptor.getShape());
  requireShape(e, extents);
  int64_t shift = static_cast<int64_t>(extents.size()) - type.getRank();
  for (int64_t i = 0; i < type.getRank(); ++i) {
    if (type.getDimSize(i) == 1)
      continue;
    OpFoldResult actual = e.dim(input, i);
    e.require(e.compare(Predicate::eq, actual, extents[i + shift]),
              WEIR_INVALID_ARGUMENT,
              "[WEIR0331] an extent of its operand is {0}, where {1} is needed",
              actual, extents[i + shift]);
  }
  SmallVector<OpFoldResult> dims(extents.begin(), extents.end());
  auto [value, map] = e.broadcastOperand(
      input, SmallVector<int64_t>(extents.size(), ShapedType::kDynamic));
  return e.parallel(
      value, map, e.empty(dims, type.getElementType()),
      [](ImplicitLocOpBuilder &, ValueRange args) -> SmallVector<Value> {
        return {args[0]};
      });
}

//===----------------------------------------------------------------------===//
// Boxes
//===----------------------------------------------------------------------===//

/// Checks that `size` elements from `begin` on lie inside of `extent`.
static void requireInside(Emitter &e, Value begin, Value size, int64_t stride,
                          Value extent) {
  Value zero = e.toValue(e.index(0));
  Value isAfter = both(e, e.compare(Predicate::sge, begin, zero),
                       e.compare(Predicate::sle, begin, extent));
  e.require(isAfter, WEIR_INVALID_ARGUMENT,
            "[WEIR0331] a box begins at {0}, but there are {1} elements", begin,
            extent);
  // In this order, so that nothing overflows.
  Value room = arith::SubIOp::create(e, extent, begin);
  if (stride != 1)
    room = arith::CeilDivSIOp::create(e, room, e.toValue(e.index(stride)));
  e.require(both(e, e.compare(Predicate::sge, size, zero),
                 e.compare(Predicate::sle, size, room)),
            WEIR_INVALID_ARGUMENT,
            "[WEIR0331] a box takes {0} elements, but {1} follow its begin",
            size, room);
}

static Value lowerDynamicSlice(DynamicSliceOp op,
                               DynamicSliceOp::Adaptor adaptor, Emitter &e) {
  Value input = adaptor.getInput();
  SmallVector<Value> begin = entriesOf(e, adaptor.getBegin()),
                     size = entriesOf(e, adaptor.getSize());
  SmallVector<OpFoldResult> offsets, sizes, strides;
  for (auto [i, stride] : llvm::enumerate(op.getStrides())) {
    Value extent = e.toValue(e.dim(input, i));
    Value rest = arith::SubIOp::create(e, extent, begin[i]);
    if (stride != 1)
      rest = arith::CeilDivSIOp::create(e, rest, e.toValue(e.index(stride)));
    Value isOpen = e.compare(Predicate::eq, size[i], e.index(-1));
    size[i] = choose(e, isOpen, rest, size[i]);
    requireInside(e, begin[i], size[i], stride, extent);
    offsets.push_back(begin[i]);
    sizes.push_back(size[i]);
    strides.push_back(e.index(stride));
  }
  return tensor::ExtractSliceOp::create(e, input, offsets, sizes, strides);
}

static Value lowerDynamicUpdateSlice(DynamicUpdateSliceOp op,
                                     DynamicUpdateSliceOp::Adaptor adaptor,
                                     Emitter &e) {
  Value operand = adaptor.getOperand(), update = adaptor.getUpdate();
  SmallVector<Value> begin = entriesOf(e, adaptor.getBegin());
  SmallVector<OpFoldResult> offsets, sizes = e.dims(update), strides;
  for (auto [i, stride] : llvm::enumerate(op.getStrides())) {
    requireInside(e, begin[i], e.toValue(sizes[i]), stride,
                  e.toValue(e.dim(operand, i)));
    offsets.push_back(begin[i]);
    strides.push_back(e.index(stride));
  }
  return tensor::InsertSliceOp::create(e, update, operand, offsets, sizes,
                                       strides);
}

//===----------------------------------------------------------------------===//
// Sums and products so far
//===----------------------------------------------------------------------===//

template <typename OpT>
static Value lowerCumulative(OpT op, typename OpT::Adaptor adaptor,
                             Emitter &e) {
  constexpr bool isSum = std::is_same_v<OpT, CumulativeSumOp>;
  Value input = adaptor.getInput();
  RankedTensorType type = Emitter::typeOf(input);
  Type element = type.getElementType(), wide = accumulator(element);
  int64_t rank = type.getRank(), axis = static_cast<int64_t>(op.getAxis());
  bool exclusive = op.getExclusive(), reverse = op.getReverse();
  SmallVector<OpFoldResult> dims = e.dims(input), sizes(dims), sliceDims(dims);
  sizes[axis] = e.index(1);
  sliceDims.erase(sliceDims.begin() + axis);
  SmallVector<int64_t> sliceShape(type.getShape());
  sliceShape.erase(sliceShape.begin() + axis);
  auto sliceType = RankedTensorType::get(sliceShape, element),
       wideType = RankedTensorType::get(sliceShape, wide);
  SmallVector<OpFoldResult> strides(rank, e.index(1));
  Value count = e.toValue(dims[axis]), one = e.toValue(e.index(1));
  Value last = arith::SubIOp::create(e, count, one);
  Value result = e.empty(dims, wide);
  Value sofar = e.filled(sliceDims, e.scalar(wide, isSum ? 0 : 1));
  if (sofar.getType() != wideType)
    sofar = tensor::CastOp::create(e, wideType, sofar);
  auto loop = scf::ForOp::create(
      e, e.toValue(e.index(0)), count, one, ValueRange{result, sofar},
      [&](OpBuilder &builder, Location, Value i, ValueRange state) {
        Emitter inner(builder, e.getNode(), {}, e.getExtents());
        Value place = i;
        if (reverse)
          place = arith::SubIOp::create(inner, last, i);
        SmallVector<OpFoldResult> offsets(rank, inner.index(0));
        offsets[axis] = place;
        Value term = tensor::ExtractSliceOp::create(inner, sliceType, input,
                                                    offsets, sizes, strides);
        auto insert = [&](Value slice) -> Value {
          return tensor::InsertSliceOp::create(inner, slice, state[0], offsets,
                                               sizes, strides);
        };
        Value next;
        if (exclusive)
          next = insert(state[1]);
        Value fresh = inner.parallel(
            term, inner.getMultiDimIdentityMap(rank - 1), state[1],
            [&](ImplicitLocOpBuilder &b,
                ValueRange args) -> SmallVector<Value> {
              ScalarBuilder scalars(b, b.getLoc(), wide, false);
              Value x =
                  scalars.cast(args[0], element, wide, OutOfRange::saturate);
              return {isSum ? scalars.add(args[1], x)
                            : scalars.mul(args[1], x)};
            });
        if (!exclusive)
          next = insert(fresh);
        scf::YieldOp::create(inner, ValueRange{next, fresh});
      });
  return e.converted(loop.getResult(0), element);
}

void addDynamicShapeLowerings(Lowerings &lowerings) {
  lowerings.add<RangeOp>(lowerRange);
  lowerings.add<DynamicReshapeOp>(lowerDynamicReshape);
  lowerings.add<DynamicBroadcastOp>(lowerDynamicBroadcast);
  lowerings.add<DynamicSliceOp>(lowerDynamicSlice);
  lowerings.add<DynamicUpdateSliceOp>(lowerDynamicUpdateSlice);
  lowerings.add<CumulativeSumOp>(lowerCumulative<CumulativeSumOp>);
  lowerings.add<CumulativeProdOp>(lowerCumulative<CumulativeProdOp>);
}

} // namespace weir

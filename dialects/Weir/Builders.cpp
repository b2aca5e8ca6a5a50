//===- Builders.cpp - Building nodes and gradients
//-------------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Weir/Builders.h"

#include "dialects/Weir/Shape.h"

using namespace mlir;

namespace weir {

//===----------------------------------------------------------------------===//
// GraphBuilder
//===----------------------------------------------------------------------===//

Value GraphBuilder::scalarLike(Value like, double value) {
  return ConstantOp::create(
      builder, loc, RankedTensorType::get({}, typeOf(like).getElementType()),
      value);
}

Value GraphBuilder::fillLike(Value like, double value) {
  if (typeOf(like).hasStaticShape())
    return ConstantOp::create(builder, loc, typeOf(like), value);
  return broadcastLike(scalarLike(like, value), like);
}

Value GraphBuilder::add(Value a, Value b) {
  return make<AddOp>(a, b, ValueRange());
}
Value GraphBuilder::sub(Value a, Value b) {
  return make<SubOp>(a, b, ValueRange());
}
Value GraphBuilder::mul(Value a, Value b) {
  return make<MulOp>(a, b, ValueRange());
}
Value GraphBuilder::div(Value a, Value b) {
  return make<DivOp>(a, b, ValueRange());
}
Value GraphBuilder::pow(Value a, Value b) {
  return make<PowOp>(a, b, ValueRange());
}
Value GraphBuilder::neg(Value x) { return make<NegOp>(x, ValueRange()); }
Value GraphBuilder::exp(Value x) { return make<ExpOp>(x, ValueRange()); }
Value GraphBuilder::log(Value x) { return make<LogOp>(x, ValueRange()); }
Value GraphBuilder::sin(Value x) { return make<SinOp>(x, ValueRange()); }
Value GraphBuilder::cos(Value x) { return make<CosOp>(x, ValueRange()); }
Value GraphBuilder::sign(Value x) { return make<SignOp>(x, ValueRange()); }
Value GraphBuilder::square(Value x) { return make<SquareOp>(x, ValueRange()); }
Value GraphBuilder::scale(Value x, double factor) {
  return mul(x, scalarLike(x, factor));
}
Value GraphBuilder::addScalar(Value x, double term) {
  return add(x, scalarLike(x, term));
}
Value GraphBuilder::oneMinus(Value x) { return sub(scalarLike(x, 1.0), x); }

Value GraphBuilder::compare(Value a, Value b, ComparePredicate predicate) {
  return make<CompareOp>(a, b, predicate, ValueRange());
}
Value GraphBuilder::logicalNot(Value x) {
  return make<LogicalNotOp>(x, ValueRange());
}
Value GraphBuilder::select(Value condition, Value a, Value b) {
  return make<SelectOp>(condition, a, b, ValueRange());
}

Value GraphBuilder::cast(Value x, Type elementType) {
  if (typeOf(x).getElementType() == elementType)
    return x;
  return make<CastOp>(x, elementType, OutOfRange::saturate, ValueRange());
}

Value GraphBuilder::castLike(Value x, Value like) {
  return cast(x, typeOf(like).getElementType());
}

Value GraphBuilder::matmul(Value a, Value b, bool transposeA, bool transposeB) {
  return make<MatmulOp>(a, b, transposeA, transposeB, ValueRange());
}

Value GraphBuilder::reshape(Value x, ArrayRef<int64_t> shape) {
  return make<ReshapeOp>(x, shape, ValueRange());
}

Value GraphBuilder::reshapeLike(Value x, Value like) {
  RankedTensorType type = typeOf(like);
  if (type.hasStaticShape())
    return reshape(x, type.getShape());
  return make<ReshapeLikeOp>(x, like, ValueRange());
}

Value GraphBuilder::expandDims(Value x, ArrayRef<int64_t> axes) {
  return axes.empty() ? x : make<ExpandDimsOp>(x, axes, ValueRange());
}
Value GraphBuilder::squeeze(Value x, ArrayRef<int64_t> axes) {
  return axes.empty() ? x : make<SqueezeOp>(x, axes, ValueRange());
}
Value GraphBuilder::transpose(Value x, ArrayRef<int64_t> permutation) {
  return make<TransposeOp>(x, permutation, ValueRange());
}
Value GraphBuilder::reverse(Value x, ArrayRef<int64_t> axes) {
  return make<ReverseOp>(x, axes, ValueRange());
}
Value GraphBuilder::broadcastLike(Value x, Value like) {
  return make<BroadcastLikeOp>(x, like, ValueRange());
}
Value GraphBuilder::gather(Value params, Value indices, int64_t axis) {
  return make<GatherOp>(params, indices, axis, ValueRange());
}
Value GraphBuilder::reduceSum(Value x, ArrayRef<int64_t> axes, bool keepDims) {
  return axes.empty() ? x : make<ReduceSumOp>(x, axes, keepDims, ValueRange());
}
Value GraphBuilder::reduceMax(Value x, ArrayRef<int64_t> axes, bool keepDims) {
  return make<ReduceMaxOp>(x, axes, keepDims, ValueRange());
}
Value GraphBuilder::iota(RankedTensorType type, int64_t axis) {
  return make<IotaOp>(type, axis, ValueRange());
}

Value GraphBuilder::countLike(Value x, ArrayRef<int64_t> axes) {
  SmallVector<int64_t> extents;
  for (int64_t axis : axes)
    extents.push_back(typeOf(x).getDimSize(axis));
  if (auto count = elementCount(extents))
    return scalarLike(x, static_cast<double>(*count));
  Value product;
  for (int64_t axis : axes) {
    Value extent = make<DimSizeOp>(x, axis, ValueRange());
    product = product ? mul(product, extent) : extent;
  }
  return castLike(product, x);
}

SmallVector<int64_t> GraphBuilder::inverse(ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> result(permutation.size());
  for (auto [i, place] : llvm::enumerate(permutation))
    result[place] = i;
  return result;
}

//===----------------------------------------------------------------------===//
// GradientBuilder
//===----------------------------------------------------------------------===//

Value GradientBuilder::reduceTo(Value dy, Value operand) {
  ArrayRef<int64_t> from = typeOf(operand).getShape(),
                    to = typeOf(dy).getShape();
  SmallVector<int64_t> axes = broadcastAxes(from, to), leading;
  for (int64_t axis : axes)
    if (axis < static_cast<int64_t>(to.size() - from.size()))
      leading.push_back(axis);
  Value sum = reduceSum(dy, axes, /*keepDims=*/true);
  return squeeze(sum, leading);
}

Value GradientBuilder::where(Value condition, Value dy) {
  return select(condition, dy, scalarLike(dy, 0.0));
}

Value GradientBuilder::logOrZero(Value x) {
  // The inner select keeps log away from what would give infinity times zero.
  Value positive = compare(x, scalarLike(x, 0.0), ComparePredicate::gt);
  return where(positive, log(select(positive, x, scalarLike(x, 1.0))));
}

Value GradientBuilder::expandReduced(Value dy, Value input,
                                     ArrayRef<int64_t> axes, bool keepDims) {
  return broadcastLike(keepDims ? dy : expandDims(dy, axes), input);
}

Value GradientBuilder::matmulGradientLhs(MatmulOp op, Value dy) {
  Value a = op.getLhs(), b = op.getRhs();
  Value da = op.getTransposeLhs() ? matmul(b, dy, op.getTransposeRhs(), true)
                                  : matmul(dy, b, false, !op.getTransposeRhs());
  return reduceTo(da, a);
}

Value GradientBuilder::matmulGradientRhs(MatmulOp op, Value dy) {
  Value a = op.getLhs(), b = op.getRhs();
  Value db = op.getTransposeRhs() ? matmul(dy, a, true, op.getTransposeLhs())
                                  : matmul(a, dy, !op.getTransposeLhs(), false);
  return reduceTo(db, b);
}

Value GradientBuilder::conv2dGradientInput(Conv2dOp op, Value dy) {
  return make<Conv2dBackpropInputOp>(
      op.getFilter(), dy, typeOf(op.getInput()).getShape().slice(1, 2),
      op.getStrides(), op.getDilations(), op.getPadding(), op.getPadsAttr(),
      ValueRange());
}

Value GradientBuilder::conv2dGradientFilter(Conv2dOp op, Value dy) {
  return make<Conv2dBackpropFilterOp>(
      op.getInput(), dy, typeOf(op.getFilter()).getShape().take_front(2),
      op.getStrides(), op.getDilations(), op.getPadding(), op.getPadsAttr(),
      ValueRange());
}

Value GradientBuilder::maxPoolGradient(MaxPoolOp op, Value dy) {
  return make<MaxPoolGradOp>(op.getInput(), op.getResult(), dy, op.getWindow(),
                             op.getStrides(), op.getPadding(), op.getPadsAttr(),
                             ValueRange());
}

Value GradientBuilder::avgPoolGradient(AvgPoolOp op, Value dy) {
  return make<AvgPoolGradOp>(dy, typeOf(op.getInput()).getShape().slice(1, 2),
                             op.getWindow(), op.getStrides(), op.getPadding(),
                             op.getPadsAttr(), ValueRange());
}

Value GradientBuilder::softmaxGradient(Value y, Value dy) {
  Value weighted = mul(dy, y);
  return sub(weighted, mul(y, reduceSum(weighted, {typeOf(y).getRank() - 1},
                                        /*keepDims=*/true)));
}

Value GradientBuilder::logSoftmaxGradient(Value y, Value dy) {
  return sub(dy, mul(exp(y), reduceSum(dy, {typeOf(y).getRank() - 1},
                                       /*keepDims=*/true)));
}

Value GradientBuilder::crossEntropyGradient(SparseSoftmaxCrossEntropyOp op,
                                            ValueRange dys) {
  RankedTensorType logits = typeOf(op.getLogits());
  if (isDynamic(logits.getDimSize(1)))
    return cannotBuild(
        "the number of its classes is not known at compile time");
  Value probabilities = make<SoftmaxOp>(op.getLogits(), ValueRange());
  Value target = make<OneHotOp>(op.getLabels(), logits.getDimSize(1),
                                logits.getElementType(), ValueRange());
  return mul(sub(probabilities, target), expandDims(dys.front(), {1}));
}

Value GradientBuilder::reduceMeanGradient(ReduceMeanOp op, Value dy) {
  return expandReduced(div(dy, countLike(op.getInput(), op.getAxes())),
                       op.getInput(), op.getAxes(), op.getKeepDims());
}

Value GradientBuilder::reduceExtremeGradient(Operation *, Value input,
                                             Value result,
                                             ArrayRef<int64_t> axes,
                                             bool keepDims, Value dy) {
  Value extreme = keepDims ? result : expandDims(result, axes);
  Value hit = cast(compare(input, extreme, ComparePredicate::eq),
                   typeOf(dy).getElementType());
  Value share = div(keepDims ? dy : expandDims(dy, axes),
                    reduceSum(hit, axes, /*keepDims=*/true));
  return mul(hit, share);
}

Value GradientBuilder::sliceGradient(SliceOp op, Value dy) {
  // Zeros between and around, up to the operand's shape again. How many zeros
  // follow can only be said of a static extent or of a slice to the end.
  RankedTensorType input = typeOf(op.getInput());
  SmallVector<int64_t> low(op.getBegin()), high(input.getRank(), 0), interior;
  for (int64_t i = 0; i < input.getRank(); ++i) {
    int64_t extent = input.getDimSize(i), size = typeOf(dy).getDimSize(i),
            stride = op.getStrides()[i];
    interior.push_back(stride - 1);
    if (!isDynamic(extent) && !isDynamic(size))
      high[i] = size == 0 ? extent - low[i]
                          : extent - low[i] - ((size - 1) * stride + 1);
    else if (op.getSize()[i] != -1 || stride != 1)
      return cannotBuild("it takes a part of a dimension whose extent is not "
                         "known at compile time");
  }
  return make<PadOp>(dy, low, high, interior, llvm::APFloat(0.0), ValueRange());
}

Value GradientBuilder::padGradient(PadOp op, Value dy) {
  RankedTensorType input = typeOf(op.getInput());
  SmallVector<int64_t> size, strides;
  for (int64_t i = 0; i < input.getRank(); ++i) {
    int64_t extent = input.getDimSize(i);
    if (isDynamic(extent) && op.getHigh()[i] != 0)
      return cannotBuild(
          "it pads a dimension whose extent is not known at compile time");
    size.push_back(isDynamic(extent) ? -1 : extent);
    strides.push_back(op.getInterior()[i] + 1);
  }
  return make<SliceOp>(dy, op.getLow(), size, strides, ValueRange());
}

Value GradientBuilder::gatherGradient(GatherOp op, Value dy) {
  // Segments are summed along the first dimensions: bring the gathered ones
  // there, and bring the summed one back.
  RankedTensorType params = typeOf(op.getParams()),
                   indices = typeOf(op.getIndices());
  int64_t axis = op.getAxis(), extent = params.getDimSize(axis),
          count = indices.getRank();
  if (isDynamic(extent))
    return cannotBuild("it gathers along a dimension whose extent is not known "
                       "at compile time");
  SmallVector<int64_t> front, back;
  for (int64_t i = 0; i < count; ++i)
    front.push_back(axis + i);
  for (int64_t i = 0; i < typeOf(dy).getRank(); ++i)
    if (i < axis || i >= axis + count)
      front.push_back(i);
  for (int64_t i = 0; i < params.getRank(); ++i)
    back.push_back(i < axis ? i + 1 : i == axis ? 0 : i);
  if (axis != 0)
    dy = transpose(dy, front);
  Value sums =
      make<UnsortedSegmentSumOp>(dy, op.getIndices(), extent, ValueRange());
  return axis == 0 ? sums : transpose(sums, back);
}

Value GradientBuilder::takeAlongGradient(TakeAlongOp op, Value dy) {
  RankedTensorType rows = typeOf(op.getRows());
  if (isDynamic(rows.getDimSize(1)))
    return cannotBuild(
        "it takes from rows whose length is not known at compile time");
  Value places = make<OneHotOp>(op.getIndices(), rows.getDimSize(1),
                                rows.getElementType(), ValueRange());
  return mul(places, expandDims(dy, {1}));
}

} // namespace weir

//===- Gradients.cpp - Gradients that are more than a row -----------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `gradientsOf` an op: one gradient for each data operand, null where none
// flows. They are made of nodes that have gradients themselves.
//
//===----------------------------------------------------------------------===//

#include "dialects/Weir/Gradients.h"

#include "dialects/Weir/Builders.h"
#include "dialects/Weir/Shape.h"

using namespace mlir;

namespace weir {

using Gradients = SmallVector<Value>;

static RankedTensorType typeOf(Value value) {
  return GraphBuilder::typeOf(value);
}

//===----------------------------------------------------------------------===//
// Boxes and places
//===----------------------------------------------------------------------===//

static Gradients gradientsOf(DynamicUpdateSliceOp op, GradientBuilder &b,
                             Value dy) {
  Value operand = b.make<DynamicUpdateSliceOp>(dy, b.zerosLike(op.getUpdate()),
                                               op.getBegin(), op.getStrides(),
                                               ValueRange());
  Value size = b.castLike(b.make<ShapeOfOp>(op.getUpdate(), ValueRange()),
                          op.getBegin());
  Value update = b.make<DynamicSliceOp>(dy, op.getBegin(), size,
                                        op.getStrides(), ValueRange());
  return {operand, update, Value()};
}

namespace {

/// The gradients of a scatter to places as weir.scatter_nd has them, with one
/// update for each.
class ScatterGradient {
public:
  ScatterGradient(GradientBuilder &b, Value operand, Value places,
                  Value updates, Value result, Value dy)
      : b(b), operand(operand), places(places), updates(updates),
        result(result), dy(dy) {}

  /// Those of the operand and of the updates.
  std::pair<Value, Value> of(ScatterKind kind);

private:
  Value at(Value x) { return b.make<GatherNdOp>(x, places, ValueRange()); }
  Value scatter(Value into, Value values, ScatterKind kind) {
    return b.make<ScatterNdOp>(into, places, values, kind, ValueRange());
  }
  Value equal(Value x, Value y) {
    return b.compare(x, y, ComparePredicate::eq);
  }
  /// An i64 in the shape of `like`.
  Value filled(Value like, int64_t value);
  /// Different numbers >= 1 for the elements of the updates, ascending in
  /// row-major order, or descending.
  Value numbers(bool descending);
  /// Where a score, which is 0 or unique, is the largest of its place.
  Value isLargest(Value scores);

  std::pair<Value, Value> assigned();
  std::pair<Value, Value> multiplied();
  std::pair<Value, Value> divided();
  std::pair<Value, Value> extreme();

  GradientBuilder &b;
  Value operand, places, updates, result, dy;
};

} // namespace

Value ScatterGradient::filled(Value like, int64_t value) {
  auto scalar = RankedTensorType::get({}, b.getBuilder().getIntegerType(64));
  return b.broadcastLike(ConstantOp::create(b.getBuilder(), b.getLoc(), scalar,
                                            static_cast<double>(value)),
                         like);
}

Value ScatterGradient::numbers(bool descending) {
  Value ones = b.reshape(filled(updates, 1), {-1});
  return b.reshapeLike(
      b.cumulativeSum(ones, /*axis=*/0, /*exclusive=*/false, descending),
      updates);
}

Value ScatterGradient::isLargest(Value scores) {
  Value largest = scatter(filled(operand, 0), scores, ScatterKind::max);
  Value positive =
      b.compare(scores, b.scalarLike(scores, 0.0), ComparePredicate::gt);
  return b.make<LogicalAndOp>(positive, equal(at(largest), scores),
                              ValueRange());
}

std::pair<Value, Value> ScatterGradient::assigned() {
  // Of several updates of one element the last is what is left.
  Value last = isLargest(numbers(/*descending=*/false));
  return {scatter(dy, b.zerosLike(updates), ScatterKind::assign),
          b.where(last, at(dy))};
}

std::pair<Value, Value> ScatterGradient::extreme() {
  // What is equal to the result gets all of it: the operand, else the first.
  Value kept = equal(operand, result);
  Value candidate = b.make<LogicalAndOp>(equal(updates, at(result)),
                                         b.logicalNot(at(kept)), ValueRange());
  Value first = isLargest(b.where(candidate, numbers(/*descending=*/true)));
  return {b.where(kept, dy), b.where(first, at(dy))};
}

std::pair<Value, Value> ScatterGradient::multiplied() {
  // The product of the other updates of a place without what may be 0: that of
  // all that are not 0 by its own, unless another is 0.
  Value factor = scatter(b.onesLike(operand), updates, ScatterKind::mul);
  Value zero = equal(updates, b.scalarLike(updates, 0.0));
  Value isZero = b.castLike(zero, updates);
  Value zeros = scatter(b.zerosLike(operand), isZero, ScatterKind::add);
  Value nonzero = b.select(zero, b.scalarLike(updates, 1.0), updates);
  Value product = scatter(b.onesLike(operand), nonzero, ScatterKind::mul);
  Value others = b.where(equal(at(zeros), isZero), b.div(at(product), nonzero));
  return {b.mul(dy, factor), b.mul(at(b.mul(dy, operand)), others)};
}

std::pair<Value, Value> ScatterGradient::divided() {
  Value factor = scatter(b.onesLike(operand), updates, ScatterKind::div);
  return {b.mul(dy, factor), b.neg(b.div(at(b.mul(dy, result)), updates))};
}

std::pair<Value, Value> ScatterGradient::of(ScatterKind kind) {
  switch (kind) {
  case ScatterKind::assign:
    return assigned();
  case ScatterKind::add:
    return {dy, at(dy)};
  case ScatterKind::sub:
    return {dy, b.neg(at(dy))};
  case ScatterKind::mul:
    return multiplied();
  case ScatterKind::div:
    return divided();
  case ScatterKind::min:
  case ScatterKind::max:
    return extreme();
  }
  return {};
}

static Gradients gradientsOf(ScatterNdOp op, GradientBuilder &b, Value dy) {
  auto [operand, updates] = ScatterGradient(b, op.getOperand(), op.getIndices(),
                                            op.getUpdates(), op.getResult(), dy)
                                .of(op.getKind());
  return {operand, Value(), updates};
}

static Gradients gradientsOf(ScatterOp op, GradientBuilder &b, Value dy) {
  Value places =
      b.expandDims(op.getIndices(), {typeOf(op.getIndices()).getRank()});
  Value each = op.getUpdates();
  if (typeOf(each).getRank() == 0) // repeated
    each = b.broadcastLike(
        each, b.make<GatherNdOp>(op.getOperand(), places, ValueRange()));
  auto [operand, updates] =
      ScatterGradient(b, op.getOperand(), places, each, op.getResult(), dy)
          .of(op.getKind());
  return {operand, Value(), b.reduceTo(updates, op.getUpdates())};
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

static Value cumulativeProduct(GraphBuilder &b, Value x, int64_t axis,
                               bool exclusive, bool reverse) {
  return b.make<CumulativeProdOp>(x, axis, exclusive, reverse, ValueRange());
}

static Gradients gradientsOf(ReduceProdOp op, GradientBuilder &b, Value dy) {
  // One dimension after the other: the others along it are those before and
  // those behind, so that nothing is divided by what may be 0.
  SmallVector<Value> inputs{op.getInput()};
  for (int64_t axis : op.getAxes())
    inputs.push_back(b.make<ReduceProdOp>(inputs.back(), axis,
                                          /*keep_dims=*/true, ValueRange()));
  inputs.pop_back();
  Value flow = op.getKeepDims() ? dy : b.expandDims(dy, op.getAxes());
  for (auto [axis, x] :
       llvm::zip_equal(llvm::reverse(op.getAxes()), llvm::reverse(inputs))) {
    Value before = cumulativeProduct(b, x, axis, /*exclusive=*/true, false);
    Value behind = cumulativeProduct(b, x, axis, /*exclusive=*/true, true);
    flow = b.mul(b.mul(before, behind), flow);
  }
  return {flow};
}

/// Element i + distance of `axis` at i; 0 where there is none.
static Value ahead(GraphBuilder &b, Value x, int64_t axis, int64_t distance) {
  int64_t rank = typeOf(x).getRank();
  SmallVector<int64_t> none(rank, 0), at(rank, 0), all(rank, -1), ones(rank, 1);
  at[axis] = distance;
  Value rest = b.make<SliceOp>(x, at, all, ones, ValueRange());
  return b.make<PadOp>(rest, none, at, none, llvm::APFloat(0.0), ValueRange());
}

static Gradients gradientsOf(CumulativeProdOp op, GradientBuilder &b,
                             Value dy) {
  Value x = op.getInput();
  int64_t axis = op.getAxis(), extent = typeOf(x).getDimSize(axis);
  if (isDynamic(extent))
    return {b.cannotBuild("it multiplies along a dimension whose extent is not "
                          "known at compile time")};
  if (op.getReverse()) {
    x = b.reverse(x, {axis});
    dy = b.reverse(dy, {axis});
  }
  if (op.getExclusive() && extent > 0)
    dy = ahead(b, dy, axis, 1);
  // What flows into the product up to i, by way of those behind it:
  // s[i] = dy[i] + x[i + 1] * s[i + 1], in steps of twice the distance.
  Value sum = dy;
  if (extent > 1) {
    Value factor = ahead(b, x, axis, 1);
    for (int64_t distance = 1; distance < extent; distance *= 2) {
      sum = b.add(sum, b.mul(factor, ahead(b, sum, axis, distance)));
      factor = b.mul(factor, ahead(b, factor, axis, distance));
    }
  }
  Value dx = b.mul(sum, cumulativeProduct(b, x, axis, /*exclusive=*/true,
                                          /*reverse=*/false));
  return {op.getReverse() ? b.reverse(dx, {axis}) : dx};
}

//===----------------------------------------------------------------------===//
// Gradients of images
//===----------------------------------------------------------------------===//

// Convolution is linear in each of its operands, so its gradients are too.

static Gradients gradientsOf(Conv2dBackpropInputOp op, GradientBuilder &b,
                             Value dy) {
  Value filter = b.make<Conv2dBackpropFilterOp>(
      dy, op.getDy(), typeOf(op.getFilter()).getShape().take_front(2),
      op.getStrides(), op.getDilations(), op.getPadding(), op.getPadsAttr(),
      ValueRange());
  Value flow =
      b.make<Conv2dOp>(dy, op.getFilter(), op.getStrides(), op.getDilations(),
                       op.getPadding(), op.getPadsAttr(), ValueRange());
  return {filter, flow};
}

static Gradients gradientsOf(Conv2dBackpropFilterOp op, GradientBuilder &b,
                             Value dy) {
  Value input = b.make<Conv2dBackpropInputOp>(
      dy, op.getDy(), typeOf(op.getInput()).getShape().slice(1, 2),
      op.getStrides(), op.getDilations(), op.getPadding(), op.getPadsAttr(),
      ValueRange());
  Value flow =
      b.make<Conv2dOp>(op.getInput(), dy, op.getStrides(), op.getDilations(),
                       op.getPadding(), op.getPadsAttr(), ValueRange());
  return {input, flow};
}

static Gradients gradientsOf(AvgPoolGradOp op, GradientBuilder &b, Value dy) {
  return {b.make<AvgPoolOp>(dy, op.getWindow(), op.getStrides(),
                            op.getPadding(), op.getPadsAttr(), ValueRange())};
}

namespace {

/// Two images: what is compared, and what is taken along with it.
struct Compared {
  Value key, taken;
};

} // namespace

/// Both at the first largest key of each window along `axis`.
static Compared poolAlong(GraphBuilder &b, Compared image, int64_t axis,
                          const WindowDim &dim) {
  // What lies outside is NaN, which is larger than nothing.
  SmallVector<int64_t> none(4, 0), low(4, 0), high(4, 0), begin(4, 0),
      size(4, -1), strides(4, 1);
  low[axis] = dim.low;
  high[axis] = std::max<int64_t>(
      (dim.output - 1) * dim.stride + dim.window - dim.input - dim.low, 0);
  size[axis] = dim.output;
  strides[axis] = dim.stride;
  auto padded = [&](Value x, llvm::APFloat value) {
    return low == none && high == none
               ? x
               : b.make<PadOp>(x, low, high, none, value, ValueRange());
  };
  image = {
      padded(image.key, llvm::APFloat::getNaN(llvm::APFloat::IEEEdouble())),
      padded(image.taken, llvm::APFloat(0.0))};
  Compared first;
  for (int64_t i = 0; i < dim.window; ++i) {
    begin[axis] = i;
    auto places = [&](Value x) {
      return b.make<SliceOp>(x, begin, size, strides, ValueRange());
    };
    Compared next = {places(image.key), places(image.taken)};
    if (!first.key) {
      first = next;
      continue;
    }
    Value larger = b.make<LogicalOrOp>(
        b.compare(next.key, first.key, ComparePredicate::gt),
        b.compare(first.key, first.key, ComparePredicate::ne), ValueRange());
    first = {b.select(larger, next.key, first.key),
             b.select(larger, next.taken, first.taken)};
  }
  return first;
}

static Gradients gradientsOf(MaxPoolGradOp op, GradientBuilder &b, Value dy) {
  // What went to a place comes back from it. The first in row order is in the
  // first row that has the maximum, so each row on its own comes first.
  auto dims = *slideWindow2d(typeOf(op.getInput()).getShape().slice(1, 2),
                             op.getWindow(), op.getStrides(), {},
                             op.getPadding(), op.getPads());
  Compared rows = poolAlong(b, {op.getInput(), dy}, /*axis=*/2, dims[1]);
  return {Value(), Value(), poolAlong(b, rows, /*axis=*/1, dims[0]).taken};
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

namespace {

template <typename OpT>
struct HasGradient : GradientInterface::ExternalModel<HasGradient<OpT>, OpT> {
  SmallVector<Value> buildGradient(Operation *op, GradientBuilder &b,
                                   ValueRange dys) const {
    return gradientsOf(cast<OpT>(op), b, dys.front());
  }
};

template <typename... OpTs> void attach(MLIRContext &context) {
  (OpTs::template attachInterface<HasGradient<OpTs>>(context), ...);
}

} // namespace

void attachGradients(MLIRContext &context) {
  attach<DynamicUpdateSliceOp, ScatterNdOp, ScatterOp, ReduceProdOp,
         CumulativeProdOp, Conv2dBackpropInputOp, Conv2dBackpropFilterOp,
         AvgPoolGradOp, MaxPoolGradOp>(context);
}

} // namespace weir

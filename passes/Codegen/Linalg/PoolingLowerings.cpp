//===- PoolingLowerings.cpp - Pooling and its gradients
//-------------------------- ===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "passes/Codegen/Linalg/Lowering.h"

using namespace mlir;

namespace weir {

using Iterator = utils::IteratorType;
using Windows = std::array<WindowDim, 2>;

namespace {
/// What all poolings share: loops over (n, y, x, i, j, c), channels innermost
/// as they are in memory, and an operand that only gives the window its shape.
struct Pool {
  Pool(Emitter &e, const Windows &windows, Type element)
      : e(e), windows(windows) {
    AffineExpr n, y, x, i, j, c;
    bindDims(e.getContext(), n, y, x, i, j, c);
    auto map = [&](ArrayRef<AffineExpr> exprs) {
      return AffineMap::get(6, 0, exprs, e.getContext());
    };
    image = map({n, y * windows[0].stride + i, x * windows[1].stride + j, c});
    window = map({i, j});
    result = map({n, y, x, c});
    iterators = {Iterator::parallel,  Iterator::parallel,  Iterator::parallel,
                 Iterator::reduction, Iterator::reduction, Iterator::parallel};
    shape = e.empty({e.index(windows[0].window), e.index(windows[1].window)},
                    element);
  }

  /// The image with its padding, filled with `value`.
  Value pad(Value input, double value) {
    return e.padded(input, {0, windows[0].low, windows[1].low, 0},
                    {0, windows[0].high, windows[1].high, 0}, {0, 0, 0, 0},
                    e.scalar(Emitter::typeOf(input).getElementType(), value));
  }
  Emitter::Dims resultDims(Value input) {
    return {e.dim(input, 0), e.index(windows[0].output),
            e.index(windows[1].output), e.dim(input, 3)};
  }
  bool hasPadding() const {
    return windows[0].low != 0 || windows[0].high != 0 || windows[1].low != 0 ||
           windows[1].high != 0;
  }

  Emitter &e;
  Windows windows;
  AffineMap image, window, result;
  SmallVector<Iterator> iterators;
  Value shape;
};
} // namespace

template <typename OpT>
static Windows windowsOf(OpT op, ArrayRef<int64_t> imageSize) {
  return *slideWindow2d(imageSize, op.getWindow(), op.getStrides(), {},
                        op.getPadding(), op.getPads());
}

static constexpr double infinity = std::numeric_limits<double>::infinity();

/// On floats and on int8.
template <typename OpT>
static Value lowerMaxPool(OpT op, typename OpT::Adaptor adaptor, Emitter &e) {
  Value input = adaptor.getInput();
  Type element = Emitter::typeOf(input).getElementType();
  double lowest = isa<FloatType>(element) ? -infinity : -128;
  Pool pool(e, windowsOf(op, Emitter::typeOf(input).getShape().slice(1, 2)),
            element);
  Value init = e.filled(pool.resultDims(input), e.scalar(element, lowest));
  return e
      .generic(
          {pool.pad(input, lowest), pool.shape}, init,
          {pool.image, pool.window, pool.result}, pool.iterators,
          [](ImplicitLocOpBuilder &b, ValueRange args) -> SmallVector<Value> {
            if (isa<FloatType>(args[0].getType()))
              return {arith::MaximumFOp::create(b, args[2], args[0])};
            return {arith::MaxSIOp::create(b, args[2], args[0])};
          })
      .front();
}

/// For each place, how many elements of the image its window has, in the form
/// of something to divide by.
static Value divideByCount(Emitter &e, const Windows &windows, Value sums) {
  Type element = Emitter::typeOf(sums).getElementType();
  auto counts = [](const WindowDim &dim) {
    SmallVector<int64_t> result;
    for (int64_t place = 0; place < dim.output; ++place) {
      int64_t begin = std::max<int64_t>(place * dim.stride - dim.low, 0);
      result.push_back(
          std::min(place * dim.stride - dim.low + dim.window, dim.input) -
          begin);
    }
    return result;
  };
  SmallVector<APFloat> values;
  for (int64_t rows : counts(windows[0]))
    for (int64_t columns : counts(windows[1])) {
      APFloat value(static_cast<double>(rows * columns));
      bool lossy;
      value.convert(cast<FloatType>(element).getFloatSemantics(),
                    APFloat::rmNearestTiesToEven, &lossy);
      values.push_back(value);
    }
  auto type =
      RankedTensorType::get({windows[0].output, windows[1].output}, element);
  Value divisors =
      arith::ConstantOp::create(e, DenseElementsAttr::get(type, values));
  AffineExpr n, y, x, c;
  bindDims(e.getContext(), n, y, x, c);
  return e.parallel(
      {sums, divisors},
      {e.getMultiDimIdentityMap(4),
       AffineMap::get(4, 0, {y, x}, e.getContext())},
      e.empty(e.dims(sums), element),
      [](ImplicitLocOpBuilder &b, ValueRange args) -> SmallVector<Value> {
        return {arith::DivFOp::create(b, args[0], args[1])};
      });
}

static SmallVector<Value> addUp(ImplicitLocOpBuilder &b, ValueRange args) {
  return {addTo(b, args.back(), args.front())};
}

static Value lowerAvgPool(AvgPoolOp op, AvgPoolOp::Adaptor adaptor,
                          Emitter &e) {
  Value input = adaptor.getInput();
  Type element = Emitter::typeOf(input).getElementType(),
       wide = accumulator(element);
  Pool pool(e, windowsOf(op, Emitter::typeOf(input).getShape().slice(1, 2)),
            element);
  Value init = e.filled(pool.resultDims(input), e.scalar(wide, 0));
  Value sums =
      e.generic({pool.pad(input, 0), pool.shape}, init,
                {pool.image, pool.window, pool.result}, pool.iterators, addUp)
          .front();
  return e.converted(divideByCount(e, pool.windows, sums), element);
}

//===----------------------------------------------------------------------===//
// Gradients. An element of the image gathers from the windows that contain it:
// what belongs to windows is spread out by the stride and padded so that these
// are a window again, of stride 1, in which offset k is window offset
// size - 1 - k of the forward pass.
//===----------------------------------------------------------------------===//

static Value spread(Emitter &e, const Windows &windows, Value tensor,
                    Value value) {
  SmallVector<int64_t> low(4, 0), high(4, 0), interior(4, 0);
  for (int i = 0; i < 2; ++i) {
    const WindowDim &dim = windows[i];
    low[i + 1] = dim.window - 1 - dim.low;
    interior[i + 1] = dim.stride - 1;
    int64_t extent = (dim.output - 1) * dim.stride + 1;
    high[i + 1] = dim.input + dim.window - 1 - extent - low[i + 1];
  }
  return e.padded(tensor, low, high, interior, value);
}

/// Windows of stride 1 over what is spread out.
static Pool gatherPool(Emitter &e, const Windows &windows, Type element) {
  Windows unit = windows;
  for (WindowDim &dim : unit)
    dim.stride = 1;
  return Pool(e, unit, element);
}

static Value lowerAvgPoolGrad(AvgPoolGradOp op, AvgPoolGradOp::Adaptor adaptor,
                              Emitter &e) {
  Value dy = adaptor.getDy();
  Type element = Emitter::typeOf(dy).getElementType(),
       wide = accumulator(element);
  Windows windows = windowsOf(op, op.getInputSize());
  Value shares = divideByCount(e, windows, e.converted(dy, wide));
  Pool pool = gatherPool(e, windows, element);
  Value init = e.filled({e.dim(dy, 0), e.index(windows[0].input),
                         e.index(windows[1].input), e.dim(dy, 3)},
                        e.scalar(wide, 0));
  Value sums =
      e.generic({spread(e, windows, shares, e.scalar(wide, 0)), pool.shape},
                init, {pool.image, pool.window, pool.result}, pool.iterators,
                addUp)
          .front();
  return e.converted(sums, element);
}

/// For each window the number i * width + j of the first place, in row order,
/// that holds the maximum; -1 for none. Padding is no place.
static Value firstMaximum(Emitter &e, Pool &pool, Value input) {
  Type element = Emitter::typeOf(input).getElementType();
  const Windows &windows = pool.windows;
  SmallVector<OpFoldResult> dims = pool.resultDims(input);
  SmallVector<Value> outs{e.filled(dims, e.scalar(element, -infinity)),
                          e.filled(dims, e.scalar(e.getI32Type(), -1))};
  bool padding = pool.hasPadding();
  return e.generic(
      {pool.pad(input, -infinity), pool.shape}, outs,
      {pool.image, pool.window, pool.result, pool.result}, pool.iterators,
      [&](ImplicitLocOpBuilder &b, ValueRange args) -> SmallVector<Value> {
        auto constant = [&](int64_t n) {
          return arith::ConstantIndexOp::create(b, n).getResult();
        };
        auto loop = [&](int64_t dim) {
          return linalg::IndexOp::create(b, dim).getResult();
        };
        Value x = args[0], best = args[2], place = args[3];
        // Unordered: a NaN is larger than all but a NaN.
        Value larger =
            arith::CmpFOp::create(b, arith::CmpFPredicate::UGT, x, best);
        Value ordered =
            arith::CmpFOp::create(b, arith::CmpFPredicate::ORD, best, best);
        larger = arith::AndIOp::create(b, larger, ordered);
        Value unset =
            arith::CmpIOp::create(b, arith::CmpIPredicate::slt, place,
                                  arith::ConstantIntOp::create(b, 0, 32));
        Value take = arith::OrIOp::create(b, larger, unset);
        for (int i = 0; padding && i < 2; ++i) {
          Value stride = constant(windows[i].stride),
                low = constant(windows[i].low);
          Value at = arith::MulIOp::create(b, loop(1 + i), stride);
          at = arith::AddIOp::create(b, at, loop(3 + i));
          at = arith::SubIOp::create(b, at, low);
          Value inside = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, at,
                                               constant(windows[i].input));
          take = arith::AndIOp::create(b, take, inside);
        }
        Value number =
            arith::MulIOp::create(b, loop(3), constant(windows[1].window));
        number = arith::AddIOp::create(b, number, loop(4));
        number = arith::IndexCastOp::create(b, b.getI32Type(), number);
        return {arith::SelectOp::create(b, take, x, best),
                arith::SelectOp::create(b, take, number, place)};
      })[1];
}

/// Windows side by side: each element of the image is in one, at a place that
/// the loops over (n, y, i, x, j, c) name. One parallel pass.
static Value scatterSideBySide(Emitter &e, const Windows &windows, Value places,
                               Value dy) {
  AffineExpr n, y, i, x, j, c;
  bindDims(e.getContext(), n, y, i, x, j, c);
  AffineMap map = AffineMap::get(6, 0, {n, y, x, c}, e.getContext());
  Type element = Emitter::typeOf(dy).getElementType();
  OpFoldResult images = e.dim(dy, 0), channels = e.dim(dy, 3);
  Value out = e.empty({images, e.index(windows[0].output),
                       e.index(windows[0].window), e.index(windows[1].output),
                       e.index(windows[1].window), channels},
                      element);
  Value zero = e.scalar(element, 0);
  Value blocks = e.parallel(
      {places, dy}, {map, map}, out,
      [&](ImplicitLocOpBuilder &b, ValueRange args) -> SmallVector<Value> {
        Value width = arith::ConstantIndexOp::create(b, windows[1].window);
        Value number =
            arith::MulIOp::create(b, linalg::IndexOp::create(b, 2), width);
        number =
            arith::AddIOp::create(b, number, linalg::IndexOp::create(b, 4));
        number = arith::IndexCastOp::create(b, b.getI32Type(), number);
        Value hit =
            arith::CmpIOp::create(b, arith::CmpIPredicate::eq, number, args[0]);
        return {arith::SelectOp::create(b, hit, args[1], zero)};
      });
  SmallVector<ReassociationIndices> groups{{0}, {1, 2}, {3, 4}, {5}};
  Value image = tensor::CollapseShapeOp::create(e, blocks, groups);
  SmallVector<int64_t> high(4, 0);
  for (int d = 0; d < 2; ++d)
    high[d + 1] = windows[d].input - windows[d].output * windows[d].window;
  return e.padded(image, {0, 0, 0, 0}, high, {0, 0, 0, 0}, zero);
}

static Value lowerMaxPoolGrad(MaxPoolGradOp op, MaxPoolGradOp::Adaptor adaptor,
                              Emitter &e) {
  Value input = adaptor.getInput(), dy = adaptor.getDy();
  RankedTensorType type = Emitter::typeOf(input);
  Type element = type.getElementType(), wide = accumulator(element);
  Windows windows = windowsOf(op, type.getShape().slice(1, 2));
  for (int64_t axis : {0, 3})
    e.requireEqual(0, axis, 2, axis);
  Pool forward(e, windows, element);
  Value places = firstMaximum(e, forward, input);
  bool sideBySide = !forward.hasPadding() &&
                    windows[0].stride == windows[0].window &&
                    windows[1].stride == windows[1].window;
  if (sideBySide)
    return scatterSideBySide(e, windows, places, dy);

  Pool pool = gatherPool(e, windows, element);
  Value none = e.scalar(e.getI32Type(), -1), zero = e.scalar(wide, 0);
  Value init = e.filled(e.dims(input), zero);
  SmallVector<Value> inputs{spread(e, windows, places, none),
                            spread(e, windows, dy, e.scalar(element, 0)),
                            pool.shape};
  Value sums =
      e.generic(
           inputs, init, {pool.image, pool.image, pool.window, pool.result},
           pool.iterators,
           [&](ImplicitLocOpBuilder &b, ValueRange args) -> SmallVector<Value> {
             auto constant = [&](int64_t n) {
               return arith::ConstantIndexOp::create(b, n).getResult();
             };
             Value number = arith::MulIOp::create(
                 b, linalg::IndexOp::create(b, 3), constant(windows[1].window));
             number = arith::AddIOp::create(b, number,
                                            linalg::IndexOp::create(b, 4));
             Value last = constant(windows[0].window * windows[1].window - 1);
             number = arith::SubIOp::create(b, last, number);
             number = arith::IndexCastOp::create(b, b.getI32Type(), number);
             Value hit = arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                               number, args[0]);
             Value share =
                 args[1].getType() == wide
                     ? args[1]
                     : arith::ExtFOp::create(b, wide, args[1]).getResult();
             return {arith::AddFOp::create(
                 b, args[3], arith::SelectOp::create(b, hit, share, zero))};
           })
          .front();
  return e.converted(sums, element);
}

void addPoolingLowerings(Lowerings &lowerings) {
  lowerings.add<MaxPoolOp>(lowerMaxPool<MaxPoolOp>);
  lowerings.add<QuantizedMaxPoolOp>(lowerMaxPool<QuantizedMaxPoolOp>);
  lowerings.add<AvgPoolOp>(lowerAvgPool);
  lowerings.add<MaxPoolGradOp>(lowerMaxPoolGrad);
  lowerings.add<AvgPoolGradOp>(lowerAvgPoolGrad);
}

} // namespace weir

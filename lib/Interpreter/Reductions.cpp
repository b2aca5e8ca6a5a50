//===- Reductions.cpp - Reductions ----------------------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Interpreter/Kernels.h"

#include "dialects/Weir/Shape.h"
#include "llvm/ADT/TypeSwitch.h"
#include <limits>

using namespace mlir;

namespace weir {

using Result = llvm::Expected<Tensor>;

/// Reduces the elements of type T: for each place of the result, `step` joins
/// one element after another to `initial`, an Accumulator, and `last` makes an
/// element of what comes out and of how many there were.
template <typename T, typename Accumulator, typename Step, typename Last>
static Result reduce(const Tensor &x, ArrayRef<int64_t> axes, bool keepDims,
                     Accumulator initial, Step step, Last last) {
  // The result over the operand's places: it stands still along the axes.
  SmallVector<int64_t> kept, shape;
  int64_t reduced = 1;
  for (auto [d, extent] : llvm::enumerate(x.getShape())) {
    bool isReduced = llvm::is_contained(axes, static_cast<int64_t>(d));
    reduced *= isReduced ? extent : 1;
    kept.push_back(isReduced ? 1 : extent);
    if (!isReduced || keepDims)
      shape.push_back(kept.back());
  }
  Walk::Strides own = rowMajor(kept);
  for (int64_t axis : axes)
    own[axis] = 0;
  Tensor result(x.getDType(), shape);
  std::vector<Accumulator> sums(static_cast<size_t>(result.size()), initial);
  const T *from = x.read<T>();
  Walk walk(x.getShape(), own);
  for (int64_t i = 0; i < x.size(); ++i, walk.next())
    sums[walk[0]] = step(sums[walk[0]], from[i]);
  T *to = result.write<T>();
  for (int64_t i = 0; i < result.size(); ++i)
    to[i] = last(sums[i], reduced);
  return result;
}

/// A reduction whose accumulator is that of sums (see SumType).
template <typename Op, typename Step>
static Result sumLike(Op op, const Tensor &x, int initial, Step step) {
  return dispatch(x.getDType(), [&](auto zero) {
    using T = decltype(zero);
    using S = SumType<T>;
    return reduce<T>(
        x, op.getAxes(), op.getKeepDims(), S(initial),
        [&](S sum, T element) { return step(sum, convertTo<S>(element)); },
        [](S sum, int64_t) { return convertTo<T>(sum); });
  });
}

/// The largest or smallest element; NaN wins. Of nothing it is the smallest or
/// largest element that there is.
template <typename Op>
static Result extreme(Op op, const Tensor &x, bool largest) {
  return dispatch(x.getDType(), [&](auto zero) {
    using T = decltype(zero);
    using C = ComputeType<T>;
    using Limits = std::numeric_limits<C>;
    C initial;
    if constexpr (std::floating_point<C>)
      initial = largest ? -Limits::infinity() : Limits::infinity();
    else
      initial = largest ? Limits::min() : Limits::max();
    auto step = [&](C best, T element) {
      C candidate = convertTo<C>(element);
      if (best != best || candidate != candidate)
        return best != best ? best : candidate;
      if constexpr (std::floating_point<C>)
        if (candidate == best)
          return std::signbit(candidate) == largest ? best : candidate;
      return (largest ? candidate > best : candidate < best) ? candidate : best;
    };
    return reduce<T>(x, op.getAxes(), op.getKeepDims(), initial, step,
                     [](C best, int64_t) { return convertTo<T>(best); });
  });
}

static Result mean(ReduceMeanOp op, const Tensor &x) {
  return dispatchFloat(x.getDType(), [&](auto zero) {
    using T = decltype(zero);
    return reduce<T>(
        x, op.getAxes(), op.getKeepDims(), 0.0,
        [](double sum, T element) { return sum + convertTo<double>(element); },
        [](double sum, int64_t count) {
          return convertTo<T>(sum / static_cast<double>(count));
        });
  });
}

template <typename Op>
static Result argument(Op op, const Tensor &x, bool largest) {
  int64_t axis = op.getAxis(), extent = x.getShape()[axis];
  if (extent == 0)
    return nodeError(op, code::extents,
                     "axis " + Twine(axis) + " of shape " +
                         shapeText(x.getShape()) +
                         " has 0 elements, and there is no extreme of nothing");
  SmallVector<int64_t> shape(x.getShape());
  shape.erase(shape.begin() + axis);
  Walk::Strides own = rowMajor(x.getShape());
  int64_t stride = own[axis];
  own.erase(own.begin() + axis);
  Tensor result(dtypeOf(op.getTo()), shape);
  bool skip = op.getNan() == NanRule::skip;
  dispatch(x.getDType(), [&](auto zero) {
    using T = decltype(zero);
    using C = ComputeType<T>;
    const T *from = x.read<T>();
    Walk walk(shape, own);
    for (int64_t i = 0; i < result.size(); ++i, walk.next()) {
      int64_t best = -1;
      C value{};
      for (int64_t j = 0; j < extent; ++j) {
        C candidate = convertTo<C>(from[walk[0] + j * stride]);
        bool isNaN = candidate != candidate;
        if (isNaN && skip)
          continue;
        if (best < 0 || isNaN ||
            (largest ? candidate > value : candidate < value)) {
          best = j;
          value = candidate;
        }
        if (isNaN)
          break;
      }
      best = std::max<int64_t>(best, 0);
      if (result.getDType() == WEIR_I32)
        result.write<int32_t>()[i] = static_cast<int32_t>(best);
      else
        result.write<int64_t>()[i] = best;
    }
  });
  return result;
}

std::optional<llvm::Expected<Tensor>> evaluateReduction(Operation *op,
                                                        Operands x) {
  using Case = std::optional<Result>;
  return llvm::TypeSwitch<Operation *, Case>(op)
      .Case([&](ReduceSumOp node) -> Case {
        return sumLike(node, x[0], 0, [](auto a, auto b) { return a + b; });
      })
      .Case([&](ReduceProdOp node) -> Case {
        return sumLike(node, x[0], 1, [](auto a, auto b) { return a * b; });
      })
      .Case([&](ReduceAnyOp node) -> Case {
        return sumLike(node, x[0], 0,
                       [](auto a, auto b) { return a != 0 || b != 0; });
      })
      .Case([&](ReduceAllOp node) -> Case {
        return sumLike(node, x[0], 1,
                       [](auto a, auto b) { return a != 0 && b != 0; });
      })
      .Case([&](ReduceMaxOp node) -> Case { return extreme(node, x[0], true); })
      .Case(
          [&](ReduceMinOp node) -> Case { return extreme(node, x[0], false); })
      .Case([&](ReduceMeanOp node) -> Case { return mean(node, x[0]); })
      .Case([&](ArgmaxOp node) -> Case { return argument(node, x[0], true); })
      .Case([&](ArgminOp node) -> Case { return argument(node, x[0], false); })
      .Default([](Operation *) -> Case { return std::nullopt; });
}

} // namespace weir

//===- Elementwise.cpp - Element-wise nodes -------------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Interpreter/Arithmetic.h"
#include "lib/Interpreter/Kernels.h"

#include "dialects/Weir/Shape.h"
#include "llvm/ADT/TypeSwitch.h"
#include <limits>

using namespace mlir;

namespace weir {

static ArrayRef<int64_t> declaredShape(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// The result of an element-wise node: `body(i, walk)` computes its element i
/// out of the elements walk[0], walk[1] and so on of the operands.
template <typename Body>
static llvm::Expected<Tensor> overPlaces(Operation *op, Operands x,
                                         WeirDType dtype, Body body) {
  SmallVector<ArrayRef<int64_t>> types, shapes;
  for (auto [i, operand] : llvm::enumerate(x)) {
    types.push_back(declaredShape(op->getOperand(i)));
    shapes.push_back(operand.getShape());
  }
  auto shape = broadcastShapes(op, types, shapes);
  if (!shape)
    return shape.takeError();
  auto result = resultTensor(op, dtype, *shape);
  if (!result)
    return result.takeError();
  SmallVector<Walk::Strides, 3> strides;
  for (ArrayRef<int64_t> from : shapes)
    strides.push_back(repeated(from, *shape));
  Walk walk(*shape, strides);
  body(*result, walk);
  return result;
}

/// result[i] = function(x[i]) for elements of type T, in the type in which T
/// computes.
template <typename T, typename Function>
static llvm::Expected<Tensor> unary(Operation *op, Operands x,
                                    Function function) {
  using C = ComputeType<T>;
  return overPlaces(op, x, x[0].getDType(), [&](Tensor &result, Walk &walk) {
    T *to = result.write<T>();
    const T *from = x[0].read<T>();
    for (int64_t i = 0, e = result.size(); i < e; ++i, walk.next())
      to[i] =
          convertTo<T>(static_cast<C>(function(convertTo<C>(from[walk[0]]))));
  });
}

template <typename T, typename R, typename Function>
static llvm::Expected<Tensor> binary(Operation *op, Operands x, WeirDType dtype,
                                     Function function) {
  using C = ComputeType<T>;
  return overPlaces(op, x, dtype, [&](Tensor &result, Walk &walk) {
    R *to = result.write<R>();
    const T *a = x[0].read<T>(), *b = x[1].read<T>();
    for (int64_t i = 0, e = result.size(); i < e; ++i, walk.next())
      to[i] = convertTo<R>(
          function(convertTo<C>(a[walk[0]]), convertTo<C>(b[walk[1]])));
  });
}

//===----------------------------------------------------------------------===//
// What the ops do with elements
//===----------------------------------------------------------------------===//

template <typename C> static C signOf(C x) {
  return x > C(0) ? C(1) : x < C(0) ? static_cast<C>(-1) : x;
}

template <typename C>
static bool compares(ComparePredicate predicate, C a, C b) {
  switch (predicate) {
  case ComparePredicate::eq:
    return a == b;
  case ComparePredicate::ne:
    return a != b;
  case ComparePredicate::lt:
    return a < b;
  case ComparePredicate::le:
    return a <= b;
  case ComparePredicate::gt:
    return a > b;
  case ComparePredicate::ge:
    return a >= b;
  }
  return false;
}

/// An element as one of another type, by the rules of weir.cast.
template <typename To, typename From>
static To castElement(From x, OutOfRange outOfRange) {
  if constexpr (IsFloat<From> && IsInteger<To>) {
    using Limits = std::numeric_limits<To>;
    double value = convertTo<double>(x);
    // 2^digits is the first number above the range. What is below it truncates
    // to something below the smallest; at 64 bits that bound rounds to the
    // smallest itself, which is what is returned for it anyway.
    double above = std::ldexp(1.0, Limits::digits),
           below = Limits::is_signed ? -above - 1 : -1.0;
    if (std::isnan(value))
      return outOfRange == OutOfRange::minimum ? Limits::min() : To(0);
    if (value <= below)
      return Limits::min();
    if (value >= above)
      return outOfRange == OutOfRange::minimum ? Limits::min() : Limits::max();
    return static_cast<To>(value);
  } else {
    return convertTo<To>(x);
  }
}

//===----------------------------------------------------------------------===//
// The ops
//===----------------------------------------------------------------------===//

static llvm::Expected<Tensor> castTensor(CastOp op, Operands x) {
  WeirDType dtype = dtypeOf(op.getTo());
  if (dtype == WEIR_DTYPE_INVALID)
    return nodeError(op, code::extents, "casts to a type that no tensor has");
  return overPlaces(op, x, dtype, [&](Tensor &result, Walk &walk) {
    dispatch(x[0].getDType(), [&](auto from) {
      dispatch(dtype, [&](auto to) {
        using From = decltype(from);
        using To = decltype(to);
        const From *source = x[0].read<From>();
        To *target = result.write<To>();
        for (int64_t i = 0, e = result.size(); i < e; ++i, walk.next())
          target[i] = castElement<To>(source[walk[0]], op.getOutOfRange());
      });
    });
  });
}

static llvm::Expected<Tensor> selectTensor(SelectOp op, Operands x) {
  return overPlaces(op, x, x[1].getDType(), [&](Tensor &result, Walk &walk) {
    dispatch(x[1].getDType(), [&](auto zero) {
      using T = decltype(zero);
      T *to = result.write<T>();
      const bool *condition = x[0].read<bool>();
      const T *a = x[1].read<T>(), *b = x[2].read<T>();
      for (int64_t i = 0, e = result.size(); i < e; ++i, walk.next())
        to[i] = condition[walk[0]] ? a[walk[1]] : b[walk[2]];
    });
  });
}

Tensor combine(const Tensor &a, const Tensor &b, bool subtract) {
  Tensor result(a.getDType(), a.getShape());
  dispatch(a.getDType(), [&](auto zero) {
    using T = decltype(zero);
    using C = ComputeType<T>;
    for (int64_t i = 0; i < result.size(); ++i) {
      C x = convertTo<C>(a.read<T>()[i]), y = convertTo<C>(b.read<T>()[i]);
      result.write<T>()[i] =
          convertTo<T>(subtract ? difference(x, y) : sum(x, y));
    }
  });
  return result;
}

using Result = std::optional<llvm::Expected<Tensor>>;

std::optional<llvm::Expected<Tensor>> evaluateElementwise(Operation *op,
                                                          Operands x) {
  // For every numeric type, or for floats: `function` takes elements in the
  // type in which they compute.
  auto numbers1 = [&](auto function) -> Result {
    return dispatch(x[0].getDType(), [&](auto zero) {
      return unary<decltype(zero)>(op, x, function);
    });
  };
  auto floats1 = [&](auto function) -> Result {
    return dispatchFloat(x[0].getDType(), [&](auto zero) {
      return unary<decltype(zero)>(op, x, function);
    });
  };
  auto numbers2 = [&](auto function) -> Result {
    return dispatch(x[0].getDType(), [&](auto zero) {
      return binary<decltype(zero), decltype(zero)>(op, x, x[0].getDType(),
                                                    function);
    });
  };
  auto floats2 = [&](auto function) -> Result {
    return dispatchFloat(x[0].getDType(), [&](auto zero) {
      return binary<decltype(zero), decltype(zero)>(op, x, x[0].getDType(),
                                                    function);
    });
  };
  auto booleans2 = [&](auto function) -> Result {
    return binary<bool, bool>(op, x, WEIR_BOOL, function);
  };

  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([&](NegOp) { return numbers1([](auto x) { return negative(x); }); })
      .Case([&](AbsOp) {
        return numbers1([](auto x) {
          if constexpr (std::integral<decltype(x)>)
            return x < 0 ? negative(x) : x;
          else
            return std::fabs(x);
        });
      })
      .Case([&](SignOp) { return numbers1([](auto x) { return signOf(x); }); })
      .Case([&](SquareOp) {
        return numbers1([](auto x) { return product(x, x); });
      })
      .Case([&](ReluOp) {
        return numbers1([](auto x) { return larger(x, decltype(x)(0)); });
      })
      .Case([&](ReciprocalOp) { return floats1([](auto x) { return 1 / x; }); })
      .Case([&](ExpOp) { return floats1([](auto x) { return std::exp(x); }); })
      .Case([&](Expm1Op) {
        return floats1([](auto x) { return std::expm1(x); });
      })
      .Case([&](LogOp) { return floats1([](auto x) { return std::log(x); }); })
      .Case([&](Log1pOp) {
        return floats1([](auto x) { return std::log1p(x); });
      })
      .Case(
          [&](SqrtOp) { return floats1([](auto x) { return std::sqrt(x); }); })
      .Case([&](RsqrtOp) {
        return floats1([](auto x) { return 1 / std::sqrt(x); });
      })
      .Case([&](SinOp) { return floats1([](auto x) { return std::sin(x); }); })
      .Case([&](CosOp) { return floats1([](auto x) { return std::cos(x); }); })
      .Case(
          [&](TanhOp) { return floats1([](auto x) { return std::tanh(x); }); })
      .Case([&](ErfOp) { return floats1([](auto x) { return std::erf(x); }); })
      .Case([&](SigmoidOp) {
        return floats1([](auto x) { return 1 / (1 + std::exp(-x)); });
      })
      .Case([&](FloorOp) {
        return floats1([](auto x) { return std::floor(x); });
      })
      .Case(
          [&](CeilOp) { return floats1([](auto x) { return std::ceil(x); }); })
      .Case([&](RoundOp) {
        return floats1([](auto x) { return std::nearbyint(x); });
      })
      .Case([&](AddOp) {
        return numbers2([](auto a, auto b) { return sum(a, b); });
      })
      .Case([&](SubOp) {
        return numbers2([](auto a, auto b) { return difference(a, b); });
      })
      .Case([&](MulOp) {
        return numbers2([](auto a, auto b) { return product(a, b); });
      })
      .Case([&](MaximumOp) {
        return numbers2([](auto a, auto b) { return larger(a, b); });
      })
      .Case([&](MinimumOp) {
        return numbers2([](auto a, auto b) { return smaller(a, b); });
      })
      .Case(
          [&](DivOp) { return floats2([](auto a, auto b) { return a / b; }); })
      .Case([&](PowOp) {
        return floats2([](auto a, auto b) { return std::pow(a, b); });
      })
      .Case([&](LogicalAndOp) {
        return booleans2([](bool a, bool b) { return a && b; });
      })
      .Case([&](LogicalOrOp) {
        return booleans2([](bool a, bool b) { return a || b; });
      })
      .Case([&](LogicalXorOp) {
        return booleans2([](bool a, bool b) { return a != b; });
      })
      .Case([&](LogicalNotOp) -> Result {
        return unary<bool>(op, x, [](bool a) { return !a; });
      })
      .Case([&](CompareOp compare) -> Result {
        return dispatch(x[0].getDType(), [&](auto zero) {
          return binary<decltype(zero), bool>(
              op, x, WEIR_BOOL, [&](auto a, auto b) {
                return compares(compare.getPredicate(), a, b);
              });
        });
      })
      .Case([&](IsFiniteOp) -> Result {
        return overPlaces(op, x, WEIR_BOOL, [&](Tensor &result, Walk &) {
          for (int64_t i = 0, e = result.size(); i < e; ++i)
            result.write<bool>()[i] = std::isfinite(x[0].getDouble(i));
        });
      })
      .Case([&](CastOp cast) -> Result { return castTensor(cast, x); })
      .Case([&](SelectOp select) -> Result { return selectTensor(select, x); })
      .Default([](Operation *) -> Result { return std::nullopt; });
}

} // namespace weir

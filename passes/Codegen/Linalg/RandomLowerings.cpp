//===- RandomLowerings.cpp - Random numbers
//-------------------------------------- ===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Philox 4x32-10 and what is made of its words: docs/spec/random.md.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "passes/Codegen/Linalg/Lowering.h"

using namespace mlir;

namespace weir {

namespace {
/// Arithmetic of a body on scalars, which vectorizes as it stands.
class Philox {
public:
  explicit Philox(ImplicitLocOpBuilder &b) : b(b) {}

  /// The four words of a counter under a key.
  std::array<Value, 4> words(std::array<Value, 4> c, Value key0, Value key1);

  Value low(Value wide) {
    return arith::TruncIOp::create(b, b.getI32Type(), wide);
  }
  Value high(Value wide) {
    return low(arith::ShRUIOp::create(b, wide, wide64(32)));
  }
  Value wide64(int64_t value) {
    return arith::ConstantIntOp::create(b, value, 64);
  }
  Value word(uint32_t value) {
    return arith::ConstantOp::create(
        b, b.getI32IntegerAttr(static_cast<int32_t>(value)));
  }
  Value isOdd(Value number) {
    return arith::TruncIOp::create(b, b.getI1Type(), number);
  }
  Value pick(Value condition, Value a, Value c) {
    return arith::SelectOp::create(b, condition, a, c);
  }

  /// 24 bits of a word, or 53 of two, times 2^-bits; with `offset` 1 that is
  /// in 0 < u <= 1, with 0 in 0 <= u < 1.
  Value unit(Type type, Value first, Value second, int64_t offset);

private:
  /// The high and the low half of a product of words.
  std::pair<Value, Value> multiply(Value x, uint32_t factor) {
    Value wide = arith::ExtUIOp::create(b, b.getI64Type(), x);
    Value product = arith::MulIOp::create(b, wide, wide64(factor));
    return {high(product), low(product)};
  }
  Value exclusiveOr(Value x, Value y) { return arith::XOrIOp::create(b, x, y); }

  ImplicitLocOpBuilder &b;
};
} // namespace

std::array<Value, 4> Philox::words(std::array<Value, 4> c, Value key0,
                                   Value key1) {
  for (int round = 0; round < 10; ++round) {
    auto [hi0, lo0] = multiply(c[0], 0xD2511F53u);
    auto [hi1, lo1] = multiply(c[2], 0xCD9E8D57u);
    c = {exclusiveOr(exclusiveOr(hi1, c[1]), key0), lo1,
         exclusiveOr(exclusiveOr(hi0, c[3]), key1), lo0};
    key0 = arith::AddIOp::create(b, key0, word(0x9E3779B9u));
    key1 = arith::AddIOp::create(b, key1, word(0xBB67AE85u));
  }
  return c;
}

Value Philox::unit(Type type, Value first, Value second, int64_t offset) {
  Value bits;
  if (type.isF32()) {
    bits = arith::ShRUIOp::create(b, first, word(8));
    bits = arith::AddIOp::create(b, bits, word(offset));
  } else {
    Value hi = arith::ExtUIOp::create(b, b.getI64Type(), first),
          lo = arith::ExtUIOp::create(b, b.getI64Type(), second);
    bits =
        arith::OrIOp::create(b, arith::ShLIOp::create(b, hi, wide64(32)), lo);
    bits = arith::ShRUIOp::create(b, bits, wide64(11));
    bits = arith::AddIOp::create(b, bits, wide64(offset));
  }
  // As a signed number: the conversion that vector units have.
  Value number = arith::SIToFPOp::create(b, type, bits);
  Value scale = arith::ConstantOp::create(
      b, b.getFloatAttr(type, type.isF32() ? 0x1p-24 : 0x1p-53));
  return arith::MulFOp::create(b, number, scale);
}

/// Loops over the elements in row-major order. An element is a function of the
/// words of its group.
template <typename OpT>
static Value lowerRandom(OpT op, typename OpT::Adaptor adaptor, Emitter &e) {
  constexpr bool isNormal = std::is_same_v<OpT, RandomNormalOp>;
  auto type = cast<RankedTensorType>(op.getType());
  Type element = type.getElementType();
  bool single = element.isF32();
  auto count = elementCount(type.getShape());
  SmallVector<OpFoldResult> dims;
  for (int64_t extent : type.getShape())
    dims.push_back(e.index(extent));

  Philox outside(e);
  auto half = [&](int64_t seed, bool upper) {
    Value at = e.toValue(e.index(seed));
    Value number = tensor::ExtractOp::create(e, adaptor.getSeed(), at);
    return upper ? outside.high(number) : outside.low(number);
  };
  Value key0 = half(0, false), key1 = half(0, true), counter2 = half(1, false),
        counter3 = half(1, true);

  Value flat = e.parallel(
      {}, {}, e.empty(e.index(*count), element),
      [&](ImplicitLocOpBuilder &b, ValueRange) -> SmallVector<Value> {
        Philox p(b);
        Value place = arith::IndexCastOp::create(b, b.getI64Type(),
                                                 linalg::IndexOp::create(b, 0));
        Value group =
            arith::ShRUIOp::create(b, place, p.wide64(single ? 2 : 1));
        auto w = p.words({p.low(group), p.high(group), counter2, counter3},
                         key0, key1);
        Value odd = p.isOdd(place);
        // Whether the element is in the second half of a group of four.
        Value second = p.isOdd(arith::ShRUIOp::create(b, place, p.wide64(1)));
        if (!isNormal) {
          if (single)
            return {p.unit(element,
                           p.pick(second, p.pick(odd, w[3], w[2]),
                                  p.pick(odd, w[1], w[0])),
                           Value(), 0)};
          return {p.unit(element, p.pick(odd, w[2], w[0]),
                         p.pick(odd, w[3], w[1]), 0)};
        }
        // A pair of uniform numbers makes a pair of normal ones.
        Value u, v;
        if (single) {
          u = p.unit(element, p.pick(second, w[2], w[0]), Value(), 1);
          v = p.unit(element, p.pick(second, w[3], w[1]), Value(), 0);
        } else {
          u = p.unit(element, w[0], w[1], 1);
          v = p.unit(element, w[2], w[3], 0);
        }
        auto number = [&](double value) {
          return arith::ConstantOp::create(b, b.getFloatAttr(element, value))
              .getResult();
        };
        Value radius = math::SqrtOp::create(
            b,
            arith::MulFOp::create(b, number(-2.0), math::LogOp::create(b, u)));
        Value angle = arith::MulFOp::create(b, number(6.283185307179586), v);
        Value side = p.pick(odd, math::SinOp::create(b, angle),
                            math::CosOp::create(b, angle));
        return {arith::MulFOp::create(b, radius, side)};
      });
  if (type.getRank() == 1)
    return flat;
  SmallVector<ReassociationIndices> groups;
  if (type.getRank() == 0)
    return tensor::CollapseShapeOp::create(e, flat, groups);
  groups.push_back(dimensions(0, type.getRank()));
  return tensor::ExpandShapeOp::create(
      e, RankedTensorType::get(type.getShape(), element), flat, groups, dims);
}

void addRandomLowerings(Lowerings &lowerings) {
  lowerings.add<RandomUniformOp>(lowerRandom<RandomUniformOp>);
  lowerings.add<RandomNormalOp>(lowerRandom<RandomNormalOp>);
}

} // namespace weir

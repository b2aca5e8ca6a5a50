//===- Lowering.cpp - What lowerings of nodes build with
//---------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Codegen/Linalg/Lowering.h"

#include "dialects/Rt/Rt.h"
#include "dialects/Weir/Builders.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace weir {

Type storedElement(Type element) {
  auto integer = dyn_cast<IntegerType>(element);
  if (!integer)
    return element;
  return IntegerType::get(element.getContext(),
                          integer.getWidth() == 1 ? 8 : integer.getWidth());
}

Type accumulator(Type element) {
  return element.isF16() || element.isBF16()
             ? Float32Type::get(element.getContext())
             : element;
}

ReassociationIndices dimensions(int64_t begin, int64_t end) {
  return llvm::to_vector<2>(llvm::seq<int64_t>(begin, end));
}

Value addTo(ImplicitLocOpBuilder &b, Value sum, Value x) {
  if (!isa<FloatType>(sum.getType()))
    return arith::AddIOp::create(b, sum, x);
  if (x.getType() != sum.getType())
    x = arith::ExtFOp::create(b, sum.getType(), x);
  return arith::AddFOp::create(b, sum, x);
}

SmallVector<Value> multiplyAdd(ImplicitLocOpBuilder &b, ValueRange args) {
  Type type = args[2].getType();
  if (!isa<FloatType>(type)) {
    Value product = arith::MulIOp::create(b, args[0], args[1]);
    return {arith::AddIOp::create(b, args[2], product)};
  }
  auto widened = [&](Value x) {
    return x.getType() == type ? x
                               : arith::ExtFOp::create(b, type, x).getResult();
  };
  Value product = arith::MulFOp::create(b, widened(args[0]), widened(args[1]));
  return {arith::AddFOp::create(b, args[2], product)};
}

//===----------------------------------------------------------------------===//
// Extents
//===----------------------------------------------------------------------===//

OpFoldResult Emitter::dim(Value tensor, int64_t axis) {
  if (!typeOf(tensor).isDynamicDim(axis))
    return getIndexAttr(typeOf(tensor).getDimSize(axis));
  return createOrFold<tensor::DimOp>(tensor, axis);
}

Emitter::Dims Emitter::dims(Value tensor) {
  Dims result;
  for (int64_t i = 0; i < typeOf(tensor).getRank(); ++i)
    result.push_back(dim(tensor, i));
  return result;
}

Value Emitter::toValue(OpFoldResult extent) {
  return getValueOrCreateConstantIndexOp(*this, getLoc(), extent);
}

SmallVector<Value> Emitter::toValues(ArrayRef<OpFoldResult> extents) {
  return llvm::map_to_vector(
      extents, [&](OpFoldResult extent) { return toValue(extent); });
}

OpFoldResult Emitter::add(OpFoldResult a, OpFoldResult b) {
  auto x = getConstantIntValue(a), y = getConstantIntValue(b);
  if (x && y)
    return getIndexAttr(*x + *y);
  if (x && *x == 0)
    return b;
  if (y && *y == 0)
    return a;
  return arith::AddIOp::create(*this, toValue(a), toValue(b)).getResult();
}

OpFoldResult Emitter::sub(OpFoldResult a, OpFoldResult b) {
  auto x = getConstantIntValue(a), y = getConstantIntValue(b);
  if (x && y)
    return getIndexAttr(*x - *y);
  if (y && *y == 0)
    return a;
  return arith::SubIOp::create(*this, toValue(a), toValue(b)).getResult();
}

OpFoldResult Emitter::mul(OpFoldResult a, OpFoldResult b) {
  auto x = getConstantIntValue(a), y = getConstantIntValue(b);
  if (x && y)
    return getIndexAttr(*x * *y);
  if (x && *x == 1)
    return b;
  if (y && *y == 1)
    return a;
  return arith::MulIOp::create(*this, toValue(a), toValue(b)).getResult();
}

OpFoldResult Emitter::product(ArrayRef<OpFoldResult> extents) {
  OpFoldResult result = index(1);
  for (OpFoldResult extent : extents)
    result = mul(result, extent);
  return result;
}

Value Emitter::compare(arith::CmpIPredicate predicate, OpFoldResult a,
                       OpFoldResult b) {
  return arith::CmpIOp::create(*this, predicate, toValue(a), toValue(b));
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

Value Emitter::scalar(Type element, double value) {
  if (auto floating = dyn_cast<FloatType>(element))
    return arith::ConstantOp::create(*this, getFloatAttr(floating, value));
  return arith::ConstantOp::create(
      *this, getIntegerAttr(element, static_cast<int64_t>(value)));
}

Value Emitter::empty(ArrayRef<OpFoldResult> dims, Type element) {
  return tensor::EmptyOp::create(*this, dims, element);
}

Value Emitter::filled(ArrayRef<OpFoldResult> dims, Value scalar) {
  return linalg::FillOp::create(*this, scalar, empty(dims, scalar.getType()))
      .getResult(0);
}

SmallVector<Value> Emitter::generic(ValueRange inputs, ValueRange outs,
                                    ArrayRef<AffineMap> maps,
                                    ArrayRef<utils::IteratorType> iterators,
                                    Body body) {
  auto op = linalg::GenericOp::create(
      *this, outs.getTypes(), inputs, outs, maps, iterators,
      [&](OpBuilder &builder, Location loc, ValueRange args) {
        ImplicitLocOpBuilder nested(loc, builder);
        SmallVector<Value> results = body(nested, args);
        linalg::YieldOp::create(nested, results);
      });
  return SmallVector<Value>(op->getResults());
}

Value Emitter::parallel(ValueRange inputs, ArrayRef<AffineMap> maps, Value out,
                        Body body) {
  int64_t rank = typeOf(out).getRank();
  SmallVector<AffineMap> all(maps);
  all.push_back(getMultiDimIdentityMap(rank));
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  return generic(inputs, out, all, iterators, body).front();
}

/// Groups the dimensions of a shape so that each of `axes` is with one that
/// stays. Empty where none stays.
static SmallVector<ReassociationIndices> groupUnits(int64_t rank,
                                                    ArrayRef<int64_t> axes) {
  SmallVector<ReassociationIndices> groups;
  ReassociationIndices leading;
  for (int64_t i = 0; i < rank; ++i) {
    bool stays = !llvm::is_contained(axes, i);
    if (stays) {
      groups.push_back(std::exchange(leading, {}));
      groups.back().push_back(i);
    } else if (groups.empty()) {
      leading.push_back(i);
    } else {
      groups.back().push_back(i);
    }
  }
  return groups;
}

Value Emitter::dropUnits(Value tensor, ArrayRef<int64_t> axes) {
  if (axes.empty())
    return tensor;
  RankedTensorType type = typeOf(tensor);
  SmallVector<int64_t> shape;
  for (int64_t i = 0; i < type.getRank(); ++i)
    if (!llvm::is_contained(axes, i))
      shape.push_back(type.getDimSize(i));
  return tensor::CollapseShapeOp::create(
      *this, RankedTensorType::get(shape, type.getElementType()), tensor,
      groupUnits(type.getRank(), axes));
}

Value Emitter::addUnits(Value tensor, ArrayRef<int64_t> axes) {
  if (axes.empty())
    return tensor;
  RankedTensorType type = typeOf(tensor);
  Dims result = dims(tensor);
  SmallVector<int64_t> shape(type.getShape());
  for (int64_t axis : axes) {
    result.insert(result.begin() + axis, index(1));
    shape.insert(shape.begin() + axis, 1);
  }
  return tensor::ExpandShapeOp::create(
      *this, RankedTensorType::get(shape, type.getElementType()), tensor,
      groupUnits(shape.size(), axes), result);
}

Value Emitter::flattened(Value tensor, int64_t count) {
  int64_t rank = typeOf(tensor).getRank();
  if (count == 1)
    return tensor;
  if (count == 0)
    return addUnits(tensor, 0);
  SmallVector<ReassociationIndices> groups;
  groups.push_back(dimensions(0, count));
  for (int64_t i = count; i < rank; ++i)
    groups.push_back({i});
  return tensor::CollapseShapeOp::create(*this, tensor, groups);
}

Value Emitter::padded(Value tensor, ArrayRef<int64_t> low,
                      ArrayRef<int64_t> high, ArrayRef<int64_t> interior,
                      Value value) {
  auto none = [](ArrayRef<int64_t> amounts) {
    return llvm::all_of(amounts, [](int64_t n) { return n == 0; });
  };
  if (none(low) && none(high) && none(interior))
    return tensor;
  Dims sizes = dims(tensor), whole, offsets, strides;
  for (auto [i, size] : llvm::enumerate(sizes)) {
    // max(size - 1, 0) gaps: an empty dimension has none.
    OpFoldResult gaps = index(0);
    if (interior[i] != 0) {
      gaps = sub(size, index(1));
      if (auto known = getConstantIntValue(gaps))
        gaps = index(std::max<int64_t>(*known, 0));
      else
        gaps = arith::MaxSIOp::create(*this, toValue(gaps), toValue(index(0)))
                   .getResult();
    }
    whole.push_back(
        add(add(size, mul(gaps, index(interior[i]))), index(low[i] + high[i])));
    offsets.push_back(index(low[i]));
    strides.push_back(index(interior[i] + 1));
  }
  Value result = filled(whole, value);
  // Nothing has no place, least of all one behind the last element.
  if (llvm::any_of(sizes, [](OpFoldResult size) {
        return getConstantIntValue(size) == 0;
      }))
    return result;
  return tensor::InsertSliceOp::create(*this, tensor, result, offsets, sizes,
                                       strides);
}

Value Emitter::converted(Value tensor, Type element) {
  Type from = typeOf(tensor).getElementType();
  if (from == element)
    return tensor;
  return parallel(
      tensor, getMultiDimIdentityMap(typeOf(tensor).getRank()),
      empty(dims(tensor), element),
      [&](ImplicitLocOpBuilder &b, ValueRange args) -> SmallVector<Value> {
        ScalarBuilder scalars(b, b.getLoc(), from, false);
        return {scalars.cast(args[0], from, element, OutOfRange::saturate)};
      });
}

std::pair<Value, AffineMap> Emitter::broadcastOperand(Value tensor,
                                                      ArrayRef<int64_t> to) {
  ArrayRef<int64_t> shape = typeOf(tensor).getShape();
  int64_t rank = to.size(), shift = rank - static_cast<int64_t>(shape.size());
  SmallVector<int64_t> units;
  SmallVector<AffineExpr> exprs;
  for (auto [i, extent] : llvm::enumerate(shape)) {
    if (extent == 1 && to[i + shift] != 1)
      units.push_back(i);
    else
      exprs.push_back(getAffineDimExpr(i + shift));
  }
  return {dropUnits(tensor, units),
          AffineMap::get(rank, 0, exprs, getContext())};
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

void Emitter::require(Value condition, WeirCode code, StringRef format,
                      OpFoldResult a, OpFoldResult b) {
  rt::AssertOp::create(*this, condition, static_cast<uint32_t>(code),
                       nodeText(node), format, toValue(a), toValue(b));
}

static constexpr StringLiteral extentsDiffer =
    "[WEIR0331] extents {0} and {1} of its operands differ";

void Emitter::requireEqual(unsigned i, int64_t axis, unsigned j,
                           int64_t otherAxis) {
  if (extents[node->getOperand(i)][axis] ==
      extents[node->getOperand(j)][otherAxis])
    return;
  OpFoldResult a = dim(operands[i], axis), b = dim(operands[j], otherAxis);
  if (a == b)
    return;
  require(compare(arith::CmpIPredicate::eq, a, b), WEIR_INVALID_ARGUMENT,
          extentsDiffer, a, b);
}

Emitter::Dims Emitter::broadcastDims(unsigned first, unsigned count,
                                     int64_t drop) {
  int64_t rank = 0;
  for (unsigned i = first; i < first + count; ++i)
    rank = std::max(rank, typeOf(operands[i]).getRank() - drop);
  Dims result;
  for (int64_t d = 0; d < rank; ++d) {
    // The operand that has the extent: a static one where there is one.
    std::optional<unsigned> owner;
    auto axisOf = [&](unsigned i) {
      return d - (rank - (typeOf(operands[i]).getRank() - drop));
    };
    auto extentOf = [&](unsigned i) {
      return axisOf(i) < 0 ? 1 : typeOf(operands[i]).getDimSize(axisOf(i));
    };
    for (unsigned i = first; i < first + count; ++i)
      if (extentOf(i) != 1 &&
          (!owner || (isDynamic(extentOf(*owner)) && !isDynamic(extentOf(i)))))
        owner = i;
    if (!owner) {
      result.push_back(index(1));
      continue;
    }
    for (unsigned i = first; i < first + count; ++i)
      if (i != *owner && extentOf(i) != 1)
        requireEqual(*owner, axisOf(*owner), i, axisOf(i));
    result.push_back(dim(operands[*owner], axisOf(*owner)));
  }
  return result;
}

void Emitter::requireIndices(Value indices, OpFoldResult bound) {
  // As unsigned numbers the negative ones are large, so one comparison does.
  int64_t rank = typeOf(indices).getRank();
  Value limit = arith::IndexCastOp::create(*this, getI64Type(), toValue(bound));
  Value none = filled({}, scalar(getI8Type(), 0));
  SmallVector<AffineMap> maps{getMultiDimIdentityMap(rank),
                              AffineMap::get(rank, 0, getContext())};
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::reduction);
  Value outside =
      generic(
          indices, none, maps, iterators,
          [&](ImplicitLocOpBuilder &b, ValueRange args) -> SmallVector<Value> {
            Value wide = args[0];
            if (wide.getType() != b.getI64Type())
              wide = arith::ExtSIOp::create(b, b.getI64Type(), wide);
            Value bad = arith::CmpIOp::create(b, arith::CmpIPredicate::uge,
                                              wide, limit);
            Value flag = arith::ExtUIOp::create(b, b.getI8Type(), bad);
            return {arith::OrIOp::create(b, args[1], flag)};
          })
          .front();
  Value flag = tensor::ExtractOp::create(*this, outside, ValueRange());
  Value fine = arith::CmpIOp::create(*this, arith::CmpIPredicate::eq, flag,
                                     scalar(getI8Type(), 0));
  require(fine, WEIR_INVALID_ARGUMENT,
          "[WEIR0330] an index is outside 0 <= i < {0}", bound, index(0));
}

Value Emitter::finish(Value value) {
  auto declared = cast<RankedTensorType>(node->getResult(0).getType());
  auto type = RankedTensorType::get(declared.getShape(),
                                    storedElement(declared.getElementType()));
  RankedTensorType actual = typeOf(value);
  if (actual == type)
    return value;
  for (int64_t i = 0; i < type.getRank(); ++i) {
    if (type.isDynamicDim(i) || !actual.isDynamicDim(i))
      continue;
    OpFoldResult extent = dim(value, i), expected = index(type.getDimSize(i));
    require(compare(arith::CmpIPredicate::eq, extent, expected),
            WEIR_INVALID_ARGUMENT,
            "[WEIR0331] an extent of its result is {0}, but was declared {1}",
            extent, expected);
  }
  return tensor::CastOp::create(*this, type, value);
}

} // namespace weir

//===- ScatterLowering.cpp - Slices of a tensor change
//----------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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

/// Integers round towards zero; by 0 they give 0, and the smallest by -1 wraps.
static Value divideIntegers(OpBuilder &b, Location loc, Value x, Value by,
                            bool isUnsigned) {
  Type type = x.getType();
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value));
  };
  auto equals = [&](Value value, int64_t other) -> Value {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, value,
                                 number(other));
  };
  Value zero = number(0), isZero = equals(by, 0);
  if (isUnsigned) {
    Value safe = arith::SelectOp::create(b, loc, isZero, number(1), by);
    Value quotient = arith::DivUIOp::create(b, loc, x, safe);
    return arith::SelectOp::create(b, loc, isZero, zero, quotient);
  }
  Value isMinusOne = equals(by, -1);
  Value special = arith::OrIOp::create(b, loc, isZero, isMinusOne);
  Value safe = arith::SelectOp::create(b, loc, special, number(1), by);
  Value quotient = arith::DivSIOp::create(b, loc, x, safe);
  Value opposite = arith::SubIOp::create(b, loc, zero, x);
  Value result =
      arith::SelectOp::create(b, loc, isMinusOne, opposite, quotient);
  return arith::SelectOp::create(b, loc, isZero, zero, result);
}

static Value combine(ImplicitLocOpBuilder &b, ScatterKind kind, Value old,
                     Value update, bool isUnsigned) {
  Location loc = b.getLoc();
  ScalarBuilder scalars(b, loc, old.getType(), isUnsigned);
  switch (kind) {
  case ScatterKind::assign:
    return update;
  case ScatterKind::add:
    return scalars.add(old, update);
  case ScatterKind::sub:
    return scalars.sub(old, update);
  case ScatterKind::mul:
    return scalars.mul(old, update);
  case ScatterKind::div:
    return isa<FloatType>(old.getType())
               ? scalars.div(old, update)
               : divideIntegers(b, loc, old, update, isUnsigned);
  case ScatterKind::min:
    return scalars.minimum(old, update);
  case ScatterKind::max:
    return scalars.maximum(old, update);
  }
  return update;
}

/// A loop over the rows of `updates`: each is combined with the slice of
/// `operand` at the place that `indices` says, of `depth` dimensions; with
/// `depth` -1 indices are a vector of numbers. `updates` of no dimension are
/// repeated.
static Value scatterRows(Emitter &e, Value operand, Value indices,
                         Value updates, int64_t depth, ScatterKind kind,
                         bool isUnsigned) {
  bool repeated = Emitter::typeOf(updates).getRank() == 0, isVector = depth < 0;
  depth = isVector ? 1 : depth;
  int64_t rank = Emitter::typeOf(operand).getRank();
  SmallVector<OpFoldResult> dims = e.dims(operand);
  Type element = Emitter::typeOf(operand).getElementType();
  Value init =
      linalg::CopyOp::create(e, operand, e.empty(dims, element)).getResult(0);
  SmallVector<OpFoldResult> sizes(dims),
      rowSizes(dims.begin() + depth, dims.end());
  std::fill_n(sizes.begin(), depth, e.index(1));
  rowSizes.insert(rowSizes.begin(), e.index(1));
  SmallVector<OpFoldResult> strides(rank, e.index(1)),
      rowStrides(rowSizes.size(), e.index(1));
  auto sliceType = RankedTensorType::get(
      Emitter::typeOf(operand).getShape().drop_front(depth), element);
  auto loop = scf::ForOp::create(
      e, e.toValue(e.index(0)), e.toValue(e.dim(indices, 0)),
      e.toValue(e.index(1)), init,
      [&](OpBuilder &builder, Location, Value row, ValueRange state) {
        Emitter inner(builder, e.getNode(), {}, e.getExtents());
        SmallVector<OpFoldResult> from(rowSizes.size(), inner.index(0)),
            to(rank, inner.index(0));
        from[0] = row;
        for (int64_t d = 0; d < depth; ++d) {
          SmallVector<Value> at{row};
          if (!isVector)
            at.push_back(inner.toValue(inner.index(d)));
          to[d] = arith::IndexCastOp::create(
                      inner, inner.getIndexType(),
                      tensor::ExtractOp::create(inner, indices, at))
                      .getResult();
        }
        Value term = updates;
        SmallVector<AffineMap> maps{inner.getMultiDimIdentityMap(rank - depth)};
        if (repeated)
          maps.front() = AffineMap::get(rank - depth, 0, inner.getContext());
        else
          term = tensor::ExtractSliceOp::create(inner, sliceType, updates, from,
                                                rowSizes, rowStrides);
        Value old = tensor::ExtractSliceOp::create(
            inner, sliceType, state.front(), to, sizes, strides);
        Value fresh = inner.parallel(
            term, maps, old,
            [&](ImplicitLocOpBuilder &b,
                ValueRange args) -> SmallVector<Value> {
              return {combine(b, kind, args[1], args[0], isUnsigned)};
            });
        Value next = tensor::InsertSliceOp::create(inner, fresh, state.front(),
                                                   to, sizes, strides);
        scf::YieldOp::create(inner, next);
      });
  return loop.getResult(0);
}

static bool isUnsigned(Value tensor) {
  return cast<RankedTensorType>(tensor.getType())
      .getElementType()
      .isUnsignedInteger();
}

static Value lowerScatter(ScatterOp op, ScatterOp::Adaptor adaptor,
                          Emitter &e) {
  Value operand = adaptor.getOperand(), indices = adaptor.getIndices(),
        updates = adaptor.getUpdates();
  int64_t rank = Emitter::typeOf(operand).getRank(),
          count = Emitter::typeOf(indices).getRank();
  bool repeated = Emitter::typeOf(updates).getRank() == 0;
  if (!repeated) {
    for (int64_t i = 0; i < count; ++i)
      e.requireEqual(2, i, 1, i);
    for (int64_t i = 1; i < rank; ++i)
      e.requireEqual(2, count + i - 1, 0, i);
  }
  e.requireIndices(indices, e.dim(operand, 0));
  indices = e.flattened(indices, count);
  if (!repeated)
    updates = e.flattened(updates, count);
  return scatterRows(e, operand, indices, updates, /*depth=*/-1, op.getKind(),
                     isUnsigned(op.getOperand()));
}

static Value lowerScatterNd(ScatterNdOp op, ScatterNdOp::Adaptor adaptor,
                            Emitter &e) {
  Value operand = adaptor.getOperand(), indices = adaptor.getIndices(),
        updates = adaptor.getUpdates();
  int64_t rank = Emitter::typeOf(operand).getRank(),
          count = Emitter::typeOf(indices).getRank() - 1,
          depth = Emitter::typeOf(indices).getShape().back();
  for (int64_t i = 0; i < count; ++i)
    e.requireEqual(2, i, 1, i);
  for (int64_t i = depth; i < rank; ++i)
    e.requireEqual(2, count + i - depth, 0, i);
  requirePlaces(e, indices, operand);
  return scatterRows(e, operand, e.flattened(indices, count),
                     e.flattened(updates, count), depth, op.getKind(),
                     isUnsigned(op.getOperand()));
}

void addScatterLowering(Lowerings &lowerings) {
  lowerings.add<ScatterOp>(lowerScatter);
  lowerings.add<ScatterNdOp>(lowerScatterNd);
}

} // namespace weir

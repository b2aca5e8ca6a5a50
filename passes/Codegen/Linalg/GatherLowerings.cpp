//===- GatherLowerings.cpp - Gather, segment sums
//-------------------------------- ===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "passes/Codegen/Linalg/Lowering.h"

using namespace mlir;

namespace weir {

static Value toIndex(ImplicitLocOpBuilder &b, Value number) {
  return arith::IndexCastOp::create(b, b.getIndexType(), number);
}

/// Loops over (dimensions before the axis, those of the indices, those after
/// it): the innermost one runs through a row of `params`.
static Value lowerGather(GatherOp op, GatherOp::Adaptor adaptor, Emitter &e) {
  Value params = adaptor.getParams(), indices = adaptor.getIndices();
  int64_t axis = op.getAxis(), count = Emitter::typeOf(indices).getRank();
  SmallVector<OpFoldResult> dims = e.dims(params), places = e.dims(indices);
  e.requireIndices(indices, dims[axis]);
  dims.erase(dims.begin() + axis);
  dims.insert(dims.begin() + axis, places.begin(), places.end());
  int64_t rank = dims.size();
  SmallVector<AffineExpr> exprs;
  for (int64_t i = 0; i < count; ++i)
    exprs.push_back(e.getAffineDimExpr(axis + i));
  return e.parallel(
      indices, AffineMap::get(rank, 0, exprs, e.getContext()),
      e.empty(dims, Emitter::typeOf(params).getElementType()),
      [&](ImplicitLocOpBuilder &b, ValueRange args) -> SmallVector<Value> {
        SmallVector<Value> place;
        for (int64_t i = 0; i < axis; ++i)
          place.push_back(linalg::IndexOp::create(b, i));
        place.push_back(toIndex(b, args[0]));
        for (int64_t i = axis + count; i < rank; ++i)
          place.push_back(linalg::IndexOp::create(b, i));
        return {tensor::ExtractOp::create(b, params, place)};
      });
}

static Value lowerTakeAlong(TakeAlongOp op, TakeAlongOp::Adaptor adaptor,
                            Emitter &e) {
  Value rows = adaptor.getRows(), indices = adaptor.getIndices();
  e.requireEqual(0, 0, 1, 0);
  e.requireIndices(indices, e.dim(rows, 1));
  OpFoldResult count = Emitter::typeOf(rows).isDynamicDim(0) ? e.dim(indices, 0)
                                                             : e.dim(rows, 0);
  return e.parallel(
      indices, e.getMultiDimIdentityMap(1),
      e.empty(count, Emitter::typeOf(rows).getElementType()),
      [&](ImplicitLocOpBuilder &b, ValueRange args) -> SmallVector<Value> {
        Value row = linalg::IndexOp::create(b, 0);
        return {tensor::ExtractOp::create(
            b, rows, ValueRange{row, toIndex(b, args[0])})};
      });
}

/// Rows are added one after the other, in their order: the sum of a segment
/// does not depend on how the work is spread.
static Value lowerSegmentSum(UnsortedSegmentSumOp op,
                             UnsortedSegmentSumOp::Adaptor adaptor,
                             Emitter &e) {
  Value data = adaptor.getData(), segments = adaptor.getSegments();
  int64_t count = Emitter::typeOf(segments).getRank();
  for (int64_t i = 0; i < count; ++i)
    e.requireEqual(0, i, 1, i);
  e.requireIndices(segments, e.index(op.getSegmentCount()));
  data = e.flattened(data, count);
  segments = e.flattened(segments, count);
  Type element = Emitter::typeOf(data).getElementType(),
       wide = accumulator(element);
  SmallVector<OpFoldResult> dims = e.dims(data);
  OpFoldResult rows = dims.front();
  dims.front() = e.index(op.getSegmentCount());
  Value init = e.filled(dims, e.scalar(wide, 0));
  dims.front() = e.index(1);
  int64_t rank = dims.size();
  SmallVector<OpFoldResult> strides(rank, e.index(1));

  auto loop = scf::ForOp::create(
      e, e.toValue(e.index(0)), e.toValue(rows), e.toValue(e.index(1)), init,
      [&](OpBuilder &builder, Location, Value row, ValueRange state) {
        Emitter inner(builder, e.getNode(), {}, e.getExtents());
        Value segment =
            toIndex(inner, tensor::ExtractOp::create(inner, segments, row));
        SmallVector<OpFoldResult> from(rank, inner.index(0)),
            to(rank, inner.index(0));
        from[0] = row;
        to[0] = segment;
        Value term =
            tensor::ExtractSliceOp::create(inner, data, from, dims, strides);
        Value sum = tensor::ExtractSliceOp::create(inner, state.front(), to,
                                                   dims, strides);
        // The sum is the result's old contents, so that it stays in its place.
        Value added =
            inner.parallel(term, inner.getMultiDimIdentityMap(rank), sum,
                           [&](ImplicitLocOpBuilder &b,
                               ValueRange args) -> SmallVector<Value> {
                             return {addTo(b, args[1], args[0])};
                           });
        Value next = tensor::InsertSliceOp::create(inner, added, state.front(),
                                                   to, dims, strides);
        scf::YieldOp::create(inner, next);
      });
  return e.converted(loop.getResult(0), element);
}

void requirePlaces(Emitter &e, Value indices, Value tensor) {
  RankedTensorType type = Emitter::typeOf(indices);
  int64_t rank = type.getRank(), depth = type.getShape().back();
  SmallVector<OpFoldResult> offsets(rank, e.index(0)),
      sizes = e.dims(indices), strides(rank, e.index(1));
  sizes.back() = e.index(1);
  auto column =
      RankedTensorType::get(type.getShape().drop_back(), type.getElementType());
  for (int64_t d = 0; d < depth; ++d) {
    offsets.back() = e.index(d);
    e.requireIndices(tensor::ExtractSliceOp::create(e, column, indices, offsets,
                                                    sizes, strides),
                     e.dim(tensor, d));
  }
}

static Value lowerGatherNd(GatherNdOp op, GatherNdOp::Adaptor adaptor,
                           Emitter &e) {
  Value params = adaptor.getParams(), indices = adaptor.getIndices();
  int64_t depth = Emitter::typeOf(indices).getShape().back(),
          count = Emitter::typeOf(indices).getRank() - 1;
  requirePlaces(e, indices, params);
  SmallVector<OpFoldResult> dims = e.dims(indices), slice = e.dims(params);
  dims.pop_back();
  dims.append(slice.begin() + depth, slice.end());
  int64_t rank = dims.size();
  return e.parallel(
      {}, {}, e.empty(dims, Emitter::typeOf(params).getElementType()),
      [&](ImplicitLocOpBuilder &b, ValueRange) -> SmallVector<Value> {
        SmallVector<Value> at, place;
        for (int64_t i = 0; i < count; ++i)
          at.push_back(linalg::IndexOp::create(b, i));
        at.push_back(Value());
        for (int64_t d = 0; d < depth; ++d) {
          at.back() = arith::ConstantIndexOp::create(b, d);
          place.push_back(
              toIndex(b, tensor::ExtractOp::create(b, indices, at)));
        }
        for (int64_t i = count; i < rank; ++i)
          place.push_back(linalg::IndexOp::create(b, i));
        return {tensor::ExtractOp::create(b, params, place)};
      });
}

void addGatherLowerings(Lowerings &lowerings) {
  lowerings.add<GatherNdOp>(lowerGatherNd);
  lowerings.add<GatherOp>(lowerGather);
  lowerings.add<TakeAlongOp>(lowerTakeAlong);
  lowerings.add<UnsortedSegmentSumOp>(lowerSegmentSum);
}

} // namespace weir

//===- MatrixContraction.cpp - Contractions by matrix instructions --------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each of the eight warps of a block has 16 rows and 32 columns of the tile:
// four instructions mma.sync.m16n8, of 16 terms in half precision and 8 in
// tf32. Where a lane's elements are: see EmulateMatrix.cpp.
//
//===----------------------------------------------------------------------===//

#include "passes/Codegen/GPU/Tiles.h"

#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"

using namespace mlir;
using namespace weir;
using namespace weir::gpus;

/// Rows and columns of an instruction, and how many a warp makes side by side.
static constexpr int64_t rowsOfOne = 16, columnsOfOne = 8, besides = 4;
/// Fewer rows, columns or terms than this leave most of an instruction idle.
static constexpr int64_t worthIt = 8;

bool gpus::isMatrixContraction(const Nest &nest, bool tf32) {
  if (!isContraction(nest) || !nest.accesses[2].element.isF32())
    return false;
  Type element = nest.accesses[0].element;
  if (element != nest.accesses[1].element ||
      !(element.isF16() || element.isBF16() || (tf32 && element.isF32())))
    return false;
  ContractionDims dims = ContractionDims::of(nest);
  auto isLarge = [&](ArrayRef<unsigned> loops) {
    int64_t count = staticProduct(nest, loops);
    return ShapedType::isDynamic(count) || count >= worthIt;
  };
  return isLarge(dims.rows) && isLarge(dims.columns) && isLarge(dims.sums);
}

namespace {
class WarpTiles : public Tiles {
public:
  WarpTiles(Nest &nest, bool zeroInit)
      : Tiles(nest, zeroInit), element(elementOf(rows)),
        pair(element.isF32() ? 1 : 2),
        sumType(VectorType::get({2, 2}, nest.accesses[2].element)) {}

protected:
  SmallVector<Value> zeros(OpBuilder &b) override {
    Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(sumType));
    return SmallVector<Value>(besides, zero);
  }
  SmallVector<Value> multiply(OpBuilder &b, Value thread,
                              ValueRange sums) override;
  void store(OpBuilder &b, const Cursor &batch, Value thread,
             ValueRange sums) override;

private:
  /// Where a lane is in its warp, and the warp in the tile.
  struct Lane {
    Value group, place, row, column;
  };
  Lane laneOf(OpBuilder &b, Value thread);
  /// The elements of a lane: `count` times `pair` of `tile`, from term `first`.
  Value fragment(OpBuilder &b, const Side &tile, const Lane &lane,
                 int64_t first, int64_t count,
                 function_ref<Value(int64_t)> placeOf);
  Value plus(OpBuilder &b, Value value, int64_t number) {
    return add(b, loc, value, constantIndex(b, loc, number));
  }

  Type element;
  /// Neighbouring terms in one register.
  int64_t pair;
  VectorType sumType;
};
} // namespace

WarpTiles::Lane WarpTiles::laneOf(OpBuilder &b, Value thread) {
  auto number = [&](int64_t value) { return constantIndex(b, loc, value); };
  Value lane = remainder(b, loc, thread, number(warpSize), true),
        warp = divide(b, loc, thread, number(warpSize), true);
  Value across = number(2);
  return {divide(b, loc, lane, number(4), true),
          remainder(b, loc, lane, number(4), true),
          mul(b, loc, divide(b, loc, warp, across, true), rowsOfOne),
          mul(b, loc, remainder(b, loc, warp, across, true),
              columnsOfOne * besides)};
}

Value WarpTiles::fragment(OpBuilder &b, const Side &tile, const Lane &lane,
                          int64_t first, int64_t count,
                          function_ref<Value(int64_t)> placeOf) {
  auto type = VectorType::get({count, pair}, element);
  Value vector = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
  Value term = mul(b, loc, lane.place, pair);
  for (int64_t i = 0; i < count; ++i)
    for (int64_t j = 0; j < pair; ++j) {
      // The later half of the registers has the later half of the terms.
      int64_t later = i / (count / 2) * 4 * pair;
      Value value = memref::LoadOp::create(
          b, loc, tile.shared,
          ValueRange{plus(b, term, first + later + j), placeOf(i)});
      vector = vector::InsertOp::create(b, loc, value, vector,
                                        ArrayRef<int64_t>{i, j});
    }
  return vector;
}

SmallVector<Value> WarpTiles::multiply(OpBuilder &b, Value thread,
                                       ValueRange sums) {
  Lane lane = laneOf(b, thread);
  SmallVector<Value> next(sums);
  int64_t terms = 8 * pair;
  for (int64_t first = 0; first < sliceSize; first += terms) {
    Value row = add(b, loc, lane.row, lane.group);
    Value lhs = fragment(b, rows, lane, first, 4,
                         [&](int64_t i) { return plus(b, row, 8 * (i % 2)); });
    for (int64_t n = 0; n < besides; ++n) {
      Value column =
          plus(b, add(b, loc, lane.column, lane.group), n * columnsOfOne);
      Value rhs =
          fragment(b, columns, lane, first, 2, [&](int64_t) { return column; });
      next[n] = nvgpu::MmaSyncOp::create(
          b, loc, sumType, lhs, rhs, next[n],
          b.getI64ArrayAttr({rowsOfOne, columnsOfOne, terms}),
          pair == 1 ? b.getUnitAttr() : UnitAttr());
    }
  }
  return next;
}

void WarpTiles::store(OpBuilder &b, const Cursor &batch, Value thread,
                      ValueRange sums) {
  Lane lane = laneOf(b, thread);
  for (int64_t n = 0; n < besides; ++n)
    for (int64_t i = 0; i < 2; ++i)
      for (int64_t j = 0; j < 2; ++j) {
        Value row = plus(b, add(b, loc, lane.row, lane.group), 8 * i);
        Value column =
            plus(b, add(b, loc, lane.column, mul(b, loc, lane.place, 2)),
                 n * columnsOfOne + j);
        Value value =
            vector::ExtractOp::create(b, loc, sums[n], ArrayRef<int64_t>{i, j});
        storeElement(b, batch, row, column, value);
      }
}

void gpus::emitMatrixContraction(OpBuilder &b, Nest &nest,
                                 const LaunchName &name, bool zeroInit) {
  WarpTiles(nest, zeroInit).emit(b, name);
}

//===- Tiles.cpp - Tiles of a contraction in shared memory ----------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Codegen/GPU/Tiles.h"

using namespace mlir;
using namespace weir;
using namespace weir::gpus;

ContractionDims ContractionDims::of(const Nest &nest) {
  ContractionDims dims;
  for (auto [i, dim] : llvm::enumerate(nest.dims)) {
    bool first = !nest.accesses[0].strides[i].isZero(),
         second = !nest.accesses[1].strides[i].isZero();
    if (dim.reduction)
      dims.sums.push_back(i);
    else if (first == second)
      dims.batch.push_back(i);
    else if (first)
      dims.rows.push_back(i);
    else
      dims.columns.push_back(i);
  }
  return dims;
}

Tiles::Tiles(Nest &nest, bool zeroInit)
    : nest(nest), dims(ContractionDims::of(nest)), zeroInit(zeroInit),
      loc(nest.loc) {
  rows.dims = dims.rows;
  columns.operand = 1;
  columns.dims = dims.columns;
  decideOrder(rows);
  decideOrder(columns);
}

void Tiles::decideOrder(Side &tile) const {
  ArrayRef<Stride> strides = nest.accesses[tile.operand].strides;
  auto isOne = [&](unsigned dim) { return strides[dim].isOne(); };
  tile.termsFirst =
      llvm::any_of(dims.sums, isOne) && llvm::none_of(tile.dims, isOne);
}

static int64_t perThread(const Side &tile) {
  return tile.tile * sliceSize / blockSize;
}

/// Element number `i` of those that a thread brings: its place along the side,
/// and its term in the slice.
std::pair<Value, Value> Tiles::placeOf(OpBuilder &b, const Side &tile,
                                       Value thread, int64_t i) {
  Value number = add(b, loc, thread, constantIndex(b, loc, i * blockSize));
  Value fast = constantIndex(b, loc, tile.termsFirst ? sliceSize : tile.tile);
  Value low = remainder(b, loc, number, fast, true),
        high = divide(b, loc, number, fast, true);
  return tile.termsFirst ? std::pair(high, low) : std::pair(low, high);
}

void Tiles::prepare(OpBuilder &b, Side &tile, const Cursor &batch,
                    Value thread) {
  for (int64_t i = 0; i < perThread(tile); ++i) {
    Value place = add(b, loc, tile.start, placeOf(b, tile, thread, i).first);
    tile.inside.push_back(lessThan(b, loc, place, tile.count));
    tile.cursors.push_back(enterAll(b, nest, batch, tile.dims, place));
  }
}

void Tiles::bring(OpBuilder &b, const Side &tile, Value thread, Value slice,
                  Value terms) {
  Type element = elementOf(tile);
  for (int64_t i = 0; i < perThread(tile); ++i) {
    auto [place, step] = placeOf(b, tile, thread, i);
    Value term = add(b, loc, slice, step);
    Value there = arith::AndIOp::create(b, loc, tile.inside[i],
                                        lessThan(b, loc, term, terms));
    auto load = scf::IfOp::create(
        b, loc, there,
        [&](OpBuilder &b, Location loc) {
          Cursor at = enterAll(b, nest, tile.cursors[i], dims.sums, term);
          scf::YieldOp::create(
              b, loc,
              kernels::loadLanes(b, loc, nest.accesses[tile.operand],
                                 at.offsets[tile.operand], Stride(), 1));
        },
        [&](OpBuilder &b, Location loc) {
          Value zero =
              arith::ConstantOp::create(b, loc, b.getZeroAttr(element));
          scf::YieldOp::create(b, loc, zero);
        });
    memref::StoreOp::create(b, loc, load.getResult(0), tile.shared,
                            ValueRange{step, place});
  }
}

void Tiles::storeElement(OpBuilder &b, const Cursor &batch, Value row,
                         Value column, Value value) {
  const Access &output = nest.accesses[2];
  Value x = add(b, loc, rows.start, row),
        y = add(b, loc, columns.start, column);
  Value there = arith::AndIOp::create(b, loc, lessThan(b, loc, x, rows.count),
                                      lessThan(b, loc, y, columns.count));
  OpBuilder then = scf::IfOp::create(b, loc, there).getThenBodyBuilder();
  Cursor at = enterAll(then, nest, batch, dims.rows, x);
  at = enterAll(then, nest, at, dims.columns, y);
  if (!zeroInit) {
    Value old =
        kernels::loadLanes(then, loc, output, at.offsets[2], Stride(), 1);
    if (isa<FloatType>(value.getType()))
      value = arith::AddFOp::create(then, loc, old, value);
    else
      value = arith::AddIOp::create(then, loc, old, value);
  }
  kernels::storeLanes(then, loc, output, at.offsets[2], Stride(), 1, value);
}

void Tiles::emit(OpBuilder &b, const LaunchName &name) {
  rows.count = product(b, nest, dims.rows);
  columns.count = product(b, nest, dims.columns);
  Value terms = product(b, nest, dims.sums),
        batches = product(b, nest, dims.batch);
  Value down = kernels::ceilDiv(b, loc, rows.count, rows.tile),
        across = kernels::ceilDiv(b, loc, columns.count, columns.tile);
  Value blocks = kernels::mulIndex(b, loc, batches,
                                   kernels::mulIndex(b, loc, down, across));
  auto bytes = [&](const Side &tile) {
    return llvm::alignTo(
        tile.tile * sliceSize * kernels::bytesOf(elementOf(tile)), 16);
  };
  emitLaunch(
      b, loc, name, blocks, blockSize, bytes(rows) + bytes(columns),
      [&](OpBuilder &b, Value block, Value thread) {
        rows.shared =
            sharedBuffer(b, loc, 0, {sliceSize, rows.tile}, elementOf(rows));
        columns.shared = sharedBuffer(
            b, loc, bytes(rows), {sliceSize, columns.tile}, elementOf(columns));
        columns.start =
            mul(b, loc, remainder(b, loc, block, across, false), columns.tile);
        Value rest = divide(b, loc, block, across, false);
        rows.start =
            mul(b, loc, remainder(b, loc, rest, down, false), rows.tile);
        Cursor batch = enterAll(b, nest, nest.begin(b), dims.batch,
                                divide(b, loc, rest, down, false));
        prepare(b, rows, batch, thread);
        prepare(b, columns, batch, thread);
        auto loop = scf::ForOp::create(
            b, loc, constantIndex(b, loc, 0), terms,
            constantIndex(b, loc, sliceSize), zeros(b),
            [&](OpBuilder &b, Location loc, Value slice, ValueRange sums) {
              bring(b, rows, thread, slice, terms);
              bring(b, columns, thread, slice, terms);
              gpu::BarrierOp::create(b, loc);
              SmallVector<Value> next = multiply(b, thread, sums);
              gpu::BarrierOp::create(b, loc);
              scf::YieldOp::create(b, loc, next);
            });
        store(b, batch, thread, loop.getResults());
      });
}

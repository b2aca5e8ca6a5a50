//===- Contraction.cpp - Tiles of a contraction in shared memory ----------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Matrix products, convolutions and their gradients are one thing here: rows,
// columns and terms are numbers of several loops taken together, and where an
// operand is found depends on them linearly (an implicit im2col). A block makes
// a tile of rows and columns; its threads bring a slice of terms to shared
// memory, of zeros where there is no element, and each multiplies its part.
//
//===----------------------------------------------------------------------===//

#include "passes/Codegen/GPU/Launch.h"

using namespace mlir;
using namespace weir;
using namespace weir::gpus;

/// Terms in a slice.
static constexpr int64_t sliceSize = 16;
/// Threads along each side of a tile.
static constexpr int64_t side = 16;

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

/// `value` without conversions to a wider type.
static Value narrowest(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

/// Whether the body adds the product of both inputs to the output, so that
/// zeros change nothing.
static bool multipliesAndAdds(const Nest &nest) {
  if (nest.numInputs != 2 || nest.numOutputs != 1)
    return false;
  Operation *sum = nest.body->getTerminator()->getOperand(0).getDefiningOp();
  if (!isa_and_present<arith::AddFOp, arith::AddIOp>(sum))
    return false;
  Value old = nest.body->getArgument(2);
  unsigned side = sum->getOperand(0) == old ? 1 : 0;
  if (sum->getOperand(1 - side) != old)
    return false;
  Operation *multiply = sum->getOperand(side).getDefiningOp();
  if (!isa_and_present<arith::MulFOp, arith::MulIOp>(multiply))
    return false;
  Value lhs = narrowest(multiply->getOperand(0)),
        rhs = narrowest(multiply->getOperand(1));
  Value a = nest.body->getArgument(0), c = nest.body->getArgument(1);
  return (lhs == a && rhs == c) || (lhs == c && rhs == a);
}

bool gpus::isContraction(const Nest &nest) {
  if (!multipliesAndAdds(nest) || nest.accesses[0].scalar ||
      nest.accesses[1].scalar)
    return false;
  ContractionDims dims = ContractionDims::of(nest);
  if (dims.rows.empty() || dims.columns.empty() || dims.sums.empty())
    return false;
  // Tiny ones have no use for tiles.
  int64_t terms = staticProduct(nest, dims.sums);
  return ShapedType::isDynamic(terms) || terms >= 4;
}

namespace {
/// One side of the tile: an operand, its own loops and how much of them a block
/// takes.
struct Side {
  unsigned operand;
  ArrayRef<unsigned> dims;
  int64_t tile;
  /// Whether neighbouring threads bring neighbouring terms.
  bool termsFirst;
  Value shared, count, start;
  /// For each element that a thread brings: where it is without its term, and
  /// whether it is there.
  SmallVector<Cursor> cursors;
  SmallVector<Value> inside;
};

class Tiles {
public:
  Tiles(Nest &nest, bool zeroInit)
      : nest(nest), dims(ContractionDims::of(nest)), zeroInit(zeroInit),
        loc(nest.loc) {
    rows = makeSide(0, dims.rows);
    columns = makeSide(1, dims.columns);
  }
  void emit(OpBuilder &b, const LaunchName &name);

private:
  Side makeSide(unsigned operand, ArrayRef<unsigned> own) {
    Side result{operand, own, 64, false, {}, {}, {}, {}, {}};
    int64_t known = staticProduct(nest, own);
    while (!ShapedType::isDynamic(known) && result.tile > side &&
           known <= result.tile / 2)
      result.tile /= 2;
    for (unsigned dim : dims.sums)
      result.termsFirst |= nest.accesses[operand].strides[dim].isOne();
    for (unsigned dim : own)
      if (nest.accesses[operand].strides[dim].isOne())
        result.termsFirst = false;
    return result;
  }
  Type elementOf(const Side &tile) {
    return nest.accesses[tile.operand].element;
  }
  int64_t perThread(const Side &tile) {
    return tile.tile * sliceSize / blockSize;
  }
  /// Element number `i` of those that a thread brings: its place along the
  /// side, and its term in the slice.
  std::pair<Value, Value> placeOf(OpBuilder &b, const Side &tile, Value thread,
                                  int64_t i) {
    Value number = add(b, loc, thread, constantIndex(b, loc, i * blockSize));
    Value fast = constantIndex(b, loc, tile.termsFirst ? sliceSize : tile.tile);
    Value low = remainder(b, loc, number, fast, true),
          high = divide(b, loc, number, fast, true);
    return tile.termsFirst ? std::pair(high, low) : std::pair(low, high);
  }
  void prepare(OpBuilder &b, Side &tile, const Cursor &batch, Value thread);
  void bring(OpBuilder &b, const Side &tile, Value thread, Value slice,
             Value terms);
  SmallVector<Value> multiply(OpBuilder &b, Value row, Value column,
                              ValueRange sums);
  void store(OpBuilder &b, const Cursor &batch, Value row, Value column,
             ValueRange sums);

  Nest &nest;
  ContractionDims dims;
  bool zeroInit;
  Location loc;
  Side rows, columns;
};
} // namespace

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

SmallVector<Value> Tiles::multiply(OpBuilder &b, Value row, Value column,
                                   ValueRange sums) {
  int64_t height = rows.tile / side, width = columns.tile / side;
  auto loop = scf::ForOp::create(
      b, loc, constantIndex(b, loc, 0), constantIndex(b, loc, sliceSize),
      constantIndex(b, loc, 1), sums,
      [&](OpBuilder &b, Location loc, Value term, ValueRange carried) {
        auto read = [&](const Side &tile, Value first, int64_t count) {
          SmallVector<Value> values;
          for (int64_t i = 0; i < count; ++i)
            values.push_back(memref::LoadOp::create(
                b, loc, tile.shared,
                ValueRange{term,
                           add(b, loc, first, constantIndex(b, loc, i))}));
          return values;
        };
        SmallVector<Value> left = read(rows, row, height),
                           right = read(columns, column, width), next;
        for (int64_t i = 0; i < height; ++i)
          for (int64_t j = 0; j < width; ++j)
            next.append(
                kernels::emitBody(b, nest, 1, -1, Cursor(),
                                  {left[i], right[j], carried[i * width + j]}));
        scf::YieldOp::create(b, loc, next);
      });
  return llvm::to_vector_of<Value>(loop.getResults());
}

void Tiles::store(OpBuilder &b, const Cursor &batch, Value row, Value column,
                  ValueRange sums) {
  int64_t height = rows.tile / side, width = columns.tile / side;
  const Access &output = nest.accesses[2];
  for (int64_t i = 0; i < height; ++i)
    for (int64_t j = 0; j < width; ++j) {
      Value x =
          add(b, loc, add(b, loc, rows.start, row), constantIndex(b, loc, i));
      Value y = add(b, loc, add(b, loc, columns.start, column),
                    constantIndex(b, loc, j));
      Value there =
          arith::AndIOp::create(b, loc, lessThan(b, loc, x, rows.count),
                                lessThan(b, loc, y, columns.count));
      OpBuilder then = scf::IfOp::create(b, loc, there).getThenBodyBuilder();
      Cursor at = enterAll(then, nest, batch, dims.rows, x);
      at = enterAll(then, nest, at, dims.columns, y);
      Value value = sums[i * width + j];
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
  int64_t height = rows.tile / side, width = columns.tile / side;
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
        Value across16 = constantIndex(b, loc, side);
        Value row = mul(b, loc, divide(b, loc, thread, across16, true), height);
        Value column =
            mul(b, loc, remainder(b, loc, thread, across16, true), width);
        Value zero = arith::ConstantOp::create(
            b, loc, b.getZeroAttr(nest.accesses[2].element));
        auto loop = scf::ForOp::create(
            b, loc, constantIndex(b, loc, 0), terms,
            constantIndex(b, loc, sliceSize),
            SmallVector<Value>(height * width, zero),
            [&](OpBuilder &b, Location loc, Value slice, ValueRange sums) {
              bring(b, rows, thread, slice, terms);
              bring(b, columns, thread, slice, terms);
              gpu::BarrierOp::create(b, loc);
              SmallVector<Value> next = multiply(b, row, column, sums);
              gpu::BarrierOp::create(b, loc);
              scf::YieldOp::create(b, loc, next);
            });
        store(b, batch, row, column, loop.getResults());
      });
}

void gpus::emitContraction(OpBuilder &b, Nest &nest, const LaunchName &name,
                           bool zeroInit) {
  Tiles(nest, zeroInit).emit(b, name);
}

//===- Contraction.cpp - Contractions by multiply and add -----------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each thread of a block has a part of the tile, of up to 4 rows and columns.
//
//===----------------------------------------------------------------------===//

#include "passes/Codegen/GPU/Tiles.h"

using namespace mlir;
using namespace weir;
using namespace weir::gpus;

/// Threads along each side of a tile.
static constexpr int64_t side = 16;

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
class ThreadTiles : public Tiles {
public:
  ThreadTiles(Nest &nest, bool zeroInit) : Tiles(nest, zeroInit) {
    shrink(rows);
    shrink(columns);
  }

protected:
  SmallVector<Value> zeros(OpBuilder &b) override {
    Value zero = arith::ConstantOp::create(
        b, loc, b.getZeroAttr(nest.accesses[2].element));
    return SmallVector<Value>(height() * width(), zero);
  }
  SmallVector<Value> multiply(OpBuilder &b, Value thread,
                              ValueRange sums) override;
  void store(OpBuilder &b, const Cursor &batch, Value thread,
             ValueRange sums) override;

private:
  /// A tile need not be much larger than what there is.
  void shrink(Side &tile) {
    int64_t known = staticProduct(nest, tile.dims);
    while (!ShapedType::isDynamic(known) && tile.tile > side &&
           known <= tile.tile / 2)
      tile.tile /= 2;
  }
  int64_t height() const { return rows.tile / side; }
  int64_t width() const { return columns.tile / side; }
  /// The first row and column of a thread.
  std::pair<Value, Value> corner(OpBuilder &b, Value thread) {
    Value across = constantIndex(b, loc, side);
    return {mul(b, loc, divide(b, loc, thread, across, true), height()),
            mul(b, loc, remainder(b, loc, thread, across, true), width())};
  }
};
} // namespace

SmallVector<Value> ThreadTiles::multiply(OpBuilder &b, Value thread,
                                         ValueRange sums) {
  auto [row, column] = corner(b, thread);
  auto loop = scf::ForOp::create(
      b, loc, constantIndex(b, loc, 0), constantIndex(b, loc, sliceSize),
      constantIndex(b, loc, 1), sums,
      [&, row = row, column = column](OpBuilder &b, Location loc, Value term,
                                      ValueRange carried) {
        auto read = [&](const Side &tile, Value first, int64_t count) {
          SmallVector<Value> values;
          for (int64_t i = 0; i < count; ++i)
            values.push_back(memref::LoadOp::create(
                b, loc, tile.shared,
                ValueRange{term,
                           add(b, loc, first, constantIndex(b, loc, i))}));
          return values;
        };
        SmallVector<Value> left = read(rows, row, height()),
                           right = read(columns, column, width()), next;
        for (int64_t i = 0; i < height(); ++i)
          for (int64_t j = 0; j < width(); ++j)
            next.append(kernels::emitBody(
                b, nest, 1, -1, Cursor(),
                {left[i], right[j], carried[i * width() + j]}));
        scf::YieldOp::create(b, loc, next);
      });
  return llvm::to_vector_of<Value>(loop.getResults());
}

void ThreadTiles::store(OpBuilder &b, const Cursor &batch, Value thread,
                        ValueRange sums) {
  auto [row, column] = corner(b, thread);
  for (int64_t i = 0; i < height(); ++i)
    for (int64_t j = 0; j < width(); ++j)
      storeElement(b, batch, add(b, loc, row, constantIndex(b, loc, i)),
                   add(b, loc, column, constantIndex(b, loc, j)),
                   sums[i * width() + j]);
}

void gpus::emitContraction(OpBuilder &b, Nest &nest, const LaunchName &name,
                           bool zeroInit) {
  ThreadTiles(nest, zeroInit).emit(b, name);
}

//===- Pack.cpp - Panels of a contraction's right side --------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Codegen/Kernels/Contraction.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace weir;
using namespace weir::kernels;

void kernels::emitPanels(
    OpBuilder &b, Location loc, const StripRange &range, int64_t columns,
    llvm::function_ref<void(OpBuilder &, Value, Value)> body) {
  StripPlan full{{columns}, false};
  emitStrip(b, loc,
            StripRange{range.lower, range.upper,
                       range.isStatic() ? range.size / columns * columns
                                        : range.size},
            full, {}, [&](OpBuilder &b, Value iv, int64_t, Value, ValueRange) {
              body(b, iv, Value());
              return SmallVector<Value>();
            });
  if (range.isStatic()) {
    int64_t rest = range.size % columns;
    if (rest == 0)
      return;
    Value start =
        addIndex(b, loc, range.lower, constantIndex(b, loc, range.size - rest));
    body(b, start, constantIndex(b, loc, rest));
    return;
  }
  Value left = b.createOrFold<arith::SubIOp>(loc, range.upper, range.lower);
  Value rest =
      b.createOrFold<arith::RemUIOp>(loc, left, constantIndex(b, loc, columns));
  Value any = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, rest,
                                    constantIndex(b, loc, 0));
  scf::IfOp::create(b, loc, any, [&](OpBuilder &b, Location loc) {
    body(b, b.createOrFold<arith::SubIOp>(loc, range.upper, rest), rest);
    scf::YieldOp::create(b, loc);
  });
}

namespace {
/// Fills one panel.
class PanelPacker {
public:
  PanelPacker(const Nest &nest, const ContractionPlan &plan,
              const Access &packed, bool masks, Value left)
      : nest(nest), plan(plan), packed(packed), source(nest.accesses[plan.b]),
        masks(masks), left(left), loc(nest.loc) {}

  /// `from` and `to`: where the panel's first element is read and written.
  void emit(OpBuilder &b, const Cursor &from, Value to);

private:
  Value columnOffset(OpBuilder &b, int64_t column);
  void copyRow(OpBuilder &b, Value from, Value to);
  void gatherRow(OpBuilder &b, Value from, Value to);
  void transposeRows(OpBuilder &b, Value from, Value to, unsigned dim);
  void store(OpBuilder &b, Value vector, Value to, int64_t column);
  /// The numbers at two offsets, which `load` reads, as the panel has them:
  /// one, or a pair of i16 in an i32.
  Value widened(OpBuilder &b, Value from,
                llvm::function_ref<Value(Value)> load);

  const Nest &nest;
  const ContractionPlan &plan;
  const Access &packed;
  const Access &source;
  bool masks;
  /// Columns that there are; null for a full panel.
  Value left;
  Location loc;
};
} // namespace

/// How far `column` is from the first one; a column past the end reads the
/// last.
Value PanelPacker::columnOffset(OpBuilder &b, int64_t column) {
  const Stride &stride = source.strides[plan.n];
  if (!left)
    return stride.times(column).materialize(b, loc);
  Value index = constantIndex(b, loc, column);
  if (auto number = getConstantIntValue(left))
    return stride.times(std::min(column, *number - 1)).materialize(b, loc);
  Value last =
      b.createOrFold<arith::SubIOp>(loc, left, constantIndex(b, loc, 1));
  index = b.createOrFold<arith::MinUIOp>(loc, index, last);
  return mulIndex(b, loc, index, stride.materialize(b, loc));
}

void PanelPacker::store(OpBuilder &b, Value vector, Value to, int64_t column) {
  storeLanes(b, loc, packed,
             addIndex(b, loc, to, constantIndex(b, loc, column)),
             Stride::constant(1), plan.lanes, vector);
}

Value PanelPacker::widened(OpBuilder &b, Value from,
                           llvm::function_ref<Value(Value)> load) {
  auto cast = [&](Value value) {
    return applyCasts(b, loc, value, plan.castsB, plan.accumulator);
  };
  Value first = cast(load(from));
  if (plan.pairIntrinsic.empty())
    return first;
  // The nest takes two steps at a time.
  Value step = source.strides[plan.reductions.back()].materialize(b, loc);
  step = b.createOrFold<arith::DivUIOp>(loc, step, constantIndex(b, loc, 2));
  Value second = cast(load(addIndex(b, loc, from, step)));
  auto constant = [&](int32_t number) {
    auto scalar =
        arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(number));
    return broadcast(b, loc, scalar, plan.lanes);
  };
  first = arith::AndIOp::create(b, loc, first, constant(0xffff));
  second = arith::ShLIOp::create(b, loc, second, constant(16));
  return arith::OrIOp::create(b, loc, first, second);
}

void PanelPacker::copyRow(OpBuilder &b, Value from, Value to) {
  auto maskType = VectorType::get({plan.lanes}, b.getI1Type());
  for (int64_t v = 0; v < plan.vectors; ++v) {
    Value column = constantIndex(b, loc, v * plan.lanes);
    Value mask;
    if (left)
      mask = vector::CreateMaskOp::create(
          b, loc, maskType, b.createOrFold<arith::SubIOp>(loc, left, column));
    Value vector = widened(b, from, [&](Value from) {
      return loadLanes(b, loc, source, addIndex(b, loc, from, column),
                       Stride::constant(1), plan.lanes, mask);
    });
    store(b, vector, to, v * plan.lanes);
  }
}

void PanelPacker::gatherRow(OpBuilder &b, Value from, Value to) {
  auto type = VectorType::get({plan.lanes}, source.element);
  for (int64_t v = 0; v < plan.vectors; ++v) {
    Value vector = widened(b, from, [&](Value from) -> Value {
      SmallVector<Value> elements;
      for (int64_t lane = 0; lane < plan.lanes; ++lane)
        elements.push_back(memref::LoadOp::create(
            b, loc, source.flat,
            addIndex(b, loc, from, columnOffset(b, v * plan.lanes + lane))));
      return vector::FromElementsOp::create(b, loc, type, elements);
    });
    store(b, vector, to, v * plan.lanes);
  }
}

/// `lanes` rows at once, contiguous along reduction `dim` in the source.
void PanelPacker::transposeRows(OpBuilder &b, Value from, Value to,
                                unsigned dim) {
  for (int64_t v = 0; v < plan.vectors; ++v) {
    SmallVector<Value> columns;
    for (int64_t lane = 0; lane < plan.lanes; ++lane)
      columns.push_back(loadLanes(
          b, loc, source,
          addIndex(b, loc, from, columnOffset(b, v * plan.lanes + lane)),
          Stride::constant(1), plan.lanes));
    SmallVector<Value> rows = transposeSquare(b, loc, columns);
    for (auto [k, row] : llvm::enumerate(rows)) {
      Value offset = packed.strides[dim].times(k).materialize(b, loc);
      store(b, applyCasts(b, loc, row, plan.castsB, plan.accumulator),
            addIndex(b, loc, to, offset), v * plan.lanes);
    }
  }
}

void PanelPacker::emit(OpBuilder &b, const Cursor &from, Value to) {
  Cursor start = from;
  // The position in the panel travels in the slot of the output, which packing
  // does not touch.
  Nest walk = nest;
  walk.accesses[plan.c].strides = packed.strides;
  start.offsets[plan.c] = to;

  ArrayRef<unsigned> inner =
      ArrayRef<unsigned>(plan.reductions).drop_front(plan.firstInner);
  bool contiguous = source.strides[plan.n].isOne();
  bool maskable = masks && bytesOf(source.element) >= 4;
  if (contiguous && (!left || maskable)) {
    emitLoops(b, walk, inner, 0, start, [&](OpBuilder &b, const Cursor &at) {
      copyRow(b, at.offsets[plan.b], at.offsets[plan.c]);
    });
    return;
  }
  const unsigned *transposed = llvm::find_if(inner, [&](unsigned dim) {
    return plan.pairIntrinsic.empty() && source.strides[dim].isOne();
  });
  SmallVector<unsigned> outer;
  for (const unsigned *dim = inner.begin(); dim != inner.end(); ++dim)
    if (dim != transposed)
      outer.push_back(*dim);
  emitLoops(b, walk, outer, 0, start, [&](OpBuilder &b, const Cursor &at) {
    if (transposed == inner.end()) {
      gatherRow(b, at.offsets[plan.b], at.offsets[plan.c]);
      return;
    }
    StripPlan strips{{plan.lanes, 1}, false};
    emitStrip(b, loc, StripRange::all(b, loc, walk.dims[*transposed]), strips,
              {},
              [&](OpBuilder &b, Value iv, int64_t width, Value, ValueRange) {
                Cursor row = walk.enter(b, at, *transposed, iv);
                if (width == 1)
                  gatherRow(b, row.offsets[plan.b], row.offsets[plan.c]);
                else
                  transposeRows(b, row.offsets[plan.b], row.offsets[plan.c],
                                *transposed);
                return SmallVector<Value>();
              });
  });
}

void kernels::packPanels(OpBuilder &b, const Nest &nest,
                         const ContractionPlan &plan, const Cursor &at,
                         const Access &packed, bool masks,
                         const StripRange &columns) {
  Location loc = nest.loc;
  emitPanels(b, loc, columns, plan.tileColumns(),
             [&](OpBuilder &b, Value column, Value left) {
               Value to = mulIndex(b, loc, column,
                                   packed.strides[plan.n].materialize(b, loc));
               PanelPacker(nest, plan, packed, masks, left)
                   .emit(b, nest.enter(b, at, plan.n, column), to);
             });
}

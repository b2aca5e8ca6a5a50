//===- Contraction.h - How a contraction is tiled ---------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_PASSES_CODEGEN_KERNELS_CONTRACTION_H
#define WEIR_PASSES_CODEGEN_KERNELS_CONTRACTION_H

#include "passes/Codegen/Kernels/Vectorize.h"

namespace weir::kernels {

/// `c[batch, m.., n] += cast(a[batch, m.., k..]) * cast(b[batch, k.., n])`, the
/// roles of the dims, and the tile sizes. A value; refers to the nest it was
/// made for, which outlives it.
struct ContractionPlan {
  /// Positions among the accesses; `b` is the input that has `n`.
  unsigned a = 0, b = 1, c = 2;
  /// Casts from the element of a (b) to that of the product, first to last.
  SmallVector<Operation *> castsA, castsB;
  /// What sums are kept in.
  Type accumulator;

  unsigned n = 0;
  /// -1 when no loop has the rows of a tile.
  int m = -1;
  SmallVector<unsigned> batch;
  SmallVector<unsigned> outerRows;
  /// Reduction dims, outermost first. Those before `firstInner` are loops
  /// around the tiles; that at `firstInner` is cut in blocks of `blockSize` (0:
  /// whole).
  SmallVector<unsigned> reductions;
  unsigned firstInner = 0;
  int64_t blockSize = 0;

  int64_t lanes = 8;
  int64_t vectors = 2;
  int64_t rows = 6;
  /// Row counts of the kernels, full tile first.
  SmallVector<int64_t> rowSteps;
  /// Rows of one cache block, a multiple of `rows`.
  int64_t rowBlock = 96;
  bool pack = true;
  /// For products of int8 in sums of i32: an instruction that multiplies pairs
  /// of i16 and adds the two products does two iterations of the last reduction
  /// at once. Panels have both numbers of a pair in the 32 bits of an element.
  /// Empty where there is no such instruction.
  llvm::StringRef pairIntrinsic;

  /// `nest` with half the iterations of the last reduction, two at a time.
  Nest halved(const Nest &nest) const;
  int64_t tileColumns() const { return lanes * vectors; }

  /// Fails when `nest` is no contraction that register tiles suit.
  static FailureOr<ContractionPlan> make(const Nest &nest,
                                         const CpuTarget &target);
};

/// One value through casts, as a scalar or lane by lane, then to `accumulator`.
Value applyCasts(OpBuilder &b, Location loc, Value value,
                 ArrayRef<Operation *> casts, Type accumulator);

/// Copies the columns of b that `at` reaches (all dims but n and the inner
/// reductions entered) into panels of `tileColumns()` columns: element (k.., n)
/// goes to `packed`, whose strides are those of the inner reductions in a
/// panel, and whose stride in n is that from one panel to the next divided by
/// the panel's columns. Columns past the end hold anything. `columns` starts at
/// a panel.
void packPanels(OpBuilder &b, const Nest &nest, const ContractionPlan &plan,
                const Cursor &at, const Access &packed, bool masks,
                const StripRange &columns);

/// Runs `body(b, first column, columns left or null)` for each panel of
/// `range`; the columns left are given for a panel that is not full.
void emitPanels(OpBuilder &b, Location loc, const StripRange &range,
                int64_t columns,
                llvm::function_ref<void(OpBuilder &, Value, Value)> body);

} // namespace weir::kernels

#endif // WEIR_PASSES_CODEGEN_KERNELS_CONTRACTION_H

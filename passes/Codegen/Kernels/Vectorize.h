//===- Vectorize.h - Vector code for loops and bodies -----------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_PASSES_CODEGEN_KERNELS_VECTORIZE_H
#define WEIR_PASSES_CODEGEN_KERNELS_VECTORIZE_H

#include "passes/Codegen/Kernels/Nest.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace weir::kernels {

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

/// What kind of vector code a body can become.
struct BodyTraits {
  /// Every op has a vector form.
  bool vectorizable = true;
  /// Lanes past the end would trap or read out of bounds, so no masks.
  bool hazardous = false;
  /// Rough cost of one element.
  int64_t cost = 0;
  /// Widest element type computed with or stored, in bytes.
  int64_t widestBytes = 1;
};
BodyTraits analyzeBody(const Nest &nest);

/// Bytes of one element of a buffer of `type`; i1 and smaller count as 1.
int64_t bytesOf(Type type);

/// Emits the body of `nest` for `width` iterations along dim `vectorDim` that
/// start at `at`. `inputs` holds one value per access: a vector of `width`, a
/// scalar that all lanes share, or null where the body does not use it. The
/// results are one value per output, vectors (scalars when `width` is 1).
/// With `fuse`, `a * b + c` becomes one rounding.
SmallVector<Value> emitBody(OpBuilder &b, const Nest &nest, int64_t width,
                            int vectorDim, const Cursor &at,
                            ArrayRef<Value> inputs, bool fuse = false);

/// `value` as a vector of `width` lanes; a vector stays as it is, and so does
/// everything when `width` is 1.
Value broadcast(OpBuilder &b, Location loc, Value value, int64_t width);

/// `acc * b + c`-style: lhs * rhs + acc on vectors or scalars, floats or
/// integers.
Value multiplyAdd(OpBuilder &b, Location loc, Value lhs, Value rhs, Value acc,
                  bool fuse);

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Reads `width` elements of `access` from `offset` on, `stride` apart. Stride
/// 0 gives a scalar. A mask needs stride 0 or 1.
Value loadLanes(OpBuilder &b, Location loc, const Access &access, Value offset,
                const Stride &stride, int64_t width, Value mask = {});
void storeLanes(OpBuilder &b, Location loc, const Access &access, Value offset,
                const Stride &stride, int64_t width, Value value,
                Value mask = {});

/// ceil(value / divisor) of a count that is not negative.
Value ceilDiv(OpBuilder &b, Location loc, Value value, int64_t divisor);

/// Transposes `rows`, n vectors of n lanes, n a power of two.
SmallVector<Value> transposeSquare(OpBuilder &b, Location loc,
                                   ArrayRef<Value> rows);

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// How a range is cut: full steps of each width in turn (descending), and the
/// rest, if any, as one masked step of the last width.
struct StripPlan {
  SmallVector<int64_t> widths;
  bool maskedTail = false;

  /// `main` down to `hardware` by halves; then a mask, or on down to 1.
  static StripPlan make(int64_t main, int64_t hardware, bool masks);
};

/// The range [lower, upper), `size` when that is static.
struct StripRange {
  Value lower;
  Value upper;
  int64_t size = ShapedType::kDynamic;

  bool isStatic() const { return !ShapedType::isDynamic(size); }
  static StripRange all(OpBuilder &b, Location loc, const NestDim &dim);
};

/// Emits `range` in strips. `body(b, iv, width, mask, carried)` gives the
/// values carried on; the mask is null for a full step.
using StripBody = llvm::function_ref<SmallVector<Value>(
    OpBuilder &, Value, int64_t, Value, ValueRange)>;
SmallVector<Value> emitStrip(OpBuilder &b, Location loc,
                             const StripRange &range, const StripPlan &plan,
                             ValueRange inits, StripBody body);

/// One scf.for over dim `dim` for each of `dims`, the first `numParallel` of
/// them as one scf.parallel; `body` gets the cursor of the innermost.
void emitLoops(OpBuilder &b, const Nest &nest, ArrayRef<unsigned> dims,
               unsigned numParallel, const Cursor &at,
               llvm::function_ref<void(OpBuilder &, const Cursor &)> body);

/// Loops that carry values.
SmallVector<Value> emitCarryingLoops(
    OpBuilder &b, const Nest &nest, ArrayRef<unsigned> dims, const Cursor &at,
    ValueRange inits,
    llvm::function_ref<SmallVector<Value>(OpBuilder &, const Cursor &,
                                          ValueRange)>
        body);

/// Splits [0, dim) into about `threads` chunks, each a multiple of `grain`, and
/// runs `body` on each, in parallel.
void emitChunks(OpBuilder &b, Location loc, const NestDim &dim, int64_t grain,
                int64_t threads,
                llvm::function_ref<void(OpBuilder &, const StripRange &)> body);

/// The dim along which vectors go best: that in which the most accesses,
/// outputs first, have unit stride; -1 for a nest without loops. Only parallel
/// dims unless `reductions`.
int chooseVectorDim(const Nest &nest, bool reductions);

/// Lanes in one hardware vector of the widest element of `traits`.
int64_t hardwareLanes(const BodyTraits &traits, const CpuTarget &target);

/// Orders `dims` so that the access strides of `access` fall.
void sortByStride(SmallVectorImpl<unsigned> &dims, const Access &access);

/// How many of the leading `dims` are worth running in parallel: none when
/// `work` (about one unit per flop or byte) does not pay for a fork.
unsigned countParallel(const Nest &nest, ArrayRef<unsigned> dims, int64_t work,
                       const CpuTarget &target);

//===----------------------------------------------------------------------===//
// Emitters
//===----------------------------------------------------------------------===//

/// Each emits all of `nest` at `b`, or fails without having emitted anything
/// when the nest has not the form it is for.
LogicalResult emitElementwise(OpBuilder &b, Nest &nest,
                              const CpuTarget &target);
LogicalResult emitReduction(OpBuilder &b, Nest &nest, const CpuTarget &target);
/// Whether `emitContraction` takes `nest`.
bool isContraction(const Nest &nest, const CpuTarget &target);
/// `zeroInit`: on entry, whether the outputs are known to be zero though
/// nothing has written that yet; on return, whether the emitted code relied on
/// it.
LogicalResult emitContraction(OpBuilder &b, Nest &nest, const CpuTarget &target,
                              bool &zeroInit);
/// One element at a time, any body.
void emitScalar(OpBuilder &b, Nest &nest);

} // namespace weir::kernels

#endif // WEIR_PASSES_CODEGEN_KERNELS_VECTORIZE_H

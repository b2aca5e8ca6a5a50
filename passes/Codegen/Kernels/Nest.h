//===- Nest.h - A linalg op on buffers as strides over loops ----*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every structured op whose indexing maps are linear is, on buffers with
// strides, the same thing: loops, and for each operand a start plus one stride
// per loop. The emitters work on that form only; which op it was no longer
// matters to them.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_PASSES_CODEGEN_KERNELS_NEST_H
#define WEIR_PASSES_CODEGEN_KERNELS_NEST_H

#include "lib/Target/CpuTarget.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Builders.h"

namespace weir::kernels {

using namespace mlir;

/// A number of elements: `scale` times the product of `factors` (index values,
/// sorted), so that equal products of dynamic extents compare equal.
struct Stride {
  int64_t scale = 0;
  SmallVector<Value, 2> factors;

  static Stride constant(int64_t scale) { return {scale, {}}; }
  bool isZero() const { return scale == 0; }
  bool isOne() const { return scale == 1 && factors.empty(); }
  bool isStatic() const { return factors.empty() || scale == 0; }
  bool operator==(const Stride &other) const {
    return scale == other.scale && (scale == 0 || factors == other.factors);
  }
  Stride times(int64_t number) const;
  Stride times(Value factor) const;
  Stride times(const Stride &other) const;
  Value materialize(OpBuilder &b, Location loc) const;
};

/// One loop.
struct NestDim {
  bool reduction = false;
  /// ShapedType::kDynamic when only `product` knows.
  int64_t size = ShapedType::kDynamic;
  /// The extent of a dynamic loop, as the extents that it was merged from.
  Stride product;

  bool isStatic() const { return !ShapedType::isDynamic(size); }
  /// The size, or a guess where it is dynamic.
  int64_t estimate() const { return isStatic() ? size : 64; }
  Stride extent() const {
    return isStatic() ? Stride::constant(size) : product;
  }
  Value materialize(OpBuilder &b, Location loc) const;
};

/// How one operand is reached: element `start + sum(iv[d] * strides[d])` of a
/// one-dimensional buffer of unit stride, or a scalar that was no buffer.
struct Access {
  Value flat;
  Value scalar;
  Value start;
  Type element;
  SmallVector<Stride> strides;
  /// The operand as the op had it, for alias questions only.
  Value source;
};

/// Where each access of a nest stands inside the loops that were entered.
struct Cursor {
  SmallVector<Value> offsets;
  /// One per dim; null for a loop that was not entered.
  SmallVector<Value> ivs;
};

/// An elementwise body that runs on each result of the nest once that is final.
struct Epilogue {
  /// Block arguments as `operands`; ends in linalg.yield.
  Block *body = nullptr;
  /// Positions among the accesses, inputs first; -1 stands for the result
  /// itself.
  SmallVector<int> operands;
  unsigned numInputs = 0;
};

struct Nest {
  Location loc;
  SmallVector<NestDim> dims;
  /// Inputs, then outputs, then what epilogues read and write.
  SmallVector<Access> accesses;
  unsigned numInputs = 0;
  unsigned numOutputs = 0;
  SmallVector<Epilogue> epilogues;
  /// Block arguments as `accesses`; ends in linalg.yield. Owned by the op.
  Block *body = nullptr;
  /// For each loop of the op: the dim that counts it, or -1 where it had one
  /// iteration and was dropped.
  SmallVector<int> dimOfLoop;

  explicit Nest(Location loc) : loc(loc) {}

  /// Builds the nest of `op`, emitting the flat buffers before it. Fails, and
  /// emits nothing, when a map is not linear.
  static FailureOr<Nest> build(OpBuilder &b, linalg::LinalgOp op);

  /// Drops loops of one iteration and merges pairs of loops that every access
  /// walks as one.
  void simplify();

  /// Adds `op`, elementwise over the elements of this nest's single output, as
  /// an epilogue. `op` stays; the caller erases it. Fails, changing nothing,
  /// when an operand could not be read in whole vectors along with the output.
  LogicalResult addEpilogue(OpBuilder &b, linalg::LinalgOp op,
                            AffineMap outputMap);

  MutableArrayRef<Access> outputs() {
    return MutableArrayRef<Access>(accesses).slice(numInputs, numOutputs);
  }
  bool bodyUses(unsigned access) const {
    return !body->getArgument(access).use_empty();
  }
  bool usesIndex(unsigned dim) const;
  /// Iterations in all, dynamic extents guessed.
  int64_t estimateIterations() const;

  Cursor begin(OpBuilder &b) const;
  /// The cursor of one iteration `iv` of loop `dim`.
  Cursor enter(OpBuilder &b, const Cursor &at, unsigned dim, Value iv) const;
};

/// `a + b` and `a * b` on index values, folded where they can be.
Value addIndex(OpBuilder &b, Location loc, Value lhs, Value rhs);
Value mulIndex(OpBuilder &b, Location loc, Value lhs, Value rhs);
Value constantIndex(OpBuilder &b, Location loc, int64_t value);

} // namespace weir::kernels

#endif // WEIR_PASSES_CODEGEN_KERNELS_NEST_H

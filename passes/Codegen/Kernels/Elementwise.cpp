//===- Elementwise.cpp - Nests without reductions -------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elementwise maps, fills, copies, broadcasts, gathers and transposes: one
// vector loop along the dim that the outputs have contiguous. Inputs that are
// contiguous along another dim are read in square blocks and transposed in
// registers.
//
//===----------------------------------------------------------------------===//

#include "passes/Codegen/Kernels/Vectorize.h"

using namespace mlir;
using namespace weir;
using namespace weir::kernels;

namespace {
class Elementwise {
public:
  Elementwise(Nest &nest, const CpuTarget &target)
      : nest(nest), target(target), loc(nest.loc), traits(analyzeBody(nest)) {}

  LogicalResult emit(OpBuilder &b);

private:
  /// The dim that most inputs have contiguous while `vectorDim` strides them;
  /// -1 when there is none.
  int chooseBlockDim() const;
  bool isTransposed(const Access &access) const {
    return access.flat && blockDim >= 0 && access.strides[blockDim].isOne() &&
           !access.strides[vectorDim].isOne() &&
           !access.strides[vectorDim].isZero();
  }
  bool masksWork() const;
  int64_t work() const;

  void emitRow(OpBuilder &b, const Cursor &at, const StripRange &range);
  void emitStep(OpBuilder &b, const Cursor &at, Value iv, int64_t width,
                Value mask, ArrayRef<Value> shared);
  SmallVector<Value> loadShared(OpBuilder &b, const Cursor &at);
  void emitBlocks(OpBuilder &b, const Cursor &at, const StripRange &range);
  void emitBlock(OpBuilder &b, const Cursor &at, Value row, Value iv);
  void finish(OpBuilder &b, const Cursor &at, int64_t width,
              ArrayRef<Value> inputs, Value mask);

  Nest &nest;
  const CpuTarget &target;
  Location loc;
  BodyTraits traits;
  int vectorDim = -1;
  int blockDim = -1;
  int64_t lanes = 1;
};
} // namespace

int Elementwise::chooseBlockDim() const {
  for (const Access &access :
       ArrayRef<Access>(nest.accesses).take_front(nest.numInputs)) {
    if (!access.flat || access.strides[vectorDim].isOne() ||
        access.strides[vectorDim].isZero())
      continue;
    for (auto [d, dim] : llvm::enumerate(nest.dims))
      if (access.strides[d].isOne() && dim.estimate() >= lanes &&
          nest.dims[vectorDim].estimate() >= lanes)
        return d;
  }
  return -1;
}

bool Elementwise::masksWork() const {
  if (traits.hazardous || !target.hasMaskedMemory())
    return false;
  return llvm::all_of(nest.accesses, [&](const Access &access) {
    if (!access.flat || access.strides[vectorDim].isZero())
      return true;
    return access.strides[vectorDim].isOne() && bytesOf(access.element) >= 4 &&
           bytesOf(access.element) <= 8;
  });
}

int64_t Elementwise::work() const {
  int64_t bytes = 0;
  for (const Access &access : nest.accesses)
    if (access.flat)
      bytes += bytesOf(access.element);
  return nest.estimateIterations() * (bytes + traits.cost);
}

/// Computes the body at `at` and stores what it yields.
void Elementwise::finish(OpBuilder &b, const Cursor &at, int64_t width,
                         ArrayRef<Value> inputs, Value mask) {
  SmallVector<Value> results = emitBody(b, nest, width, vectorDim, at, inputs);
  for (auto [i, result] : llvm::enumerate(results)) {
    unsigned output = nest.numInputs + i;
    storeLanes(b, loc, nest.accesses[output], at.offsets[output],
               nest.accesses[output].strides[vectorDim], width,
               broadcast(b, loc, result, width), mask);
  }
}

/// The inputs that are one value for all of a row, read before it; null for
/// others.
SmallVector<Value> Elementwise::loadShared(OpBuilder &b, const Cursor &at) {
  SmallVector<Value> shared(nest.accesses.size());
  for (unsigned i = 0; i < nest.numInputs; ++i)
    if (nest.bodyUses(i) && nest.accesses[i].strides[vectorDim].isZero())
      shared[i] =
          loadLanes(b, loc, nest.accesses[i], at.offsets[i], Stride(), 1);
  return shared;
}

void Elementwise::emitStep(OpBuilder &b, const Cursor &row, Value iv,
                           int64_t width, Value mask, ArrayRef<Value> shared) {
  Cursor at = nest.enter(b, row, vectorDim, iv);
  SmallVector<Value> inputs(shared);
  for (auto [i, access] : llvm::enumerate(nest.accesses))
    if (nest.bodyUses(i) && !inputs[i])
      inputs[i] = loadLanes(b, loc, access, at.offsets[i],
                            access.strides[vectorDim], width, mask);
  finish(b, at, width, inputs, mask);
}

void Elementwise::emitRow(OpBuilder &b, const Cursor &at,
                          const StripRange &range) {
  bool masks = masksWork();
  int64_t main = lanes;
  const NestDim &dim = nest.dims[vectorDim];
  while (!masks && dim.isStatic() && main > dim.size)
    main /= 2;
  StripPlan plan = StripPlan::make(std::max<int64_t>(main, 1), lanes, masks);
  SmallVector<Value> shared = loadShared(b, at);
  emitStrip(b, loc, range, plan, {},
            [&](OpBuilder &b, Value iv, int64_t width, Value mask, ValueRange) {
              emitStep(b, at, iv, width, mask, shared);
              return SmallVector<Value>();
            });
}

/// One block: `lanes` rows of dim `blockDim` from `row` on, by `lanes` along
/// the vector dim from `iv` on.
void Elementwise::emitBlock(OpBuilder &b, const Cursor &outer, Value row,
                            Value iv) {
  Cursor corner =
      nest.enter(b, nest.enter(b, outer, blockDim, row), vectorDim, iv);
  SmallVector<SmallVector<Value>> transposed(nest.accesses.size());
  for (auto [i, access] : llvm::enumerate(nest.accesses)) {
    if (!nest.bodyUses(i) || !isTransposed(access))
      continue;
    SmallVector<Value> columns;
    for (int64_t lane = 0; lane < lanes; ++lane) {
      Value offset =
          addIndex(b, loc, corner.offsets[i],
                   access.strides[vectorDim].times(lane).materialize(b, loc));
      columns.push_back(
          loadLanes(b, loc, access, offset, Stride::constant(1), lanes));
    }
    transposed[i] = transposeSquare(b, loc, columns);
  }
  for (int64_t r = 0; r < lanes; ++r) {
    Cursor at = nest.enter(b, corner, blockDim, constantIndex(b, loc, r));
    at.ivs[blockDim] = addIndex(b, loc, row, constantIndex(b, loc, r));
    SmallVector<Value> inputs(nest.accesses.size());
    for (auto [i, access] : llvm::enumerate(nest.accesses)) {
      if (!nest.bodyUses(i))
        continue;
      inputs[i] = transposed[i].empty()
                      ? loadLanes(b, loc, access, at.offsets[i],
                                  access.strides[vectorDim], lanes)
                      : transposed[i][r];
    }
    finish(b, at, lanes, inputs, Value());
  }
}

/// Rows of dim `blockDim` in `range`: square blocks, then what is left over.
void Elementwise::emitBlocks(OpBuilder &b, const Cursor &at,
                             const StripRange &range) {
  StripPlan rows{{lanes, 1}, false};
  StripPlan columns{{lanes, 1}, false};
  StripRange all = StripRange::all(b, loc, nest.dims[vectorDim]);
  emitStrip(
      b, loc, range, rows, {},
      [&](OpBuilder &b, Value row, int64_t height, Value, ValueRange) {
        if (height == 1) {
          emitRow(b, nest.enter(b, at, blockDim, row), all);
          return SmallVector<Value>();
        }
        emitStrip(
            b, loc, all, columns, {},
            [&](OpBuilder &b, Value iv, int64_t width, Value, ValueRange) {
              if (width == lanes) {
                emitBlock(b, at, row, iv);
                return SmallVector<Value>();
              }
              // A column that is left over: one element of each row.
              auto loop = scf::ForOp::create(
                  b, loc, row,
                  addIndex(b, loc, row, constantIndex(b, loc, lanes)),
                  constantIndex(b, loc, 1));
              OpBuilder::InsertionGuard guard(b);
              b.setInsertionPointToStart(loop.getBody());
              Cursor element =
                  nest.enter(b, at, blockDim, loop.getInductionVar());
              emitStep(b, element, iv, 1, Value(), loadShared(b, element));
              return SmallVector<Value>();
            });
        return SmallVector<Value>();
      });
}

LogicalResult Elementwise::emit(OpBuilder &b) {
  if (!traits.vectorizable || nest.dims.empty() ||
      llvm::any_of(nest.dims, [](const NestDim &dim) { return dim.reduction; }))
    return failure();
  vectorDim = chooseVectorDim(nest, /*reductions=*/false);
  lanes = hardwareLanes(traits, target);
  blockDim = chooseBlockDim();

  SmallVector<unsigned> outer;
  for (unsigned d = 0; d < nest.dims.size(); ++d)
    if (static_cast<int>(d) != vectorDim && static_cast<int>(d) != blockDim)
      outer.push_back(d);
  sortByStride(outer, nest.outputs().front());
  unsigned parallel = countParallel(nest, outer, work(), target);
  int64_t outerIterations = 1;
  for (unsigned d : ArrayRef<unsigned>(outer).take_front(parallel))
    outerIterations *= nest.dims[d].estimate();
  bool split = outerIterations < target.threads &&
               countParallel(nest, {static_cast<unsigned>(vectorDim)}, work(),
                             target) > 0;
  if (split)
    parallel = 0;

  emitLoops(b, nest, outer, parallel, nest.begin(b),
            [&](OpBuilder &b, const Cursor &at) {
              unsigned strip = blockDim >= 0 ? blockDim : vectorDim;
              auto body = [&](OpBuilder &b, const StripRange &range) {
                if (blockDim >= 0)
                  emitBlocks(b, at, range);
                else
                  emitRow(b, at, range);
              };
              if (split)
                emitChunks(b, loc, nest.dims[strip], 4 * lanes, target.threads,
                           body);
              else
                body(b, StripRange::all(b, loc, nest.dims[strip]));
            });
  return success();
}

LogicalResult kernels::emitElementwise(OpBuilder &b, Nest &nest,
                                       const CpuTarget &target) {
  return Elementwise(nest, target).emit(b);
}

void kernels::emitScalar(OpBuilder &b, Nest &nest) {
  SmallVector<unsigned> dims;
  for (unsigned d = 0; d < nest.dims.size(); ++d)
    dims.push_back(d);
  emitLoops(
      b, nest, dims, 0, nest.begin(b), [&](OpBuilder &b, const Cursor &at) {
        SmallVector<Value> inputs(nest.accesses.size());
        for (auto [i, access] : llvm::enumerate(nest.accesses))
          if (nest.bodyUses(i))
            inputs[i] =
                loadLanes(b, nest.loc, access, at.offsets[i], Stride(), 1);
        SmallVector<Value> results = emitBody(b, nest, 1, -1, at, inputs);
        for (auto [i, result] : llvm::enumerate(results)) {
          unsigned output = nest.numInputs + i;
          storeLanes(b, nest.loc, nest.accesses[output], at.offsets[output],
                     Stride(), 1, result);
        }
      });
}

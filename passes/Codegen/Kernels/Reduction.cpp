//===- Reduction.cpp - Nests with reductions ------------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two forms. Across: vectors along a parallel dim, each lane its own sequential
// reduction, any body. Along: vectors along the reduction dim that the inputs
// have contiguous, one partial result per lane, joined at the end; the body
// must be `acc = acc OP f(inputs)` with a known associative OP. Neither order
// depends on the number of threads: only parallel dims are split between them.
//
//===----------------------------------------------------------------------===//

#include "passes/Codegen/Kernels/Vectorize.h"

using namespace mlir;
using namespace weir;
using namespace weir::kernels;

namespace {
/// `out = combiner(out, update)`.
struct Combiner {
  Operation *op = nullptr;
  Value update;
  TypedAttr neutral;
};

class Reduction {
public:
  Reduction(Nest &nest, const CpuTarget &target)
      : nest(nest), target(target), loc(nest.loc), traits(analyzeBody(nest)) {}

  LogicalResult emit(OpBuilder &b);

private:
  bool matchCombiners();
  bool prefersAlong(int across, int along) const;
  int64_t work() const;
  bool masksWork(unsigned dim) const;
  int64_t mainWidth(unsigned dim, bool masks) const;

  void emitAcross(OpBuilder &b, unsigned dim);
  void emitAlong(OpBuilder &b, unsigned dim);
  void emitAcrossStrip(OpBuilder &b, const Cursor &at, unsigned dim, Value iv,
                       int64_t width, Value mask);
  SmallVector<Value> emitAlongRow(OpBuilder &b, const Cursor &at, unsigned dim,
                                  int64_t main, bool masks,
                                  ValueRange partials);
  Value combine(OpBuilder &b, const Combiner &combiner, Value lhs, Value rhs);
  Value joinLanes(OpBuilder &b, const Combiner &combiner, Value vector);

  Nest &nest;
  const CpuTarget &target;
  Location loc;
  BodyTraits traits;
  SmallVector<Combiner> combiners;
  int64_t lanes = 1;
};
} // namespace

/// The value that leaves `op` as it is, null for an op that is no reduction.
static TypedAttr neutralOf(Operation *op) {
  if (!isa<arith::AddFOp, arith::MulFOp, arith::MaximumFOp, arith::MinimumFOp,
           arith::MaxNumFOp, arith::MinNumFOp, arith::AddIOp, arith::MulIOp,
           arith::AndIOp, arith::OrIOp, arith::XOrIOp, arith::MaxSIOp,
           arith::MaxUIOp, arith::MinSIOp, arith::MinUIOp>(op))
    return {};
  return arith::getNeutralElement(op).value_or(TypedAttr());
}

bool Reduction::matchCombiners() {
  combiners.clear();
  Operation *yield = nest.body->getTerminator();
  for (unsigned i = 0; i < nest.numOutputs; ++i) {
    BlockArgument acc = nest.body->getArgument(nest.numInputs + i);
    Combiner combiner;
    combiner.op = yield->getOperand(i).getDefiningOp();
    if (!combiner.op || combiner.op->getBlock() != nest.body ||
        !acc.hasOneUse() || *acc.user_begin() != combiner.op ||
        !combiner.op->getResult(0).hasOneUse())
      return false;
    combiner.neutral = neutralOf(combiner.op);
    if (!combiner.neutral)
      return false;
    bool first = combiner.op->getOperand(0) == acc;
    combiner.update = combiner.op->getOperand(first ? 1 : 0);
    combiners.push_back(combiner);
  }
  return true;
}

int64_t Reduction::work() const {
  int64_t bytes = 0;
  for (const Access &access : nest.accesses)
    if (access.flat)
      bytes += bytesOf(access.element);
  return nest.estimateIterations() * (bytes + traits.cost);
}

bool Reduction::masksWork(unsigned dim) const {
  if (traits.hazardous || !target.hasMaskedMemory())
    return false;
  return llvm::all_of(nest.accesses, [&](const Access &access) {
    if (!access.flat || access.strides[dim].isZero())
      return true;
    return access.strides[dim].isOne() && bytesOf(access.element) >= 4 &&
           bytesOf(access.element) <= 8;
  });
}

/// Several hardware vectors at once hide the latency of the combiner.
int64_t Reduction::mainWidth(unsigned dim, bool masks) const {
  int64_t width = 4 * lanes;
  const NestDim &range = nest.dims[dim];
  while (range.isStatic() && width > range.size && width > (masks ? lanes : 1))
    width /= 2;
  return width;
}

Value Reduction::combine(OpBuilder &b, const Combiner &combiner, Value lhs,
                         Value rhs) {
  return b
      .create(loc, combiner.op->getName().getIdentifier(), ValueRange{lhs, rhs},
              TypeRange{lhs.getType()}, combiner.op->getAttrs())
      ->getResult(0);
}

/// Halves the vector until one lane is left: a fixed tree.
Value Reduction::joinLanes(OpBuilder &b, const Combiner &combiner,
                           Value vector) {
  auto type = dyn_cast<VectorType>(vector.getType());
  if (!type)
    return vector;
  for (int64_t width = type.getDimSize(0); width > 1; width /= 2) {
    int64_t half = width / 2;
    SmallVector<int64_t> low, high;
    for (int64_t lane = 0; lane < half; ++lane) {
      low.push_back(lane);
      high.push_back(half + lane);
    }
    Value lower = vector::ShuffleOp::create(b, loc, vector, vector, low);
    Value upper = vector::ShuffleOp::create(b, loc, vector, vector, high);
    vector = combine(b, combiner, lower, upper);
  }
  return vector::ExtractOp::create(b, loc, vector, 0);
}

//===----------------------------------------------------------------------===//
// Across
//===----------------------------------------------------------------------===//

void Reduction::emitAcrossStrip(OpBuilder &b, const Cursor &outer, unsigned dim,
                                Value iv, int64_t width, Value mask) {
  Cursor start = nest.enter(b, outer, dim, iv);
  SmallVector<Value> inits;
  for (unsigned i = nest.numInputs; i < nest.accesses.size(); ++i)
    inits.push_back(
        broadcast(b, loc,
                  loadLanes(b, loc, nest.accesses[i], start.offsets[i],
                            nest.accesses[i].strides[dim], width, mask),
                  width));
  SmallVector<unsigned> reductions;
  for (unsigned d = 0; d < nest.dims.size(); ++d)
    if (nest.dims[d].reduction)
      reductions.push_back(d);
  if (nest.numInputs > 0)
    sortByStride(reductions, nest.accesses.front());
  bool fuse = target.hasFma();
  SmallVector<Value> results = emitCarryingLoops(
      b, nest, reductions, start, inits,
      [&](OpBuilder &b, const Cursor &at, ValueRange carried) {
        SmallVector<Value> inputs(nest.accesses.size());
        for (unsigned i = 0; i < nest.numInputs; ++i)
          if (nest.bodyUses(i))
            inputs[i] = loadLanes(b, loc, nest.accesses[i], at.offsets[i],
                                  nest.accesses[i].strides[dim], width, mask);
        for (auto [i, value] : llvm::enumerate(carried))
          inputs[nest.numInputs + i] = value;
        SmallVector<Value> next =
            emitBody(b, nest, width, dim, at, inputs, fuse);
        for (Value &value : next)
          value = broadcast(b, loc, value, width);
        return next;
      });
  for (auto [i, result] : llvm::enumerate(results)) {
    unsigned output = nest.numInputs + i;
    storeLanes(b, loc, nest.accesses[output], start.offsets[output],
               nest.accesses[output].strides[dim], width, result, mask);
  }
}

void Reduction::emitAcross(OpBuilder &b, unsigned dim) {
  SmallVector<unsigned> outer;
  for (unsigned d = 0; d < nest.dims.size(); ++d)
    if (d != dim && !nest.dims[d].reduction)
      outer.push_back(d);
  sortByStride(outer, nest.outputs().front());
  unsigned parallel = countParallel(nest, outer, work(), target);
  int64_t outerIterations = 1;
  for (unsigned d : ArrayRef<unsigned>(outer).take_front(parallel))
    outerIterations *= nest.dims[d].estimate();
  bool split = outerIterations < target.threads &&
               countParallel(nest, {dim}, work(), target) > 0;
  if (split)
    parallel = 0;
  bool masks = masksWork(dim);
  int64_t main = mainWidth(dim, masks);
  auto strips = [&](OpBuilder &b, const Cursor &at, const StripRange &range) {
    emitStrip(
        b, loc, range, StripPlan::make(main, lanes, masks), {},
        [&](OpBuilder &b, Value iv, int64_t width, Value mask, ValueRange) {
          emitAcrossStrip(b, at, dim, iv, width, mask);
          return SmallVector<Value>();
        });
  };
  emitLoops(b, nest, outer, parallel, nest.begin(b),
            [&](OpBuilder &b, const Cursor &at) {
              if (split)
                emitChunks(b, loc, nest.dims[dim], lanes, target.threads,
                           [&](OpBuilder &b, const StripRange &range) {
                             strips(b, at, range);
                           });
              else
                strips(b, at, StripRange::all(b, loc, nest.dims[dim]));
            });
}

//===----------------------------------------------------------------------===//
// Along
//===----------------------------------------------------------------------===//

/// One run along `dim`. `partials`: for each output a vector of `main` lanes,
/// then for each output a scalar that takes what the tails give.
SmallVector<Value> Reduction::emitAlongRow(OpBuilder &b, const Cursor &row,
                                           unsigned dim, int64_t main,
                                           bool masks, ValueRange partials) {
  unsigned numOutputs = nest.numOutputs;
  StripRange range = StripRange::all(b, loc, nest.dims[dim]);
  return emitStrip(
      b, loc, range, StripPlan::make(main, lanes, masks), partials,
      [&](OpBuilder &b, Value iv, int64_t width, Value mask,
          ValueRange carried) {
        Cursor at = nest.enter(b, row, dim, iv);
        SmallVector<Value> inputs(nest.accesses.size());
        for (unsigned i = 0; i < nest.numInputs; ++i)
          if (nest.bodyUses(i))
            inputs[i] = loadLanes(b, loc, nest.accesses[i], at.offsets[i],
                                  nest.accesses[i].strides[dim], width, mask);
        SmallVector<Value> next(carried);
        bool vectorStep = width == main && !mask;
        // The neutral element stands for the accumulator: the body then yields
        // combiner(neutral, update), which is the update.
        for (auto [i, combiner] : llvm::enumerate(combiners)) {
          Value neutral = arith::ConstantOp::create(b, loc, combiner.neutral);
          inputs[nest.numInputs + i] =
              vectorStep ? carried[i] : broadcast(b, loc, neutral, width);
        }
        SmallVector<Value> results =
            emitBody(b, nest, width, dim, at, inputs, target.hasFma());
        for (auto [i, combiner] : llvm::enumerate(combiners)) {
          Value result = broadcast(b, loc, results[i], width);
          if (vectorStep) {
            next[i] = result;
            continue;
          }
          if (mask) {
            Value neutral = arith::ConstantOp::create(b, loc, combiner.neutral);
            result = arith::SelectOp::create(b, loc, mask, result,
                                             broadcast(b, loc, neutral, width));
          }
          next[numOutputs + i] = combine(b, combiner, carried[numOutputs + i],
                                         joinLanes(b, combiner, result));
        }
        return next;
      });
}

void Reduction::emitAlong(OpBuilder &b, unsigned dim) {
  SmallVector<unsigned> outer, reductions;
  for (unsigned d = 0; d < nest.dims.size(); ++d) {
    if (d == dim)
      continue;
    (nest.dims[d].reduction ? reductions : outer).push_back(d);
  }
  sortByStride(outer, nest.outputs().front());
  sortByStride(reductions, nest.accesses.front());
  bool masks = masksWork(dim);
  int64_t main = mainWidth(dim, masks);
  emitLoops(b, nest, outer, countParallel(nest, outer, work(), target),
            nest.begin(b), [&](OpBuilder &b, const Cursor &start) {
              SmallVector<Value> partials;
              for (bool scalar : {false, true})
                for (const Combiner &combiner : combiners) {
                  Value neutral =
                      arith::ConstantOp::create(b, loc, combiner.neutral);
                  partials.push_back(scalar ? neutral
                                            : broadcast(b, loc, neutral, main));
                }
              partials = emitCarryingLoops(
                  b, nest, reductions, start, partials,
                  [&](OpBuilder &b, const Cursor &row, ValueRange carried) {
                    return emitAlongRow(b, row, dim, main, masks, carried);
                  });
              for (auto [i, combiner] : llvm::enumerate(combiners)) {
                unsigned output = nest.numInputs + i;
                const Access &access = nest.accesses[output];
                Value joined =
                    combine(b, combiner, joinLanes(b, combiner, partials[i]),
                            partials[nest.numOutputs + i]);
                Value init = loadLanes(b, loc, access, start.offsets[output],
                                       Stride(), 1);
                storeLanes(b, loc, access, start.offsets[output], Stride(), 1,
                           combine(b, combiner, init, joined));
              }
            });
}

/// Whether vectors along `along` read memory better than across at `across`.
bool Reduction::prefersAlong(int across, int along) const {
  if (across < 0)
    return true;
  if (along < 0)
    return false;
  int64_t unitAcross = 0, unitAlong = 0;
  for (const Access &access :
       ArrayRef<Access>(nest.accesses).take_front(nest.numInputs)) {
    unitAcross += access.flat && access.strides[across].isOne();
    unitAlong += access.flat && access.strides[along].isOne();
  }
  return unitAlong > unitAcross;
}

LogicalResult Reduction::emit(OpBuilder &b) {
  if (!traits.vectorizable || nest.dims.empty())
    return failure();
  lanes = hardwareLanes(traits, target);
  int across = chooseVectorDim(nest, /*reductions=*/false);
  int along = -1;
  if (matchCombiners()) {
    int64_t best = -1;
    for (auto [d, dim] : llvm::enumerate(nest.dims)) {
      if (!dim.reduction)
        continue;
      int64_t units = llvm::count_if(
          ArrayRef<Access>(nest.accesses).take_front(nest.numInputs),
          [&, d = d](const Access &access) {
            return access.flat && access.strides[d].isOne();
          });
      if (units >= best) {
        best = units;
        along = d;
      }
    }
  }
  if (along >= 0 && prefersAlong(across, along))
    emitAlong(b, along);
  else if (across >= 0)
    emitAcross(b, across);
  else
    return failure();
  return success();
}

LogicalResult kernels::emitReduction(OpBuilder &b, Nest &nest,
                                     const CpuTarget &target) {
  return Reduction(nest, target).emit(b);
}

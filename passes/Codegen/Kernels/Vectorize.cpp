//===- Vectorize.cpp - Loops and memory accesses of vector code -----------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Codegen/Kernels/Vectorize.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace weir;
using namespace weir::kernels;

/// A fork and join cost some microseconds; this many bytes and flops pay for
/// it.
static constexpr int64_t workWorthAFork = 256 * 1024;

Value kernels::ceilDiv(OpBuilder &b, Location loc, Value value,
                       int64_t divisor) {
  if (divisor == 1)
    return value;
  Value up = addIndex(b, loc, value, constantIndex(b, loc, divisor - 1));
  return b.createOrFold<arith::DivUIOp>(loc, up,
                                        constantIndex(b, loc, divisor));
}

Value kernels::loadLanes(OpBuilder &b, Location loc, const Access &access,
                         Value offset, const Stride &stride, int64_t width,
                         Value mask) {
  if (access.scalar)
    return access.scalar;
  if (stride.isZero() || width == 1)
    return memref::LoadOp::create(b, loc, access.flat, offset);
  auto type = VectorType::get({width}, access.element);
  if (!stride.isOne()) {
    SmallVector<Value> elements;
    for (int64_t lane = 0; lane < width; ++lane) {
      Value step = stride.times(lane).materialize(b, loc);
      elements.push_back(memref::LoadOp::create(
          b, loc, access.flat, addIndex(b, loc, offset, step)));
    }
    return vector::FromElementsOp::create(b, loc, type, elements);
  }
  if (!mask)
    return vector::LoadOp::create(b, loc, type, access.flat, offset);
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
  return vector::MaskedLoadOp::create(b, loc, type, access.flat, offset, mask,
                                      zero);
}

void kernels::storeLanes(OpBuilder &b, Location loc, const Access &access,
                         Value offset, const Stride &stride, int64_t width,
                         Value value, Value mask) {
  if (width == 1) {
    memref::StoreOp::create(b, loc, value, access.flat, offset);
    return;
  }
  if (!stride.isOne()) {
    for (int64_t lane = 0; lane < width; ++lane) {
      Value step = stride.times(lane).materialize(b, loc);
      memref::StoreOp::create(b, loc,
                              vector::ExtractOp::create(b, loc, value, lane),
                              access.flat, addIndex(b, loc, offset, step));
    }
    return;
  }
  if (mask)
    vector::MaskedStoreOp::create(b, loc, access.flat, offset, mask, value);
  else
    vector::StoreOp::create(b, loc, value, access.flat, offset);
}

SmallVector<Value> kernels::transposeSquare(OpBuilder &b, Location loc,
                                            ArrayRef<Value> rows) {
  SmallVector<Value> current(rows);
  int64_t n = rows.size();
  // Swaps the off-diagonal blocks of each size; LLVM has an instruction or two
  // for each of these shuffles.
  for (int64_t block = n / 2; block > 0; block /= 2) {
    SmallVector<int64_t> low, high;
    for (int64_t lane = 0; lane < n; ++lane) {
      bool second = (lane / block) & 1;
      low.push_back(second ? n + lane - block : lane);
      high.push_back(second ? n + lane : lane + block);
    }
    SmallVector<Value> next(n);
    for (int64_t row = 0; row < n; ++row) {
      if ((row / block) & 1)
        continue;
      next[row] = vector::ShuffleOp::create(b, loc, current[row],
                                            current[row + block], low);
      next[row + block] = vector::ShuffleOp::create(b, loc, current[row],
                                                    current[row + block], high);
    }
    current = next;
  }
  return current;
}

StripPlan StripPlan::make(int64_t main, int64_t hardware, bool masks) {
  StripPlan plan;
  plan.maskedTail = masks;
  for (int64_t width = main; width >= (masks ? hardware : 1); width /= 2)
    plan.widths.push_back(width);
  return plan;
}

StripRange StripRange::all(OpBuilder &b, Location loc, const NestDim &dim) {
  return {constantIndex(b, loc, 0), dim.materialize(b, loc), dim.size};
}

/// One step or one loop of steps of `width` over [from, to).
static SmallVector<Value> emitSteps(OpBuilder &b, Location loc, Value from,
                                    Value to, int64_t count, int64_t width,
                                    SmallVector<Value> carried,
                                    StripBody body) {
  if (count == 1)
    return body(b, from, width, Value(), carried);
  auto loop = scf::ForOp::create(
      b, loc, from, to, constantIndex(b, loc, width), carried,
      [&](OpBuilder &b, Location loc, Value iv, ValueRange arguments) {
        scf::YieldOp::create(b, loc, body(b, iv, width, Value(), arguments));
      });
  return llvm::to_vector_of<Value>(loop.getResults());
}

SmallVector<Value> kernels::emitStrip(OpBuilder &b, Location loc,
                                      const StripRange &range,
                                      const StripPlan &plan, ValueRange inits,
                                      StripBody body) {
  SmallVector<Value> carried(inits);
  int64_t last = plan.widths.back();
  if (!ShapedType::isDynamic(range.size)) {
    int64_t position = 0;
    auto at = [&](int64_t offset) {
      return addIndex(b, loc, range.lower, constantIndex(b, loc, offset));
    };
    for (int64_t width : plan.widths) {
      int64_t count = (range.size - position) / width;
      if (count <= 0)
        continue;
      int64_t end = position + count * width;
      carried =
          emitSteps(b, loc, at(position), at(end), count, width, carried, body);
      position = end;
    }
    int64_t rest = range.size - position;
    if (rest > 0) {
      Value mask = vector::ConstantMaskOp::create(
          b, loc, VectorType::get({last}, b.getI1Type()),
          ArrayRef<int64_t>{rest});
      carried = body(b, at(position), last, mask, carried);
    }
    return carried;
  }

  Value position = range.lower;
  for (int64_t width : plan.widths) {
    Value end = range.upper;
    if (width > 1) {
      Value left = b.createOrFold<arith::SubIOp>(loc, range.upper, position);
      Value step = constantIndex(b, loc, width);
      Value over = b.createOrFold<arith::RemUIOp>(loc, left, step);
      end = b.createOrFold<arith::SubIOp>(loc, range.upper, over);
    }
    carried = emitSteps(b, loc, position, end, ShapedType::kDynamic, width,
                        carried, body);
    position = end;
  }
  if (!plan.maskedTail)
    return carried;
  Value rest = b.createOrFold<arith::SubIOp>(loc, range.upper, position);
  Value any = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt, rest,
                                    constantIndex(b, loc, 0));
  auto branch = scf::IfOp::create(
      b, loc, any,
      [&](OpBuilder &b, Location loc) {
        Value mask = vector::CreateMaskOp::create(
            b, loc, VectorType::get({last}, b.getI1Type()), rest);
        scf::YieldOp::create(b, loc, body(b, position, last, mask, carried));
      },
      carried.empty()
          ? function_ref<void(OpBuilder &, Location)>()
          : [&](OpBuilder &b,
                Location loc) { scf::YieldOp::create(b, loc, carried); });
  return llvm::to_vector_of<Value>(branch.getResults());
}

void kernels::emitLoops(
    OpBuilder &b, const Nest &nest, ArrayRef<unsigned> dims,
    unsigned numParallel, const Cursor &at,
    llvm::function_ref<void(OpBuilder &, const Cursor &)> body) {
  Location loc = nest.loc;
  if (numParallel > 0) {
    SmallVector<Value> lower, upper, step;
    for (unsigned dim : dims.take_front(numParallel)) {
      lower.push_back(constantIndex(b, loc, 0));
      upper.push_back(nest.dims[dim].materialize(b, loc));
      step.push_back(constantIndex(b, loc, 1));
    }
    scf::ParallelOp::create(
        b, loc, lower, upper, step,
        [&](OpBuilder &b, Location loc, ValueRange ivs) {
          Cursor inner = at;
          for (auto [dim, iv] :
               llvm::zip_equal(dims.take_front(numParallel), ivs))
            inner = nest.enter(b, inner, dim, iv);
          emitLoops(b, nest, dims.drop_front(numParallel), 0, inner, body);
        });
    return;
  }
  emitCarryingLoops(b, nest, dims, at, {},
                    [&](OpBuilder &b, const Cursor &inner, ValueRange) {
                      body(b, inner);
                      return SmallVector<Value>();
                    });
}

SmallVector<Value> kernels::emitCarryingLoops(
    OpBuilder &b, const Nest &nest, ArrayRef<unsigned> dims, const Cursor &at,
    ValueRange inits,
    llvm::function_ref<SmallVector<Value>(OpBuilder &, const Cursor &,
                                          ValueRange)>
        body) {
  if (dims.empty())
    return body(b, at, inits);
  Location loc = nest.loc;
  auto loop = scf::ForOp::create(
      b, loc, constantIndex(b, loc, 0), nest.dims[dims[0]].materialize(b, loc),
      constantIndex(b, loc, 1), inits,
      [&](OpBuilder &b, Location loc, Value iv, ValueRange carried) {
        Cursor inner = nest.enter(b, at, dims[0], iv);
        scf::YieldOp::create(b, loc,
                             emitCarryingLoops(b, nest, dims.drop_front(),
                                               inner, carried, body));
      });
  return llvm::to_vector_of<Value>(loop.getResults());
}

void kernels::emitChunks(
    OpBuilder &b, Location loc, const NestDim &dim, int64_t grain,
    int64_t threads,
    llvm::function_ref<void(OpBuilder &, const StripRange &)> body) {
  Value total = dim.materialize(b, loc);
  Value chunk;
  if (dim.isStatic()) {
    int64_t size = llvm::divideCeil(llvm::divideCeil(dim.size, threads), grain);
    chunk = constantIndex(b, loc, std::max<int64_t>(1, size) * grain);
  } else {
    Value share = ceilDiv(b, loc, total, threads * grain);
    share = arith::MaxUIOp::create(b, loc, share, constantIndex(b, loc, 1));
    chunk = mulIndex(b, loc, share, constantIndex(b, loc, grain));
  }
  scf::ParallelOp::create(
      b, loc, ValueRange{constantIndex(b, loc, 0)}, ValueRange{total},
      ValueRange{chunk}, [&](OpBuilder &b, Location loc, ValueRange ivs) {
        Value end = arith::AddIOp::create(b, loc, ivs[0], chunk);
        end = arith::MinUIOp::create(b, loc, end, total);
        body(b, StripRange{ivs[0], end, ShapedType::kDynamic});
      });
}

void kernels::sortByStride(SmallVectorImpl<unsigned> &dims,
                           const Access &access) {
  auto outer = [&](unsigned lhs, unsigned rhs) {
    const Stride &a = access.strides[lhs];
    const Stride &c = access.strides[rhs];
    // More dynamic factors means farther out.
    size_t factorsA = a.isZero() ? 0 : a.factors.size();
    size_t factorsC = c.isZero() ? 0 : c.factors.size();
    if (factorsA != factorsC)
      return factorsA > factorsC;
    return std::abs(a.scale) > std::abs(c.scale);
  };
  // Stable, and for a handful of dims.
  for (unsigned *dim = dims.begin(); dim != dims.end(); ++dim)
    std::rotate(std::upper_bound(dims.begin(), dim, *dim, outer), dim, dim + 1);
}

unsigned kernels::countParallel(const Nest &nest, ArrayRef<unsigned> dims,
                                int64_t work, const CpuTarget &target) {
  if (target.threads <= 1 || work < workWorthAFork)
    return 0;
  unsigned count = 0;
  // Several times as many iterations as threads balance well.
  for (int64_t iterations = 1;
       count < dims.size() && iterations < 4 * target.threads &&
       !nest.dims[dims[count]].reduction;
       ++count)
    iterations *= std::max<int64_t>(1, nest.dims[dims[count]].estimate());
  return count;
}

int kernels::chooseVectorDim(const Nest &nest, bool reductions) {
  int best = -1;
  int64_t bestScore = -1;
  for (auto [d, dim] : llvm::enumerate(nest.dims)) {
    if (dim.reduction && !reductions)
      continue;
    int64_t score = 0;
    for (auto [i, access] : llvm::enumerate(nest.accesses)) {
      if (!access.flat)
        continue;
      int64_t weight = i >= nest.numInputs ? 4 : 2;
      if (access.strides[d].isOne())
        score += 2 * weight;
      else if (access.strides[d].isZero())
        score += 1;
    }
    if (score >= bestScore) {
      bestScore = score;
      best = d;
    }
  }
  return best;
}

int64_t kernels::hardwareLanes(const BodyTraits &traits,
                               const CpuTarget &target) {
  return std::max<int64_t>(2, target.vectorBytes / traits.widestBytes);
}

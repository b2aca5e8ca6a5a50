//===- Reduction.cpp - Groups of threads that reduce ----------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each thread of a group takes every n-th element of what is reduced; then the
// group combines what its threads have: inside a warp by shuffles where these
// take the type, else in shared memory. A group is a warp for short reductions
// and a block for long ones. All threads of a block go the same way: those past
// the last element of the result do its work once more, and write nothing.
//
//===----------------------------------------------------------------------===//

#include "passes/Codegen/GPU/Launch.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace weir;
using namespace weir::gpus;

/// Reductions shorter than this are better off with a thread for each.
static constexpr int64_t shortest = 32;
/// Up to here a warp is enough.
static constexpr int64_t longestForWarp = 1024;
/// With more elements in the result there are threads enough without groups,
/// unless neighbouring threads would read far apart.
static constexpr int64_t manyResults = 4096;

/// The op by which the body adds to its output: associative, with the output's
/// old value as one side and nowhere else.
static Operation *combinerOf(const Nest &nest) {
  if (nest.numOutputs != 1)
    return nullptr;
  BlockArgument old = nest.body->getArgument(nest.numInputs);
  Operation *op = nest.body->getTerminator()->getOperand(0).getDefiningOp();
  if (!op || op->getBlock() != nest.body || !old.hasOneUse() ||
      *old.getUsers().begin() != op || op->getNumOperands() != 2 ||
      op->getResult(0).getType() != old.getType())
    return nullptr;
  if (!isa<arith::AddFOp, arith::AddIOp, arith::MulFOp, arith::MulIOp,
           arith::MaximumFOp, arith::MinimumFOp, arith::MaxSIOp, arith::MaxUIOp,
           arith::MinSIOp, arith::MinUIOp, arith::AndIOp, arith::OrIOp,
           arith::XOrIOp>(op) ||
      !arith::getNeutralElement(op))
    return nullptr;
  return op;
}

namespace {
/// A group of threads and what they combine by.
struct Group {
  Location loc;
  Operation *combiner;
  int64_t size;

  Value combine(OpBuilder &b, Value lhs, Value rhs) const {
    IRMapping mapping;
    mapping.map(combiner->getOperand(0), lhs);
    mapping.map(combiner->getOperand(1), rhs);
    return b.clone(*combiner, mapping)->getResult(0);
  }
  Value combineByShuffles(OpBuilder &b, Value value, Value thread) const;
  Value combineInShared(OpBuilder &b, Value value, Value thread) const;
  /// What all threads of the group have together, in its first thread at least.
  Value combineAll(OpBuilder &b, Value value, Value thread) const {
    return shuffles() ? combineByShuffles(b, value, thread)
                      : combineInShared(b, value, thread);
  }
  bool shuffles() const {
    Type type = combiner->getResult(0).getType();
    return type.isF32() || type.isInteger(32);
  }
  int64_t sharedBytes() const {
    if (shuffles() && size == warpSize)
      return 0;
    return blockSize * kernels::bytesOf(combiner->getResult(0).getType());
  }
};
} // namespace

Value Group::combineByShuffles(OpBuilder &b, Value value, Value thread) const {
  Value width = arith::ConstantIntOp::create(b, loc, warpSize, 32);
  for (int64_t step = warpSize / 2; step > 0; step /= 2) {
    Value offset = arith::ConstantIntOp::create(b, loc, step, 32);
    Value other = gpu::ShuffleOp::create(b, loc, value, offset, width,
                                         gpu::ShuffleMode::XOR)
                      .getShuffleResult();
    value = combine(b, value, other);
  }
  if (size == warpSize)
    return value;
  int64_t warps = size / warpSize;
  Value shared = sharedBuffer(b, loc, 0, {warps}, value.getType());
  Value lanes = constantIndex(b, loc, warpSize);
  Value lane = remainder(b, loc, thread, lanes, true);
  Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, lane,
                                        constantIndex(b, loc, 0));
  OpBuilder then = scf::IfOp::create(b, loc, isFirst).getThenBodyBuilder();
  memref::StoreOp::create(then, loc, value, shared,
                          divide(then, loc, thread, lanes, true));
  gpu::BarrierOp::create(b, loc);
  value = memref::LoadOp::create(b, loc, shared, constantIndex(b, loc, 0));
  for (int64_t warp = 1; warp < warps; ++warp)
    value = combine(
        b, value,
        memref::LoadOp::create(b, loc, shared, constantIndex(b, loc, warp)));
  return value;
}

Value Group::combineInShared(OpBuilder &b, Value value, Value thread) const {
  Value shared = sharedBuffer(b, loc, 0, {blockSize}, value.getType());
  memref::StoreOp::create(b, loc, value, shared, thread);
  Value place = remainder(b, loc, thread, constantIndex(b, loc, size), true);
  for (int64_t step = size / 2; step > 0; step /= 2) {
    gpu::BarrierOp::create(b, loc);
    Value takes = lessThan(b, loc, place, constantIndex(b, loc, step));
    OpBuilder then = scf::IfOp::create(b, loc, takes).getThenBodyBuilder();
    Value mine = memref::LoadOp::create(then, loc, shared, thread);
    Value other = memref::LoadOp::create(
        then, loc, shared,
        add(then, loc, thread, constantIndex(then, loc, step)));
    memref::StoreOp::create(then, loc, combine(then, mine, other), shared,
                            thread);
  }
  gpu::BarrierOp::create(b, loc);
  return memref::LoadOp::create(b, loc, shared, thread);
}

/// How many threads go together, or 0 where a thread for each element is
/// better.
static int64_t chooseGroup(const Nest &nest, ArrayRef<unsigned> results,
                           ArrayRef<unsigned> sums) {
  int64_t length = staticProduct(nest, sums),
          count = staticProduct(nest, results);
  bool isLong = ShapedType::isDynamic(length);
  if (!isLong && length < shortest)
    return 0;
  // Whether neighbouring elements of an input are reduced together.
  bool contiguous = false;
  for (unsigned i = 0; i < nest.numInputs; ++i)
    for (unsigned dim : sums)
      contiguous |= nest.accesses[i].strides[dim].isOne();
  bool few = !ShapedType::isDynamic(count) && count < manyResults;
  if (!contiguous && !few)
    return 0;
  return isLong || length > longestForWarp ? blockSize : warpSize;
}

LogicalResult gpus::emitReduction(OpBuilder &b, Nest &nest,
                                  const LaunchName &name) {
  SmallVector<unsigned> results = parallelDims(nest),
                        sums = reductionDims(nest);
  Operation *combiner = combinerOf(nest);
  if (sums.empty() || !combiner)
    return failure();
  int64_t size = chooseGroup(nest, results, sums);
  if (size == 0)
    return failure();
  Location loc = nest.loc;
  Group group{loc, combiner, size};
  // The fastest loop of an input is the last one.
  kernels::sortByStride(sums, nest.accesses.front());
  int64_t perBlock = blockSize / size;
  Value count = product(b, nest, results), length = product(b, nest, sums);
  Value blocks = kernels::ceilDiv(b, loc, count, perBlock);
  TypedAttr neutral = *arith::getNeutralElement(combiner);

  emitLaunch(
      b, loc, name, blocks, blockSize, group.sharedBytes(),
      [&](OpBuilder &b, Value block, Value thread) {
        Value width = constantIndex(b, loc, size);
        Value number = add(b, loc, mul(b, loc, block, perBlock),
                           divide(b, loc, thread, width, true));
        Value place = remainder(b, loc, thread, width, true);
        Value last =
            arith::SubIOp::create(b, loc, count, constantIndex(b, loc, 1));
        Value mine = arith::MinUIOp::create(b, loc, number, last);
        Cursor at = enterAll(b, nest, nest.begin(b), results, mine);
        Value init = arith::ConstantOp::create(b, loc, neutral);
        auto loop = scf::ForOp::create(
            b, loc, place, length, width, ValueRange{init},
            [&](OpBuilder &b, Location loc, Value step, ValueRange carried) {
              Cursor inner = enterAll(b, nest, at, sums, step);
              scf::YieldOp::create(
                  b, loc,
                  kernels::emitBody(b, nest, 1, -1, inner,
                                    loadOperands(b, nest, inner, carried)));
            });
        Value all = group.combineAll(b, loop.getResult(0), thread);
        Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                              place, constantIndex(b, loc, 0));
        Value writes = arith::AndIOp::create(b, loc, isFirst,
                                             lessThan(b, loc, number, count));
        OpBuilder then = scf::IfOp::create(b, loc, writes).getThenBodyBuilder();
        const Access &output = nest.accesses[nest.numInputs];
        Value old = kernels::loadLanes(then, loc, output,
                                       at.offsets[nest.numInputs], Stride(), 1);
        storeResults(then, nest, at, group.combine(then, old, all));
      });
  return success();
}

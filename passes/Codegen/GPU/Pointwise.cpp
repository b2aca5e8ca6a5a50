//===- Pointwise.cpp - A thread for each element of the result ------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Right for every nest: a thread runs the reduction loops of its element in
// their order.
//
//===----------------------------------------------------------------------===//

#include "passes/Codegen/GPU/Launch.h"

using namespace mlir;
using namespace weir;
using namespace weir::gpus;

void gpus::emitElement(OpBuilder &b, const Nest &nest, const Cursor &at) {
  SmallVector<unsigned> sums = reductionDims(nest);
  if (sums.empty()) {
    storeResults(
        b, nest, at,
        kernels::emitBody(b, nest, 1, -1, at, loadOperands(b, nest, at)));
    return;
  }
  SmallVector<Value> inits;
  for (unsigned i = 0; i < nest.numOutputs; ++i)
    inits.push_back(
        kernels::loadLanes(b, nest.loc, nest.accesses[nest.numInputs + i],
                           at.offsets[nest.numInputs + i], Stride(), 1));
  SmallVector<Value> results = kernels::emitCarryingLoops(
      b, nest, sums, at, inits,
      [&](OpBuilder &b, const Cursor &inner, ValueRange carried) {
        return kernels::emitBody(b, nest, 1, -1, inner,
                                 loadOperands(b, nest, inner, carried));
      });
  storeResults(b, nest, at, results);
}

/// Puts loops along which the result is contiguous last, so that neighbouring
/// threads write neighbouring elements.
static void sortForStores(const Nest &nest, SmallVector<unsigned> &dims) {
  if (nest.numOutputs != 0)
    kernels::sortByStride(dims, nest.accesses[nest.numInputs]);
}

void gpus::emitPointwise(OpBuilder &b, Nest &nest, const LaunchName &name) {
  Location loc = nest.loc;
  SmallVector<unsigned> dims = parallelDims(nest);
  sortForStores(nest, dims);
  Value total = product(b, nest, dims);
  int64_t known = staticProduct(nest, dims);
  int64_t threads = blockSize;
  if (!ShapedType::isDynamic(known))
    threads = std::min<int64_t>(
        blockSize, llvm::alignTo(std::max<int64_t>(known, 1), warpSize));
  Value blocks = kernels::ceilDiv(b, loc, total, threads);
  emitLaunch(b, loc, name, blocks, threads, 0,
             [&](OpBuilder &b, Value block, Value thread) {
               Value number = add(b, loc, mul(b, loc, block, threads), thread);
               auto inside =
                   scf::IfOp::create(b, loc, lessThan(b, loc, number, total));
               OpBuilder then = inside.getThenBodyBuilder();
               emitElement(
                   then, nest,
                   enterAll(then, nest, nest.begin(then), dims, number));
             });
}

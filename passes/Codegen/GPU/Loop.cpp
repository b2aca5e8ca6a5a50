//===- Loop.cpp - Sequential loops inside of a kernel ---------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A scatter is a loop over updates, each an element-wise op on a slice. Where
// the loop's only structured op is element-wise, threads share the elements of
// the slice and each runs the whole loop for its own: the order of updates is
// that of the loop. Any other loop runs in one thread.
//
//===----------------------------------------------------------------------===//

#include "passes/Codegen/GPU/Launch.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace weir;
using namespace weir::gpus;

/// Blocks where the size of a slice is not known.
static constexpr int64_t manyBlocks = 64;

/// Whether a kernel can do what `op` does.
static bool runsInKernel(Operation *op) {
  if (isa<linalg::LinalgOp, memref::LoadOp, memref::StoreOp, memref::CopyOp,
          scf::YieldOp, scf::IfOp, scf::ForOp>(op))
    return true;
  return isMemoryEffectFree(op) && !isa<memref::GetGlobalOp>(op) &&
         op->getNumRegions() == 0;
}

namespace {
/// Copies the body of a loop into a kernel.
class LoopEmitter {
public:
  /// Of the elements of structured ops, those from number `first` on, every
  /// `step`-th.
  LoopEmitter(Value first, Value step) : first(first), step(step) {}

  LogicalResult emit(OpBuilder &b, Block &block, IRMapping &mapping);

private:
  LogicalResult emitStructured(OpBuilder &b, Operation *op, IRMapping &mapping);
  Value first, step;
};
} // namespace

LogicalResult LoopEmitter::emitStructured(OpBuilder &b, Operation *op,
                                          IRMapping &mapping) {
  // The nest is of a copy, which goes when its loops are there.
  Operation *copy;
  if (auto move = dyn_cast<memref::CopyOp>(op))
    copy = linalg::CopyOp::create(b, op->getLoc(),
                                  mapping.lookupOrDefault(move.getSource()),
                                  mapping.lookupOrDefault(move.getTarget()));
  else
    copy = b.clone(*op, mapping);
  OpBuilder before(copy);
  FailureOr<Nest> nest = Nest::build(before, cast<linalg::LinalgOp>(copy));
  if (failed(nest))
    return op->emitError() << "[WEIR0153] no GPU kernel for this node: an "
                              "operand of '"
                           << op->getName() << "' is not indexed linearly";
  nest->simplify();
  Location loc = nest->loc;
  SmallVector<unsigned> dims = parallelDims(*nest);
  Value total = product(before, *nest, dims);
  scf::ForOp::create(
      before, loc, first, total, step, ValueRange(),
      [&](OpBuilder &b, Location loc, Value number, ValueRange) {
        emitElement(b, *nest, enterAll(b, *nest, nest->begin(b), dims, number));
        scf::YieldOp::create(b, loc);
      });
  copy->erase();
  return success();
}

LogicalResult LoopEmitter::emit(OpBuilder &b, Block &block,
                                IRMapping &mapping) {
  for (Operation &op : block.without_terminator()) {
    if (isa<linalg::LinalgOp, memref::CopyOp>(op)) {
      if (failed(emitStructured(b, &op, mapping)))
        return failure();
      continue;
    }
    if (op.getNumRegions() == 0) {
      b.clone(op, mapping);
      continue;
    }
    Operation *copy = b.cloneWithoutRegions(op, mapping);
    for (auto [from, to] :
         llvm::zip_equal(op.getRegions(), copy->getRegions())) {
      if (from.empty())
        continue;
      Block &inner = to.emplaceBlock();
      for (BlockArgument argument : from.front().getArguments())
        mapping.map(argument,
                    inner.addArgument(argument.getType(), argument.getLoc()));
      OpBuilder inside = OpBuilder::atBlockEnd(&inner);
      if (failed(emit(inside, from.front(), mapping)))
        return failure();
      inside.clone(*from.front().getTerminator(), mapping);
    }
  }
  return success();
}

bool gpus::isKernelLoop(scf::ForOp loop) {
  if (loop.getNumResults() != 0)
    return false;
  return !loop.getBody()
              ->walk<WalkOrder::PreOrder>([&](Operation *op) {
                if (!runsInKernel(op))
                  return WalkResult::interrupt();
                // What is in the body of a structured op is its own matter.
                return isa<linalg::LinalgOp>(op) ? WalkResult::skip()
                                                 : WalkResult::advance();
              })
              .wasInterrupted();
}

LogicalResult gpus::emitLoop(scf::ForOp loop) {
  SmallVector<Operation *> structured;
  bool storesAlone = false;
  loop.getBody()->walk<WalkOrder::PreOrder>([&](Operation *op) {
    storesAlone |= isa<memref::StoreOp>(op);
    if (!isa<linalg::LinalgOp, memref::CopyOp>(op))
      return WalkResult::advance();
    structured.push_back(op);
    return WalkResult::skip();
  });
  auto only = structured.size() == 1
                  ? dyn_cast<linalg::LinalgOp>(structured.front())
                  : linalg::LinalgOp();
  bool shared = only && !storesAlone && only->getParentOp() == loop &&
                only.getNumReductionLoops() == 0 && only.getNumDpsInits() == 1;
  // What the loop reads by itself must not be what its op writes.
  if (shared) {
    Value written = only.getDpsInits()[0];
    while (auto view = written.getDefiningOp<ViewLikeOpInterface>())
      written = view.getViewSource();
    loop.getBody()->walk([&](memref::LoadOp load) {
      Value read = load.getMemRef();
      while (auto view = read.getDefiningOp<ViewLikeOpInterface>())
        read = view.getViewSource();
      shared &= read != written;
    });
  }
  OpBuilder b(loop);
  Location loc = loop.getLoc();
  int64_t threads = shared ? blockSize : 1,
          blockCount = shared ? manyBlocks : 1;
  if (shared) {
    int64_t size = 1;
    for (int64_t extent : only.getStaticLoopRanges())
      if (ShapedType::isDynamic(extent) ||
          llvm::MulOverflow(size, extent, size)) {
        size = ShapedType::kDynamic;
        break;
      }
    if (!ShapedType::isDynamic(size)) {
      threads = std::min<int64_t>(
          blockSize, llvm::alignTo(std::max<int64_t>(size, 1), warpSize));
      blockCount = llvm::divideCeil(std::max<int64_t>(size, 1), threads);
    }
  }
  LogicalResult result = success();
  emitLaunch(b, loc, LaunchName::of(loop), constantIndex(b, loc, blockCount),
             threads, 0, [&](OpBuilder &b, Value block, Value thread) {
               Value first = add(b, loc, mul(b, loc, block, threads), thread);
               LoopEmitter emitter(first,
                                   constantIndex(b, loc, threads * blockCount));
               scf::ForOp::create(
                   b, loc, loop.getLowerBound(), loop.getUpperBound(),
                   loop.getStep(), ValueRange(),
                   [&](OpBuilder &b, Location loc, Value iv, ValueRange) {
                     IRMapping mapping;
                     mapping.map(loop.getInductionVar(), iv);
                     result = emitter.emit(b, *loop.getBody(), mapping);
                     scf::YieldOp::create(b, loc);
                   });
             });
  if (failed(result))
    return failure();
  loop.erase();
  return success();
}

//===- MapLinalg.cpp - Each structured op becomes a launch ----------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Target/GpuTarget.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"
#include "passes/Codegen/GPU/Launch.h"
#include "passes/Codegen/GPU/Passes.h"
#include "passes/Codegen/Kernels/Fusion.h"

namespace weir {
#define GEN_PASS_DEF_GPUMAPLINALG
#include "passes/Codegen/GPU/Passes.h.inc"
} // namespace weir

using namespace mlir;
using namespace weir;
using namespace weir::gpus;

namespace {
struct MapLinalg : weir::impl::GpuMapLinalgBase<MapLinalg> {
  void runOnOperation() override;

private:
  FailureOr<Nest> nestOf(linalg::LinalgOp op);
  /// Makes a contraction, if `op` is one, and notes what it did.
  LogicalResult mapContraction(linalg::LinalgOp op);
  LogicalResult map(linalg::LinalgOp op);

  bool tf32 = false;
  llvm::SmallPtrSet<Operation *, 8> done;
};
} // namespace

FailureOr<Nest> MapLinalg::nestOf(linalg::LinalgOp op) {
  if (!op.hasPureBufferSemantics())
    return op.emitError() << "[WEIR0151] this op still works on tensors; run "
                             "bufferization before '"
                          << getArgument() << "'";
  OpBuilder b(op);
  FailureOr<Nest> nest = Nest::build(b, op);
  if (failed(nest))
    return op.emitError() << "[WEIR0153] no GPU kernel for "
                          << LaunchName::of(op).node << ": an operand of '"
                          << op->getName() << "' is not indexed linearly";
  nest->simplify();
  return nest;
}

LogicalResult MapLinalg::mapContraction(linalg::LinalgOp op) {
  FailureOr<Nest> nest = nestOf(op);
  if (failed(nest))
    return failure();
  if (!isContraction(*nest))
    return success();
  OpBuilder b(op);
  linalg::FillOp fill = kernels::findZeroFill(op);
  LaunchName name = LaunchName::of(op);
  if (isMatrixContraction(*nest, tf32))
    emitMatrixContraction(b, *nest, name, /*zeroInit=*/fill != nullptr);
  else
    emitContraction(b, *nest, name, /*zeroInit=*/fill != nullptr);
  if (fill)
    done.insert(fill);
  done.insert(op);
  return success();
}

LogicalResult MapLinalg::map(linalg::LinalgOp op) {
  FailureOr<Nest> nest = nestOf(op);
  if (failed(nest))
    return failure();
  OpBuilder b(op);
  LaunchName name = LaunchName::of(op);
  if (failed(emitReduction(b, *nest, name)))
    emitPointwise(b, *nest, name);
  return success();
}

/// Copies are structured ops like others.
static void structureCopies(func::FuncOp function) {
  SmallVector<memref::CopyOp> copies;
  function.walk([&](memref::CopyOp copy) { copies.push_back(copy); });
  for (memref::CopyOp copy : copies) {
    OpBuilder b(copy);
    if (copy.getSource() != copy.getTarget())
      linalg::CopyOp::create(b, copy.getLoc(), copy.getSource(),
                             copy.getTarget());
    copy.erase();
  }
}

void MapLinalg::runOnOperation() {
  func::FuncOp function = getOperation();
  if (auto module = function->getParentOfType<ModuleOp>()) {
    FailureOr<GpuTarget> target = GpuTarget::fromModule(module);
    if (failed(target))
      return signalPassFailure();
    tf32 = target->tf32;
  }
  structureCopies(function);
  // The outermost loops that a kernel can run.
  SmallVector<scf::ForOp> loops;
  function.walk<WalkOrder::PreOrder>([&](scf::ForOp loop) {
    if (!isKernelLoop(loop))
      return WalkResult::advance();
    loops.push_back(loop);
    return WalkResult::skip();
  });
  for (scf::ForOp loop : loops)
    if (failed(emitLoop(loop)))
      return signalPassFailure();
  // Contractions look at the ops around them, so they come first.
  SmallVector<linalg::LinalgOp> ops;
  function.walk([&](linalg::LinalgOp op) { ops.push_back(op); });
  done.clear();
  for (linalg::LinalgOp op : ops)
    if (op.getNumReductionLoops() != 0 && failed(mapContraction(op)))
      return signalPassFailure();
  for (linalg::LinalgOp op : ops) {
    if (!done.contains(op) && failed(map(op)))
      return signalPassFailure();
    op.erase();
  }
  function.walk([](LoopLikeOpInterface loop) {
    if (loop->getParentOfType<gpu::LaunchOp>())
      moveLoopInvariantCode(loop);
  });
  IRRewriter rewriter(&getContext());
  DominanceInfo dominance(function);
  eliminateCommonSubExpressions(rewriter, dominance, function);
}

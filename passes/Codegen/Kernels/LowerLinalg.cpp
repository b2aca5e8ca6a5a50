//===- LowerLinalg.cpp - linalg on buffers to vector loops ----------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Codegen/Kernels/Fusion.h"
#include "passes/Codegen/Kernels/Passes.h"
#include "passes/Codegen/Kernels/Vectorize.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"

namespace weir {
#define GEN_PASS_DEF_CODEGENLOWERKERNELS
#include "passes/Codegen/Kernels/Passes.h.inc"
} // namespace weir

using namespace mlir;
using namespace weir;
using namespace weir::kernels;

namespace {
class LowerKernels : public weir::impl::CodegenLowerKernelsBase<LowerKernels> {
public:
  using CodegenLowerKernelsBase::CodegenLowerKernelsBase;
  void runOnOperation() override;

private:
  /// Lowers `op` with what it takes along, if it is a contraction.
  bool lowerContraction(linalg::LinalgOp op, const CpuTarget &target);
  LogicalResult lower(linalg::LinalgOp op, const CpuTarget &target);

  /// Ops that a contraction did along with itself.
  llvm::SmallPtrSet<Operation *, 8> absorbed;
};
} // namespace

/// What has no linear maps: plain loops, without the affine dialect.
static LogicalResult lowerToPlainLoops(linalg::LinalgOp op) {
  IRRewriter rewriter(op->getContext());
  rewriter.setInsertionPoint(op);
  FailureOr<linalg::LinalgLoops> loops = linalg::linalgOpToLoops(rewriter, op);
  if (failed(loops))
    return failure();
  SmallVector<affine::AffineApplyOp> applies;
  if (!loops->empty())
    loops->front()->walk(
        [&](affine::AffineApplyOp apply) { applies.push_back(apply); });
  for (affine::AffineApplyOp apply : applies) {
    rewriter.setInsertionPoint(apply);
    std::optional<SmallVector<Value, 8>> values =
        affine::expandAffineMap(rewriter, apply.getLoc(), apply.getAffineMap(),
                                llvm::to_vector(apply.getOperands()));
    if (!values)
      return failure();
    rewriter.replaceOp(apply, *values);
  }
  rewriter.eraseOp(op);
  return success();
}

bool LowerKernels::lowerContraction(linalg::LinalgOp op,
                                    const CpuTarget &target) {
  if (!op.hasPureBufferSemantics() || op.getNumReductionLoops() == 0)
    return false;
  OpBuilder b(op);
  FailureOr<Nest> nest = Nest::build(b, op);
  if (failed(nest))
    return false;
  Nest alone = *nest;
  alone.simplify();
  if (!isContraction(alone, target))
    return false;

  // An epilogue runs in the last block of the reduction, of which there must be
  // one.
  bool reduces = llvm::all_of(nest->dims, [](const NestDim &dim) {
    return !dim.reduction || (dim.isStatic() && dim.size > 0);
  });
  SmallVector<linalg::LinalgOp> epilogues;
  if (reduces)
    epilogues = collectEpilogues(op);
  // Allocations that epilogues need now stand before `op`.
  b.setInsertionPoint(op);
  // One that does not fit ends the row: those after it may depend on it.
  SmallVector<linalg::LinalgOp> taken;
  for (linalg::LinalgOp epilogue : epilogues) {
    if (absorbed.contains(epilogue) ||
        failed(
            nest->addEpilogue(b, epilogue, op.getIndexingMapsArray().back())))
      break;
    taken.push_back(epilogue);
  }
  nest->simplify();
  if (!isContraction(*nest, target)) {
    nest = alone;
    taken.clear();
  }
  linalg::FillOp fill = findZeroFill(op);
  bool zeroInit = static_cast<bool>(fill);
  if (failed(emitContraction(b, *nest, target, zeroInit)))
    return false;
  if (zeroInit)
    absorbed.insert(fill);
  absorbed.insert(taken.begin(), taken.end());
  return true;
}

LogicalResult LowerKernels::lower(linalg::LinalgOp op,
                                  const CpuTarget &target) {
  if (!op.hasPureBufferSemantics())
    return op.emitError() << "[WEIR0151] this op still works on tensors; run "
                             "bufferization before '"
                          << getArgument() << "'";
  OpBuilder b(op);
  FailureOr<Nest> nest = Nest::build(b, op);
  if (failed(nest)) {
    op.emitRemark()
        << "an operand is not indexed linearly: plain loops are made";
    return lowerToPlainLoops(op);
  }
  nest->simplify();
  if (failed(emitElementwise(b, *nest, target)) &&
      failed(emitReduction(b, *nest, target))) {
    if (nest->estimateIterations() > 64)
      op.emitRemark() << "its body has no vector form: one element at a time";
    emitScalar(b, *nest);
  }
  op.erase();
  return success();
}

void LowerKernels::runOnOperation() {
  func::FuncOp function = getOperation();
  auto module = function->getParentOfType<ModuleOp>();
  FailureOr<CpuTarget> target =
      module ? CpuTarget::fromModule(module) : CpuTarget();
  if (failed(target))
    return signalPassFailure();

  SmallVector<memref::CopyOp> copies;
  function.walk([&](memref::CopyOp copy) { copies.push_back(copy); });
  for (memref::CopyOp copy : copies) {
    auto type = dyn_cast<MemRefType>(copy.getSource().getType());
    auto targetType = dyn_cast<MemRefType>(copy.getTarget().getType());
    if (!type || !targetType)
      continue;
    OpBuilder b(copy);
    if (copy.getSource() != copy.getTarget())
      linalg::CopyOp::create(b, copy.getLoc(), copy.getSource(),
                             copy.getTarget());
    copy.erase();
  }

  SmallVector<linalg::LinalgOp> ops;
  function.walk([&](linalg::LinalgOp op) { ops.push_back(op); });
  // Contractions first: they look at the ops around them.
  absorbed.clear();
  SmallVector<linalg::LinalgOp> others;
  for (linalg::LinalgOp op : ops) {
    if (!absorbed.contains(op) && lowerContraction(op, *target))
      op.erase();
    else
      others.push_back(op);
  }
  for (linalg::LinalgOp op : others) {
    if (absorbed.contains(op))
      op.erase();
    else if (failed(lower(op, *target)))
      return signalPassFailure();
  }

  function.walk([](LoopLikeOpInterface loop) { moveLoopInvariantCode(loop); });
  IRRewriter rewriter(&getContext());
  DominanceInfo dominance(function);
  eliminateCommonSubExpressions(rewriter, dominance, function);
}

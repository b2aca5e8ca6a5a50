//===- LowerLinalg.cpp - linalg on buffers to vector loops ----------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Codegen/Kernels/Passes.h"
#include "passes/Codegen/Kernels/Vectorize.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
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
class LowerKernels
    : public weir::impl::CodegenLowerKernelsBase<LowerKernels> {
public:
  using CodegenLowerKernelsBase::CodegenLowerKernelsBase;
  void runOnOperation() override;

private:
  LogicalResult lower(linalg::LinalgOp op, const CpuTarget &target);

  /// Fills that a contraction does itself.
  llvm::SmallPtrSet<Operation *, 8> absorbed;
};
} // namespace

/// The buffer that `memref` is a view of.
static Value baseOf(Value memref) {
  while (auto view = memref.getDefiningOp<ViewLikeOpInterface>())
    memref = view.getViewSource();
  return memref;
}

/// Whether the two can have an element in common. An allocation is apart from all
/// that does not come from it.
static bool mayAlias(Value lhs, Value rhs) {
  Value first = baseOf(lhs), second = baseOf(rhs);
  if (first == second)
    return true;
  return !first.getDefiningOp<memref::AllocOp>() &&
         !second.getDefiningOp<memref::AllocOp>();
}

/// Whether `op`, its regions included, may read or write `memref`.
static bool mayTouch(Operation *op, Value memref) {
  if (isMemoryEffectFree(op))
    return false;
  auto result = op->walk([&](Operation *nested) {
    for (Value operand : nested->getOperands())
      if (isa<BaseMemRefType>(operand.getType()) && mayAlias(operand, memref))
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return result.wasInterrupted();
}

/// The fill that gives the single output of `op` its value, when that is zero and
/// nothing between them touches the output.
static linalg::FillOp findZeroFill(linalg::LinalgOp op) {
  if (op.getNumDpsInits() != 1)
    return {};
  Value output = op.getDpsInits()[0];
  for (Operation *before = op->getPrevNode(); before;
       before = before->getPrevNode()) {
    auto fill = dyn_cast<linalg::FillOp>(before);
    if (fill && fill.getOutputs()[0] == output) {
      Value value = fill.getInputs()[0];
      bool zero = matchPattern(value, m_PosZeroFloat()) ||
                  matchPattern(value, m_Zero());
      return zero ? fill : linalg::FillOp();
    }
    if (mayTouch(before, output))
      return {};
  }
  return {};
}

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
    std::optional<SmallVector<Value, 8>> values = affine::expandAffineMap(
        rewriter, apply.getLoc(), apply.getAffineMap(),
        llvm::to_vector(apply.getOperands()));
    if (!values)
      return failure();
    rewriter.replaceOp(apply, *values);
  }
  rewriter.eraseOp(op);
  return success();
}

LogicalResult LowerKernels::lower(linalg::LinalgOp op, const CpuTarget &target) {
  if (!op.hasPureBufferSemantics())
    return op.emitError() << "[WEIR0151] this op still works on tensors; run "
                             "bufferization before '"
                          << getArgument() << "'";
  OpBuilder b(op);
  FailureOr<Nest> nest = Nest::build(b, op);
  if (failed(nest)) {
    op.emitRemark() << "an operand is not indexed linearly: plain loops are made";
    return lowerToPlainLoops(op);
  }
  nest->simplify();
  linalg::FillOp fill = findZeroFill(op);
  bool zeroInit = static_cast<bool>(fill);
  if (succeeded(emitContraction(b, *nest, target, zeroInit))) {
    if (zeroInit)
      absorbed.insert(fill);
  } else if (failed(emitElementwise(b, *nest, target)) &&
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
  // Last first, so that the fill before a contraction is still there.
  absorbed.clear();
  for (linalg::LinalgOp op : llvm::reverse(ops)) {
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

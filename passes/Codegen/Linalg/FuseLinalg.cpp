//===- FuseLinalg.cpp - Element-wise fusion inside a group ---------------------
//===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Weir/Weir.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "passes/Codegen/Linalg/Passes.h"

namespace weir {
#define GEN_PASS_DEF_CODEGENLINALGFUSELINALG
#include "passes/Codegen/Linalg/Passes.h.inc"
} // namespace weir

using namespace mlir;

namespace weir {

/// True for an op that hands its operand on, through a map: a transpose or a
/// broadcast.
static bool isCopy(linalg::GenericOp op) {
  Block &body = op.getRegion().front();
  return body.getOperations().size() == 1 &&
         isa<BlockArgument>(body.getTerminator()->getOperand(0));
}

/// True where a value may as well be computed for each reader: few operations,
/// none of them a function of `math`, nothing read by index.
static bool isCheap(linalg::GenericOp op) {
  constexpr size_t few = 5;
  Block &body = op.getRegion().front();
  return body.getOperations().size() <= few &&
         llvm::none_of(body, [](Operation &inner) {
           return isa<math::MathDialect>(inner.getDialect()) ||
                  isa<arith::DivFOp, tensor::ExtractOp>(inner);
         });
}

/// A contraction stays a multiply and an add over plain operands, which is
/// what the kernels know to make fast.
static bool isContraction(linalg::GenericOp op) {
  if (op.getNumReductionLoops() == 0 || op.getNumDpsInputs() != 2)
    return false;
  return llvm::any_of(op.getRegion().front(), [](Operation &inner) {
    return isa<arith::MulFOp, arith::MulIOp>(inner);
  });
}

static bool mayFuse(OpOperand *operand) {
  auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
  auto consumer = dyn_cast<linalg::GenericOp>(operand->getOwner());
  // What is in another group runs in another kernel.
  if (!producer || !consumer || producer->getBlock() != consumer->getBlock())
    return false;
  if (isContraction(consumer))
    return isCopy(producer);
  // A window reads an element many times.
  bool slides =
      !consumer.getMatchingIndexingMap(operand).isProjectedPermutation();
  if (slides)
    return isCopy(producer);
  return producer->hasOneUse() || isCheap(producer);
}

namespace {
struct FuseLinalg : impl::CodegenLinalgFuseLinalgBase<FuseLinalg> {
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    linalg::populateElementwiseOpsFusionPatterns(patterns, mayFuse);
    memref::populateResolveRankedShapedTypeResultDimsPatterns(patterns);
    for (StringRef name : {"linalg", "tensor", "arith"})
      context->getLoadedDialect(name)->getCanonicalizationPatterns(patterns);
    for (RegisteredOperationName op : context->getRegisteredOperations())
      if (isa<linalg::LinalgDialect, tensor::TensorDialect,
              arith::ArithDialect>(op.getDialect()))
        op.getCanonicalizationPatterns(patterns, context);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace

} // namespace weir

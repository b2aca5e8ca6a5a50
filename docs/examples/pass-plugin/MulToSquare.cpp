//===- MulToSquare.cpp - A pass outside of Weir ---------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pass plugin with one pass: `x * x` becomes `square(x)`, which needs to read
// `x` once. Copy this folder, rename, and write your own.
//
//===----------------------------------------------------------------------===//

#include "dialects/Weir/Weir.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace {

struct MulToSquarePattern : mlir::OpRewritePattern<weir::MulOp> {
  using OpRewritePattern::OpRewritePattern;

  mlir::LogicalResult
  matchAndRewrite(weir::MulOp op,
                  mlir::PatternRewriter &rewriter) const override {
    if (op.getLhs() != op.getRhs())
      return rewriter.notifyMatchFailure(op, "the operands differ");
    // Control edges are part of a node; they go with it.
    rewriter.replaceOpWithNewOp<weir::SquareOp>(op, op.getType(), op.getLhs(),
                                                op.getControls());
    return mlir::success();
  }
};

struct MulToSquare
    : mlir::PassWrapper<MulToSquare, mlir::OperationPass<weir::GraphOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(MulToSquare)

  llvm::StringRef getArgument() const final { return "mul-to-square"; }
  llvm::StringRef getDescription() const final {
    return "Turn x * x into square(x)";
  }

  void runOnOperation() final {
    mlir::RewritePatternSet patterns(&getContext());
    patterns.add<MulToSquarePattern>(&getContext());
    if (failed(
            mlir::applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace

/// What the tool calls when it has loaded this library.
extern "C" LLVM_ATTRIBUTE_WEAK mlir::PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "MulToSquare", "1.0",
          [] { mlir::PassRegistration<MulToSquare>(); }};
}

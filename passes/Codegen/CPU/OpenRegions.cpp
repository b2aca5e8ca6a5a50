//===- OpenRegions.cpp - Where a step may end, blocks and branches --------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Rt/Rt.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/DialectConversion.h"
#include "passes/Codegen/CPU/Passes.h"

namespace weir {
#define GEN_PASS_DEF_CPUOPENREGIONS
#include "passes/Codegen/CPU/Passes.h.inc"
} // namespace weir

using namespace mlir;
using namespace weir;

/// True if a call of the runtime will be in it.
static bool holdsCalls(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        return isa<rt::RtDialect>(inner->getDialect()) ||
                       isa<memref::AllocOp, memref::DeallocOp>(inner)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

namespace {
struct OpenRegions : weir::impl::CpuOpenRegionsBase<OpenRegions> {
  void runOnOperation() override {
    // Found before anything changes: what is inside moves out.
    llvm::DenseSet<Operation *> opened;
    getOperation().walk([&](Operation *op) {
      if (isa<scf::IfOp, scf::WhileOp, scf::ForOp>(op) && holdsCalls(op))
        opened.insert(op);
    });
    if (opened.empty())
      return;
    ConversionTarget target(getContext());
    target.markUnknownOpDynamicallyLegal(
        [&](Operation *op) { return !opened.contains(op); });
    RewritePatternSet patterns(&getContext());
    populateSCFToControlFlowConversionPatterns(patterns);
    if (failed(applyPartialConversion(getOperation(), target,
                                      std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace

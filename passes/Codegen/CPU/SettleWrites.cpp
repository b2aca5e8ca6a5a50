//===- SettleWrites.cpp - Variables that exchange values -----------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Rt/Rt.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "passes/Codegen/CPU/Passes.h"

namespace weir {
#define GEN_PASS_DEF_CPUSETTLEWRITES
#include "passes/Codegen/CPU/Passes.h.inc"
} // namespace weir

using namespace mlir;
using namespace weir;

/// The variable whose memory `buffer` is, or is a view of.
static rt::VariableBufferOp variableOf(Value buffer) {
  while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>())
    buffer = view.getViewSource();
  return buffer.getDefiningOp<rt::VariableBufferOp>();
}

namespace {
struct SettleWrites : weir::impl::CpuSettleWritesBase<SettleWrites> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (!function->hasAttr(rt::entryAttrName))
      return;
    SmallVector<memref::CopyOp> writes;
    for (auto copy : function.getBody().front().getOps<memref::CopyOp>())
      if (copy.getTarget().getDefiningOp<rt::VariableBufferOp>())
        writes.push_back(copy);
    llvm::SmallPtrSet<Operation *, 8> overwritten;
    for (memref::CopyOp copy : writes) {
      if (auto source = variableOf(copy.getSource());
          source && overwritten.contains(source)) {
        OpBuilder builder(writes.front());
        auto type = cast<MemRefType>(copy.getTarget().getType());
        Value kept = memref::AllocOp::create(builder, copy.getLoc(), type);
        memref::CopyOp::create(builder, copy.getLoc(), copy.getSource(), kept);
        copy.getSourceMutable().assign(kept);
      }
      overwritten.insert(copy.getTarget().getDefiningOp());
    }
  }
};
} // namespace

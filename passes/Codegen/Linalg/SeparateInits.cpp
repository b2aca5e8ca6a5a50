//===- SeparateInits.cpp - A destination of its own for each op
//------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "passes/Codegen/Linalg/Passes.h"

namespace weir {
#define GEN_PASS_DEF_CODEGENLINALGSEPARATEINITS
#include "passes/Codegen/Linalg/Passes.h.inc"
} // namespace weir

using namespace mlir;

namespace weir {

/// Gives the operand its own copy of what makes an empty or a filled tensor.
static void separate(OpOperand &init) {
  Operation *producer = init.get().getDefiningOp();
  if (!isa_and_nonnull<tensor::EmptyOp, linalg::FillOp>(producer))
    return;
  if (!init.get().hasOneUse()) {
    OpBuilder builder(init.getOwner());
    producer = builder.clone(*producer);
    init.set(producer->getResult(0));
  }
  if (auto fill = dyn_cast<linalg::FillOp>(producer))
    separate(fill.getOutputsMutable()[0]);
}

namespace {
struct SeparateInits : impl::CodegenLinalgSeparateInitsBase<SeparateInits> {
  void runOnOperation() override {
    SmallVector<OpOperand *> inits;
    getOperation().walk([&](Operation *op) {
      if (isa<linalg::FillOp>(op))
        return; // With what it fills for.
      if (auto styled = dyn_cast<DestinationStyleOpInterface>(op))
        for (OpOperand &init : styled.getDpsInitsMutable())
          inits.push_back(&init);
      if (auto loop = dyn_cast<LoopLikeOpInterface>(op))
        for (OpOperand &init : loop.getInitsMutable())
          inits.push_back(&init);
    });
    for (OpOperand *init : inits)
      separate(*init);
  }
};
} // namespace

} // namespace weir

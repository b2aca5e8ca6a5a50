//===- ControlFlow.cpp - Dataflow control flow to structured --------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Weir/Weir.h"
#include "passes/Raise/Passes.h"

namespace weir {
#define GEN_PASS_DEF_RAISECONTROLFLOW
#include "passes/Raise/Passes.h.inc"
} // namespace weir

using namespace mlir;
using namespace weir;

namespace {
class ControlFlow : public weir::impl::RaiseControlFlowBase<ControlFlow> {
  void runOnOperation() override {
    for (Operation &op : getOperation().getBody().front()) {
      if (op.getNumRegions() == 0 || isa<GroupOp>(op))
        continue;
      op.emitError() << "[WEIR0109] node '" << WeirDialect::describe(&op)
                     << "' (" << op.getName()
                     << ") holds control flow, which graphs cannot have yet";
      return signalPassFailure();
    }
    markAllAnalysesPreserved();
  }
};
} // namespace

//===- InlineGroups.cpp - The bodies of groups, between trace marks ------------
//===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Rt/Rt.h"
#include "dialects/Weir/Weir.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "passes/Codegen/Linalg/Passes.h"

namespace weir {
#define GEN_PASS_DEF_CODEGENLINALGINLINEGROUPS
#include "passes/Codegen/Linalg/Passes.h.inc"
} // namespace weir

using namespace mlir;

namespace weir {

/// False for a conditional that only says whether a variable is written.
static bool holdsCode(Operation *op) {
  return !op->walk([](rt::WriteVariableOp) {
              return WalkResult::interrupt();
            }).wasInterrupted();
}

namespace {

struct InlineGroups : impl::CodegenLinalgInlineGroupsBase<InlineGroups> {
  void runOnOperation() override {
    SmallVector<GroupOp> groups;
    SmallVector<Operation *> structures; // conditionals and loops
    getOperation().walk([&](Operation *op) {
      if (auto group = dyn_cast<GroupOp>(op))
        groups.push_back(group);
      else if (isa<scf::IfOp, scf::WhileOp>(op) && holdsCode(op) &&
               op->getParentOp() == getOperation())
        structures.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    // An iteration is too short to be marked: the whole is.
    for (Operation *op : structures) {
      rewriter.setInsertionPoint(op);
      Value mark = rt::TraceBeginOp::create(rewriter, op->getLoc(),
                                            rewriter.getI64Type());
      rewriter.setInsertionPointAfter(op);
      rt::TraceEndOp::create(rewriter, op->getLoc(), mark,
                             isa<scf::IfOp>(op) ? "conditional" : "loop");
    }
    for (GroupOp group : groups) {
      bool marked = group->getParentOp() == getOperation();
      rewriter.setInsertionPoint(group);
      Value mark;
      if (marked)
        mark = rt::TraceBeginOp::create(rewriter, group.getLoc(),
                                        rewriter.getI64Type());
      Operation *yield = group.getBody().front().getTerminator();
      SmallVector<Value> results(yield->getOperands());
      rewriter.eraseOp(yield);
      rewriter.inlineBlockBefore(&group.getBody().front(), group);
      if (marked)
        rt::TraceEndOp::create(rewriter, group.getLoc(), mark,
                               group.getKernel());
      rewriter.replaceOp(group, results);
    }
  }
};

} // namespace
} // namespace weir

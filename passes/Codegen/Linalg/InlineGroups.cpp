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
#include "mlir/IR/PatternMatch.h"
#include "passes/Codegen/Linalg/Passes.h"

namespace weir {
#define GEN_PASS_DEF_CODEGENLINALGINLINEGROUPS
#include "passes/Codegen/Linalg/Passes.h.inc"
} // namespace weir

using namespace mlir;

namespace weir {
namespace {

struct InlineGroups : impl::CodegenLinalgInlineGroupsBase<InlineGroups> {
  void runOnOperation() override {
    SmallVector<GroupOp> groups;
    getOperation().walk([&](GroupOp group) { groups.push_back(group); });
    IRRewriter rewriter(&getContext());
    for (GroupOp group : groups) {
      rewriter.setInsertionPoint(group);
      Value mark = rt::TraceBeginOp::create(rewriter, group.getLoc(),
                                            rewriter.getI64Type());
      Operation *yield = group.getBody().front().getTerminator();
      SmallVector<Value> results(yield->getOperands());
      rewriter.eraseOp(yield);
      rewriter.inlineBlockBefore(&group.getBody().front(), group);
      rt::TraceEndOp::create(rewriter, group.getLoc(), mark, group.getKernel());
      rewriter.replaceOp(group, results);
    }
  }
};

} // namespace
} // namespace weir

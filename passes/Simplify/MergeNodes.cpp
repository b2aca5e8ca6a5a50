//===- MergeNodes.cpp - Nodes that compute the same -----------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Simplify/Passes.h"

#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/CSE.h"

using namespace mlir;

namespace weir {

#define GEN_PASS_DEF_MERGENODES
#include "passes/Simplify/Passes.h.inc"

namespace {

struct MergeNodes : impl::MergeNodesBase<MergeNodes> {
  void runOnOperation() override {
    if (hasGradientRequests(getOperation()) || keepsNodes(getOperation()))
      return;
    // Upstream's elimination knows graph regions: where a use stands before
    // the value it would get, it keeps both. Effects of all nodes with state
    // are writes of one resource, so none of them is merged.
    IRRewriter rewriter(&getContext());
    DominanceInfo dominance(getOperation());
    eliminateCommonSubExpressions(rewriter, dominance, getOperation());
  }
};

} // namespace
} // namespace weir

//===- Passes.td - What groups pure nodes into kernels -*- tablegen -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_PASSES_FUSE_PASSES_TD
#define WEIR_PASSES_FUSE_PASSES_TD

include "mlir/Pass/PassBase.td"

def FuseDecomposeOps : Pass<"weir-fuse-decompose-ops", "::weir::GraphOp"> {
  let summary = "Compositions in place of what they compose";
  let description = [{
    Replaces every node that has a decomposition by it, until none is left. The
    nodes of the composition carry the name, the device and the place of the
    node. What the node waits for, they wait for.
  }];
}

def FuseGroupNodes : Pass<"weir-fuse-group-nodes", "::weir::GraphOp"> {
  let summary = "Pure nodes into fusion groups";
  let description = [{
    Puts every node without effects into a `weir.group`: at most one anchor (a
    matrix product, a convolution, a pooling, a gather, random numbers) with
    element-wise nodes, reductions and shapes around it. No path leaves a group
    and comes back. Small constants are copied into each group that uses them.
    Control operands of a pure node move to `weir.identity` nodes on its
    operands, which stay outside; so do nodes of strings.
  }];
}

#endif // WEIR_PASSES_FUSE_PASSES_TD

//===- Passes.td - What folds and merges what is pure -*- tablegen -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_PASSES_SIMPLIFY_PASSES_TD
#define WEIR_PASSES_SIMPLIFY_PASSES_TD

include "mlir/Pass/PassBase.td"

def PruneNodes : Pass<"weir-simplify-prune-nodes", "::weir::GraphOp"> {
  let summary = "Remove the nodes that no fetch needs";
  let description = [{
    A node stays when a path of data or control edges leads from it to the
    `weir.fetch` of its graph; all others would never run.
  }];
  let statistics = [Statistic<"removed", "nodes-removed", "Nodes removed">];
}

def FoldIdentities : Pass<"weir-simplify-fold-identities", "::weir::GraphOp"> {
  let summary = "Remove what gives its operand back";
  let description = [{
    Nodes that undo each other and nodes that do nothing, where that holds for
    every value, NaN and -0 included. Floats are not re-associated, inverse
    functions do not cancel, and x * 0, x - x and x / x stay. Also turns nodes
    that take a shape from a tensor into such that have it as an attribute.

    A node with control operands stays: the wait is its point. A graph with
    `weir.gradients` is left alone.
  }];
}

def FoldConstants : Pass<"weir-simplify-fold-constants", "::weir::GraphOp"> {
  let summary = "Compute what depends on constants alone";
  let description = [{
    With the interpreter, and only where compiled code would give the same bits:
    integers and booleans, what moves elements, and float operations that round
    correctly (+ - * /, the square root, casts, comparisons). What would end in
    an error at run time is left to do so. A graph with `weir.gradients` is left
    alone.
  }];
  let options = [Option<"maxElements", "max-elements", "int64_t", "4096",
                        "the largest result to compute; larger ones would only make the program larger">];
}

def FoldSwitches : Pass<"weir-simplify-fold-switches", "::weir::GraphOp"> {
  let summary = "Drop the sides that a constant predicate never takes";
  let description = [{
    A `weir.switch` or `weir.switch_n` of the graph itself whose predicate is a
    constant gives its operand on the side that it takes. Nodes that hang on
    another side are dead in every step and go; merges lose the operand, and who
    waited for a dead node waits for what that waited for. Nodes with effects
    that were to run still run. What a fetch gives out, an enter takes, or a
    merge counts stays dead, and all that it came from is left as it is.
    A graph with `weir.gradients` is left alone.
  }];
  let statistics = [Statistic<"folded", "switches-folded", "Switches folded">];
}

def MergeNodes : Pass<"weir-simplify-merge-nodes", "::weir::GraphOp"> {
  let summary = "Merge pure nodes that compute the same";
  let description = [{
    Nodes with effects are never merged, and nodes whose names or devices differ
    are different. A graph with `weir.gradients` is left alone.
  }];
}

#endif // WEIR_PASSES_SIMPLIFY_PASSES_TD

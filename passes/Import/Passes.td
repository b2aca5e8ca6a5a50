//===- Passes.td - What brings a program in and checks it -*- tablegen -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_PASSES_IMPORT_PASSES_TD
#define WEIR_PASSES_IMPORT_PASSES_TD

include "mlir/Pass/PassBase.td"

def ImportInferShapes : Pass<"weir-import-infer-shapes", "weir::GraphOp"> {
  let summary = "Refine the types of nodes by what their operands say";
  let description = [{
    Infers the result types of each node from its operands and attributes, and
    makes extents static that the text left open, until nothing changes. Feeds,
    fetches and the graph's signature stay as declared, and so does a value
    that is fetched as it is. No node is added or taken away.

    Switches, enters, exits and the like hand types on; a merge has what its
    operands have in common. A value of a loop has the type that it enters the
    loop with where every iteration gives that type again, a rank included.

    A node whose operands contradict what it is declared to give is an error
    (WEIR0016 and the errors of its own inference).

    Before:
    ```mlir
    %y = weir.matmul %x, %w : (tensor<?x64xf32>, tensor<64x10xf32>) -> tensor<?x?xf32>
    ```
    After:
    ```mlir
    %y = weir.matmul %x, %w : (tensor<?x64xf32>, tensor<64x10xf32>) -> tensor<?x10xf32>
    ```
  }];
}

def ImportVerify : Pass<"weir-import-verify", "weir::GraphOp"> {
  let summary = "Check the form that later phases start from";
  let description = [{
    The contract between whoever makes graphs (a text, an importer, a trace)
    and the phases. Beyond what the verifier of `weir` checks, in a graph:

    - every op is of the `weir` dialect (WEIR0100);
    - names of entry points, feeds and fetches can be written on a command
      line: letters, digits and `_ . - / :`, no `-` in front (WEIR0101);
    - no node is declared to give more static extents than its operands imply:
      `weir.reshape` is the node that checks extents at run time, and nodes
      whose extents are values check them too (WEIR0102);
    - no node waits for itself (WEIR0103), but through the edge from a
      `weir.next_iteration` to a `weir.merge`. The error names the nodes of the
      cycle;
    - what a node takes and waits for is of one frame (WEIR0111), frames are
      nested and left as they were entered (WEIR0112), and no merge of a loop
      takes a constant (WEIR0117). Enters that disagree on how many iterations
      may run at a time get a remark (WEIR0116).

    It changes nothing.
  }];
}

#endif // WEIR_PASSES_IMPORT_PASSES_TD

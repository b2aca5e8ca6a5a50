//===- Passes.td - What warns of graphs that may not do what they should -*- tablegen -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_PASSES_CHECK_PASSES_TD
#define WEIR_PASSES_CHECK_PASSES_TD

include "mlir/Pass/PassBase.td"

def CheckDeadlock : Pass<"weir-check-deadlock", "::mlir::ModuleOp"> {
  let summary = "Warn of nodes that wait for what never happens";
  let description = [{
    Looks at what the fetches of all entry points need, and warns of

    - a queue, barrier or accumulator that some node takes from and none fills
      (WEIR0140), or that is filled, has a bound, and nothing takes from
      (WEIR0141);
    - elements that wait for themselves: all nodes that fill a queue come after
      a node that takes from it, directly or by way of other queues (WEIR0142);
    - a merge, or another node, that never runs because all it could take is
      dead (WEIR0143);
    - a queue that is too small for what is put into it before anything can be
      taken out (WEIR0144).

    A queue of which takers wait for the end, and which no node closes, gets a
    remark (WEIR0145).

    What is reported holds for programs whose state is touched by their own
    entry points only. Handles are followed through control flow; where one
    comes from elsewhere, nothing is said about the state that it may name. The
    check changes nothing.
  }];
}

def CheckRaces : Pass<"weir-check-races", "::mlir::ModuleOp"> {
  let summary = "Warn of accesses to state without an order";
  let description = [{
    In each graph, warns of two accesses to one variable of which one changes it
    (WEIR0146), and of two nodes that put elements into one queue, or take them
    out, or close it, where the order of elements matters (WEIR0147): when no
    path of edges leads from one to the other. Such a pair is no error, and what
    it gives may differ from step to step.

    Updates that only add or subtract may go in any order. So may nodes on
    different sides of one predicate, of which a step runs one. Nodes of a loop
    are compared within an iteration. The check changes nothing.
  }];
}

#endif // WEIR_PASSES_CHECK_PASSES_TD

//===- Passes.td - What cuts a graph into programs, one a device -*- tablegen -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_PASSES_PARTITION_PASSES_TD
#define WEIR_PASSES_PARTITION_PASSES_TD

include "mlir/Pass/PassBase.td"

def PartitionSplitCheckpoints : Pass<"weir-partition-split-checkpoints", "::weir::GraphOp"> {
  let summary = "Let each task save and restore what it has";
  let description = [{
    A `weir.save` of values of several tasks becomes a `weir.save_shard` in each
    of them and a `weir.save_commit` where the save was; a `weir.restore` whose
    results are used in several tasks, one restore in each. So no variable
    travels to be written. Source: OSDI 2016 section 4.3.
  }];
}

def PartitionSplitGraphs : Pass<"weir-partition-split-graphs", "mlir::ModuleOp"> {
  let summary = "Cut each graph into one for each device";
  let description = [{
    Every node goes to the graph of its device (`@train.0`, `@train.1`, ...;
    the device is the attribute `rt.device`). An edge between two devices
    becomes a `weir.send` and a `weir.receive`, one pair for a value and a
    destination, however many nodes use it there; control edges too. Constants
    are in every graph that uses them. An `rt.spread` takes the graph's place.

    Feeds are where they are used, fetches where they are made, on a CPU of that
    task; a feed that several tasks use comes in at the first device's.

    `rt.hop` tells how many crossings a node waits for, so that no kernel holds
    back what another device needs to get on.

    A graph that is all on the first device's CPU stays as it is.

    Errors: a node without a device (WEIR0108), a loop that spans devices
    (WEIR0119), a handle that leaves its device (WEIR0120).
    Source: OSDI 2016 sections 3.2.1 and 3.3.
  }];
  let dependentDialects = ["::weir::rt::RtDialect"];
}

#endif // WEIR_PASSES_PARTITION_PASSES_TD

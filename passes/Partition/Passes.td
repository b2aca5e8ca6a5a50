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

def PartitionVerifySingleDevice : Pass<"weir-partition-verify-single-device", "mlir::ModuleOp"> {
  let summary = "Check that the program runs on one device";
  let description = [{
    Cutting a graph into one program for each device is not supported yet. This
    pass checks that there is nothing to cut: every node, variable and queue of
    the module has a device (WEIR0108), and it is the same for all (WEIR0107).
    It changes nothing.
  }];
}

#endif // WEIR_PASSES_PARTITION_PASSES_TD

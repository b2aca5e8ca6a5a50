//===- Passes.td - What parts a program by kinds of devices -*- tablegen -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_PASSES_CODEGEN_DEVICES_PASSES_TD
#define WEIR_PASSES_CODEGEN_DEVICES_PASSES_TD

include "mlir/Pass/PassBase.td"

def CodegenSplitDevices : Pass<"weir-codegen-split-devices", "::mlir::ModuleOp"> {
  let summary = "kernels of each kind of device but CPU go to a module of their own";
  let description = [{
    A function whose `rt.device` names a GPU moves to the nested module
    `@weir_gpu`, which says in `rt.device_type` what kind it is for; others
    alike. Passes for the CPU nest on functions of the outer module, and so
    leave them alone. The `rt` attributes of the outer module are copied.
  }];
}

def CodegenJoinDevices : Pass<"weir-codegen-join-devices", "::mlir::ModuleOp"> {
  let summary = "what became of the kernels of other devices comes back";
  let description = [{
    Moves what is in the modules that `weir-codegen-split-devices` made to the
    outer module, and drops them. By now it is host functions that copy and
    launch, and the code of the device as constants. A symbol that is no
    function gets another name where the outer module has one of its name.
  }];
}

#endif // WEIR_PASSES_CODEGEN_DEVICES_PASSES_TD

//===- Passes.td - What gives each node a device -*- tablegen -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_PASSES_PLACE_PASSES_TD
#define WEIR_PASSES_PLACE_PASSES_TD

include "mlir/Pass/PassBase.td"

def PlaceAssignDevices : Pass<"weir-place-assign-devices", "mlir::ModuleOp"> {
  let summary = "Give every node, variable and queue a device";
  let description = [{
    Writes the full name of a device into `weir.device` of every node, variable
    and queue of the module:

    1. A node's own `weir.device` is a constraint. It is written as TensorFlow
       writes it and may be partial: `/job:worker/task:1`, `/device:CPU:0`,
       `/cpu:0`.
    2. What has to be together gets one device: a variable or queue with the
       nodes that use it, the nodes of a loop, what is given the same handle,
       and all members of a `weir.colocate` group of the module, with the node
       of their graph that has the group's name. Such a set has to meet the
       constraints of all its members.
    3. Of the devices there are (`devices`, in order), the first that meets the
       constraints and has kernels for all of the set is taken. Which nodes a
       type of device has kernels for is the table `deviceTypes` of the op
       definitions.
    4. A set that asks for nothing goes where most of what it takes is made
       (bytes that need not be moved), else to the first device. So a module
       without any constraint runs on the first.

    With soft placement a set whose constraint cannot be met is placed without
    its type of device, in the same task where it named one, and a remark says
    so for each node that asked.

    Errors: a name that is none (WEIR0106), members of a set that ask for
    different devices (WEIR0105; it names both nodes and what joins them), a
    constraint that no device meets (WEIR0104), and a node without a kernel on
    the device it asks for (WEIR0109).

    The module's attributes `rt.devices` and `rt.soft_placement` stand for the
    options where these are not given.
  }];
  let dependentDialects = ["::weir::rt::RtDialect"];
  let options = [
    ListOption<"devices", "devices", "std::string",
      "Full names of the devices there are, best first; default /job:localhost/replica:0/task:0/device:CPU:0">,
    Option<"softPlacement", "soft-placement", "bool", "false",
      "Move nodes whose device is not there, or has no kernel for them">,
  ];
}

#endif // WEIR_PASSES_PLACE_PASSES_TD

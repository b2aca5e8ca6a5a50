//===- PlacementOps.td - Where programs of devices meet -*- tablegen -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_PLACEMENT_OPS_TD
#define WEIR_PLACEMENT_OPS_TD

include "dialects/Weir/WeirBase.td"

// What a send and its receive have in common: together, the key of the meeting.
defvar Weir_Key = (ins StrAttr:$tensor, StrAttr:$source, StrAttr:$destination);

def Weir_SendOp : Weir_StatefulNode<"send", !con((ins Variadic<Weir_AnyTensor>:$value), Weir_Key), [AttrSizedOperandSegments]> {
  let deviceTypes = ["CPU", "GPU", "MXU"];
  let summary = "hands a tensor to another device";
  let description = [{
    Does not wait. What is dead is sent as dead. Without a value, the fact that
    the node ran is sent: a control edge that crosses devices. The phase
    `partition` makes these nodes, in pairs. Source: OSDI 2016 section 3.3.

    - (C1) there is at most one value.
    - (C2) `source` and `destination` are full names of different devices.

    Example:
    ```mlir
    %c = weir.send %w {tensor = "w:0", source = "/job:ps/replica:0/task:0/device:CPU:0", destination = "/job:worker/replica:0/task:0/device:CPU:0"} : (tensor<2xf32>) -> !weir.control
    ```
  }];
  let results = (outs Weir_Control:$control);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDefinition = nodeDefinition # formatDefinition;
}

def Weir_ReceiveOp : Weir_StatefulNode<"receive", Weir_Key> {
  let deviceTypes = ["CPU", "GPU", "MXU"];
  let summary = "takes a tensor from another device";
  let description = [{
    Waits for the `weir.send` of the same key; dead where that was given a dead
    value.

    - (C1) there is at most one value.
    - (C2) `source` and `destination` are full names of different devices.

    Example:
    ```mlir
    %w, %c = weir.receive {tensor = "w:0", source = "/job:ps/replica:0/task:0/device:CPU:0", destination = "/job:worker/replica:0/task:0/device:CPU:0"} : () -> (tensor<2xf32>, !weir.control)
    ```
  }];
  let results = (outs Variadic<Weir_AnyTensor>:$value, Weir_Control:$control);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDefinition = nodeDefinition # formatDefinition;
}

def Weir_SaveShardOp : Weir_RuntimeNode<"save_shard",
    (ins Weir_StringScalar:$path, Variadic<Weir_PodTensor>:$values, StrArrayAttr:$names, I64Attr:$shard, I64Attr:$shards),
    [{static_cast<int64_t>(getShard()), static_cast<int64_t>(getShards())}], "", [AttrSizedOperandSegments], 1> {
  let summary = "writes what one task has of a checkpoint";
  let description = [{
    The receipt says what was written; nothing is there for readers until
    `weir.save_commit` has all receipts. The phase `partition` makes these of a
    `weir.save` whose values are of several tasks. Source: OSDI 2016 section 4.3.

    - (C1) there is one name for each value; names are unique and not empty.
    - (C2) 0 <= shard < shards.

    Example:
    ```mlir
    %r, %c = weir.save_shard %path, %w {names = ["w"], shard = 0 : i64, shards = 2 : i64} : (tensor<!weir.string>, tensor<2xf32>) -> (tensor<!weir.string>, !weir.control)
    ```
  }];
  let results = (outs Weir_StringScalar:$receipt, Weir_Control:$control);
  let hasVerifier = 1;
}

def Weir_SaveCommitOp : Weir_RuntimeNode<"save_commit",
    (ins Weir_StringScalar:$path, Variadic<RankedTensorOf<[Weir_String]>>:$receipts), "", "", [AttrSizedOperandSegments]> {
  let summary = "makes the shards of a checkpoint one checkpoint";
  let description = [{
    As a whole or not at all: see docs/spec/checkpoints.md.

    Example:
    ```mlir
    %c = weir.save_commit %path, %r0, %r1 : (tensor<!weir.string>, tensor<!weir.string>, tensor<!weir.string>) -> !weir.control
    ```
  }];
  let results = (outs Weir_Control:$control);
}

#endif // WEIR_PLACEMENT_OPS_TD

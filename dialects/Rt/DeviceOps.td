//===- DeviceOps.td - What a GPU or the accelerator does -*- tablegen -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The host side of a program for a device with memory of its own. A function
// whose `rt.device` names such a device holds buffers of that device (feeds,
// outputs, rt.device_alloc); its own code never reads or writes them, it copies
// and launches.
//
// A device has two streams, each of which does its work in the order of the
// text. Memory, kernels and copies within the device are of `compute`; copies
// to the host may be of `transfer`, so that later kernels do not stand behind
// them. No op waits but rt.event_synchronize: the host does nothing else until
// an event has happened. Streams wait for each other by rt.event_wait.
//
//===----------------------------------------------------------------------===//

#ifndef RT_DEVICE_OPS_TD
#define RT_DEVICE_OPS_TD

def Rt_DeviceAllocOp : Rt_Effect<"device_alloc"> {
  let summary = "memory of the device, of the dynamic extents given";
  let description = [{
    - (C1) there is an extent for each dynamic one of the type, whose layout is
      row-major.

    Example:
    ```mlir
    %m = rt.device_alloc(%n) : memref<?x10xf32>
    ```
  }];
  let arguments = (ins Variadic<Index>:$extents);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = "`(` $extents `)` attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Rt_DeviceFreeOp : Rt_Effect<"device_free"> {
  let summary = "memory of the device is no longer needed";
  let description = [{
    Work that was given before may still use it.

    Example:
    ```mlir
    rt.device_free %m : memref<?x10xf32>
    ```
  }];
  let arguments = (ins AnyMemRef:$memory);
  let assemblyFormat = "$memory attr-dict `:` type($memory)";
}

def Rt_HostAllocOp : Rt_Effect<"host_alloc"> {
  let summary = "page-locked memory of the host, which copies reach without waiting";
  let description = [{
    - (C1) the type is row-major and of static shape.

    Example:
    ```mlir
    %h = rt.host_alloc : memref<i64>
    ```
  }];
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Rt_HostFreeOp : Rt_Effect<"host_free"> {
  let summary = "page-locked memory is no longer needed";
  let description = [{
    No copy that was given before still uses it. What is not given back when the
    step ends is given back then.

    Example:
    ```mlir
    rt.host_free %h : memref<i64>
    ```
  }];
  let arguments = (ins AnyMemRef:$memory);
  let assemblyFormat = "$memory attr-dict `:` type($memory)";
}

def Rt_Stream : I32EnumAttr<"Stream", "one of the orders in which a device works", [
  Rt_Case<"compute", 0>, Rt_Case<"transfer", 1>]> {
  let cppNamespace = "::weir::rt";
}

class Rt_CopyOp<string mnemonic> : Rt_Effect<mnemonic> {
  let arguments = (ins AnyMemRef:$source, AnyMemRef:$target, Rt_Stream:$stream);
  let assemblyFormat = "$source `,` $target `on` $stream attr-dict `:` type($source) `to` type($target)";
  let hasVerifier = 1;
}

def Rt_CopyToDeviceOp : Rt_CopyOp<"copy_to_device"> {
  let summary = "copies a buffer of the host to one of the device, behind the work of a stream";
  let description = [{
    Does not wait: the source stays as it is until then.

    - (C1) both are contiguous, of one element type and one static shape.

    Example:
    ```mlir
    rt.copy_to_device %h, %d on compute : memref<4xf32> to memref<4xf32>
    ```
  }];
}

def Rt_CopyToHostOp : Rt_CopyOp<"copy_to_host"> {
  let summary = "copies a buffer of the device to one of the host, behind the work of a stream";
  let description = [{
    Does not wait where the target is page-locked; its value is there after a
    later event of the stream.

    - (C1) both are contiguous, of one element type and one static shape.

    Example:
    ```mlir
    rt.copy_to_host %d, %h on transfer : memref<4xf32> to memref<4xf32>
    ```
  }];
}

def Rt_Event : Rt_Type<"Event", "event">, BuildableType<"$_builder.getType<::weir::rt::EventType>()"> {
  let summary = "a point in the work of a stream: it has happened when the work before it is done";
}

def Rt_EventRecordOp : Rt_Effect<"event_record"> {
  let summary = "the event behind all work that a stream was given";
  let description = [{
    Example:
    ```mlir
    %e = rt.event_record compute
    ```
  }];
  let arguments = (ins Rt_Stream:$stream);
  let results = (outs Rt_Event:$event);
  let assemblyFormat = "$stream attr-dict";
}

def Rt_EventWaitOp : Rt_Effect<"event_wait"> {
  let summary = "a stream does what it is given from here on after an event";
  let description = [{
    The host does not wait.

    - (C1) the event is of the other stream: a stream's own work is in order.

    Example:
    ```mlir
    rt.event_wait %e, transfer
    ```
  }];
  let arguments = (ins Rt_Event:$event, Rt_Stream:$stream);
  let assemblyFormat = "$event `,` $stream attr-dict";
  let hasVerifier = 1;
}

def Rt_EventSynchronizeOp : Rt_Effect<"event_synchronize"> {
  let summary = "the host waits for an event";
  let description = [{
    The step ends here with the error of the first check that failed
    (rt.check_record).

    Example:
    ```mlir
    rt.event_synchronize %e
    ```
  }];
  let arguments = (ins Rt_Event:$event);
  let assemblyFormat = "$event attr-dict";
}

def Rt_CheckRecordOp : Rt_Effect<"check_record"> {
  let summary = "where kernels note the first check that failed in this step";
  let description = [{
    Memory of the device, all zero until a check fails; then it has the check's
    site (rt.check_site) and two numbers for its message. A kernel that finds a
    site there leaves the record as it is. Kernels behind a check do nothing
    once there is one, so that they use no index that was refused. The host
    looks when it waits next.

    - (C1) the record is memref<3xi64>.

    Example:
    ```mlir
    %r = rt.check_record : memref<3xi64>
    ```
  }];
  let results = (outs AnyMemRef:$record);
  let assemblyFormat = "attr-dict `:` type($record)";
  let hasVerifier = 1;
}

def Rt_CheckSiteOp : Rt_Effect<"check_site"> {
  let summary = "what a check is about, as a number that is not zero";
  let description = [{
    The number is one of the step; the launch of the check comes next. `code`,
    `node` and `format` as in `rt.assert`.

    Example:
    ```mlir
    %s = rt.check_site 3, "gather at net.py:8", "[WEIR0330] an index is outside 0 <= i < {0}"
    ```
  }];
  let arguments = (ins I32Attr:$code, StrAttr:$node, StrAttr:$format);
  let results = (outs I64:$site);
  let assemblyFormat = "$code `,` $node `,` $format attr-dict";
}

def Rt_DeviceWriteOp : Rt_Effect<"device_write"> {
  let summary = "gives an element of a buffer of the device a value, behind the work of `compute`";
  let description = [{
    Does not wait: the value goes along with the request.

    - (C1) there is an index for each dimension.

    Example:
    ```mlir
    rt.device_write %v, %m[%i] : f32, memref<4xf32>
    ```
  }];
  let arguments = (ins AnyType:$value, AnyMemRef:$memory, Variadic<Index>:$indices);
  let assemblyFormat = "$value `,` $memory `[` $indices `]` attr-dict `:` type($value) `,` type($memory)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// GPU
//===----------------------------------------------------------------------===//

def Rt_GpuModuleOp : Rt_Op<"gpu_module", [Symbol]> {
  let summary = "code of GPU kernels, as the program has it";
  let description = [{
    `kernels` names the functions, in the order of their numbers. Each image is
    a dictionary of `architecture` (compute capability times ten), `specific`
    (whether no other architecture runs it) and `data`, a cubin. `ptx` is there
    for newer architectures. With `emulated`, each kernel is also a function of
    the host: its name, then ".emulated".

    - (C1) an image is {architecture, specific, data}.

    Example:
    ```mlir
    rt.gpu_module @kernels ["add"] images [{architecture = 80 : i32, specific = false, data = "\7FELF"} ] ptx ".version 8.0"
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrArrayAttr:$kernels, ArrayAttr:$images, OptionalAttr<StrAttr>:$ptx,
    UnitAttr:$emulated, OptionalAttr<StrAttr>:$sym_visibility);
  let assemblyFormat = "$sym_name $kernels `images` $images (`ptx` $ptx^)? (`emulated` $emulated^)? attr-dict";
  let hasVerifier = 1;
}

def Rt_GpuLaunchOp : Rt_Effect<"gpu_launch", [AttrSizedOperandSegments]> {
  let summary = "starts a kernel behind the device's work so far";
  let description = [{
    `kernel` is a function of a `gpu.module` or of the `rt.gpu_module` made of
    it; `node` names what it computes and its place. With no blocks in the grid
    nothing happens. A kernel gets of each argument that is a buffer the address
    of its first element, then its dynamic extents, then its dynamic strides;
    other arguments as they are, an index with 64 bits.

    - (C1) `blocks` and `threads` are three each.

    Example:
    ```mlir
    rt.gpu_launch @kernels::@add blocks(%g, %c1, %c1) threads(%c256, %c1, %c1) shared 0 (%a, %n : memref<?xf32>, index) "add at net.mlir:3"
    ```
  }];
  let arguments = (ins SymbolRefAttr:$kernel, Variadic<Index>:$blocks, Variadic<Index>:$threads, I64Attr:$shared,
    Variadic<AnyType>:$args, StrAttr:$node);
  let assemblyFormat = [{
    $kernel `blocks` `(` $blocks `)` `threads` `(` $threads `)` `shared` $shared
    `(` ($args^ `:` type($args))? `)` $node attr-dict
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Accelerator
//===----------------------------------------------------------------------===//

def Rt_MxuRunOp : Rt_Effect<"mxu_run", [AttrSizedOperandSegments]> {
  let summary = "runs a program of the accelerator";
  let description = [{
    `image` is the program (docs/spec/mxu.md), byte by byte. Inputs and outputs
    are buffers of the device, row-major.

    Example:
    ```mlir
    rt.mxu_run "matmul at net.mlir:3", dense<[1, 2]> : tensor<2xi8> (%x : memref<4x4xi8>) outs (%y : memref<4x4xi32>)
    ```
  }];
  let arguments = (ins StrAttr:$node, ElementsAttr:$image, Variadic<AnyMemRef>:$inputs, Variadic<AnyMemRef>:$outputs);
  let assemblyFormat = [{
    $node `,` $image `(` ($inputs^ `:` type($inputs))? `)` `outs` `(` ($outputs^ `:` type($outputs))? `)` attr-dict
  }];
}

#endif // RT_DEVICE_OPS_TD

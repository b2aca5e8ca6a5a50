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
// and launches. Work is done in the order of the text; a copy waits for what
// was given to the device before.
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

class Rt_CopyOp<string mnemonic> : Rt_Effect<mnemonic> {
  let arguments = (ins AnyMemRef:$source, AnyMemRef:$target);
  let assemblyFormat = "$source `,` $target attr-dict `:` type($source) `to` type($target)";
  let hasVerifier = 1;
}

def Rt_CopyToDeviceOp : Rt_CopyOp<"copy_to_device"> {
  let summary = "copies a buffer of the host to one of the device, and waits";
  let description = [{
    - (C1) both are row-major, of one element type and one static shape.

    Example:
    ```mlir
    rt.copy_to_device %h, %d : memref<4xf32> to memref<4xf32>
    ```
  }];
}

def Rt_CopyToHostOp : Rt_CopyOp<"copy_to_host"> {
  let summary = "copies a buffer of the device to one of the host, and waits";
  let description = [{
    - (C1) both are row-major, of one element type and one static shape.

    Example:
    ```mlir
    rt.copy_to_host %d, %h : memref<4xf32> to memref<4xf32>
    ```
  }];
}

def Rt_DeviceReadOp : Rt_Effect<"device_read"> {
  let summary = "an element of a buffer of the device, once it is there";
  let description = [{
    - (C1) there is an index for each dimension.

    Example:
    ```mlir
    %ok = rt.device_read %flag[] : memref<i8>
    ```
  }];
  let arguments = (ins AnyMemRef:$memory, Variadic<Index>:$indices);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$memory `[` $indices `]` attr-dict `:` type($memory) `->` type($result)";
  let hasVerifier = 1;
}

def Rt_DeviceWriteOp : Rt_Effect<"device_write"> {
  let summary = "gives an element of a buffer of the device a value";
  let description = [{
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

//===- Passes.td - What linalg on buffers becomes GPU kernels -*- tablegen -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_PASSES_CODEGEN_GPU_PASSES_TD
#define WEIR_PASSES_CODEGEN_GPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def GpuMapLinalg : Pass<"weir-gpu-map-linalg", "::mlir::func::FuncOp"> {
  let summary = "each structured op becomes a launch";
  let description = [{
    Structured ops and copies on buffers become `gpu.launch`: contractions in
    tiles in shared memory, reductions by groups of threads, all else with a
    thread for each element of the result. A sequential loop that holds a
    structured op runs in the kernel, so that it is one launch: its threads
    share the elements among themselves, and each does all iterations of its own.
    See docs/rationale/gpu.md.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect", "::mlir::nvgpu::NVGPUDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect",
  ];
}

def GpuDeferChecks : Pass<"weir-gpu-defer-checks", "::mlir::func::FuncOp"> {
  let summary = "the device makes checks of what it has computed";
  let description = [{
    An `rt.assert` about values in memory of the device, such as whether all
    indices of a gather are inside, would have to wait for them. It becomes a
    launch of one thread, which notes the first failure in the step's record
    (`rt.check_record`); the host sees it when it waits for something else.
    Launches behind a check do nothing where the record has a failure, so that
    nothing is read or written at an index that was refused.

    A check stays with the host where the host needs the value anyway.
  }];
  let dependentDialects = ["::weir::rt::RtDialect", "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
}

def GpuSeparateMemory : Pass<"weir-gpu-separate-memory", "::mlir::func::FuncOp"> {
  let summary = "the host's own accesses become copies";
  let description = [{
    Buffers become `rt.device_alloc` and `rt.device_free`. What host code reads
    of them is copied to page-locked memory; it waits for an event behind the
    copies, once for all reads between which nothing changes. What it writes
    becomes `rt.device_write`. Constants are part of the kernels where they are
    small; others are copied to the device.
  }];
  let dependentDialects = ["::weir::rt::RtDialect", "::mlir::memref::MemRefDialect"];
}

def GpuOutlineKernels : Pass<"weir-gpu-outline-kernels", "::mlir::ModuleOp"> {
  let summary = "launches become functions of a gpu.module and rt.gpu_launch";
  let description = [{
    What a launch takes from around it becomes arguments; constants go along.
    Kernels that are alike are one.
  }];
  let dependentDialects = ["::weir::rt::RtDialect", "::mlir::gpu::GPUDialect"];
}

def GpuEmulateKernels : Pass<"weir-gpu-emulate-kernels", "::mlir::ModuleOp"> {
  let summary = "each GPU kernel also becomes a function of the host";
  let description = [{
    Such a function runs all threads of one block (WeirGpuEmulatedFn): a loop
    over the threads for each piece of the kernel between points at which they
    meet (barriers, shuffles, matrix instructions). What a thread has in hand at
    such a point goes to memory of its own. Values that are the same in all
    threads are computed once. Shuffles and matrix instructions follow their
    definitions.

    Nothing happens unless `rt.gpu` of the module has `emulate`.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect",
  ];
}

def GpuCompileKernels : Pass<"weir-gpu-compile-kernels", "::mlir::ModuleOp"> {
  let summary = "a gpu.module becomes PTX and cubins";
  let description = [{
    Lowers a copy of each `gpu.module` to NVVM and to PTX, which ptxas assembles
    for each architecture of `rt.gpu`; an `rt.gpu_module` takes its place.
    Without ptxas there is PTX only, and a remark. Without architectures there
    is no code but that for emulation.
  }];
  let options = [
    Option<"ptxFile", "ptx-file", "std::string", "\"\"", "also write the PTX to this file">,
  ];
  let dependentDialects = [
    "::weir::rt::RtDialect", "::mlir::gpu::GPUDialect", "::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect",
    "::mlir::affine::AffineDialect", "::mlir::cf::ControlFlowDialect",
  ];
}

#endif // WEIR_PASSES_CODEGEN_GPU_PASSES_TD

//===- KernelArguments.h - What a kernel is given ----------------*- C++
//-*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `rt.gpu_launch` takes buffers apart: a kernel gets the address of the first
// element, the dynamic extents and the dynamic strides. Here they become
// buffers again.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_PASSES_CODEGEN_GPU_KERNELARGUMENTS_H
#define WEIR_PASSES_CODEGEN_GPU_KERNELARGUMENTS_H

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"

namespace weir::gpus {

using namespace mlir;

/// The types of what an argument of `type` comes as.
SmallVector<Type> flatTypes(Type type);

/// The argument made of what it came as.
Value rebuildArgument(OpBuilder &b, Location loc,
                      const LLVMTypeConverter &converter, Type type,
                      ValueRange flat);

/// Gives `kernel` the arguments that it is called with.
void lowerArguments(gpu::GPUFuncOp kernel, const LLVMTypeConverter &converter);

/// Replaces a matrix instruction, of f16, bf16 or tf32, by that of NVVM.
void lowerMatrixMultiply(nvgpu::MmaSyncOp op);

} // namespace weir::gpus

#endif // WEIR_PASSES_CODEGEN_GPU_KERNELARGUMENTS_H

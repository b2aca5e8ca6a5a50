//===- Pipeline.cpp - From scheduled functions to GPU code ----------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "passes/Codegen/CPU/Passes.h"
#include "passes/Codegen/Devices/Passes.h"
#include "passes/Codegen/GPU/Passes.h"
#include "passes/Codegen/Kernels/Passes.h"
#include "passes/Codegen/Linalg/Passes.h"

using namespace mlir;

static void buildKernelPasses(OpPassManager &manager) {
  weir::buildCodegenLinalgPipeline(manager);
  weir::buildCodegenBuffersPipeline(manager);
  manager.addNestedPass<func::FuncOp>(weir::createGpuMapLinalg());
  manager.addNestedPass<func::FuncOp>(weir::createCpuPlanMemory());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  manager.addNestedPass<func::FuncOp>(weir::createGpuDeferChecks());
  manager.addNestedPass<func::FuncOp>(weir::createGpuSeparateMemory());
  manager.addPass(weir::createGpuOutlineKernels());
  OpPassManager &kernels =
      manager.nest<gpu::GPUModuleOp>().nest<gpu::GPUFuncOp>();
  kernels.addPass(weir::createCodegenExpandMath());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  manager.addPass(weir::createGpuEmulateKernels());
  manager.addPass(weir::createGpuCompileKernels());
}

void weir::buildCodegenGPUPipeline(OpPassManager &manager) {
  manager.addPass(createOnDevicePass("GPU", buildKernelPasses));
}

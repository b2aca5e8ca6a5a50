//===- Pipeline.cpp - From linalg on tensors to native code ---===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Codegen/CPU/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Affine/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "passes/Codegen/Devices/Passes.h"
#include "passes/Codegen/Kernels/Passes.h"
#include "passes/Codegen/Linalg/Passes.h"

using namespace mlir;

void weir::buildCodegenBuffersPipeline(OpPassManager &manager) {
  manager.addNestedPass<func::FuncOp>(createCpuUpdateInPlace());
  manager.addNestedPass<func::FuncOp>(createCpuAssignBuffers());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  manager.addNestedPass<func::FuncOp>(createCodegenLinalgSeparateInits());
  // Close to bufferization: canonical loops carry nothing in its place.
  manager.addNestedPass<func::FuncOp>(createCpuCarryInPlace());
  manager.addPass(bufferization::createEmptyTensorEliminationPass());
  // What the condition of a loop hands on is made anew each time.
  bufferization::OneShotBufferizePassOptions options;
  options.allowReturnAllocsFromLoops = true;
  manager.addPass(bufferization::createOneShotBufferizePass(options));
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  manager.addNestedPass<func::FuncOp>(createCpuSettleWrites());
}

void weir::buildCodegenCPUPipeline(OpPassManager &manager) {
  buildCodegenBuffersPipeline(manager);
  // From here on, functions that work other devices are like those of the CPU.
  manager.addPass(createCodegenJoinDevices());
  // Loops.
  buildCodegenKernelsPipeline(manager);
  manager.addNestedPass<func::FuncOp>(createCpuPlanMemory());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  // Native code.
  manager.addNestedPass<func::FuncOp>(createCpuOpenRegions());
  manager.addPass(createCpuLowerRuntime());
  manager.addPass(createConvertVectorToSCFPass());
  manager.addPass(memref::createExpandStridedMetadataPass());
  manager.addPass(createLowerAffinePass());
  manager.addPass(createConvertSCFToOpenMPPass());
  // Dissolves the scopes that the pass above makes, which hold one block only.
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createSCFToControlFlowPass());
  manager.addPass(createCpuCallLibm());
  // Masks become values in this pass only, not in the general one below.
  manager.addPass(createConvertVectorToLLVMPass());
  manager.addPass(createConvertToLLVMPass());
  manager.addPass(createReconcileUnrealizedCastsPass());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  manager.addPass(createCpuDescribeProgram());
}

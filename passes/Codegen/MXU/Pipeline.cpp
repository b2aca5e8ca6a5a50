//===- Pipeline.cpp - From kernels to images of the accelerator -----------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Codegen/Devices/Passes.h"
#include "passes/Codegen/MXU/Passes.h"

#include "mlir/Pass/PassManager.h"

void weir::buildCodegenMXUPipeline(mlir::OpPassManager &manager) {
  manager.addPass(createOnDevicePass("MXU", [](mlir::OpPassManager &nested) {
    nested.addPass(createMxuLowerKernels());
    nested.addPass(createMxuAssemble());
  }));
}

//===- EmulateKernels.cpp - GPU kernels as functions of the host ----------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Codegen/GPU/Emulator.h"

#include "lib/Target/GpuTarget.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Codegen/GPU/Passes.h"

namespace weir {
#define GEN_PASS_DEF_GPUEMULATEKERNELS
#include "passes/Codegen/GPU/Passes.h.inc"
} // namespace weir

using namespace mlir;
using namespace weir;

namespace {
struct EmulateKernels : weir::impl::GpuEmulateKernelsBase<EmulateKernels> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    FailureOr<GpuTarget> target = GpuTarget::fromModule(module);
    if (failed(target))
      return signalPassFailure();
    if (!target->emulate)
      return;
    SmallVector<gpu::GPUFuncOp> kernels;
    module.walk([&](gpu::GPUFuncOp kernel) {
      if (kernel.isKernel())
        kernels.push_back(kernel);
    });
    OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
    for (gpu::GPUFuncOp kernel : kernels)
      if (failed(gpus::emulate(b, kernel)))
        return signalPassFailure();
  }
};
} // namespace

//===- Register.cpp - All dialects and passes of Weir -===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Pipeline/Register.h"

#include "dialects/Mxu/Mxu.h"
#include "dialects/Rt/Rt.h"
#include "dialects/Weir/Weir.h"
#include "lib/Pipeline/Phases.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "passes/Autodiff/Passes.h"
#include "passes/Check/Passes.h"
#include "passes/Codegen/CPU/Passes.h"
#include "passes/Codegen/Devices/Passes.h"
#include "passes/Codegen/GPU/Passes.h"
#include "passes/Codegen/Kernels/Passes.h"
#include "passes/Codegen/Linalg/Passes.h"
#include "passes/Codegen/MXU/Passes.h"
#include "passes/Fuse/Passes.h"
#include "passes/Import/Passes.h"
#include "passes/Partition/Passes.h"
#include "passes/Place/Passes.h"
#include "passes/Quantize/Passes.h"
#include "passes/Raise/Passes.h"
#include "passes/Schedule/Passes.h"
#include "passes/Simplify/Passes.h"

void weir::registerAllDialects(mlir::DialectRegistry &registry) {
  registry.insert<WeirDialect, rt::RtDialect, mxu::MxuDialect>();
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::registerAllToLLVMIRTranslations(registry);
}

void weir::registerAllPasses() {
  mlir::registerAllPasses();
  registerCheckPasses();
  registerImportPasses();
  registerSimplifyPasses();
  registerQuantizePasses();
  registerAutodiffPasses();
  registerRaisePasses();
  registerPlacePasses();
  registerPartitionPasses();
  registerFusePasses();
  registerSchedulePasses();
  registerCodegenLinalgPasses();
  registerCodegenKernelsPasses();
  registerCodegenCPUPasses();
  registerCodegenDevicesPasses();
  registerCodegenGPUPasses();
  registerCodegenMXUPasses();
  registerPhasePipelines();
}

//===- CompileKernels.cpp - A gpu.module becomes PTX and cubins -----------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Rt/Rt.h"
#include "lib/Target/GpuTarget.h"
#include "lib/Target/Ptx.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/ModuleTranslation.h"
#include "mlir/Transforms/Passes.h"
#include "passes/Codegen/GPU/KernelArguments.h"
#include "passes/Codegen/GPU/Passes.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

namespace weir {
#define GEN_PASS_DEF_GPUCOMPILEKERNELS
#include "passes/Codegen/GPU/Passes.h.inc"
} // namespace weir

using namespace mlir;
using namespace weir;

namespace {
struct CompileKernels : weir::impl::GpuCompileKernelsBase<CompileKernels> {
  using GpuCompileKernelsBase::GpuCompileKernelsBase;
  void runOnOperation() override;

private:
  LogicalResult compile(gpu::GPUModuleOp code, const GpuTarget &target);
  FailureOr<std::string> ptxOf(gpu::GPUModuleOp code,
                               const std::string &libdevice);
  LogicalResult write(gpu::GPUModuleOp code, StringRef ptx);
};
} // namespace

FailureOr<std::string> CompileKernels::ptxOf(gpu::GPUModuleOp code,
                                             const std::string &libdevice) {
  // The kernels themselves stay as they are until their code is there.
  OpBuilder b(code);
  auto copy = cast<gpu::GPUModuleOp>(b.clone(*code));
  auto erase = llvm::make_scope_exit([&] { copy.erase(); });
  LLVMTypeConverter converter(&getContext());
  copy.walk(
      [&](gpu::GPUFuncOp kernel) { gpus::lowerArguments(kernel, converter); });
  copy.walk(gpus::lowerMatrixMultiply);
  OpPassManager passes(gpu::GPUModuleOp::getOperationName());
  passes.addPass(memref::createExpandStridedMetadataPass());
  passes.addPass(createLowerAffinePass());
  passes.addPass(createSCFToControlFlowPass());
  passes.addPass(createConvertVectorToLLVMPass());
  passes.addPass(createConvertGpuOpsToNVVMOps());
  passes.addPass(createReconcileUnrealizedCastsPass());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  if (failed(runPipeline(passes, copy)))
    return failure();
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module =
      translateModuleToLLVMIR(copy, context, code.getName());
  if (!module)
    return code.emitError() << "[WEIR0154] GPU kernels of '" << code.getName()
                            << "' have no form in LLVM";
  llvm::Expected<std::string> ptx = emitPtx(*module, libdevice);
  if (!ptx)
    return code.emitError()
           << "[WEIR0154] no code for the GPU kernels of '" << code.getName()
           << "': " << llvm::toString(ptx.takeError());
  return *ptx;
}

LogicalResult CompileKernels::write(gpu::GPUModuleOp code, StringRef ptx) {
  std::error_code error;
  llvm::raw_fd_ostream os(ptxFile, error);
  if (!error) {
    os << ptx;
    os.close();
    error = os.error();
    os.clear_error();
  }
  if (error)
    return code.emitError()
           << "[WEIR0154] cannot write " << ptxFile << ": " << error.message();
  return success();
}

LogicalResult CompileKernels::compile(gpu::GPUModuleOp code,
                                      const GpuTarget &target) {
  OpBuilder b(code);
  SmallVector<Attribute> images;
  StringAttr text;
  if (!target.architectures.empty()) {
    std::string ptxas = findPtxas(target.ptxas);
    FailureOr<std::string> ptx = ptxOf(code, findLibdevice(ptxas));
    if (failed(ptx) || (!ptxFile.empty() && failed(write(code, *ptx))))
      return failure();
    text = b.getStringAttr(*ptx);
    if (ptxas.empty())
      code.emitRemark() << "there is no ptxas here: the program has PTX only, "
                           "which the driver assembles when a session begins";
    for (int32_t architecture : target.architectures) {
      if (ptxas.empty())
        break;
      bool isSpecific = false;
      std::string name = architectureName(architecture, isSpecific);
      llvm::Expected<std::string> cubin = assemblePtx(ptxas, *ptx, name);
      if (!cubin)
        return code.emitError()
               << "[WEIR0154] no code for the GPU kernels of '"
               << code.getName() << "': " << llvm::toString(cubin.takeError());
      images.push_back(b.getDictionaryAttr(
          {b.getNamedAttr("architecture", b.getI32IntegerAttr(architecture)),
           b.getNamedAttr("specific", b.getBoolAttr(isSpecific)),
           b.getNamedAttr("data", b.getStringAttr(*cubin))}));
    }
  }
  SmallVector<Attribute> kernels;
  for (auto kernel : code.getOps<gpu::GPUFuncOp>())
    if (kernel.isKernel())
      kernels.push_back(kernel.getNameAttr());
  rt::GpuModuleOp::create(b, code.getLoc(), code.getNameAttr(),
                          b.getArrayAttr(kernels), b.getArrayAttr(images), text,
                          target.emulate ? b.getUnitAttr() : UnitAttr(),
                          StringAttr());
  code.erase();
  return success();
}

void CompileKernels::runOnOperation() {
  ModuleOp module = getOperation();
  FailureOr<GpuTarget> target = GpuTarget::fromModule(module);
  if (failed(target))
    return signalPassFailure();
  for (auto code :
       llvm::make_early_inc_range(module.getOps<gpu::GPUModuleOp>()))
    if (failed(compile(code, *target)))
      return signalPassFailure();
}

//===- OutlineKernels.cpp - Launches become functions ---------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Rt/Rt.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"
#include "passes/Codegen/GPU/Launch.h"
#include "passes/Codegen/GPU/Passes.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"

namespace weir {
#define GEN_PASS_DEF_GPUOUTLINEKERNELS
#include "passes/Codegen/GPU/Passes.h.inc"
} // namespace weir

using namespace mlir;
using namespace weir;
using namespace weir::gpus;

namespace {
struct OutlineKernels : weir::impl::GpuOutlineKernelsBase<OutlineKernels> {
  void runOnOperation() override;

private:
  void outline(gpu::LaunchOp launch);
  gpu::GPUModuleOp code();
  std::string nameFor(StringRef kernel);
  /// The constants that a kernel reads stand beside it.
  void bringConstants(gpu::GPUFuncOp kernel);
  /// `kernel`, or an equal one that was there before; then `kernel` is gone.
  gpu::GPUFuncOp share(gpu::GPUFuncOp kernel);

  gpu::GPUModuleOp module;
  llvm::StringMap<gpu::GPUFuncOp> known;
  llvm::StringSet<> names;
};
} // namespace

gpu::GPUModuleOp OutlineKernels::code() {
  if (!module) {
    OpBuilder b = OpBuilder::atBlockEnd(getOperation().getBody());
    module =
        gpu::GPUModuleOp::create(b, getOperation().getLoc(), "weir_gpu_code");
  }
  return module;
}

/// A name that PTX takes.
std::string OutlineKernels::nameFor(StringRef kernel) {
  std::string name = "k_";
  for (char c : kernel)
    name += llvm::isAlnum(c) ? c : '_';
  std::string unique = name;
  for (int i = 1; !names.insert(unique).second; ++i)
    unique = name + "_" + std::to_string(i);
  return unique;
}

gpu::GPUFuncOp OutlineKernels::share(gpu::GPUFuncOp kernel) {
  std::string text;
  llvm::raw_string_ostream os(text);
  StringAttr name = kernel.getNameAttr();
  kernel.setName("kernel");
  kernel->print(os, OpPrintingFlags().useLocalScope());
  kernel.setName(name);
  auto [place, isNew] = known.try_emplace(text, kernel);
  if (!isNew) {
    names.erase(name.getValue());
    kernel.erase();
  }
  return place->second;
}

void OutlineKernels::bringConstants(gpu::GPUFuncOp kernel) {
  kernel.walk([&](memref::GetGlobalOp use) {
    if (module.lookupSymbol(use.getNameAttr()))
      return;
    auto global = SymbolTable::lookupNearestSymbolFrom<memref::GlobalOp>(
        getOperation(), use.getNameAttr());
    OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
    b.clone(*global);
  });
}

void OutlineKernels::outline(gpu::LaunchOp launch) {
  Location loc = launch.getLoc();
  llvm::SetVector<Value> used;
  getUsedValuesDefinedAbove(launch.getBody(), used);
  SmallVector<Value> arguments;
  SmallVector<Operation *> constants;
  for (Value value : used) {
    if (matchPattern(value, m_Constant()))
      constants.push_back(value.getDefiningOp());
    else
      arguments.push_back(value);
  }
  auto threads = getConstantIntValue(launch.getBlockSizeX());
  OpBuilder b = OpBuilder::atBlockEnd(code().getBody());
  auto type = b.getFunctionType(ValueRange(arguments).getTypes(), {});
  StringRef kernelName =
      launch->getAttrOfType<StringAttr>(kernelAttrName).getValue();
  auto kernel = gpu::GPUFuncOp::create(b, loc, nameFor(kernelName), type);
  kernel->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
  kernel.setKnownBlockSizeAttr(
      b.getDenseI32ArrayAttr({static_cast<int32_t>(*threads), 1, 1}));
  // The launch's own text must not make two kernels differ.
  Block &body = kernel.getBody().front();
  OpBuilder inside = OpBuilder::atBlockEnd(&body);
  IRMapping mapping;
  mapping.map(arguments, body.getArguments());
  for (Operation *constant : constants)
    inside.clone(*constant, mapping);
  auto number = [&](auto op, Value value) { mapping.map(value, op); };
  number(gpu::BlockIdOp::create(inside, loc, gpu::Dimension::x).getResult(),
         launch.getBlockIds().x);
  number(gpu::ThreadIdOp::create(inside, loc, gpu::Dimension::x).getResult(),
         launch.getThreadIds().x);
  for (Operation &op : launch.getBody().front().without_terminator())
    inside.clone(op, mapping);
  gpu::ReturnOp::create(inside, loc);
  bringConstants(kernel);
  kernel = share(kernel);

  OpBuilder host(launch);
  int64_t shared = 0;
  if (Value bytes = launch.getDynamicSharedMemorySize())
    shared = *getConstantIntValue(bytes);
  auto symbol = SymbolRefAttr::get(
      code().getNameAttr(), {FlatSymbolRefAttr::get(kernel.getNameAttr())});
  rt::GpuLaunchOp::create(
      host, loc, symbol,
      ValueRange{launch.getGridSizeX(), launch.getGridSizeY(),
                 launch.getGridSizeZ()},
      ValueRange{launch.getBlockSizeX(), launch.getBlockSizeY(),
                 launch.getBlockSizeZ()},
      host.getI64IntegerAttr(shared), arguments,
      launch->getAttrOfType<StringAttr>(nodeAttrName));
  launch.erase();
}

void OutlineKernels::runOnOperation() {
  module = {};
  known.clear();
  names.clear();
  SmallVector<gpu::LaunchOp> launches;
  getOperation().walk(
      [&](gpu::LaunchOp launch) { launches.push_back(launch); });
  for (gpu::LaunchOp launch : launches)
    outline(launch);
}

//===- OnDevice.cpp - Passes on the kernels of one kind of device ---------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Pass/PassManager.h"
#include "passes/Codegen/Devices/Passes.h"

using namespace mlir;
using namespace weir;

namespace {
struct OnDevice : PassWrapper<OnDevice, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(OnDevice)

  OnDevice(StringRef type, function_ref<void(OpPassManager &)> build)
      : type(type), pipeline(ModuleOp::getOperationName()) {
    build(pipeline);
  }
  OnDevice(const OnDevice &) = default;

  StringRef getName() const override { return "weir-codegen-on-device"; }
  void getDependentDialects(DialectRegistry &registry) const override {
    pipeline.getDependentDialects(registry);
  }
  void runOnOperation() override {
    for (auto nested :
         llvm::make_early_inc_range(getOperation().getOps<ModuleOp>())) {
      auto kind = nested->getAttrOfType<StringAttr>(deviceTypeAttrName);
      if (kind && kind.getValue() == type &&
          failed(runPipeline(pipeline, nested)))
        return signalPassFailure();
    }
  }

  std::string type;
  OpPassManager pipeline;
};
} // namespace

std::unique_ptr<Pass>
weir::createOnDevicePass(StringRef type,
                         function_ref<void(OpPassManager &)> build) {
  return std::make_unique<OnDevice>(type, build);
}

//===- SplitDevices.cpp - Kernels go to the module of their device --------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Rt/Rt.h"
#include "lib/Analysis/DeviceName.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Codegen/Devices/Passes.h"

#include <map>

namespace weir {
#define GEN_PASS_DEF_CODEGENSPLITDEVICES
#include "passes/Codegen/Devices/Passes.h.inc"
} // namespace weir

using namespace mlir;
using namespace weir;

/// The kind of device that runs `function`, or "" for the CPU.
static std::string kindOf(func::FuncOp function) {
  auto device = function->getAttrOfType<StringAttr>(rt::deviceAttrName);
  if (!device)
    return "";
  auto name = DeviceName::parse(device.getValue());
  return name && name->type && *name->type != "CPU" ? *name->type : "";
}

namespace {
struct SplitDevices : weir::impl::CodegenSplitDevicesBase<SplitDevices> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    // In the order of the names, so that the result does not depend on where
    // memory is.
    std::map<std::string, ModuleOp> kinds;
    for (auto function :
         llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
      std::string kind = kindOf(function);
      if (kind.empty())
        continue;
      ModuleOp &nested = kinds[kind];
      if (!nested)
        nested = moduleFor(module, kind);
      function->moveBefore(nested.getBody(), nested.getBody()->end());
    }
  }

  static ModuleOp moduleFor(ModuleOp module, StringRef kind) {
    OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
    auto nested = ModuleOp::create(b, module.getLoc(), "weir_" + kind.lower());
    for (NamedAttribute attribute : module->getDiscardableAttrs())
      if (attribute.getName().strref().starts_with("rt."))
        nested->setAttr(attribute.getName(), attribute.getValue());
    nested->setAttr(deviceTypeAttrName, b.getStringAttr(kind));
    return nested;
  }
};
} // namespace

//===- SetTarget.cpp - Writes down the CPU to compile for -----------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Target/CpuTarget.h"
#include "passes/Codegen/Kernels/Passes.h"

namespace weir {
#define GEN_PASS_DEF_CODEGENSETTARGET
#include "passes/Codegen/Kernels/Passes.h.inc"
} // namespace weir

using namespace mlir;
using namespace weir;

namespace {
class SetTarget : public weir::impl::CodegenSetTargetBase<SetTarget> {
public:
  using CodegenSetTargetBase::CodegenSetTargetBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    CpuTarget target;
    if (module->hasAttr(CpuTarget::attributeName) && cpu.empty()) {
      FailureOr<CpuTarget> present = CpuTarget::fromModule(module);
      if (failed(present))
        return signalPassFailure();
      target = *present;
    } else {
      std::string error;
      FailureOr<CpuTarget> found =
          CpuTarget::named(cpu.empty() ? "native" : cpu.getValue(), error);
      if (failed(found)) {
        module.emitError() << "[WEIR0152] " << error;
        return signalPassFailure();
      }
      target = *found;
    }
    if (threads > 0)
      target.threads = threads;
    target.attachTo(module);
  }
};
} // namespace

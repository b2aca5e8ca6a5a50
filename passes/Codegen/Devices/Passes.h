//===- Passes.h - What parts a program by kinds of devices -*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_PASSES_CODEGEN_DEVICES_PASSES_H
#define WEIR_PASSES_CODEGEN_DEVICES_PASSES_H

#include "mlir/Pass/Pass.h"

namespace weir {

#define GEN_PASS_DECL
#include "passes/Codegen/Devices/Passes.h.inc"

/// On a nested module: the kind of device that its functions run on, "GPU".
constexpr llvm::StringLiteral deviceTypeAttrName = "rt.device_type";

/// A pass on the outer module that runs the passes that `build` adds on the
/// nested module of the kind `type`, where there is one.
std::unique_ptr<mlir::Pass>
createOnDevicePass(llvm::StringRef type,
                   llvm::function_ref<void(mlir::OpPassManager &)> build);

#define GEN_PASS_REGISTRATION
#include "passes/Codegen/Devices/Passes.h.inc"

} // namespace weir

#endif // WEIR_PASSES_CODEGEN_DEVICES_PASSES_H

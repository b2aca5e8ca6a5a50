//===- Passes.h - Programs of the accelerator -------------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_PASSES_CODEGEN_MXU_PASSES_H
#define WEIR_PASSES_CODEGEN_MXU_PASSES_H

#include "mlir/Pass/Pass.h"

namespace weir {

#define GEN_PASS_DECL
#include "passes/Codegen/MXU/Passes.h.inc"

/// Takes the kernels of the nested module for the accelerator, where there is
/// one, to host code and images.
void buildCodegenMXUPipeline(mlir::OpPassManager &manager);

#define GEN_PASS_REGISTRATION
#include "passes/Codegen/MXU/Passes.h.inc"

} // namespace weir

#endif // WEIR_PASSES_CODEGEN_MXU_PASSES_H

//===- Passes.h - What linalg on buffers becomes GPU kernels -*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_PASSES_CODEGEN_GPU_PASSES_H
#define WEIR_PASSES_CODEGEN_GPU_PASSES_H

#include "mlir/Pass/Pass.h"

namespace weir {

#define GEN_PASS_DECL
#include "passes/Codegen/GPU/Passes.h.inc"

/// Adds the passes that make host functions and code of what is in the nested
/// module of GPU kernels, from scheduled functions on. For the outer module.
void buildCodegenGPUPipeline(mlir::OpPassManager &manager);

#define GEN_PASS_REGISTRATION
#include "passes/Codegen/GPU/Passes.h.inc"

} // namespace weir

#endif // WEIR_PASSES_CODEGEN_GPU_PASSES_H

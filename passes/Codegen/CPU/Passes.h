//===- Passes.h - What from linalg on tensors to native code -*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_PASSES_CODEGEN_CPU_PASSES_H
#define WEIR_PASSES_CODEGEN_CPU_PASSES_H

#include "mlir/Pass/Pass.h"

namespace weir {

#define GEN_PASS_DECL
#include "passes/Codegen/CPU/Passes.h.inc"

/// Adds the passes that give tensors of scheduled functions their memory: from
/// linalg on tensors to linalg on buffers. Other devices use them, too.
void buildCodegenBuffersPipeline(mlir::OpPassManager &manager);

/// Adds the passes of this phase, which from linalg on tensors to native code.
void buildCodegenCPUPipeline(mlir::OpPassManager &manager);

#define GEN_PASS_REGISTRATION
#include "passes/Codegen/CPU/Passes.h.inc"

} // namespace weir

#endif // WEIR_PASSES_CODEGEN_CPU_PASSES_H

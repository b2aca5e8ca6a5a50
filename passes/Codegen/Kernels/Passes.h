//===- Passes.h - What linalg on buffers becomes vector loops -*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_PASSES_CODEGEN_KERNELS_PASSES_H
#define WEIR_PASSES_CODEGEN_KERNELS_PASSES_H

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/Pass.h"

namespace weir {

#define GEN_PASS_DECL
#include "passes/Codegen/Kernels/Passes.h.inc"

/// Adds the passes of this phase, which linalg on buffers becomes vector loops.
void buildCodegenKernelsPipeline(mlir::OpPassManager &manager);

#define GEN_PASS_REGISTRATION
#include "passes/Codegen/Kernels/Passes.h.inc"

} // namespace weir

#endif // WEIR_PASSES_CODEGEN_KERNELS_PASSES_H

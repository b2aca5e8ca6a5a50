//===- Passes.h - What groups become linalg on tensors -*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_PASSES_CODEGEN_LINALG_PASSES_H
#define WEIR_PASSES_CODEGEN_LINALG_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir::func {
class FuncOp;
}

namespace weir {

#define GEN_PASS_DECL
#include "passes/Codegen/Linalg/Passes.h.inc"

/// Adds the passes of this phase, which groups become linalg on tensors.
void buildCodegenLinalgPipeline(mlir::OpPassManager &manager);

#define GEN_PASS_REGISTRATION
#include "passes/Codegen/Linalg/Passes.h.inc"

} // namespace weir

#endif // WEIR_PASSES_CODEGEN_LINALG_PASSES_H

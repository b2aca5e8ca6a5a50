//===- Passes.h - What groups pure nodes into kernels -*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_PASSES_FUSE_PASSES_H
#define WEIR_PASSES_FUSE_PASSES_H

#include "dialects/Weir/Weir.h"
#include "mlir/Pass/Pass.h"

namespace weir {

#define GEN_PASS_DECL
#include "passes/Fuse/Passes.h.inc"

/// Adds the passes of this phase, which groups pure nodes into kernels.
void buildFusePipeline(mlir::OpPassManager &manager);

#define GEN_PASS_REGISTRATION
#include "passes/Fuse/Passes.h.inc"

} // namespace weir

#endif // WEIR_PASSES_FUSE_PASSES_H

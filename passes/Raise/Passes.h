//===- Passes.h - Dataflow control flow becomes structured ------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_PASSES_RAISE_PASSES_H
#define WEIR_PASSES_RAISE_PASSES_H

#include "mlir/Pass/Pass.h"

namespace weir {

/// A module with this unit attribute stays dataflow: the passes skip it.
inline constexpr llvm::StringLiteral noRaiseAttrName = "rt.no_raise";

#define GEN_PASS_DECL
#include "passes/Raise/Passes.h.inc"

/// Adds the passes of this phase, which turns dataflow control flow into
/// structured.
void buildRaisePipeline(mlir::OpPassManager &manager);

#define GEN_PASS_REGISTRATION
#include "passes/Raise/Passes.h.inc"

} // namespace weir

#endif // WEIR_PASSES_RAISE_PASSES_H

//===- Passes.h - What folds and merges what is pure -*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_PASSES_SIMPLIFY_PASSES_H
#define WEIR_PASSES_SIMPLIFY_PASSES_H

#include "dialects/Weir/Weir.h"
#include "mlir/Pass/Pass.h"

namespace weir {

#define GEN_PASS_DECL
#include "passes/Simplify/Passes.h.inc"

/// Adds the passes of this phase, which folds and merges what is pure.
void buildSimplifyPipeline(mlir::OpPassManager &manager);

/// True while a graph holds a weir.gradients. What that is taken with respect
/// to is one value among equal ones: until it is expanded, to merge or to fold
/// values could change what it means.
bool hasGradientRequests(GraphOp graph);

/// True where the module asks that every node be left as it is (rt.executor =
/// "tasks").
bool keepsNodes(GraphOp graph);

#define GEN_PASS_REGISTRATION
#include "passes/Simplify/Passes.h.inc"

} // namespace weir

#endif // WEIR_PASSES_SIMPLIFY_PASSES_H

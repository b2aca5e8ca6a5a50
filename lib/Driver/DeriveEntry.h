//===- DeriveEntry.h - An entry point for given feeds and fetches - -*- C++
//-*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_DRIVER_DERIVEENTRY_H
#define WEIR_LIB_DRIVER_DERIVEENTRY_H

#include "lib/Driver/GraphSession.h"
#include "mlir/IR/BuiltinOps.h"

namespace weir {

class GraphOp;

/// Changes a graph into the one that a request asks for: fed values become its
/// arguments, fetches its results, and what they do not need goes. False and
/// errors [WEIR0115] for names that the graph does not have.
bool deriveEntry(GraphOp graph, const EntryRequest &request,
                 Messages &messages);

/// The variables, queues and other declarations of state that some graph uses.
std::vector<mlir::Operation *> usedState(mlir::ModuleOp module);
/// Erases those of `before` that no graph uses any more.
void eraseUnusedState(mlir::ModuleOp module,
                      const std::vector<mlir::Operation *> &before);

} // namespace weir

#endif // WEIR_LIB_DRIVER_DERIVEENTRY_H

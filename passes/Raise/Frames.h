//===- Frames.h - The loops of a graph, as raising sees them ----*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_PASSES_RAISE_FRAMES_H
#define WEIR_PASSES_RAISE_FRAMES_H

#include "dialects/Weir/Weir.h"
#include "llvm/ADT/SetVector.h"
#include <deque>

namespace weir::raise {

/// The body of the graph, or a frame in it. An Enter is a node of the parent,
/// an Exit one of the frame that it leaves.
struct Level {
  llvm::StringRef frame; // "" for the body
  Level *parent = nullptr;
  llvm::SetVector<mlir::Operation *> nodes;
  llvm::SmallVector<EnterOp> enters;
  unsigned children = 0; // that are still dataflow
  bool raised = false;
  bool refused = false; // its loop stays dataflow
};

/// The levels of a graph, parents before children; levels[0] is the body.
/// Nothing where nodes mix frames, which is an error that others report.
std::optional<std::deque<Level>> findLevels(GraphOp graph);

} // namespace weir::raise

#endif // WEIR_PASSES_RAISE_FRAMES_H

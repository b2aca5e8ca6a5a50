//===- Normalize.h - Fewer forms of the same dataflow -----------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_PASSES_RAISE_NORMALIZE_H
#define WEIR_PASSES_RAISE_NORMALIZE_H

#include "passes/Raise/Liveness.h"

namespace weir::raise {

/// Rewrites all levels as dataflow that runs as before: Switch, Enter, Exit,
/// NextIteration and LoopCond wait for nothing but their operands, and nothing
/// waits for their control results where that can be said otherwise.
void normalizeControls(std::deque<Level> &levels);

/// Rewrites the merges of a level: each that surely takes one operand has one
/// operand for each side of one predicate and no control operands, and its
/// index is not used; each header has one Enter and, where it can be said with
/// merges, one NextIteration. Nodes that never run are dropped.
void normalizeMerges(Level &level);

} // namespace weir::raise

#endif // WEIR_PASSES_RAISE_NORMALIZE_H

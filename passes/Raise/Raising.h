//===- Raising.h - The parts of raising -------------------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_PASSES_RAISE_RAISING_H
#define WEIR_PASSES_RAISE_RAISING_H

#include "passes/Raise/Handles.h"
#include "passes/Raise/Plan.h"
#include "llvm/ADT/BitVector.h"

namespace weir::raise {

/// Why a node cannot be in a conditional or a loop; empty where it can.
std::string whyNotRaised(mlir::Operation *op, const Handles &handles);

/// True for a scalar of a type that decides between sides.
bool isPredicate(mlir::Value value);

/// Which nodes of a graph that may wait for other nodes or steps come before
/// and behind a node.
class Waits {
public:
  explicit Waits(GraphOp graph);

  /// True if `ops` as one, which waits for all that they wait for, could wait
  /// for something that waits for it: something behind it that may be awaited
  /// elsewhere is held back by what it did not need.
  bool mayDeadlock(llvm::ArrayRef<mlir::Operation *> ops) const;

private:
  llvm::DenseMap<mlir::Operation *, llvm::BitVector> before;
  llvm::DenseSet<mlir::Operation *> awaited; // such a node is behind it
  unsigned count = 0;
};

/// Turns the conditionals of a level into scf.if, where that is exact.
/// Returns why others stay.
std::vector<Refusal> raiseConditionals(GraphOp graph, Level &level);

/// Turns the loop of a frame into scf.while, where that is exact. Returns why
/// not otherwise, with nothing changed.
std::optional<Refusal> raiseLoop(GraphOp graph, Level &level);

} // namespace weir::raise

#endif // WEIR_PASSES_RAISE_RAISING_H

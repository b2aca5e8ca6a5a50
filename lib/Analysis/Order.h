//===- Order.h - Which nodes run before which -*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_ANALYSIS_ORDER_H
#define WEIR_LIB_ANALYSIS_ORDER_H

#include "lib/Analysis/Frames.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"

namespace weir {

/// The nodes of `block` that its terminator needs, in the order of the text:
/// those that a step runs.
llvm::SmallVector<mlir::Operation *> neededNodes(mlir::Block &block);

/// Paths of edges between some nodes of a block, found all at once.
class Order {
public:
  /// What counts as a path. Some: any, of two nodes of one frame within an
  /// iteration; of others, by way of any iteration. Certain: what the later
  /// node cannot run without, so none through an operand of a merge that has a
  /// choice, nor by way of an earlier iteration.
  enum class Paths { Some, Certain };

  /// Of `nodes`, which are of `block`.
  Order(mlir::Block &block, llvm::ArrayRef<mlir::Operation *> nodes,
        const Frames &frames, Paths paths = Paths::Some);

  /// True where a path leads from `a` to `b`.
  bool isBefore(mlir::Operation *a, mlir::Operation *b) const;

private:
  const Frames &frames;
  Paths paths;
  llvm::DenseMap<mlir::Operation *, unsigned> numbers;
  /// For each node the nodes before it; also by way of earlier iterations.
  llvm::DenseMap<mlir::Operation *, llvm::BitVector> before, everBefore;
};

} // namespace weir

#endif // WEIR_LIB_ANALYSIS_ORDER_H

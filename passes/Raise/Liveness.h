//===- Liveness.h - When the nodes of a frame are live ----------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_PASSES_RAISE_LIVENESS_H
#define WEIR_PASSES_RAISE_LIVENESS_H

#include "passes/Raise/Condition.h"
#include "passes/Raise/Frames.h"

namespace weir::raise {

/// How a merge's operand follows from predicates: a number of an operand, or a
/// predicate with a tree for each side.
struct MergeTree {
  unsigned leaf = 0;
  Literal split; // predicate is null for a leaf
  std::vector<MergeTree> sides;

  bool isLeaf() const { return !split.predicate; }
};

/// True for a merge at which values enter an iteration.
bool isHeader(MergeOp merge);

/// The conditions of the nodes of one level, within one iteration.
class Liveness {
public:
  explicit Liveness(const Level &level);

  /// False where nodes wait for each other without a NextIteration between.
  bool isOrdered() const { return ordered; }
  /// The nodes in an order that respects the edges of one iteration.
  llvm::ArrayRef<mlir::Operation *> getOrder() const { return order; }

  /// When a value of the level is live; always, if it is not of the level. Of
  /// what leaves a loop that is still dataflow, nothing is known.
  Condition of(mlir::Value value) const;
  /// When a node runs.
  Condition of(mlir::Operation *op) const { return nodes.lookup(op); }
  /// Of a merge that surely takes one of its operands when it is live; null
  /// where several may be there, or none.
  const MergeTree *treeOf(MergeOp merge) const {
    auto at = trees.find(merge);
    return at == trees.end() ? nullptr : &at->second;
  }

private:
  void sort(const Level &level);
  void visit(mlir::Operation *op);
  void visit(MergeOp merge);

  bool ordered = true;
  std::vector<mlir::Operation *> order;
  llvm::DenseMap<mlir::Value, Condition> values;
  llvm::DenseMap<mlir::Operation *, Condition> nodes;
  llvm::DenseMap<mlir::Operation *, MergeTree> trees;
};

/// The value that decides: through identity and the like. `inverted` is set
/// where it is the opposite of `predicate`.
mlir::Value rootOf(mlir::Value predicate, bool &inverted);

} // namespace weir::raise

#endif // WEIR_PASSES_RAISE_LIVENESS_H

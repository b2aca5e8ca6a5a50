//===- Plan.h - The structure that a level is given -------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A plan is made before anything is changed: where it turns out that a
// conditional cannot be raised, nothing has happened.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_PASSES_RAISE_PLAN_H
#define WEIR_PASSES_RAISE_PLAN_H

#include "passes/Raise/Liveness.h"
#include <set>

namespace weir::raise {

struct Step;
using Plan = std::vector<Step>;

/// A value that nodes behind a conditional use although it is only there on
/// one side: they are live on that side, too.
struct Crossing {
  mlir::Value value;
  unsigned side;
};

/// A node, or a conditional.
struct Step {
  mlir::Operation *op = nullptr;
  Literal split; // of a conditional
  std::vector<Plan> sides;
  llvm::SmallVector<MergeOp> merges;
  llvm::SmallVector<Crossing> crossings;
};

/// A node of the level and what is left of its condition.
struct Item {
  mlir::Operation *op;
  llvm::SmallVector<Literal, 2> rest;
};

/// Why something stays dataflow.
struct Refusal {
  mlir::Value predicate; // null: for the level
  mlir::Operation *node = nullptr;
  std::string reason;
  mlir::Operation *at = nullptr; // the Switch that decides
};

class Planner {
public:
  /// `managed` are all nodes that will be planned, now or in a later call;
  /// what is not is there from the start. Merges of `kept` join no sides.
  Planner(const Liveness &live, llvm::SetVector<mlir::Operation *> managed,
          const llvm::DenseSet<mlir::Operation *> &kept);

  /// Puts the items in order, all of them unless it is refused.
  std::optional<Plan> plan(std::vector<Item> items);
  const Refusal &getRefusal() const { return refusal; }

  /// True once the node has its place.
  bool isDone(mlir::Operation *op) const { return done.contains(op); }

private:
  using Path = llvm::ArrayRef<Literal>;
  using Placed = llvm::SmallVectorImpl<mlir::Operation *>;

  void fill(Path path, Plan &plan, Placed &placed);
  bool openConditional(Path path, Plan &plan, Placed &placed);
  llvm::SmallVector<Item *> readyItems(Path path);
  llvm::SmallVector<Literal> candidates(Path path);
  size_t leftBehind(Path path, Literal split);
  void addCrossings(Step &step, unsigned side,
                    llvm::ArrayRef<mlir::Operation *> placed);
  bool isAvailable(mlir::Value value) const;
  bool isNeeded(mlir::Value value) const;
  std::optional<Literal> splitOf(const Item &item, Path path) const;
  void place(mlir::Operation *op, Placed &placed);
  void takeBack(llvm::ArrayRef<mlir::Operation *> placed);
  void count(const Item &item, int difference);

  const Liveness &live;
  llvm::SetVector<mlir::Operation *> managed;
  const llvm::DenseSet<mlir::Operation *> &kept;
  llvm::DenseSet<mlir::Operation *> done;
  // How many managed nodes without a place a node waits for, and who waits.
  llvm::DenseMap<mlir::Operation *, unsigned> waiting;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Operation *, 2>>
      users;
  // Of the call in progress: its items and their numbers, the numbers of those
  // that wait for nothing, and how many without a place hang on a predicate.
  std::vector<Item> items;
  llvm::DenseMap<mlir::Operation *, unsigned> numbers;
  std::set<unsigned> ready;
  llvm::DenseMap<mlir::Value, size_t> remaining;
  Refusal refusal;
};

/// True for a Switch that raising dissolves: its sides are its operand.
inline bool isSwitch(mlir::Operation *op) {
  return mlir::isa<SwitchOp, SwitchNOp>(op);
}

} // namespace weir::raise

#endif // WEIR_PASSES_RAISE_PLAN_H

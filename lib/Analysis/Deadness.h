//===- Deadness.h - Which nodes are live together -*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A node is live when all that it takes and waits for is. So when it is live is
// a set of conditions: sides that switches chose, merges of which nothing more
// is known, a loop that is entered. Nodes of one frame whose sets are equal are
// live in the same iterations, or dead in the same.
//
// Two predicates that are different values count as different, so unequal sets
// say nothing.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_ANALYSIS_DEADNESS_H
#define WEIR_LIB_ANALYSIS_DEADNESS_H

#include "lib/Analysis/Frames.h"
#include "llvm/ADT/SmallVector.h"
#include <map>
#include <tuple>

namespace weir {

class Deadness {
public:
  /// The number of a set of conditions.
  using Class = unsigned;
  /// That of what is always live.
  static constexpr Class always = 0;

  Deadness(mlir::Block &block, const Frames &frames);

  /// When a node runs live.
  Class of(mlir::Operation *op) const { return runs.lookup(op); }
  /// When a value is there.
  Class of(mlir::Value value) const;
  /// True where `a` live means `b` live, for values of one frame.
  bool implies(Class a, Class b) const;
  /// True where two nodes of one frame are never live in one iteration: they
  /// need different sides of one predicate.
  bool exclude(Class a, Class b) const;
  /// True where a node is never live: it needs two sides of one predicate.
  bool isNever(Class a) const { return exclude(a, a); }

private:
  enum class Kind { Side, Iteration, Entered, Opaque };
  /// Side: a predicate, how many sides there are, and one of them. Iteration:
  /// a frame. Entered: a frame and a class outside of it. Opaque: a node.
  using Condition = std::tuple<Kind, const void *, unsigned, unsigned>;
  using Conditions = llvm::SmallVector<Condition, 2>;

  Class intern(Conditions set);
  Class with(Class a, Condition condition);
  Class both(Class a, Class b);
  Class opaque(mlir::Operation *op) {
    return intern({{Kind::Opaque, op, 0, 0}});
  }

  void compute(mlir::Block &block);
  void visit(mlir::Operation *op);
  Class ofMerge(mlir::Operation *op);
  bool joinsSides(llvm::ArrayRef<Class> inputs, Class &common);
  bool isRegular(unsigned frame, mlir::Block &block);
  Class ofBody(unsigned frame, unsigned side);

  const Frames &frames;
  std::vector<Conditions> sets;
  std::map<llvm::SmallVector<Condition, 2>, Class> numbers;
  llvm::DenseMap<mlir::Operation *, Class> runs;
  llvm::DenseMap<mlir::Value, Class> sides; // of switches, enters and exits
  /// Frames in which all loop variables go on together, so that one condition
  /// stands for all of them; and when they are entered.
  std::vector<bool> regular;
  std::vector<std::optional<Class>> entered;
};

} // namespace weir

#endif // WEIR_LIB_ANALYSIS_DEADNESS_H

//===- Condition.h - What a node's life hangs on ----------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A node of a frame is live, within one iteration, where every Switch that it
// hangs on went its way: a conjunction of literals. Values outside of the frame
// and constants hang on nothing.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_PASSES_RAISE_CONDITION_H
#define WEIR_PASSES_RAISE_CONDITION_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace weir {

/// A predicate, and the side of its `sides` that it chose. With one side it is
/// no predicate but a value of which nobody can say when it is live.
struct Literal {
  mlir::Value predicate;
  unsigned side = 0;
  unsigned sides = 2;

  bool isOpaque() const { return sides == 1; }
  bool operator==(const Literal &other) const = default;
};

class Condition {
public:
  /// The literals from the outermost to the innermost.
  llvm::ArrayRef<Literal> getLiterals() const { return literals; }
  bool isAlways() const { return !never && literals.empty(); }
  bool isNever() const { return never; }
  bool isOnly(Literal literal) const {
    return !never && literals.size() == 1 && literals.front() == literal;
  }

  /// The side that the condition needs of a predicate.
  std::optional<unsigned> sideOf(mlir::Value predicate) const {
    for (const Literal &literal : literals)
      if (literal.predicate == predicate)
        return literal.side;
    return std::nullopt;
  }

  /// This, and `literal` too.
  void add(Literal literal) {
    std::optional<unsigned> side = sideOf(literal.predicate);
    if (!side)
      literals.push_back(literal);
    else if (*side != literal.side)
      never = true;
  }

  /// This, and `other` too. The longer list says how the two are nested.
  void add(const Condition &other) {
    never |= other.never;
    llvm::SmallVector<Literal, 2> rest(other.literals);
    if (rest.size() > literals.size())
      std::swap(rest, literals);
    for (Literal literal : rest)
      add(literal);
  }

  /// Without the literal of a predicate.
  Condition without(mlir::Value predicate) const {
    Condition result = *this;
    llvm::erase_if(result.literals, [&](const Literal &literal) {
      return literal.predicate == predicate;
    });
    return result;
  }

  /// True where both have the same literals, in whatever order.
  bool isSameAs(const Condition &other) const {
    return never == other.never && literals.size() == other.literals.size() &&
           llvm::all_of(literals, [&](const Literal &literal) {
             return llvm::is_contained(other.literals, literal);
           });
  }

  static Condition makeNever() {
    Condition result;
    result.never = true;
    return result;
  }

private:
  llvm::SmallVector<Literal, 2> literals;
  bool never = false;
};

} // namespace weir

#endif // WEIR_PASSES_RAISE_CONDITION_H

//===- Emit.h - A plan carried out ------------------------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_PASSES_RAISE_EMIT_H
#define WEIR_PASSES_RAISE_EMIT_H

#include "passes/Raise/Handles.h"
#include "passes/Raise/Plan.h"

namespace weir::raise {

class Emitter {
public:
  /// Nodes of `kept` stay dataflow, though they be a Switch or a Merge.
  Emitter(GraphOp graph, const Handles &handles,
          const llvm::DenseSet<mlir::Operation *> &kept)
      : builder(graph.getContext()), handles(handles), kept(kept) {}

  /// Carries out a plan. With `block`, nodes move to its end; without, they
  /// stay where they are, and new ones come beside them.
  void emit(const Plan &plan, mlir::Block *block);

  /// What stands for `value` here and now.
  mlir::Value resolve(mlir::Value value) const;
  /// From here on, `value` is `now`.
  void set(mlir::Value value, mlir::Value now) { current[value] = now; }
  /// From here on, `value` is whatever `other` is.
  void alias(mlir::Value value, mlir::Value other) { aliases[value] = other; }
  /// Puts what stands for them in place of the operands of `op`.
  void rewire(mlir::Operation *op);
  /// Erases the nodes that were dissolved. Nothing uses them any more.
  void finish();
  void dissolve(mlir::Operation *op) { dissolved.push_back(op); }

  mlir::OpBuilder &getBuilder() { return builder; }

  /// The type that carries a value of type `type` out of a region: handles are
  /// known, so only that they are there is carried.
  static mlir::Type carriedType(mlir::Type type) {
    return mlir::isa<ResourceType>(type)
               ? mlir::Type(ControlType::get(type.getContext()))
               : type;
  }
  /// `value`, which is resolved, as something of type carriedType(`type`).
  mlir::Value carry(mlir::Location loc, mlir::Value value, mlir::Type type);
  /// What is carried for `original` as the value that it stands for.
  mlir::Value receive(mlir::Location loc, mlir::Value carried,
                      mlir::Value original);
  /// A scalar tensor as an i1.
  mlir::Value truth(mlir::Location loc, mlir::Value scalar);

  /// Values made out of nothing for the side on which nobody looks.
  mlir::Value dummy(mlir::Location loc, mlir::Type type);

private:
  void emitNode(mlir::Operation *op, mlir::Block *block);
  void emitConditional(const Step &step);

  mlir::OpBuilder builder;
  const Handles &handles;
  const llvm::DenseSet<mlir::Operation *> &kept;
  llvm::DenseMap<mlir::Value, mlir::Value> current, aliases;
  std::vector<mlir::Operation *> dissolved;
};

} // namespace weir::raise

#endif // WEIR_PASSES_RAISE_EMIT_H

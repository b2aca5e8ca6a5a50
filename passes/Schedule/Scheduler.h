//===- Scheduler.h - One graph as a straight-line function ------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_PASSES_SCHEDULE_SCHEDULER_H
#define WEIR_PASSES_SCHEDULE_SCHEDULER_H

#include "dialects/Weir/Weir.h"
#include "lib/Analysis/NodeText.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/MapVector.h"

namespace weir {

/// Writes the function of one graph.
class Scheduler {
public:
  Scheduler(GraphOp graph, mlir::OpBuilder &builder)
      : graph(graph), builder(builder), symbols(graph->getParentOp()) {}

  /// Puts the function in the place of the graph.
  llvm::LogicalResult run();

private:
  /// A variable where the schedule stands.
  struct State {
    mlir::Value value;
    /// Whether there is a value, an i1; null where there surely is one.
    mlir::Value valid;
    /// Whether this step assigned it, an i1; null where it surely did, if
    /// `assigned`, or surely did not.
    mlir::Value written;
    bool assigned = false;
  };
  using States = llvm::MapVector<llvm::StringRef, State>;

  mlir::RankedTensorType typeOf(llvm::StringRef variable) {
    return llvm::cast<mlir::RankedTensorType>(
        symbols.lookup<VariableOp>(variable).getType());
  }
  mlir::Value current(mlir::FlatSymbolRefAttr variable, mlir::Operation *node);
  void touch(llvm::StringRef variable, mlir::Operation *node);
  void assign(mlir::FlatSymbolRefAttr variable, mlir::Value value,
              mlir::Operation *node);
  template <typename OpT>
  void update(mlir::Operation *node, mlir::FlatSymbolRefAttr variable,
              mlir::Value graphDelta);
  llvm::LogicalResult schedule(mlir::Operation *op);
  void isInitialized(IsInitializedOp node);
  void checkNumerics(CheckNumericsOp node);
  void finish(FetchOp fetch);
  mlir::DictionaryAttr signature();
  mlir::Value truth(mlir::Value scalar, mlir::Location loc);
  mlir::Value constant(mlir::Location loc, bool value);
  mlir::Value mapped(mlir::Value value) {
    return values.lookupOrDefault(value);
  }

  // Conditionals and loops.
  llvm::LogicalResult schedule(mlir::scf::IfOp op);
  llvm::LogicalResult schedule(mlir::scf::WhileOp op);
  llvm::LogicalResult scheduleBlock(mlir::Block &from, mlir::Block *to);
  llvm::SetVector<llvm::StringRef> touchAll(mlir::Operation *op);
  mlir::Value writtenOf(const State &variable, mlir::Location loc);
  mlir::Value validOf(const State &variable, mlir::Location loc);

  GraphOp graph;
  mlir::OpBuilder &builder;
  mlir::SymbolTable symbols;
  mlir::IRMapping values;
  mlir::OpBuilder::InsertPoint head; // where variables are read
  States state;
};

} // namespace weir

#endif // WEIR_PASSES_SCHEDULE_SCHEDULER_H

//===- Step.h - One run of one graph -------------------------- -*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_INTERPRETER_STEP_H
#define WEIR_LIB_INTERPRETER_STEP_H

#include "dialects/Weir/Weir.h"
#include "lib/Interpreter/Interpreter.h"
#include "lib/Interpreter/Kernels.h"
#include "llvm/ADT/DenseMap.h"

namespace weir {

/// Runs a graph once on the variables of a session.
class Step {
public:
  Step(GraphOp graph, llvm::StringMap<Tensor> variables)
      : graph(graph), variables(std::move(variables)) {}

  /// The variables as the nodes that ran have left them.
  llvm::StringMap<Tensor> takeVariables() { return std::move(variables); }

  /// The feeds have been checked.
  llvm::Expected<std::vector<Tensor>> run(llvm::ArrayRef<Tensor> feeds);

private:
  /// The nodes that the fetches need, each after what it waits for, else in
  /// the order of the text. An error that names the nodes of a cycle.
  llvm::Expected<std::vector<mlir::Operation *>> order();
  llvm::Error
  cycleError(const llvm::DenseMap<mlir::Operation *, unsigned> &waiting);

  llvm::Error runNode(mlir::Operation *op);
  llvm::Error runGroup(GroupOp op);
  llvm::Error read(ReadOp op);
  enum class Update { Replace, Add, Subtract };
  llvm::Error assign(mlir::Operation *op, llvm::StringRef name,
                     mlir::Value value, Update update);
  llvm::Error checkNumerics(CheckNumericsOp op);
  llvm::Error save(SaveOp op);
  llvm::Error restore(RestoreOp op);

  const Tensor &valueOf(mlir::Value value) const {
    return values.find(value)->second;
  }
  /// Gives a node's result its value: an error if the type declares other
  /// extents than the value has.
  llvm::Error define(mlir::Value result, Tensor value);

  GraphOp graph;
  llvm::StringMap<Tensor> variables;
  llvm::DenseMap<mlir::Value, Tensor> values;
};

} // namespace weir

#endif // WEIR_LIB_INTERPRETER_STEP_H

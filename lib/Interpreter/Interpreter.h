//===- Interpreter.h - Running graphs without compiling them -- -*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The judge: runs the graphs of a module node by node, in plain loops, without
// any of the compiler's lowerings. Slow, and right. What compiled code gives is
// compared with what this gives.
//
// Floats: one operation rounds once, in the element type. Sums and products of
// many elements (reductions, matmul, convolution, softmax) are computed in
// double and rounded at the end, so the judge's value is the better one.
//
// Only what the fetches need runs (and what has to run before it, by control
// edges). Nodes without a path between them run in the order of the text.
//
// An error is text for the user, "[WEIRnnnn] 'node' at file:line: what". A
// step that ends in one changes no variable.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_INTERPRETER_INTERPRETER_H
#define WEIR_LIB_INTERPRETER_INTERPRETER_H

#include "lib/Interpreter/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"
#include <vector>

namespace weir {

class GraphOp;

/// A session over the graphs of one module, which has to outlive it and must
/// not change meanwhile. Not shared between threads.
class Interpreter {
public:
  explicit Interpreter(mlir::ModuleOp module) : module(module) {}

  /// The graph of that name, or an error that lists what there is.
  llvm::Expected<GraphOp> findEntry(llvm::StringRef entry);

  /// Runs one step. `feeds` has one tensor for each argument of the graph;
  /// returns one for each data operand of its weir.fetch. `weir.gradients` has
  /// to be expanded before (--weir-autodiff-expand-gradients).
  llvm::Expected<std::vector<Tensor>> run(llvm::StringRef entry,
                                          llvm::ArrayRef<Tensor> feeds);

  /// The value of a variable: an error if there is none of that name, or if it
  /// was never assigned.
  llvm::Expected<Tensor> getVariable(llvm::StringRef name);
  /// Assigns a variable; element type and extents are those of its declaration.
  llvm::Error setVariable(llvm::StringRef name, Tensor value);

private:
  mlir::ModuleOp module;
  llvm::StringMap<Tensor> variables;
};

} // namespace weir

#endif // WEIR_LIB_INTERPRETER_INTERPRETER_H

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
// Conditionals and loops run as they are written, as dataflow, or raised to
// `scf.if` and `scf.while`.
//
// An error is a StepError: text for the user, "[WEIRnnnn] 'node' at file:line:
// what", and its class. A step that ends in one changes no variable where its
// graph is a straight line (docs/rationale/order-and-effects.md); otherwise the
// state is as the nodes that ran have left it.
//
// There is no other thread: where a step waits, as for an element of a queue,
// and none of its own nodes can help, it ends at once with an error.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_INTERPRETER_INTERPRETER_H
#define WEIR_LIB_INTERPRETER_INTERPRETER_H

#include "lib/Interpreter/Errors.h"
#include "lib/Interpreter/NodeRun.h"
#include "lib/Interpreter/State.h"
#include "mlir/IR/BuiltinOps.h"
#include <vector>

namespace weir {

class Plan;
class Step;

/// A session over the graphs of one module, which has to outlive it and must
/// not change meanwhile. Not shared between threads.
class Interpreter {
public:
  /// With a state that other interpreters have too, or one of its own.
  explicit Interpreter(mlir::ModuleOp module,
                       std::shared_ptr<InterpreterState> state =
                           std::make_shared<InterpreterState>());
  ~Interpreter();
  Interpreter(const Interpreter &) = delete;
  Interpreter &operator=(const Interpreter &) = delete;

  std::shared_ptr<InterpreterState> getState() const { return state; }

  /// The graph of that name, or an error that lists what there is.
  llvm::Expected<GraphOp> findEntry(llvm::StringRef entry);

  /// Runs one step. `feeds` has one tensor for each argument of the graph;
  /// returns one for each data operand of its weir.fetch. `weir.gradients` has
  /// to be expanded before (--weir-autodiff-expand-gradients).
  llvm::Expected<std::vector<Tensor>> run(llvm::StringRef entry,
                                          llvm::ArrayRef<Tensor> feeds,
                                          Interruption interruption = {});

  /// One step whose feeds come, and whose fetches leave, one at a time. After
  /// an error it is over.
  class PartialRun {
  public:
    ~PartialRun();
    PartialRun(const PartialRun &) = delete;
    PartialRun &operator=(const PartialRun &) = delete;

    /// Gives feed `i` its value, once.
    llvm::Error feed(unsigned i, Tensor value);
    /// Runs what can run, and gives fetch `i`, once. FAILED_PRECONDITION where
    /// it needs a feed that has not come; then the run goes on.
    llvm::Expected<Tensor> fetch(unsigned i);
    /// Runs what can still run. An error where all feeds have come and the
    /// step cannot finish.
    llvm::Error end();

  private:
    friend class Interpreter;
    PartialRun(GraphOp graph, std::unique_ptr<Step> step);
    /// Runs what can run; all of it once all feeds have come.
    llvm::Error advance();

    GraphOp graph;
    std::unique_ptr<Step> step;
    llvm::SmallVector<bool> isFed, isFetched;
    /// The error that ended it, which all later calls repeat.
    rt::Status failure;
  };
  /// The run ends before the interpreter does.
  llvm::Expected<std::unique_ptr<PartialRun>>
  begin(llvm::StringRef entry, Interruption interruption = {});

  /// The value of a variable: an error if there is none of that name, or if it
  /// was never assigned.
  llvm::Expected<Tensor> getVariable(llvm::StringRef name);
  /// Assigns a variable; element type and extents are those of its declaration.
  llvm::Error setVariable(llvm::StringRef name, Tensor value);

private:
  llvm::Expected<const Plan *> planOf(GraphOp graph);
  llvm::Expected<std::shared_ptr<VariableCell>>
  findVariable(llvm::StringRef name);

  mlir::ModuleOp module;
  std::shared_ptr<InterpreterState> state;
  Symbols symbols;
  llvm::DenseMap<mlir::Operation *, std::unique_ptr<Plan>> plans;
};

} // namespace weir

#endif // WEIR_LIB_INTERPRETER_INTERPRETER_H

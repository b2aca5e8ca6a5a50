//===- NodeRun.h - One run of one node ------------------------- -*- C++
//-*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a node is given when it runs, and a table of what each kind of node
// does with it. A node that has to wait (for an element of a queue) leaves a
// Wait; the step goes on with others and comes back when it has ended.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_INTERPRETER_NODERUN_H
#define WEIR_LIB_INTERPRETER_NODERUN_H

#include "dialects/Weir/Weir.h"
#include "lib/Interpreter/Datum.h"
#include "lib/Interpreter/Errors.h"
#include "lib/Interpreter/Interruption.h"
#include "lib/Interpreter/State.h"
#include "runtime/core/Cancellation.h"
#include "runtime/state/QueueSpec.h"
#include "llvm/ADT/DenseMap.h"

namespace weir {

/// An operation that ends when somebody else lets it. Owned by the callback
/// that was given to the resource, and by the node that waits.
class Wait : public std::enable_shared_from_this<Wait> {
public:
  /// What to call when it has ended and nobody asks any more; set by the step
  /// when it turns to other nodes.
  std::function<void()> onEnd;
  /// Cancels the operation.
  rt::CancellationToken token;
  /// After so long the operation fails, -1 never.
  int64_t timeoutMs = -1;
  /// For messages: "an element of FIFO queue 'q'".
  std::string what;

  bool hasEnded() const { return ended; }
  void end(rt::Status newStatus, std::vector<rt::TensorRef> newResults);

  /// After the end: what came of it.
  rt::Status status;
  std::vector<rt::TensorRef> results;

private:
  bool ended = false;
};

/// The declared state that the nodes of a module name.
class Symbols {
public:
  Symbols(mlir::ModuleOp module, InterpreterState &state)
      : module(module), state(state) {}

  llvm::Expected<Handle> find(llvm::StringRef name);

private:
  mlir::ModuleOp module;
  InterpreterState &state;
  llvm::StringMap<Handle> known;
};

class NodeRun {
public:
  NodeRun(mlir::Operation *op, mlir::ArrayRef<mlir::Value> inputs,
          llvm::MutableArrayRef<Datum> operands, Symbols &symbols)
      : op(op), inputs(inputs), operands(operands), symbols(symbols),
        results(op->getNumResults()) {}

  mlir::Operation *const op;
  /// The data operands, then what the regions of the node use; and their data,
  /// none of it dead.
  const mlir::ArrayRef<mlir::Value> inputs;
  const llvm::MutableArrayRef<Datum> operands;
  Symbols &symbols;
  /// To be filled in where results are more than control.
  llvm::SmallVector<Datum, 4> results;
  /// Set where the node waits: its data results are those of the operation.
  std::shared_ptr<Wait> wait;
  /// For nodes that run others, perhaps for ever: what ends the step.
  Interruption *interruption = nullptr;

  llvm::Error error(ErrorKind kind, const llvm::Twine &what) const {
    return nodeError(op, kind, what);
  }

  const Tensor &tensor(unsigned i) const { return *operands[i].tensor(); }
  /// Operand `i`, which has to be a scalar, as an integer.
  llvm::Expected<int64_t> integer(unsigned i) const;

  /// Sets the results that are tensors, in order.
  void setTensors(llvm::ArrayRef<Tensor> tensors);
  llvm::Error setTensors(llvm::ArrayRef<rt::TensorRef> tensors);

  /// What operand `i` names. An error unless it is a T; `what` says what that
  /// is: "a queue".
  template <typename T>
  llvm::Expected<std::shared_ptr<T>> resource(unsigned i,
                                              llvm::StringRef what) const {
    if (auto found = std::dynamic_pointer_cast<T>(operands[i].handle()))
      return found;
    return wrongHandle(i, what);
  }

  /// Starts a wait; `timeoutMs` as Wait has it.
  std::shared_ptr<Wait> startWait(int64_t timeoutMs, std::string what);

private:
  llvm::Error wrongHandle(unsigned i, llvm::StringRef what) const;
};

using NodeFunction = llvm::Error (*)(NodeRun &run);

/// What a node does; never null.
NodeFunction nodeFunctionOf(mlir::Operation *op);

/// Runs the node: all results are set, and fit their types, unless run.wait is
/// set and has not ended.
llvm::Error runNode(NodeRun &run, NodeFunction function);
/// The end of a node whose wait has ended.
llvm::Error finishWait(NodeRun &run);
/// An error unless the results of a node fit their types.
llvm::Error checkResults(mlir::Operation *op, llvm::ArrayRef<Datum> results);

/// Runs `scf.if`, `scf.while`, `weir.group`, whose bodies are in order.
llvm::Error runRegions(NodeRun &run);

// The families add their rows to the table.
class NodeTable {
public:
  template <typename Op> void add(NodeFunction function) {
    rows[mlir::TypeID::get<Op>()] = function;
  }
  NodeFunction lookup(mlir::Operation *op) const {
    return rows.lookup(op->getName().getTypeID());
  }

private:
  llvm::DenseMap<mlir::TypeID, NodeFunction> rows;
};
void addValueNodes(NodeTable &table);
void addVariableNodes(NodeTable &table);
void addCheckNodes(NodeTable &table);
void addQueueNodes(NodeTable &table);
void addArrayNodes(NodeTable &table);
void addInputNodes(NodeTable &table);
void addDataNodes(NodeTable &table);

} // namespace weir

#endif // WEIR_LIB_INTERPRETER_NODERUN_H

//===- State.h - What interpreted steps leave behind ----------- -*- C++
//-*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Variables and declared resources by name. Several interpreters of different
// modules may share one InterpreterState, as the sessions of a family share
// theirs; a name means the same thing in all of them and is declared the same.
// Not shared between threads. Queues, barriers, accumulators and readers are
// the runtime's own.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_INTERPRETER_STATE_H
#define WEIR_LIB_INTERPRETER_STATE_H

#include "lib/Interpreter/Datum.h"
#include "mlir/IR/BuiltinOps.h"
#include "runtime/core/Tensor.h"
#include "llvm/ADT/StringMap.h"
#include <map>

namespace weir {

/// A variable: its type, and its value once it was assigned.
class VariableCell final : public rt::Resource {
public:
  /// A type of unknown rank is one of values of any shape.
  VariableCell(std::string name, mlir::TensorType type);

  std::string describe() const override { return "variable '" + name + "'"; }
  WeirDType getDType() const { return dtype; }
  llvm::ArrayRef<int64_t> getShape() const { return shape; }

  /// Empty when a tensor can be the value, else why not.
  std::string mismatch(const Tensor &tensor) const;

  const std::string name;
  std::optional<Tensor> value;

private:
  WeirDType dtype;
  bool hasShape;
  llvm::SmallVector<int64_t, 4> shape;
};

class InterpreterState {
public:
  InterpreterState() = default;
  /// Ends what waits in the resources.
  ~InterpreterState();
  InterpreterState(const InterpreterState &) = delete;
  InterpreterState &operator=(const InterpreterState &) = delete;

  /// What `symbol`, a declaration, means here: made when it is new. An error
  /// when that cannot be made, or when there is another of its name that is
  /// declared differently.
  llvm::Expected<Handle> get(mlir::Operation *symbol);

  /// The values of all variables, to go back to.
  using Values = std::vector<std::pair<VariableCell *, std::optional<Tensor>>>;
  Values saveVariables() const;
  static void restoreVariables(Values values);

private:
  struct Entry {
    Handle resource;
    /// The text of the declaration, to compare others with.
    std::string declaration;
  };
  /// In the order of names, so that nothing depends on addresses.
  std::map<std::string, Entry> entries;
};

/// A tensor of the runtime with the elements of the interpreter's.
rt::Status toRuntime(const Tensor &tensor, rt::TensorRef &result);

} // namespace weir

#endif // WEIR_LIB_INTERPRETER_STATE_H

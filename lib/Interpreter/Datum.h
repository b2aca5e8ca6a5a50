//===- Datum.h - What an edge of a graph carries --------------- -*- C++
//-*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_INTERPRETER_DATUM_H
#define WEIR_LIB_INTERPRETER_DATUM_H

#include "lib/Interpreter/Tensor.h"
#include "runtime/state/Resource.h"
#include <variant>

namespace weir {

/// Names a variable, a queue, a stack, … and keeps it alive.
using Handle = std::shared_ptr<rt::Resource>;

/// One thing that one node hands to another: a tensor, a handle, the bare fact
/// that the node ran (a control edge), or that it did not, and because of whom.
class Datum {
public:
  Datum() = default;
  Datum(Tensor tensor) : content(std::move(tensor)) {}
  Datum(Handle handle) : content(std::move(handle)) {}
  /// What a node gives that did not run. `killer` is the node that decided so:
  /// a switch, as a rule.
  static Datum dead(mlir::Operation *killer) {
    Datum datum;
    datum.content = Dead{killer};
    return datum;
  }

  bool isDead() const { return std::holds_alternative<Dead>(content); }
  mlir::Operation *killer() const { return std::get<Dead>(content).killer; }

  /// Null where it is none.
  const Tensor *tensor() const { return std::get_if<Tensor>(&content); }
  Handle handle() const {
    const Handle *handle = std::get_if<Handle>(&content);
    return handle ? *handle : nullptr;
  }

private:
  struct Ran {};
  struct Dead {
    mlir::Operation *killer;
  };
  std::variant<Ran, Dead, Tensor, Handle> content;
};

} // namespace weir

#endif // WEIR_LIB_INTERPRETER_DATUM_H

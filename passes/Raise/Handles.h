//===- Handles.h - Which state a handle names -------------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_PASSES_RAISE_HANDLES_H
#define WEIR_PASSES_RAISE_HANDLES_H

#include "dialects/Weir/Weir.h"
#include "llvm/ADT/DenseMap.h"

namespace weir {

/// Follows handles through a graph: through identity, Enter, Exit, Switch,
/// NextIteration and Merge, also around loops. Valid while the nodes it was
/// made for are.
class Handles {
public:
  explicit Handles(GraphOp graph);

  /// The symbol that `handle` names whenever it is live; null where that is
  /// not known, or not always the same.
  mlir::FlatSymbolRefAttr operator[](mlir::Value handle) const;

  /// Whether the nodes of the graph ask for more than one device: what is
  /// raised is one node, and so on one.
  bool hasSeveralDevices() const { return severalDevices; }

private:
  bool severalDevices;
  // Absent: nothing is known yet. Null: more than one, or not known.
  llvm::DenseMap<mlir::Value, mlir::FlatSymbolRefAttr> names;
};

} // namespace weir

#endif // WEIR_PASSES_RAISE_HANDLES_H

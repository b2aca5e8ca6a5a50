//===- Accesses.h - What nodes do to the state of a session -*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_ANALYSIS_ACCESSES_H
#define WEIR_LIB_ANALYSIS_ACCESSES_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace weir {

/// The symbols that a handle may name, where it comes through control flow.
/// `isComplete`: there are no others.
struct HandleSources {
  llvm::SmallVector<llvm::StringRef, 2> symbols;
  bool isComplete = true;
};
HandleSources sourcesOf(mlir::Value handle);

enum class AccessKind {
  Read,
  Write,
  /// A write that commutes with others of its kind: adding, subtracting.
  Add,
  /// Of queues, barriers, accumulators: puts something in, takes it out.
  Fill,
  Drain,
  Close
};

struct Access {
  AccessKind kind;
  llvm::SmallVector<llvm::StringRef, 2> symbols;
  bool isComplete = true;
};

/// What a node does to declared state; nothing for most nodes. A reader that
/// takes names from a queue has two.
llvm::SmallVector<Access, 1> accessesOf(mlir::Operation *op);

} // namespace weir

#endif // WEIR_LIB_ANALYSIS_ACCESSES_H

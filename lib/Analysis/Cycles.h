//===- Cycles.h - Nodes that wait for themselves -*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_ANALYSIS_CYCLES_H
#define WEIR_LIB_ANALYSIS_CYCLES_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/SmallVector.h"

namespace weir {

/// The nodes of `block` that `op` waits for, by data and control edges; for an
/// op with regions, also by what its body uses. Without repeats, in the order
/// of the operands.
llvm::SmallVector<mlir::Operation *> predecessors(mlir::Operation *op,
                                                  mlir::Block *block);

/// True for the edge that starts an iteration: from a weir.next_iteration to a
/// weir.merge. Cycles through it are loops; there are no others.
bool isBackEdge(mlir::OpOperand &operand);

/// As predecessors, without those that only a back edge leads to.
llvm::SmallVector<mlir::Operation *>
predecessorsInIteration(mlir::Operation *op, mlir::Block *block);

/// The ops of `block`, each behind its predecessors in the iteration, and
/// otherwise in the order of the text. Ops on a cycle, and those that wait for
/// one, are left out.
llvm::SmallVector<mlir::Operation *> topologicalOrder(mlir::Block &block);

/// The nodes of one cycle of edges in `block`, back edges apart, each waiting
/// for the one before it and the first for the last, beginning with the first
/// in the text; empty where there is none. Does not recurse: a graph may be a
/// million nodes long.
llvm::SmallVector<mlir::Operation *> findCycle(mlir::Block &block);

} // namespace weir

#endif // WEIR_LIB_ANALYSIS_CYCLES_H

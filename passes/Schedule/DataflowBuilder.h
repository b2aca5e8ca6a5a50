//===- DataflowBuilder.h - The table of one graph -*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns a weir.graph into an rt.dataflow. What its nodes compute becomes small
// graphs of their own, without waits: kernels.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_PASSES_SCHEDULE_DATAFLOWBUILDER_H
#define WEIR_PASSES_SCHEDULE_DATAFLOWBUILDER_H

#include "dialects/Rt/Rt.h"
#include "dialects/Weir/Weir.h"
#include "lib/Analysis/Frames.h"
#include "lib/Analysis/NodeText.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringMap.h"

namespace weir {

/// Makes the kernels of one graph, as weir.graph ops in front of it that the
/// pass weir-schedule-order-program turns into functions.
class KernelBuilder {
public:
  explicit KernelBuilder(GraphOp graph) : graph(graph) {}

  /// The kernel of one op of the graph: a group, a pure node, a conditional or
  /// a loop. `inputs` receives what it takes, `controls` what it waits for;
  /// its fetches are the data results of the op. An error names a value that no
  /// kernel can take.
  llvm::FailureOr<mlir::FlatSymbolRefAttr>
  kernelOf(mlir::Operation *op, llvm::SmallVectorImpl<mlir::Value> &inputs,
           llvm::SmallVectorImpl<mlir::Value> &controls);

  /// The kernel that makes a variable's new value out of the old one, of type
  /// `old`, and the operands of the assignment `op`.
  llvm::FailureOr<mlir::FlatSymbolRefAttr> updateOf(mlir::Operation *op,
                                                    mlir::ValueRange operands,
                                                    mlir::RankedTensorType old);

private:
  llvm::LogicalResult checkType(mlir::Operation *op, mlir::Value value);
  /// An empty kernel of that signature.
  GraphOp start(mlir::Location loc, mlir::TypeRange inputs,
                mlir::TypeRange outputs);
  mlir::FlatSymbolRefAttr finish(GraphOp kernel, bool mayShare);

  GraphOp graph;
  unsigned counter = 0;
  /// Kernels of which one serves several nodes, by their text.
  llvm::StringMap<mlir::FlatSymbolRefAttr> shared;
};

} // namespace weir

#endif // WEIR_PASSES_SCHEDULE_DATAFLOWBUILDER_H

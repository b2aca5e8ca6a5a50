//===- Passes.h - Passes of quantization -*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Post-training quantization runs when it is asked for, after `simplify`.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_PASSES_QUANTIZE_PASSES_H
#define WEIR_PASSES_QUANTIZE_PASSES_H

#include "dialects/Weir/Weir.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace weir {

#define GEN_PASS_DECL
#include "passes/Quantize/Passes.h.inc"

/// On a node or a feed: the least and the greatest element that it is expected
/// to have, array<f64: low, high>.
constexpr llvm::StringLiteral rangeAttrName = "rt.range";

/// The range that is known of a value, if there is one.
std::optional<std::pair<double, double>> rangeOf(mlir::Value value);
void setRange(mlir::Value value, double low, double high);

/// A node on int8, and what it took the place of.
struct QuantizedNode {
  std::string name;
  /// The number of the float value among valuesToCalibrate of its graph.
  size_t value;
  mlir::Value result;
  float inputScale, scale;
  int32_t inputZero, zero;
};

/// What quantizeGraph wants to know the ranges of.
llvm::SmallVector<mlir::Value> valuesToCalibrate(GraphOp graph);

/// Rewrites what it can of one graph, and drops the ranges. Fails with an error
/// where a range or a weight cannot be used. `reasons` gets the nodes that stay
/// as they are, with why.
llvm::FailureOr<std::vector<QuantizedNode>>
quantizeGraph(GraphOp graph,
              std::vector<std::pair<mlir::Location, std::string>> &reasons);

/// The error for a module in which quantizeGraph found nothing to do.
void reportNothing(
    mlir::ModuleOp module,
    llvm::ArrayRef<std::pair<mlir::Location, std::string>> reasons);

#define GEN_PASS_REGISTRATION
#include "passes/Quantize/Passes.h.inc"

} // namespace weir

#endif // WEIR_PASSES_QUANTIZE_PASSES_H

//===- Layers.h - What becomes one node on int8 -*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_PASSES_QUANTIZE_LAYERS_H
#define WEIR_PASSES_QUANTIZE_LAYERS_H

#include "dialects/Weir/Weir.h"

namespace weir {

/// A product with constant weights, and what follows it: row by row, its result
/// is relu(input * weights + bias).
struct Layer {
  mlir::Operation *product;
  /// Whole, where there are some.
  mlir::Operation *bias = nullptr, *relu = nullptr;
  /// Whether what follows cuts off what is negative: `relu`, or a ReLU behind
  /// nodes that it may change places with, which then gives its operand.
  bool cutsNegative = false;
  mlir::Operation *laterRelu = nullptr;

  mlir::Value input() const { return product->getOperand(0); }
  mlir::Value weights() const { return product->getOperand(1); }
  mlir::Operation *last() const { return relu ? relu : bias ? bias : product; }
  mlir::Value result() const { return last()->getResult(0); }
  /// The value whose range is that of what the node on int8 gives.
  mlir::Value outcome() const {
    return laterRelu ? laterRelu->getResult(0) : result();
  }
  int64_t columns() const;
  /// The other operand of the addition.
  mlir::Value biasValue() const;
};

struct Layers {
  std::vector<Layer> layers;
  /// Products that stay as they are, and why.
  std::vector<std::pair<mlir::Location, std::string>> reasons;
};

/// The layers of a graph, in the order of the text. They share no node.
Layers findLayers(GraphOp graph);

/// True for a node that gives elements of its first operand, or the largest of
/// some: it does the same to stored numbers.
bool keepsStorage(mlir::Operation *op);

} // namespace weir

#endif // WEIR_PASSES_QUANTIZE_LAYERS_H

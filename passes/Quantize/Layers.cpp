//===- Layers.cpp - What becomes one node on int8 -------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Quantize/Layers.h"

#include "dialects/Weir/Shape.h"

using namespace mlir;

namespace weir {

static RankedTensorType typeOf(Value value) {
  return dyn_cast<RankedTensorType>(value.getType());
}

static bool isFloat32(Value value) {
  RankedTensorType type = typeOf(value);
  return type && type.getElementType().isF32();
}

static bool isFree(Operation *op) {
  auto node = dyn_cast<NodeInterface>(op);
  return node && node.getControlInputs().empty();
}

int64_t Layer::columns() const {
  return typeOf(product->getResult(0)).getShape().back();
}

static Value otherOperand(Operation *op, Value operand) {
  return op->getOperand(op->getOperand(0) == operand ? 1 : 0);
}

Value Layer::biasValue() const {
  return bias ? otherOperand(bias, product->getResult(0)) : Value();
}

bool keepsStorage(Operation *op) {
  return isa<ReshapeOp, ExpandDimsOp, SqueezeOp, TransposeOp, SliceOp,
             IdentityOp, MaxPoolOp>(op) &&
         isFree(op) && isFloat32(op->getOperand(0)) &&
         isFloat32(op->getResult(0));
}

/// The one node that reads `value`, if it is free.
static Operation *onlyUser(Value value) {
  if (!value.hasOneUse())
    return nullptr;
  Operation *user = *value.user_begin();
  return isFree(user) ? user : nullptr;
}

/// Whether `constant` is a bias: the same for all rows, and one number or one
/// for each of `columns`.
static bool isBias(Value value, int64_t columns) {
  if (!value.getDefiningOp<ConstantOp>() || !isFloat32(value))
    return false;
  ArrayRef<int64_t> shape = typeOf(value).getShape();
  return llvm::all_of(shape.drop_back(shape.empty() ? 0 : 1),
                      [](int64_t extent) { return extent == 1; }) &&
         (shape.empty() || shape.back() == 1 || shape.back() == columns);
}

/// Why a product stays as it is; empty where it need not.
static std::string whyNot(Operation *op) {
  if (!isFloat32(op->getOperand(0)) || !isFloat32(op->getOperand(1)))
    return "its elements are not f32";
  if (!isFree(op))
    return "it waits for other nodes";
  if (!op->getOperand(1).getDefiningOp<ConstantOp>())
    return "its weights are no constant (--restore=PREFIX makes constants of "
           "variables)";
  if (op->getOperand(0).getDefiningOp<ConstantOp>())
    return "both operands are constants";
  if (auto matmul = dyn_cast<MatmulOp>(op))
    if (typeOf(matmul.getLhs()).getRank() != 2 ||
        typeOf(matmul.getRhs()).getRank() != 2 || matmul.getTransposeLhs())
      return "it is no product of a matrix of rows with a matrix of weights";
  if (llvm::is_contained(typeOf(op->getOperand(1)).getShape(), 0))
    return "there are no weights";
  return "";
}

static Layer layerOf(Operation *product) {
  Layer layer;
  layer.product = product;
  Type type = product->getResult(0).getType();
  auto next = [&] { return onlyUser(layer.last()->getResult(0)); };
  if (Operation *add = next();
      isa_and_nonnull<AddOp>(add) && add->getResult(0).getType() == type &&
      isBias(otherOperand(add, product->getResult(0)), layer.columns()))
    layer.bias = add;
  if (Operation *relu = next(); isa_and_nonnull<ReluOp>(relu))
    layer.relu = relu;
  layer.cutsNegative = layer.relu != nullptr;
  // max(0, x) changes places with what moves elements or takes the largest.
  Operation *later = next();
  while (later && !layer.relu && keepsStorage(later))
    later = onlyUser(later->getResult(0));
  if (!layer.relu && isa_and_nonnull<ReluOp>(later)) {
    layer.laterRelu = later;
    layer.cutsNegative = true;
  }
  return layer;
}

Layers findLayers(GraphOp graph) {
  Layers result;
  for (Operation &op : graph.getBody().front()) {
    if (!isa<MatmulOp, Conv2dOp>(op))
      continue;
    std::string why = whyNot(&op);
    if (why.empty())
      result.layers.push_back(layerOf(&op));
    else
      result.reasons.emplace_back(
          op.getLoc(), "'" + WeirDialect::describe(&op) + "': " + why);
  }
  return result;
}

} // namespace weir

//===- TensorArray.cpp - Stacks and tensor arrays -----------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// What a stack or an array holds is not in its type: what is put in says it,
// perhaps in a later round of the conversion.

#include "lib/Frontend/GraphDef/Convert/Converters.h"

using namespace weir;
using namespace weir::graphdef;
using mlir::Type;

static constexpr int64_t kOpen = mlir::ShapedType::kDynamic;

//===----------------------------------------------------------------------===//
// Stacks
//===----------------------------------------------------------------------===//

static LogicalResult convertStack(NodeConversion &n) {
  Type element = n.elementTypeAttr("elem_type");
  if (!element)
    return mlir::failure();
  Value size = n.inputCount()
                   ? n.anyTensor(0)
                   : n.constantInts({-1}, n.scalarType(n.builder.getI32Type()));
  if (!size)
    return mlir::failure();
  mlir::Operation *op =
      n.makeStateful<StackOp>(size, ResourceType::get(n.builder.getContext()),
                              n.type("element", element));
  n.factsOf(op->getResult(0)).origin = n.index;
  return n.outputsOf(op);
}

static LogicalResult convertPush(NodeConversion &n) {
  Value handle = n.handle(0), value = n.anyTensor(1);
  if (!handle || !value)
    return mlir::failure();
  n.addContent(handle, value.getType());
  return n.outputsOf(
      n.makeStateful<StackPushOp>({handle, value}, value.getType()));
}

/// The type of what a handle's state holds, if it is of `element`.
static Type heldType(NodeConversion &n, Value handle, Type element) {
  auto held =
      llvm::dyn_cast_or_null<mlir::RankedTensorType>(n.contentOf(handle));
  if (held && held.getElementType() == element)
    return held;
  return mlir::UnrankedTensorType::get(element);
}

static LogicalResult convertPop(NodeConversion &n) {
  Value handle = n.handle(0);
  Type element = n.elementTypeAttr("elem_type");
  if (!handle || !element)
    return mlir::failure();
  return n.outputsOf(
      n.makeStateful<StackPopOp>(handle, heldType(n, handle, element)));
}

template <typename OpT> static LogicalResult convertDrop(NodeConversion &n) {
  return n.outputsOf(n.makeStateful<OpT>(n.handle(0), {}));
}

//===----------------------------------------------------------------------===//
// Tensor arrays
//===----------------------------------------------------------------------===//

static Type flowType(NodeConversion &n) {
  return n.scalarType(n.builder.getF32Type());
}

static LogicalResult convertArray(NodeConversion &n) {
  Type element = n.elementTypeAttr("dtype");
  Value size = n.anyTensor(0);
  if (!element || !size)
    return mlir::failure();
  Type type = n.tensorType(shapeAttr(n.node, "element_shape"), element);
  llvm::SmallVector<mlir::NamedAttribute> attrs{n.type("element", type)};
  if (boolAttr(n.node, "dynamic_size").value_or(false))
    attrs.push_back(n.unit("dynamic_size"));
  if (boolAttr(n.node, "clear_after_read").value_or(true))
    attrs.push_back(n.unit("clear_after_read"));
  if (boolAttr(n.node, "identical_element_shapes").value_or(false))
    attrs.push_back(n.unit("identical_element_shapes"));
  mlir::Operation *op = n.makeStateful<TensorArrayOp>(
      size, {ResourceType::get(n.builder.getContext()), flowType(n)}, attrs);
  n.factsOf(op->getResult(0)).origin = n.index;
  n.addContent(op->getResult(0), type);
  // An array that cannot grow keeps its size.
  if (!boolAttr(n.node, "dynamic_size").value_or(false) && n.isConstant(0))
    if (std::optional<int64_t> known = n.integer(0))
      n.factsOf(op->getResult(0)).size = *known;
  return n.outputsOf(op);
}

/// The gradients of an array are of the shapes of its elements.
static LogicalResult convertArrayGradient(NodeConversion &n) {
  Value handle = n.handle(0), flow = n.anyTensor(1);
  if (!handle || !flow)
    return mlir::failure();
  mlir::Operation *op = n.makeStateful<TensorArrayGradientOp>(
      {handle, flow}, {ResourceType::get(n.builder.getContext()), flowType(n)},
      n.text("source", stringAttr(n.node, "source").value_or("")));
  n.factsOf(op->getResult(0)).origin = n.factsOf(handle).origin;
  return n.outputsOf(op);
}

static LogicalResult convertWrite(NodeConversion &n) {
  Value handle = n.handle(0), index = n.anyTensor(1), value = n.anyTensor(2);
  Value flow = n.anyTensor(3);
  if (!handle || !index || !value || !flow)
    return mlir::failure();
  n.addContent(handle, value.getType());
  return n.outputsOf(n.makeStateful<TensorArrayWriteOp>(
      {handle, index, value, flow}, flowType(n)));
}

static LogicalResult convertArrayRead(NodeConversion &n) {
  Value handle = n.handle(0), index = n.anyTensor(1), flow = n.anyTensor(2);
  Type element = n.elementTypeAttr("dtype");
  if (!handle || !index || !flow || !element)
    return mlir::failure();
  return n.outputsOf(n.makeStateful<TensorArrayReadOp>(
      {handle, index, flow}, heldType(n, handle, element)));
}

/// One row of a tensor.
static Type rowOf(Type type) {
  auto ranked = llvm::dyn_cast<mlir::RankedTensorType>(type);
  if (!ranked || ranked.getRank() == 0)
    return type;
  return mlir::RankedTensorType::get(ranked.getShape().drop_front(),
                                     ranked.getElementType());
}

static LogicalResult convertArrayGather(NodeConversion &n) {
  Value handle = n.handle(0), indices = n.anyTensor(1), flow = n.anyTensor(2);
  Type element = n.elementTypeAttr("dtype");
  if (!handle || !indices || !flow || !element)
    return mlir::failure();
  auto places = llvm::dyn_cast<mlir::RankedTensorType>(indices.getType());
  int64_t count =
      places && places.getRank() == 1 ? places.getDimSize(0) : kOpen;
  return n.outputsOf(n.makeStateful<TensorArrayGatherOp>(
      {handle, indices, flow}, batchOf(heldType(n, handle, element), count)));
}

static LogicalResult convertArrayScatter(NodeConversion &n) {
  Value handle = n.handle(0), indices = n.anyTensor(1), value = n.anyTensor(2);
  Value flow = n.anyTensor(3);
  if (!handle || !indices || !value || !flow)
    return mlir::failure();
  n.addContent(handle, rowOf(value.getType()));
  return n.outputsOf(n.makeStateful<TensorArrayScatterOp>(
      {handle, indices, value, flow}, flowType(n)));
}

static LogicalResult convertArrayConcat(NodeConversion &n) {
  Value handle = n.handle(0), flow = n.anyTensor(1);
  Type element = n.elementTypeAttr("dtype");
  if (!handle || !flow || !element)
    return mlir::failure();
  Type type = batchOf(rowOf(heldType(n, handle, element)), kOpen);
  Type lengths = mlir::RankedTensorType::get({kOpen}, n.builder.getI64Type());
  return n.outputsOf(
      n.makeStateful<TensorArrayConcatOp>({handle, flow}, {type, lengths}));
}

static LogicalResult convertArraySplit(NodeConversion &n) {
  Value handle = n.handle(0), value = n.anyTensor(1), lengths = n.anyTensor(2);
  Value flow = n.anyTensor(3);
  if (!handle || !value || !lengths || !flow)
    return mlir::failure();
  n.addContent(handle, batchOf(rowOf(value.getType()), kOpen));
  return n.outputsOf(n.makeStateful<TensorArraySplitOp>(
      {handle, value, lengths, flow}, flowType(n)));
}

static LogicalResult convertArraySize(NodeConversion &n) {
  Value handle = n.handle(0), flow = n.anyTensor(1);
  if (!handle || !flow)
    return mlir::failure();
  if (int64_t size = n.factsOf(handle).size; size >= 0)
    return n.outputBehind(
        n.constantInts({size}, n.scalarType(n.builder.getI32Type())), flow);
  return n.outputsOf(n.makeStateful<TensorArraySizeOp>(
      {handle, flow}, n.scalarType(n.builder.getI32Type())));
}

void weir::graphdef::addTensorArrayConverters(ConverterTable &table) {
  table["Stack"] = table["StackV2"] = convertStack;
  table["StackPush"] = table["StackPushV2"] = convertPush;
  table["StackPop"] = table["StackPopV2"] = convertPop;
  table["StackClose"] = table["StackCloseV2"] = convertDrop<StackCloseOp>;
  for (const char *version : {"V2", "V3"}) {
    auto row = [&](const char *op, OpConverter converter) {
      table[std::string(op) + version] = converter;
    };
    row("TensorArray", convertArray);
    row("TensorArrayGrad", convertArrayGradient);
    row("TensorArrayWrite", convertWrite);
    row("TensorArrayRead", convertArrayRead);
    row("TensorArrayGather", convertArrayGather);
    row("TensorArrayScatter", convertArrayScatter);
    row("TensorArrayConcat", convertArrayConcat);
    row("TensorArraySplit", convertArraySplit);
    row("TensorArraySize", convertArraySize);
    row("TensorArrayClose", convertDrop<TensorArrayCloseOp>);
  }
}

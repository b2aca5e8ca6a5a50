//===- MathOps.cpp - Element-wise mathematics
//-----------------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Weir/Builders.h"
#include "dialects/Weir/Shape.h"
#include "dialects/Weir/Weir.h"

using namespace mlir;

namespace weir {

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Infers the shape of element-wise operands; `element` is the result's.
static LogicalResult inferElementwise(ValueRange operands, Type element,
                                      InferContext context,
                                      SmallVectorImpl<Type> &types) {
  SmallVector<int64_t> shape;
  for (Value operand : operands) {
    auto joined = broadcast(shape, typeOf(operand).getShape());
    if (!joined) // add_c2
      return context.error()
             << "[WEIR0020] shapes " << shapeText(shape) << " and "
             << shapeText(typeOf(operand).getShape()) << " do not broadcast";
    shape = std::move(*joined);
  }
  types.push_back(RankedTensorType::get(shape, element));
  return success();
}

static LogicalResult inferBinary(Value lhs, Value rhs, Type element,
                                 InferContext context,
                                 SmallVectorImpl<Type> &types) {
  if (typeOf(lhs).getElementType() != typeOf(rhs).getElementType()) // add_c1
    return context.error() << "[WEIR0021] element types "
                           << typeOf(lhs).getElementType() << " and "
                           << typeOf(rhs).getElementType()
                           << " differ; cast one of them";
  return inferElementwise({lhs, rhs}, element, context, types);
}

#define WEIR_INFER_UNARY(OP)                                                   \
  LogicalResult OP::infer(Adaptor adaptor, InferContext,                       \
                          SmallVectorImpl<Type> &types) {                      \
    types.push_back(adaptor.getInput().getType());                             \
    return success();                                                          \
  }
WEIR_INFER_UNARY(NegOp)
WEIR_INFER_UNARY(AbsOp)
WEIR_INFER_UNARY(SignOp)
WEIR_INFER_UNARY(SquareOp)
WEIR_INFER_UNARY(ReciprocalOp)
WEIR_INFER_UNARY(ExpOp)
WEIR_INFER_UNARY(Expm1Op)
WEIR_INFER_UNARY(LogOp)
WEIR_INFER_UNARY(Log1pOp)
WEIR_INFER_UNARY(SqrtOp)
WEIR_INFER_UNARY(RsqrtOp)
WEIR_INFER_UNARY(SinOp)
WEIR_INFER_UNARY(CosOp)
WEIR_INFER_UNARY(TanhOp)
WEIR_INFER_UNARY(ErfOp)
WEIR_INFER_UNARY(SigmoidOp)
WEIR_INFER_UNARY(ReluOp)
WEIR_INFER_UNARY(FloorOp)
WEIR_INFER_UNARY(CeilOp)
WEIR_INFER_UNARY(RoundOp)
WEIR_INFER_UNARY(LogicalNotOp)
#undef WEIR_INFER_UNARY

LogicalResult IsFiniteOp::infer(Adaptor adaptor, InferContext context,
                                SmallVectorImpl<Type> &types) {
  return inferElementwise(adaptor.getInput(),
                          IntegerType::get(context.context, 1), context, types);
}

#define WEIR_INFER_BINARY(OP)                                                  \
  LogicalResult OP::infer(Adaptor adaptor, InferContext context,               \
                          SmallVectorImpl<Type> &types) {                      \
    return inferBinary(adaptor.getLhs(), adaptor.getRhs(),                     \
                       typeOf(adaptor.getLhs()).getElementType(), context,     \
                       types);                                                 \
  }
WEIR_INFER_BINARY(AddOp)
WEIR_INFER_BINARY(SubOp)
WEIR_INFER_BINARY(MulOp)
WEIR_INFER_BINARY(DivOp)
WEIR_INFER_BINARY(PowOp)
WEIR_INFER_BINARY(MaximumOp)
WEIR_INFER_BINARY(MinimumOp)
WEIR_INFER_BINARY(LogicalAndOp)
WEIR_INFER_BINARY(LogicalOrOp)
WEIR_INFER_BINARY(LogicalXorOp)
#undef WEIR_INFER_BINARY

LogicalResult CompareOp::infer(Adaptor adaptor, InferContext context,
                               SmallVectorImpl<Type> &types) {
  return inferBinary(adaptor.getLhs(), adaptor.getRhs(),
                     IntegerType::get(context.context, 1), context, types);
}

LogicalResult SelectOp::infer(Adaptor adaptor, InferContext context,
                              SmallVectorImpl<Type> &types) {
  Type element = typeOf(adaptor.getOnTrue()).getElementType();
  if (element != typeOf(adaptor.getOnFalse()).getElementType()) // select_c1
    return context.error() << "[WEIR0021] element types " << element << " and "
                           << typeOf(adaptor.getOnFalse()).getElementType()
                           << " differ; cast one of them";
  return inferElementwise(
      {adaptor.getCondition(), adaptor.getOnTrue(), adaptor.getOnFalse()},
      element, context, types);
}

LogicalResult CastOp::infer(Adaptor adaptor, InferContext context,
                            SmallVectorImpl<Type> &types) {
  if (!isElementType(adaptor.getTo()) ||
      isa<StringType>(adaptor.getTo())) // cast_c1
    return context.error()
           << "[WEIR0022] casts to a numeric or boolean element type, got "
           << adaptor.getTo();
  types.push_back(RankedTensorType::get(typeOf(adaptor.getInput()).getShape(),
                                        adaptor.getTo()));
  return success();
}

//===----------------------------------------------------------------------===//
// Folding. A node with control operands stays: the wait is its point.
// Nothing is folded that changes a float: x + 0 turns -0 into 0, x * 0 is not
// 0 for NaN.
//===----------------------------------------------------------------------===//

static bool isSplat(Attribute attribute, double value) {
  auto dense = dyn_cast_or_null<DenseElementsAttr>(attribute);
  if (!dense || !dense.isSplat())
    return false;
  if (isa<FloatType>(dense.getElementType()))
    return dense.getSplatValue<llvm::APFloat>().isExactlyValue(value) &&
           !dense.getSplatValue<llvm::APFloat>().isNegZero();
  if (isa<IntegerType>(dense.getElementType()))
    return dense.getSplatValue<llvm::APInt>().getSExtValue() ==
           static_cast<int64_t>(value);
  return false;
}

static bool isInteger(Value value) {
  return isa<IntegerType>(typeOf(value).getElementType());
}

/// Puts the one constant operand of an op that commutes last, where a fold
/// looks for it. Upstream's Commutative trait would move control operands too.
static bool moveConstantLast(Operation *op, Attribute lhs, Attribute rhs) {
  if (!lhs || rhs)
    return false;
  Value constant = op->getOperand(0);
  op->setOperand(0, op->getOperand(1));
  op->setOperand(1, constant);
  return true;
}

OpFoldResult AddOp::fold(FoldAdaptor adaptor) {
  if (moveConstantLast(*this, adaptor.getLhs(), adaptor.getRhs()))
    return getResult();
  if (getControls().empty() && isInteger(getLhs()) &&
      isSplat(adaptor.getRhs(), 0) && getLhs().getType() == getType())
    return forward(getLhs(), *this);
  return {};
}

OpFoldResult SubOp::fold(FoldAdaptor adaptor) {
  // x - 0 is x, -0 and NaN included.
  if (getControls().empty() && isSplat(adaptor.getRhs(), 0) &&
      getLhs().getType() == getType())
    return forward(getLhs(), *this);
  return {};
}

OpFoldResult MulOp::fold(FoldAdaptor adaptor) {
  if (moveConstantLast(*this, adaptor.getLhs(), adaptor.getRhs()))
    return getResult();
  if (getControls().empty() && isSplat(adaptor.getRhs(), 1) &&
      getLhs().getType() == getType())
    return forward(getLhs(), *this);
  return {};
}

OpFoldResult DivOp::fold(FoldAdaptor adaptor) {
  if (getControls().empty() && isSplat(adaptor.getRhs(), 1) &&
      getLhs().getType() == getType())
    return forward(getLhs(), *this);
  return {};
}

OpFoldResult CastOp::fold(FoldAdaptor) {
  if (getControls().empty() && getInput().getType() == getType())
    return forward(getInput(), *this);
  return {};
}

} // namespace weir

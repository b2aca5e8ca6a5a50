//===- MathOps.td - Element-wise mathematics -*- tablegen -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_MATH_OPS_TD
#define WEIR_MATH_OPS_TD

include "dialects/Weir/WeirBase.td"

// An element-wise node. `scalarRow` builds one element out of the elements `x`
// of the operands; `b` makes arith and math ops.
class Weir_ElementwiseNode<string mnemonic, dag inputs, code scalarRow, Weir_Gradient gradient>
    : Weir_PureNode<mnemonic, inputs, gradient, [DeclareOpInterfaceMethods<Weir_ElementwiseInterface>]> {
  code scalarDefinition = [{
    ::mlir::Value $cppClass::buildScalar(::weir::ScalarBuilder &b, ::mlir::ValueRange x) { return }] # scalarRow # [{; }
  }];
  let extraClassDefinition = nodeDefinition # formatDefinition # gradientDefinition # inferDefinition # scalarDefinition;
}

class Weir_UnaryNode<string mnemonic, Type type, string what, code scalarRow, code gradientRow>
    : Weir_ElementwiseNode<mnemonic, (ins type:$input), scalarRow, Weir_Gradient<gradientRow>> {
  let summary = what;
  let description = [{
    For each element x.

    - (C1) the result has the type of the operand.

    Example:
    ```mlir
    %y = weir.}] # mnemonic # [{ %x : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let results = (outs type:$result);
}

// Two operands that broadcast as NumPy's do, but for extents only known at
// run time: those never broadcast (see docs/spec/broadcasting.md).
class Weir_BinaryNode<string mnemonic, Type type, string what, code scalarRow, code gradientRow>
    : Weir_ElementwiseNode<mnemonic, (ins type:$lhs, type:$rhs), scalarRow, Weir_Gradient<gradientRow>> {
  let summary = what;
  let description = [{
    - (C1) the operands have one element type, which is the result's.
    - (C2) their shapes broadcast: aligned at the last dimension, extents are
      equal or one of them is statically 1.

    Example:
    ```mlir
    %z = weir.}] # mnemonic # [{ %x, %y : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
    ```
  }];
  let results = (outs type:$result);
}

//===----------------------------------------------------------------------===//
// One operand
//===----------------------------------------------------------------------===//

def Weir_NegOp : Weir_UnaryNode<"neg", Weir_SignedTensor, "the negative",
  [{b.neg(x[0])}],
  [{b.neg(dy)}]>;
def Weir_AbsOp : Weir_UnaryNode<"abs", Weir_SignedTensor, "the absolute value",
  [{b.abs(x[0])}],
  [{b.mul(dy, b.sign(getInput()))}]>;
def Weir_SignOp : Weir_UnaryNode<"sign", Weir_SignedTensor, "-1, 0 or 1 (NaN stays NaN)",
  [{b.sign(x[0])}],
  [{::mlir::Value()}]>;
def Weir_SquareOp : Weir_UnaryNode<"square", Weir_NumberTensor, "the square",
  [{b.mul(x[0], x[0])}],
  [{b.mul(dy, b.scale(getInput(), 2.0))}]>;
def Weir_ReciprocalOp : Weir_UnaryNode<"reciprocal", Weir_FloatTensor, "1 / x",
  [{b.div(b.constant(1.0), x[0])}],
  [{b.neg(b.mul(dy, b.square(getResult())))}]>;
def Weir_ExpOp : Weir_UnaryNode<"exp", Weir_FloatTensor, "e to the x",
  [{b.exp(x[0])}],
  [{b.mul(dy, getResult())}]>;
def Weir_Expm1Op : Weir_UnaryNode<"expm1", Weir_FloatTensor, "e to the x, less 1",
  [{b.expm1(x[0])}],
  [{b.mul(dy, b.addScalar(getResult(), 1.0))}]>;
def Weir_LogOp : Weir_UnaryNode<"log", Weir_FloatTensor, "the natural logarithm",
  [{b.log(x[0])}],
  [{b.div(dy, getInput())}]>;
def Weir_Log1pOp : Weir_UnaryNode<"log1p", Weir_FloatTensor, "the natural logarithm of 1 + x",
  [{b.log1p(x[0])}],
  [{b.div(dy, b.addScalar(getInput(), 1.0))}]>;
def Weir_SqrtOp : Weir_UnaryNode<"sqrt", Weir_FloatTensor, "the square root",
  [{b.sqrt(x[0])}],
  [{b.div(b.scale(dy, 0.5), getResult())}]>;
def Weir_RsqrtOp : Weir_UnaryNode<"rsqrt", Weir_FloatTensor, "1 / the square root",
  [{b.rsqrt(x[0])}],
  [{b.mul(b.scale(dy, -0.5), b.div(getResult(), getInput()))}]>;
def Weir_SinOp : Weir_UnaryNode<"sin", Weir_FloatTensor, "the sine",
  [{b.sin(x[0])}],
  [{b.mul(dy, b.cos(getInput()))}]>;
def Weir_CosOp : Weir_UnaryNode<"cos", Weir_FloatTensor, "the cosine",
  [{b.cos(x[0])}],
  [{b.neg(b.mul(dy, b.sin(getInput())))}]>;
def Weir_TanhOp : Weir_UnaryNode<"tanh", Weir_FloatTensor, "the hyperbolic tangent",
  [{b.tanh(x[0])}],
  [{b.mul(dy, b.oneMinus(b.square(getResult())))}]>;
def Weir_ErfOp : Weir_UnaryNode<"erf", Weir_FloatTensor, "the error function",
  [{b.erf(x[0])}],
  [{b.mul(dy, b.scale(b.exp(b.neg(b.square(getInput()))), 1.1283791670955126))}]>;
def Weir_SigmoidOp : Weir_UnaryNode<"sigmoid", Weir_FloatTensor, "1 / (1 + e to the -x)",
  [{b.sigmoid(x[0])}],
  [{b.mul(dy, b.mul(getResult(), b.oneMinus(getResult())))}]>;
def Weir_ReluOp : Weir_UnaryNode<"relu", Weir_SignedTensor, "max(x, 0); NaN stays NaN",
  [{b.relu(x[0])}],
  [{b.select(b.compare(getResult(), b.zerosLike(getResult()), ComparePredicate::gt), dy, b.zerosLike(dy))}]>;
def Weir_FloorOp : Weir_UnaryNode<"floor", Weir_FloatTensor, "the largest integer that is not larger",
  [{b.floor(x[0])}],
  [{::mlir::Value()}]>;
def Weir_CeilOp : Weir_UnaryNode<"ceil", Weir_FloatTensor, "the smallest integer that is not smaller",
  [{b.ceil(x[0])}],
  [{::mlir::Value()}]>;
def Weir_RoundOp : Weir_UnaryNode<"round", Weir_FloatTensor, "the nearest integer, ties to even",
  [{b.roundEven(x[0])}],
  [{::mlir::Value()}]>;

def Weir_IsFiniteOp : Weir_ElementwiseNode<"is_finite", (ins Weir_FloatTensor:$input), [{b.isFinite(x[0])}], Weir_NoGradient> {
  let summary = "whether each element is neither NaN nor infinite";
  let description = [{
    Example:
    ```mlir
    %y = weir.is_finite %x : (tensor<4xf32>) -> tensor<4xi1>
    ```
  }];
  let results = (outs Weir_BoolTensor:$result);
}

def Weir_LogicalNotOp : Weir_ElementwiseNode<"logical_not", (ins Weir_BoolTensor:$input), [{b.logicalNot(x[0])}], Weir_NoGradient> {
  let summary = "the negation of booleans";
  let description = [{
    Example:
    ```mlir
    %y = weir.logical_not %x : (tensor<4xi1>) -> tensor<4xi1>
    ```
  }];
  let results = (outs Weir_BoolTensor:$result);
}

def Weir_OutOfRangeEnum : Weir_Enum<"OutOfRange", "what a float outside the range of an integer type becomes", [
    I32EnumAttrCase<"saturate", 0>, I32EnumAttrCase<"minimum", 1>]>;
def Weir_OutOfRange : Weir_EnumAttr<Weir_OutOfRangeEnum, "out_of_range">;

def Weir_CastOp : Weir_ElementwiseNode<"cast", (ins Weir_PodTensor:$input, TypeAttr:$to,
      DefaultValuedAttr<Weir_OutOfRange, "::weir::OutOfRange::saturate">:$out_of_range),
    [{b.cast(x[0], ::mlir::cast<::mlir::RankedTensorType>(getInput().getType()).getElementType(), getTo(), getOutOfRange())}],
    Weir_Gradient<[{b.castLike(dy, getInput())}]>> {
  let summary = "the same numbers in another element type";
  let description = [{
    A float becomes an integer by truncation. One that is NaN or out of range
    saturates, NaN giving 0 (XLA), or becomes the type's minimum (TensorFlow):
    `out_of_range` says which. Anything but 0 becomes `true`.

    - (C1) `to` is a numeric or boolean element type; the result has it, and
      the shape of the operand.

    Example:
    ```mlir
    %y = weir.cast %x {to = i32} : (tensor<4xf32>) -> tensor<4xi32>
    ```
  }];
  let results = (outs Weir_PodTensor:$result);
  let hasFolder = 1;
}

//===----------------------------------------------------------------------===//
// Two operands
//===----------------------------------------------------------------------===//

def Weir_AddOp : Weir_BinaryNode<"add", Weir_NumberTensor, "the sum; integers wrap",
  [{b.add(x[0], x[1])}],
  [{b.reduceTo(dy, getLhs()), b.reduceTo(dy, getRhs())}]> { let hasFolder = 1; }
def Weir_SubOp : Weir_BinaryNode<"sub", Weir_NumberTensor, "the difference; integers wrap",
  [{b.sub(x[0], x[1])}],
  [{b.reduceTo(dy, getLhs()), b.reduceTo(b.neg(dy), getRhs())}]> { let hasFolder = 1; }
def Weir_MulOp : Weir_BinaryNode<"mul", Weir_NumberTensor, "the product; integers wrap",
  [{b.mul(x[0], x[1])}],
  [{b.reduceTo(b.mul(dy, getRhs()), getLhs()), b.reduceTo(b.mul(dy, getLhs()), getRhs())}]> { let hasFolder = 1; }
def Weir_DivOp : Weir_BinaryNode<"div", Weir_FloatTensor, "the quotient",
  [{b.div(x[0], x[1])}],
  [{b.reduceTo(b.div(dy, getRhs()), getLhs()), b.reduceTo(b.neg(b.div(b.mul(dy, getResult()), getRhs())), getRhs())}]> { let hasFolder = 1; }
def Weir_PowOp : Weir_BinaryNode<"pow", Weir_FloatTensor, "lhs to the power of rhs",
  [{b.pow(x[0], x[1])}],
  [{b.reduceTo(b.mul(dy, b.mul(getRhs(), b.pow(getLhs(), b.addScalar(getRhs(), -1.0)))), getLhs()),
    b.reduceTo(b.mul(dy, b.mul(getResult(), b.logOrZero(getLhs()))), getRhs())}]>;
def Weir_MaximumOp : Weir_BinaryNode<"maximum", Weir_NumberTensor, "the larger; NaN wins; the gradient at a tie goes to lhs",
  [{b.maximum(x[0], x[1])}],
  [{b.reduceTo(b.where(b.compare(getLhs(), getRhs(), ComparePredicate::ge), dy), getLhs()),
    b.reduceTo(b.where(b.compare(getLhs(), getRhs(), ComparePredicate::lt), dy), getRhs())}]>;
def Weir_MinimumOp : Weir_BinaryNode<"minimum", Weir_NumberTensor, "the smaller; NaN wins; the gradient at a tie goes to lhs",
  [{b.minimum(x[0], x[1])}],
  [{b.reduceTo(b.where(b.compare(getLhs(), getRhs(), ComparePredicate::le), dy), getLhs()),
    b.reduceTo(b.where(b.compare(getLhs(), getRhs(), ComparePredicate::gt), dy), getRhs())}]>;

def Weir_ComparePredicateEnum : Weir_Enum<"ComparePredicate", "how two elements compare", [
    I32EnumAttrCase<"eq", 0>, I32EnumAttrCase<"ne", 1>, I32EnumAttrCase<"lt", 2>,
    I32EnumAttrCase<"le", 3>, I32EnumAttrCase<"gt", 4>, I32EnumAttrCase<"ge", 5>]>;
def Weir_ComparePredicate : Weir_EnumAttr<Weir_ComparePredicateEnum, "compare">;

def Weir_CompareOp : Weir_ElementwiseNode<"compare",
    (ins Weir_PodTensor:$lhs, Weir_PodTensor:$rhs, Weir_ComparePredicate:$predicate),
    [{b.compare(x[0], x[1], getPredicate())}], Weir_NoGradient> {
  let summary = "how the elements compare; NaN is unequal to all";
  let description = [{
    - (C1) the operands have one element type; the result's is `i1`.
    - (C2) their shapes broadcast.

    Example:
    ```mlir
    %z = weir.compare %x, %y {predicate = #weir.compare<lt>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    ```
  }];
  let results = (outs Weir_BoolTensor:$result);
}

class Weir_LogicalNode<string mnemonic, string what, code scalarRow>
    : Weir_ElementwiseNode<mnemonic, (ins Weir_BoolTensor:$lhs, Weir_BoolTensor:$rhs), scalarRow, Weir_NoGradient> {
  let summary = what;
  let description = [{
    - (C1) the operands are booleans.
    - (C2) their shapes broadcast.

    Example:
    ```mlir
    %z = weir.}] # mnemonic # [{ %x, %y : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
    ```
  }];
  let results = (outs Weir_BoolTensor:$result);
}
def Weir_LogicalAndOp : Weir_LogicalNode<"logical_and", "both", [{b.logicalAnd(x[0], x[1])}]>;
def Weir_LogicalOrOp : Weir_LogicalNode<"logical_or", "either or both", [{b.logicalOr(x[0], x[1])}]>;
def Weir_LogicalXorOp : Weir_LogicalNode<"logical_xor", "one but not both", [{b.logicalXor(x[0], x[1])}]>;

//===----------------------------------------------------------------------===//
// Three operands
//===----------------------------------------------------------------------===//

def Weir_SelectOp : Weir_ElementwiseNode<"select",
    (ins Weir_BoolTensor:$condition, Weir_PodTensor:$on_true, Weir_PodTensor:$on_false), [{b.select(x[0], x[1], x[2])}],
    Weir_Gradient<[{::mlir::Value(), b.reduceTo(b.where(getCondition(), dy), getOnTrue()),
      b.reduceTo(b.where(b.logicalNot(getCondition()), dy), getOnFalse())}]>> {
  let summary = "on_true where the condition holds, else on_false";
  let description = [{
    - (C1) `on_true` and `on_false` have one element type, which is the result's.
    - (C2) the three shapes broadcast.

    Example:
    ```mlir
    %z = weir.select %c, %x, %y : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let results = (outs Weir_PodTensor:$result);
}

#endif // WEIR_MATH_OPS_TD

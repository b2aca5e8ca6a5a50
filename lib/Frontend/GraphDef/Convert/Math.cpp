//===- Math.cpp - Element-wise ops and products of matrices -------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Weir/Shape.h"
#include "lib/Frontend/GraphDef/Convert/Converters.h"

#include <limits>

using namespace weir;
using namespace weir::graphdef;
using mlir::Type;

template <typename OpT> static LogicalResult convertUnary(NodeConversion &n) {
  return n.emit<OpT>(n.tensor(0));
}

template <typename OpT> static LogicalResult convertBinary(NodeConversion &n) {
  return n.emit<OpT>({n.tensor(0), n.tensor(1)});
}

template <ComparePredicate predicate>
static LogicalResult convertCompare(NodeConversion &n) {
  return n.output(n.compare(n.tensor(0), n.tensor(1), predicate));
}

static LogicalResult convertIsNan(NodeConversion &n) {
  Value x = n.tensor(0);
  return n.output(n.compare(x, x, ComparePredicate::ne));
}

static LogicalResult convertIsInf(NodeConversion &n) {
  Value x = n.make<AbsOp>(n.tensor(0));
  return n.output(
      n.compare(x, n.scalarLike(x, std::numeric_limits<double>::infinity()),
                ComparePredicate::eq));
}

static LogicalResult convertSquaredDifference(NodeConversion &n) {
  return n.emit<SquareOp>(n.make<SubOp>({n.tensor(0), n.tensor(1)}));
}

/// a / b, and 0 where b is 0; or a * b, and 0 where b is.
template <typename OpT> static LogicalResult convertNoNan(NodeConversion &n) {
  Value a = n.tensor(0), b = n.tensor(1);
  Value zero = n.scalarLike(b, 0);
  return n.emit<SelectOp>(
      {n.compare(b, zero, ComparePredicate::eq), zero, n.make<OpT>({a, b})});
}

/// a * f(b), and 0 where a is 0.
static LogicalResult convertXlogy(NodeConversion &n) {
  Value a = n.tensor(0), b = n.tensor(1), zero = n.scalarLike(a, 0);
  return n.emit<SelectOp>({n.compare(a, zero, ComparePredicate::eq), zero,
                           n.make<MulOp>({a, n.make<LogOp>(b)})});
}

static LogicalResult convertXdivy(NodeConversion &n) {
  Value a = n.tensor(0), b = n.tensor(1), zero = n.scalarLike(a, 0);
  return n.emit<SelectOp>(
      {n.compare(a, zero, ComparePredicate::eq), zero, n.make<DivOp>({a, b})});
}

static LogicalResult convertAddN(NodeConversion &n) {
  if (n.inputCount() == 0)
    return n.fail("it has no inputs");
  if (takesHandle(n))
    return addLists(n);
  Value sum = n.tensor(0);
  for (unsigned i = 1; i < n.inputCount(); ++i)
    sum = n.make<AddOp>({sum, n.tensor(i)});
  return n.inputCount() == 1 ? n.emit<IdentityOp>(sum) : n.output(sum);
}

static LogicalResult convertBiasAdd(NodeConversion &n) {
  Value x = n.tensor(0), bias = n.tensor(1);
  if (!x || !bias)
    return mlir::failure();
  int64_t rank = n.typeOf(x).getRank();
  if (stringAttr(n.node, "data_format").value_or("NHWC") == "NCHW" &&
      rank > 2) {
    llvm::SmallVector<int64_t> axes;
    for (int64_t axis = 1; axis < rank - 1; ++axis)
      axes.push_back(axis);
    bias = n.make<ExpandDimsOp>(bias, n.array("axes", axes));
  }
  return n.emit<AddOp>({x, bias});
}

static LogicalResult convertSelect(NodeConversion &n) {
  Value condition = n.tensor(0), a = n.tensor(1), b = n.tensor(2);
  if (!condition || !a || !b)
    return mlir::failure();
  // The condition may be a vector that chooses among rows.
  int64_t rank = n.typeOf(a).getRank();
  if (n.node.op == "Select" && n.typeOf(condition).getRank() == 1 && rank > 1) {
    llvm::SmallVector<int64_t> axes;
    for (int64_t axis = 1; axis < rank; ++axis)
      axes.push_back(axis);
    condition = n.make<ExpandDimsOp>(condition, n.array("axes", axes));
  }
  return n.emit<SelectOp>({condition, a, b});
}

static LogicalResult convertCast(NodeConversion &n) {
  Value x = n.tensor(0);
  Type to = n.elementTypeAttr("DstT");
  if (!x || !to)
    return mlir::failure();
  if (n.elementOf(x) == to)
    return n.emit<IdentityOp>(x);
  return n.output(n.cast(x, to));
}

static LogicalResult convertClip(NodeConversion &n) {
  return n.emit<MaximumOp>(
      {n.make<MinimumOp>({n.tensor(0), n.tensor(2)}), n.tensor(1)});
}

static LogicalResult convertTan(NodeConversion &n) {
  Value x = n.tensor(0);
  return n.emit<DivOp>({n.make<SinOp>(x), n.make<CosOp>(x)});
}

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

static LogicalResult convertSoftplus(NodeConversion &n) {
  Value x = n.tensor(0);
  Value small = n.make<Log1pOp>(n.make<ExpOp>(n.make<NegOp>(n.make<AbsOp>(x))));
  return n.emit<AddOp>({small, n.make<ReluOp>(x)});
}

static LogicalResult convertSoftsign(NodeConversion &n) {
  Value x = n.tensor(0);
  return n.emit<DivOp>(
      {x, n.make<AddOp>({n.make<AbsOp>(x), n.scalarLike(x, 1)})});
}

static LogicalResult convertRelu6(NodeConversion &n) {
  Value x = n.tensor(0);
  return n.emit<MinimumOp>({n.make<ReluOp>(x), n.scalarLike(x, 6)});
}

static LogicalResult convertLeakyRelu(NodeConversion &n) {
  Value x = n.tensor(0);
  double alpha = floatAttr(n.node, "alpha").value_or(0.2f);
  return n.emit<SelectOp>(
      {n.compare(x, n.scalarLike(x, 0), ComparePredicate::gt), x,
       n.make<MulOp>({x, n.scalarLike(x, alpha)})});
}

static LogicalResult convertElu(NodeConversion &n) {
  Value x = n.tensor(0);
  return n.emit<SelectOp>(
      {n.compare(x, n.scalarLike(x, 0), ComparePredicate::lt),
       n.make<Expm1Op>(x), x});
}

static LogicalResult convertSelu(NodeConversion &n) {
  constexpr double scale = 1.0507009873554804934193349852946;
  constexpr double scaleAlpha = 1.7580993408473768599402175208123;
  Value x = n.tensor(0);
  return n.emit<SelectOp>(
      {n.compare(x, n.scalarLike(x, 0), ComparePredicate::lt),
       n.make<MulOp>({n.make<Expm1Op>(x), n.scalarLike(x, scaleAlpha)}),
       n.make<MulOp>({x, n.scalarLike(x, scale)})});
}

//===----------------------------------------------------------------------===//
// Products of matrices
//===----------------------------------------------------------------------===//

static LogicalResult convertMatMul(NodeConversion &n) {
  bool isBatch = llvm::StringRef(n.node.op).starts_with("Batch");
  llvm::SmallVector<mlir::NamedAttribute> attrs;
  if (boolAttr(n.node, isBatch ? "adj_x" : "transpose_a").value_or(false))
    attrs.push_back(n.unit("transpose_lhs"));
  if (boolAttr(n.node, isBatch ? "adj_y" : "transpose_b").value_or(false))
    attrs.push_back(n.unit("transpose_rhs"));
  return n.emit<MatmulOp>({n.tensor(0), n.tensor(1)}, attrs);
}

void weir::graphdef::addMathConverters(ConverterTable &table) {
  table["Neg"] = convertUnary<NegOp>;
  table["Abs"] = convertUnary<AbsOp>;
  table["Sign"] = convertUnary<SignOp>;
  table["Square"] = convertUnary<SquareOp>;
  table["Reciprocal"] = table["Inv"] = convertUnary<ReciprocalOp>;
  table["Exp"] = convertUnary<ExpOp>;
  table["Expm1"] = convertUnary<Expm1Op>;
  table["Log"] = convertUnary<LogOp>;
  table["Log1p"] = convertUnary<Log1pOp>;
  table["Sqrt"] = convertUnary<SqrtOp>;
  table["Rsqrt"] = convertUnary<RsqrtOp>;
  table["Sin"] = convertUnary<SinOp>;
  table["Cos"] = convertUnary<CosOp>;
  table["Tan"] = convertTan;
  table["Tanh"] = convertUnary<TanhOp>;
  table["Erf"] = convertUnary<ErfOp>;
  table["Sigmoid"] = convertUnary<SigmoidOp>;
  table["Floor"] = convertUnary<FloorOp>;
  table["Ceil"] = convertUnary<CeilOp>;
  table["Round"] = table["Rint"] = convertUnary<RoundOp>;
  table["IsFinite"] = convertUnary<IsFiniteOp>;
  table["IsNan"] = convertIsNan;
  table["IsInf"] = convertIsInf;
  table["LogicalNot"] = convertUnary<LogicalNotOp>;

  table["Add"] = table["AddV2"] = convertBinary<AddOp>;
  table["Sub"] = convertBinary<SubOp>;
  table["Mul"] = convertBinary<MulOp>;
  table["RealDiv"] = convertBinary<DivOp>;
  table["Pow"] = convertBinary<PowOp>;
  table["Maximum"] = convertBinary<MaximumOp>;
  table["Minimum"] = convertBinary<MinimumOp>;
  table["SquaredDifference"] = convertSquaredDifference;
  table["DivNoNan"] = convertNoNan<DivOp>;
  table["MulNoNan"] = convertNoNan<MulOp>;
  table["Xlogy"] = convertXlogy;
  table["Xdivy"] = convertXdivy;
  table["LogicalAnd"] = convertBinary<LogicalAndOp>;
  table["LogicalOr"] = convertBinary<LogicalOrOp>;
  table["Less"] = convertCompare<ComparePredicate::lt>;
  table["LessEqual"] = convertCompare<ComparePredicate::le>;
  table["Greater"] = convertCompare<ComparePredicate::gt>;
  table["GreaterEqual"] = convertCompare<ComparePredicate::ge>;
  table["Equal"] = convertCompare<ComparePredicate::eq>;
  table["NotEqual"] = convertCompare<ComparePredicate::ne>;
  table["AddN"] = table["AccumulateNV2"] = convertAddN;
  table["BiasAdd"] = table["BiasAddV1"] = convertBiasAdd;
  table["Select"] = table["SelectV2"] = convertSelect;
  table["Cast"] = convertCast;
  table["ClipByValue"] = convertClip;

  table["Relu"] = convertUnary<ReluOp>;
  table["Relu6"] = convertRelu6;
  table["LeakyRelu"] = convertLeakyRelu;
  table["Elu"] = convertElu;
  table["Selu"] = convertSelu;
  table["Softplus"] = convertSoftplus;
  table["Softsign"] = convertSoftsign;

  table["MatMul"] = convertMatMul;
  table["BatchMatMul"] = table["BatchMatMulV2"] = convertMatMul;
}

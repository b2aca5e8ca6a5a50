//===- Reductions.cpp - Reductions, softmax, losses ---------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Frontend/GraphDef/Convert/Converters.h"

using namespace weir;
using namespace weir::graphdef;
using mlir::Type;

/// The axes that input `i` names, ascending.
static std::optional<llvm::SmallVector<int64_t>>
readAxes(NodeConversion &n, unsigned i, int64_t rank) {
  std::optional<llvm::SmallVector<int64_t>> axes = n.integers(i);
  if (!axes)
    return std::nullopt;
  for (int64_t &axis : *axes) {
    std::optional<int64_t> sane = n.axis(axis, rank);
    if (!sane)
      return std::nullopt;
    axis = *sane;
  }
  llvm::sort(*axes);
  if (std::adjacent_find(axes->begin(), axes->end()) != axes->end()) {
    (void)n.fail("an axis is named twice");
    return std::nullopt;
  }
  return axes;
}

static bool keepsDims(const Node &node) {
  return boolAttr(node, "keep_dims")
      .value_or(boolAttr(node, "keepdims").value_or(false));
}

template <typename OpT>
static Value reduce(NodeConversion &n, Value x, llvm::ArrayRef<int64_t> axes,
                    bool keepDims) {
  llvm::SmallVector<mlir::NamedAttribute> attrs{n.array("axes", axes)};
  if (keepDims)
    attrs.push_back(n.unit("keep_dims"));
  return n.make<OpT>(x, attrs);
}

template <typename OpT> static LogicalResult convertReduce(NodeConversion &n) {
  Value x = n.tensor(0);
  if (!x)
    return mlir::failure();
  auto axes = readAxes(n, 1, n.typeOf(x).getRank());
  if (!axes)
    return mlir::failure();
  return n.output(reduce<OpT>(n, x, *axes, keepsDims(n.node)));
}

static llvm::SmallVector<int64_t> allAxes(Value x) {
  auto axes = llvm::seq<int64_t>(0, NodeConversion::typeOf(x).getRank());
  return llvm::SmallVector<int64_t>(axes.begin(), axes.end());
}

static LogicalResult convertL2Loss(NodeConversion &n) {
  Value x = n.tensor(0);
  if (!x)
    return mlir::failure();
  Value sum = reduce<ReduceSumOp>(n, n.make<SquareOp>(x), allAxes(x), false);
  return n.emit<MulOp>({sum, n.scalarLike(sum, 0.5)});
}

template <typename OpT> static LogicalResult convertArg(NodeConversion &n) {
  Value x = n.tensor(0);
  std::optional<int64_t> named = n.integer(1);
  if (!x || !named)
    return mlir::failure();
  std::optional<int64_t> axis = n.axis(*named, n.typeOf(x).getRank());
  Type to =
      n.elementType(typeAttr(n.node, "output_type").value_or(pb::DT_INT64));
  if (!axis || !to)
    return mlir::failure();
  return n.emit<OpT>(x, {n.i64("axis", *axis), n.type("to", to),
                         n.attr("nan", NanRuleAttr::get(n.builder.getContext(),
                                                        NanRule::skip))});
}

template <typename OpT> static LogicalResult convertRows(NodeConversion &n) {
  return n.emit<OpT>(n.tensor(0));
}

/// Losses of rows and their gradients.
static LogicalResult convertCrossEntropy(NodeConversion &n) {
  Value logits = n.tensor(0), labels = n.tensor(1);
  if (!logits || !labels)
    return mlir::failure();
  if (n.typeOf(logits).getRank() != 2)
    return n.fail("the logits have to be a matrix");
  Value product = n.make<MulOp>({labels, n.make<LogSoftmaxOp>(logits)});
  Value loss = product
                   ? n.make<NegOp>(reduce<ReduceSumOp>(n, product, {1}, false))
                   : Value();
  Value gradient = n.make<SubOp>({n.make<SoftmaxOp>(logits), labels});
  if (mlir::failed(n.output(loss)))
    return mlir::failure();
  return n.output(gradient);
}

static LogicalResult convertSparseCrossEntropy(NodeConversion &n) {
  Value logits = n.tensor(0), labels = n.tensor(1);
  if (!logits || !labels)
    return mlir::failure();
  if (n.typeOf(logits).getRank() != 2)
    return n.fail("the logits have to be a matrix");
  int64_t classes = n.typeOf(logits).getDimSize(1);
  if (mlir::failed(n.emit<SparseSoftmaxCrossEntropyOp>({logits, labels})))
    return mlir::failure();
  if (n.outputUses() < 2)
    return mlir::success();
  if (mlir::ShapedType::isDynamic(classes))
    return n.fail("the number of classes is not known");
  Value oneHot = n.make<OneHotOp>(
      labels, {n.i64("depth", classes), n.type("to", n.elementOf(logits))});
  return n.emit<SubOp>({n.make<SoftmaxOp>(logits), oneHot});
}

void weir::graphdef::addReductionConverters(ConverterTable &table) {
  table["Sum"] = convertReduce<ReduceSumOp>;
  table["Mean"] = convertReduce<ReduceMeanOp>;
  table["Prod"] = convertReduce<ReduceProdOp>;
  table["Max"] = convertReduce<ReduceMaxOp>;
  table["Min"] = convertReduce<ReduceMinOp>;
  table["Any"] = convertReduce<ReduceAnyOp>;
  table["All"] = convertReduce<ReduceAllOp>;
  table["ArgMax"] = convertArg<ArgmaxOp>;
  table["ArgMin"] = convertArg<ArgminOp>;
  table["L2Loss"] = convertL2Loss;
  table["Softmax"] = convertRows<SoftmaxOp>;
  table["LogSoftmax"] = convertRows<LogSoftmaxOp>;
  table["SoftmaxCrossEntropyWithLogits"] = convertCrossEntropy;
  table["SparseSoftmaxCrossEntropyWithLogits"] = convertSparseCrossEntropy;
}

//===- NeuralNetwork.cpp - Convolutions, pools and gradients ------------===//
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

namespace {
/// The attributes that convolutions and pools share, of images NHWC.
struct Window {
  llvm::SmallVector<mlir::NamedAttribute> attrs;
};
} // namespace

/// The two numbers of height and width in a list for all four dimensions.
static std::optional<llvm::SmallVector<int64_t>>
spatial(NodeConversion &n, const char *name, bool isOptional) {
  auto list = intsAttr(n.node, name);
  if ((!list || list->empty()) && isOptional)
    return llvm::SmallVector<int64_t>{1, 1};
  if (!list || list->size() != 4 || (*list)[0] != 1 || (*list)[3] != 1) {
    (void)n.fail(llvm::Twine("attribute '") + name +
                 "' has to be [1, height, width, 1]");
    return std::nullopt;
  }
  return llvm::SmallVector<int64_t>{(*list)[1], (*list)[2]};
}

static std::optional<Window> readWindow(NodeConversion &n, bool isPool) {
  if (stringAttr(n.node, "data_format").value_or("NHWC") != "NHWC") {
    (void)n.fail("only data_format NHWC is supported");
    return std::nullopt;
  }
  Window window;
  auto take = [&](const char *to, const char *from, bool isOptional) {
    auto numbers = spatial(n, from, isOptional);
    if (numbers)
      window.attrs.push_back(n.array(to, *numbers));
    return numbers.has_value();
  };
  if (!take("strides", "strides", false) ||
      !(isPool ? take("window", "ksize", false)
               : take("dilations", "dilations", true)))
    return std::nullopt;
  std::string padding = stringAttr(n.node, "padding").value_or("");
  Padding kind = Padding::VALID;
  if (padding == "SAME") {
    kind = Padding::SAME;
  } else if (padding == "EXPLICIT") {
    auto pads = intsAttr(n.node, "explicit_paddings");
    if (!pads || pads->size() != 8) {
      (void)n.fail("attribute 'explicit_paddings' has to have 8 numbers");
      return std::nullopt;
    }
    kind = Padding::EXPLICIT;
    window.attrs.push_back(
        n.array("pads", {(*pads)[2], (*pads)[3], (*pads)[4], (*pads)[5]}));
  } else if (padding != "VALID") {
    (void)n.fail(llvm::Twine("there is no padding '") + padding + "'");
    return std::nullopt;
  }
  window.attrs.push_back(
      n.attr("padding", PaddingAttr::get(n.builder.getContext(), kind)));
  return window;
}

template <typename OpT> static LogicalResult convertPool(NodeConversion &n) {
  Value x = n.tensor(0);
  auto window = readWindow(n, true);
  return x && window ? n.emit<OpT>(x, window->attrs) : mlir::failure();
}

static LogicalResult convertConv2d(NodeConversion &n) {
  Value x = n.tensor(0), filter = n.tensor(1);
  auto window = readWindow(n, false);
  return x && filter && window ? n.emit<Conv2dOp>({x, filter}, window->attrs)
                               : mlir::failure();
}

/// Two of the extents that input `i`, a shape, says.
static std::optional<llvm::SmallVector<int64_t>>
sizesAt(NodeConversion &n, unsigned i, unsigned first) {
  auto shape = knownInPart(n, n.tensor(i));
  if (!shape || shape->size() != 4 || (*shape)[first] < 0 ||
      (*shape)[first + 1] < 0) {
    (void)n.fail("the extents of what it is the gradient of are not known");
    return std::nullopt;
  }
  return llvm::SmallVector<int64_t>{(*shape)[first], (*shape)[first + 1]};
}

static LogicalResult convertConvInputGradient(NodeConversion &n) {
  auto size = sizesAt(n, 0, 1);
  Value filter = n.tensor(1), dy = n.tensor(2);
  auto window = readWindow(n, false);
  if (!size || !filter || !dy || !window)
    return mlir::failure();
  window->attrs.push_back(n.array("input_size", *size));
  return n.emit<Conv2dBackpropInputOp>({filter, dy}, window->attrs);
}

static LogicalResult convertConvFilterGradient(NodeConversion &n) {
  Value x = n.tensor(0), dy = n.tensor(2);
  auto size = sizesAt(n, 1, 0);
  auto window = readWindow(n, false);
  if (!size || !x || !dy || !window)
    return mlir::failure();
  window->attrs.push_back(n.array("filter_size", *size));
  return n.emit<Conv2dBackpropFilterOp>({x, dy}, window->attrs);
}

static LogicalResult convertMaxPoolGradient(NodeConversion &n) {
  Value x = n.tensor(0), y = n.tensor(1), dy = n.tensor(2);
  auto window = readWindow(n, true);
  return x && y && dy && window
             ? n.emit<MaxPoolGradOp>({x, y, dy}, window->attrs)
             : mlir::failure();
}

static LogicalResult convertAvgPoolGradient(NodeConversion &n) {
  auto size = sizesAt(n, 0, 1);
  Value dy = n.tensor(1);
  auto window = readWindow(n, true);
  if (!size || !dy || !window)
    return mlir::failure();
  window->attrs.push_back(n.array("input_size", *size));
  return n.emit<AvgPoolGradOp>(dy, window->attrs);
}

//===----------------------------------------------------------------------===//
// Gradients of element-wise ops
//===----------------------------------------------------------------------===//

static Value mul(NodeConversion &n, Value a, Value b) {
  return n.make<MulOp>({a, b});
}

static Value scale(NodeConversion &n, Value a, double factor) {
  return mul(n, a, n.scalarLike(a, factor));
}

static Value oneMinus(NodeConversion &n, Value a) {
  return n.make<SubOp>({n.scalarLike(a, 1), a});
}

/// `dy` where `x` is above 0 (and below `limit`, if there is one).
static LogicalResult gate(NodeConversion &n, Value dy, Value x, double limit) {
  Value zero = n.scalarLike(x, 0);
  Value passes = n.compare(x, zero, ComparePredicate::gt);
  if (limit > 0)
    passes = n.make<LogicalAndOp>(
        {passes, n.compare(x, n.scalarLike(x, limit), ComparePredicate::lt)});
  return n.emit<SelectOp>({passes, dy, n.scalarLike(dy, 0)});
}

static LogicalResult convertReluGrad(NodeConversion &n) {
  return gate(n, n.tensor(0), n.tensor(1), n.node.op == "Relu6Grad" ? 6 : 0);
}

static LogicalResult convertLeakyReluGrad(NodeConversion &n) {
  Value dy = n.tensor(0), x = n.tensor(1);
  double alpha = floatAttr(n.node, "alpha").value_or(0.2f);
  return n.emit<SelectOp>(
      {n.compare(x, n.scalarLike(x, 0), ComparePredicate::gt), dy,
       scale(n, dy, alpha)});
}

static LogicalResult convertEluGrad(NodeConversion &n) {
  Value dy = n.tensor(0), y = n.tensor(1);
  return n.emit<SelectOp>(
      {n.compare(y, n.scalarLike(y, 0), ComparePredicate::lt),
       mul(n, n.make<AddOp>({y, n.scalarLike(y, 1)}), dy), dy});
}

static LogicalResult convertSigmoidGrad(NodeConversion &n) {
  Value y = n.tensor(0), dy = n.tensor(1);
  return n.output(mul(n, mul(n, dy, y), oneMinus(n, y)));
}

static LogicalResult convertTanhGrad(NodeConversion &n) {
  Value y = n.tensor(0), dy = n.tensor(1);
  return n.output(mul(n, dy, oneMinus(n, n.make<SquareOp>(y))));
}

static LogicalResult convertSqrtGrad(NodeConversion &n) {
  Value y = n.tensor(0), dy = n.tensor(1);
  return n.emit<DivOp>({scale(n, dy, 0.5), y});
}

static LogicalResult convertRsqrtGrad(NodeConversion &n) {
  Value y = n.tensor(0), dy = n.tensor(1);
  return n.output(mul(n, scale(n, dy, -0.5), mul(n, n.make<SquareOp>(y), y)));
}

static LogicalResult convertReciprocalGrad(NodeConversion &n) {
  Value y = n.tensor(0), dy = n.tensor(1);
  return n.output(mul(n, n.make<NegOp>(dy), n.make<SquareOp>(y)));
}

static LogicalResult convertSoftplusGrad(NodeConversion &n) {
  return n.output(mul(n, n.tensor(0), n.make<SigmoidOp>(n.tensor(1))));
}

static LogicalResult convertSoftsignGrad(NodeConversion &n) {
  Value dy = n.tensor(0), x = n.tensor(1);
  Value below = n.make<AddOp>({n.make<AbsOp>(x), n.scalarLike(x, 1)});
  return n.emit<DivOp>({dy, n.make<SquareOp>(below)});
}

static LogicalResult convertBiasAddGrad(NodeConversion &n) {
  Value dy = n.tensor(0);
  if (!dy)
    return mlir::failure();
  int64_t rank = n.typeOf(dy).getRank();
  bool channelsFirst =
      stringAttr(n.node, "data_format").value_or("NHWC") == "NCHW";
  llvm::SmallVector<int64_t> axes;
  for (int64_t axis = 0; axis < rank; ++axis)
    if (axis != (channelsFirst ? 1 : rank - 1))
      axes.push_back(axis);
  return n.emit<ReduceSumOp>(dy, n.array("axes", axes));
}

void weir::graphdef::addNeuralNetworkConverters(ConverterTable &table) {
  table["Conv2D"] = convertConv2d;
  table["Conv2DBackpropInput"] = convertConvInputGradient;
  table["Conv2DBackpropFilter"] = convertConvFilterGradient;
  table["MaxPool"] = convertPool<MaxPoolOp>;
  table["AvgPool"] = convertPool<AvgPoolOp>;
  table["MaxPoolGrad"] = convertMaxPoolGradient;
  table["AvgPoolGrad"] = convertAvgPoolGradient;
  table["ReluGrad"] = table["Relu6Grad"] = convertReluGrad;
  table["LeakyReluGrad"] = convertLeakyReluGrad;
  table["EluGrad"] = convertEluGrad;
  table["SigmoidGrad"] = convertSigmoidGrad;
  table["TanhGrad"] = convertTanhGrad;
  table["SqrtGrad"] = convertSqrtGrad;
  table["RsqrtGrad"] = convertRsqrtGrad;
  table["ReciprocalGrad"] = table["InvGrad"] = convertReciprocalGrad;
  table["SoftplusGrad"] = convertSoftplusGrad;
  table["SoftsignGrad"] = convertSoftsignGrad;
  table["BiasAddGrad"] = convertBiasAddGrad;
}

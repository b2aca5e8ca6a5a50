//===- NeuralNetworkOps.cpp - Convolution, pooling, losses
//-----------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Weir/Builders.h"
#include "dialects/Weir/Images.h"
#include "dialects/Weir/Shape.h"
#include "dialects/Weir/Weir.h"

using namespace mlir;

namespace weir {

/// An error unless `dy` has the shape of the op's forward result, with height
/// and width known.
static LogicalResult checkGradient(InferContext context, Value dy,
                                   ArrayRef<int64_t> expected) {
  ArrayRef<int64_t> shape = typeOf(dy).getShape();
  if (failed(verifyCompatibleShape(shape, expected)) || isDynamic(shape[1]) ||
      isDynamic(shape[2]))
    return context.error() << "[WEIR0036] the gradient has shape "
                           << shapeText(shape)
                           << ", but the forward result has "
                           << shapeText(expected);
  return success();
}

//===----------------------------------------------------------------------===//
// Convolution
//===----------------------------------------------------------------------===//

LogicalResult Conv2dOp::infer(Adaptor adaptor, InferContext context,
                              SmallVectorImpl<Type> &types) {
  auto type = inferConv2d(adaptor, context);
  if (failed(type))
    return failure();
  types.push_back(*type);
  return success();
}

LogicalResult Conv2dBackpropInputOp::infer(Adaptor adaptor,
                                           InferContext context,
                                           SmallVectorImpl<Type> &types) {
  if (failed(checkImages(context, adaptor.getOperands().take_front(2))))
    return failure();
  RankedTensorType filter = typeOf(adaptor.getFilter()),
                   dy = typeOf(adaptor.getDy());
  auto dims = windowsOf(adaptor, adaptor.getInputSize(),
                        filter.getShape().take_front(2), adaptor.getDilations(),
                        context);
  if (failed(dims) ||
      failed(
          checkStatic(context, filter, {2, 3})) || // conv2d_backprop_input_c2
      failed(checkStatic(context, dy, {3})) ||
      failed(checkGradient(context, adaptor.getDy(), // conv2d_backprop_input_c1
                           {dy.getDimSize(0), (*dims)[0].output,
                            (*dims)[1].output, filter.getDimSize(3)})))
    return failure();
  types.push_back(
      RankedTensorType::get({dy.getDimSize(0), adaptor.getInputSize()[0],
                             adaptor.getInputSize()[1], filter.getDimSize(2)},
                            dy.getElementType()));
  return success();
}

LogicalResult Conv2dBackpropFilterOp::infer(Adaptor adaptor,
                                            InferContext context,
                                            SmallVectorImpl<Type> &types) {
  if (failed(checkImages(context, adaptor.getOperands().take_front(2))))
    return failure();
  RankedTensorType input = typeOf(adaptor.getInput()),
                   dy = typeOf(adaptor.getDy());
  auto dims =
      windowsOf(adaptor, input.getShape().slice(1, 2), adaptor.getFilterSize(),
                adaptor.getDilations(), context);
  if (failed(dims) ||
      failed(checkStatic(context, input, {3})) || // conv2d_backprop_filter_c2
      failed(checkStatic(context, dy, {3})) ||
      failed(checkGradient(context,
                           adaptor.getDy(), // conv2d_backprop_filter_c1
                           {input.getDimSize(0), (*dims)[0].output,
                            (*dims)[1].output, dy.getDimSize(3)})))
    return failure();
  types.push_back(RankedTensorType::get({adaptor.getFilterSize()[0],
                                         adaptor.getFilterSize()[1],
                                         input.getDimSize(3), dy.getDimSize(3)},
                                        dy.getElementType()));
  return success();
}

SmallVector<Value> Conv2dBackpropInputOp::decompose(GraphBuilder &b) {
  // The gradient is a convolution of dy, spread out by the stride and padded
  // so that each place of the image is reached, with the filter turned round.
  RankedTensorType filter = typeOf(getFilter());
  auto dims =
      *slideWindow2d(getInputSize(), filter.getShape().take_front(2),
                     getStrides(), getDilations(), getPadding(), getPads());
  SmallVector<int64_t> low(4, 0), high(4, 0), interior(4, 0), begin(4, 0),
      size(4, -1), ones(4, 1);
  bool cut = false;
  for (int i = 0; i < 2; ++i) {
    const WindowDim &dim = dims[i];
    int64_t reach = (dim.window - 1) * dim.dilation;
    int64_t before = reach - dim.low;
    int64_t spread = (dim.output - 1) * dim.stride + 1;
    int64_t after = dim.input + reach - spread - before;
    interior[i + 1] = dim.stride - 1;
    low[i + 1] = std::max<int64_t>(before, 0);
    high[i + 1] = std::max<int64_t>(after, 0);
    begin[i + 1] = std::max<int64_t>(-before, 0);
    size[i + 1] = dim.input + reach;
    cut |= before < 0 || after < 0;
  }
  Value dy = b.make<PadOp>(getDy(), low, high, interior, llvm::APFloat(0.0),
                           ValueRange());
  if (cut)
    dy = b.make<SliceOp>(dy, begin, size, ones, ValueRange());
  Value turned = b.transpose(b.reverse(getFilter(), {0, 1}), {0, 1, 3, 2});
  ArrayRef<int64_t> unit(ones);
  return {b.make<Conv2dOp>(dy, turned, unit.take_front(2), getDilations(),
                           Padding::VALID, DenseI64ArrayAttr(), ValueRange())};
}

//===----------------------------------------------------------------------===//
// Pooling
//===----------------------------------------------------------------------===//

LogicalResult MaxPoolOp::infer(Adaptor adaptor, InferContext context,
                               SmallVectorImpl<Type> &types) {
  auto type = inferPool(adaptor, adaptor.getInput(), context);
  if (failed(type))
    return failure();
  types.push_back(*type);
  return success();
}

LogicalResult AvgPoolOp::infer(Adaptor adaptor, InferContext context,
                               SmallVectorImpl<Type> &types) {
  auto type = inferPool(adaptor, adaptor.getInput(), context);
  if (failed(type))
    return failure();
  types.push_back(*type);
  return success();
}

LogicalResult MaxPoolGradOp::infer(Adaptor adaptor, InferContext context,
                                   SmallVectorImpl<Type> &types) {
  if (failed(checkImages(context, adaptor.getOperands().take_front(3))))
    return failure();
  auto type = inferPool(adaptor, adaptor.getInput(), context);
  if (failed(type) ||
      failed(checkGradient(context, adaptor.getOutput(), type->getShape())) ||
      failed(checkGradient(context, adaptor.getDy(),
                           type->getShape()))) // max_pool_grad_c1
    return failure();
  types.push_back(adaptor.getInput().getType());
  return success();
}

LogicalResult AvgPoolGradOp::infer(Adaptor adaptor, InferContext context,
                                   SmallVectorImpl<Type> &types) {
  if (failed(checkImages(context, adaptor.getOperands().take_front(1))))
    return failure();
  RankedTensorType dy = typeOf(adaptor.getDy());
  auto dims = windowsOf(adaptor, adaptor.getInputSize(), adaptor.getWindow(),
                        {}, context);
  if (failed(dims) ||
      failed(checkGradient(context, adaptor.getDy(), // avg_pool_grad_c1
                           {dy.getDimSize(0), (*dims)[0].output,
                            (*dims)[1].output, dy.getDimSize(3)})))
    return failure();
  types.push_back(
      RankedTensorType::get({dy.getDimSize(0), adaptor.getInputSize()[0],
                             adaptor.getInputSize()[1], dy.getDimSize(3)},
                            dy.getElementType()));
  return success();
}

//===----------------------------------------------------------------------===//
// Softmax and losses
//===----------------------------------------------------------------------===//

static LogicalResult inferSoftmax(Value input, InferContext context,
                                  SmallVectorImpl<Type> &types) {
  if (typeOf(input).getRank() < 1) // softmax_c1
    return context.error() << "[WEIR0038] the operand has rank 1 at least, got "
                           << typeOf(input);
  types.push_back(input.getType());
  return success();
}

LogicalResult SoftmaxOp::infer(Adaptor adaptor, InferContext context,
                               SmallVectorImpl<Type> &types) {
  return inferSoftmax(adaptor.getInput(), context, types);
}

LogicalResult LogSoftmaxOp::infer(Adaptor adaptor, InferContext context,
                                  SmallVectorImpl<Type> &types) {
  return inferSoftmax(adaptor.getInput(), context, types);
}

/// x less its largest element along the last dimension.
static Value shifted(GraphBuilder &b, Value x) {
  return b.sub(x, b.reduceMax(x, {typeOf(x).getRank() - 1}, /*keepDims=*/true));
}

SmallVector<Value> SoftmaxOp::decompose(GraphBuilder &b) {
  Value powers = b.exp(shifted(b, getInput()));
  return {b.div(powers, b.reduceSum(powers, {typeOf(powers).getRank() - 1},
                                    /*keepDims=*/true))};
}

SmallVector<Value> LogSoftmaxOp::decompose(GraphBuilder &b) {
  Value x = shifted(b, getInput());
  return {b.sub(x, b.log(b.reduceSum(b.exp(x), {typeOf(x).getRank() - 1},
                                     /*keepDims=*/true)))};
}

LogicalResult SparseSoftmaxCrossEntropyOp::infer(Adaptor adaptor,
                                                 InferContext context,
                                                 SmallVectorImpl<Type> &types) {
  RankedTensorType logits = typeOf(adaptor.getLogits()),
                   labels = typeOf(adaptor.getLabels());
  if (logits.getRank() != 2 ||
      labels.getRank() != 1) // sparse_softmax_cross_entropy_c1
    return context.error()
           << "[WEIR0039] logits have rank 2 and labels rank 1, got " << logits
           << " and " << labels;
  auto rows = logits.getShape().take_front(1);
  if (failed(verifyCompatibleShape(
          rows, labels.getShape()))) // sparse_softmax_cross_entropy_c2
    return context.error() << "[WEIR0039] there are " << labels.getDimSize(0)
                           << " labels for " << rows[0] << " rows of logits";
  types.push_back(RankedTensorType::get(
      isDynamic(rows[0]) ? labels.getShape() : rows, logits.getElementType()));
  return success();
}

SmallVector<Value> SparseSoftmaxCrossEntropyOp::decompose(GraphBuilder &b) {
  // The row's own log-probability: found by a gather over the flat table, so
  // that a label that is no class is caught where every index is.
  Value x = shifted(b, getLogits());
  Value logSum = b.log(b.reduceSum(b.exp(x), {1}, /*keepDims=*/false));
  return {b.sub(logSum, b.make<TakeAlongOp>(x, getLabels(), ValueRange()))};
}

} // namespace weir

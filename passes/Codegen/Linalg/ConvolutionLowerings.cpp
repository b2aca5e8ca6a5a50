//===- ConvolutionLowerings.cpp - Convolutions
//-------------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "passes/Codegen/Linalg/Convolution.h"

using namespace mlir;

namespace weir {

using MapExprs = SmallVector<SmallVector<AffineExpr, 4>, 3>;

static Value lowerConv2d(Conv2dOp op, Conv2dOp::Adaptor adaptor, Emitter &e) {
  Value input = adaptor.getInput(), filter = adaptor.getFilter();
  Type element = Emitter::typeOf(filter).getElementType();
  Convolution convolution(e, op, Emitter::typeOf(input).getShape().slice(1, 2),
                          Emitter::typeOf(filter).getShape().take_front(2));
  e.requireEqual(0, 3, 1, 2);
  Value init = convolution.zeros(input, filter, accumulator(element));
  Value image = convolution.pad(input, e.scalar(element, 0));
  Value sums = e.generic({image, filter}, init, convolution.maps,
                         convolution.iterators, multiplyAdd)
                   .front();
  return e.converted(sums, element);
}

/// A contraction over (i, j, c, o, n, y, x).
static Value lowerConv2dBackpropFilter(Conv2dBackpropFilterOp op,
                                       Conv2dBackpropFilterOp::Adaptor adaptor,
                                       Emitter &e) {
  Value input = adaptor.getInput(), dy = adaptor.getDy();
  auto dims = *slideWindow2d(Emitter::typeOf(input).getShape().slice(1, 2),
                             op.getFilterSize(), op.getStrides(),
                             op.getDilations(), op.getPadding(), op.getPads());
  e.requireEqual(0, 0, 1, 0);
  AffineExpr i, j, c, o, n, y, x;
  bindDims(e.getContext(), i, j, c, o, n, y, x);
  SmallVector<AffineMap> maps = AffineMap::inferFromExprList(
      MapExprs{{n, y * dims[0].stride + i * dims[0].dilation,
                x * dims[1].stride + j * dims[1].dilation, c},
               {n, y, x, o},
               {i, j, c, o}},
      e.getContext());
  using Iterator = utils::IteratorType;
  SmallVector<Iterator> iterators(4, Iterator::parallel);
  iterators.append(3, Iterator::reduction);
  Type element = Emitter::typeOf(dy).getElementType();
  Value init = e.filled({e.index(dims[0].window), e.index(dims[1].window),
                         e.dim(input, 3), e.dim(dy, 3)},
                        e.scalar(accumulator(element), 0));
  Value image = Convolution::padImage(e, input, dims, e.scalar(element, 0));
  Value sums =
      e.generic({image, dy}, init, maps, iterators, multiplyAdd).front();
  return e.converted(sums, element);
}

void addConvolutionLowerings(Lowerings &lowerings) {
  lowerings.add<Conv2dOp>(lowerConv2d);
  lowerings.add<Conv2dBackpropFilterOp>(lowerConv2dBackpropFilter);
}

} // namespace weir

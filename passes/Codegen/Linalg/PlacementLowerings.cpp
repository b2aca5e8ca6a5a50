//===- PlacementLowerings.cpp - Joining, cutting, padding ----------------------
//===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "passes/Codegen/Linalg/Lowering.h"

using namespace mlir;

namespace weir {

static Value lowerConcat(ConcatOp op, ConcatOp::Adaptor adaptor, Emitter &e) {
  ValueRange inputs = adaptor.getInputs();
  int64_t axis = op.getAxis(), rank = Emitter::typeOf(inputs.front()).getRank();
  // All extents but that of the axis are those of the first operand that has
  // them statically.
  SmallVector<OpFoldResult> dims, offsets(rank, e.index(0)),
      strides(rank, e.index(1));
  for (int64_t i = 0; i < rank; ++i) {
    unsigned owner = 0;
    while (owner + 1 < inputs.size() &&
           Emitter::typeOf(inputs[owner]).isDynamicDim(i))
      ++owner;
    if (Emitter::typeOf(inputs[owner]).isDynamicDim(i))
      owner = 0;
    dims.push_back(e.dim(inputs[owner], i));
    for (unsigned j = 0; i != axis && j < inputs.size(); ++j)
      if (j != owner)
        e.requireEqual(owner, i, j, i);
  }
  SmallVector<SmallVector<OpFoldResult>> sizes;
  dims[axis] = e.index(0);
  for (Value input : inputs) {
    sizes.push_back(e.dims(input));
    dims[axis] = e.add(dims[axis], sizes.back()[axis]);
  }
  Value result =
      e.empty(dims, Emitter::typeOf(inputs.front()).getElementType());
  for (auto [input, size] : llvm::zip(inputs, sizes)) {
    // Nothing has no place, least of all one behind the last element.
    if (getConstantIntValue(size[axis]) == 0)
      continue;
    result =
        tensor::InsertSliceOp::create(e, input, result, offsets, size, strides);
    offsets[axis] = e.add(offsets[axis], size[axis]);
  }
  return result;
}

static Value lowerSlice(SliceOp op, SliceOp::Adaptor adaptor, Emitter &e) {
  Value input = adaptor.getInput();
  SmallVector<OpFoldResult> offsets, sizes, strides;
  for (int64_t i = 0; i < Emitter::typeOf(input).getRank(); ++i) {
    int64_t begin = op.getBegin()[i], size = op.getSize()[i],
            stride = op.getStrides()[i];
    OpFoldResult extent = e.dim(input, i);
    auto fixed = getConstantIntValue(extent);
    strides.push_back(e.index(stride));
    // The box lies inside of what is static: see the node's constraints.
    if (!fixed) {
      int64_t reach = size > 0 ? begin + (size - 1) * stride + 1 : begin;
      if (reach > 0)
        e.require(
            e.compare(arith::CmpIPredicate::sle, e.index(reach), extent),
            WEIR_INVALID_ARGUMENT,
            "[WEIR0331] the slice reaches {0} elements far, but there are {1}",
            e.index(reach), extent);
    }
    if (size >= 0) {
      sizes.push_back(e.index(size));
    } else {
      OpFoldResult rest = e.sub(extent, e.index(begin));
      if (auto known = getConstantIntValue(rest))
        sizes.push_back(e.index((*known + stride - 1) / stride));
      else if (stride == 1)
        sizes.push_back(rest);
      else
        sizes.push_back(arith::CeilDivSIOp::create(e, e.toValue(rest),
                                                   e.toValue(e.index(stride)))
                            .getResult());
    }
    // A box of nothing may begin behind the last element.
    bool isNothing = getConstantIntValue(sizes.back()) == 0;
    offsets.push_back(e.index(isNothing ? 0 : begin));
  }
  return tensor::ExtractSliceOp::create(e, input, offsets, sizes, strides);
}

static Value lowerPad(PadOp op, PadOp::Adaptor adaptor, Emitter &e) {
  Value input = adaptor.getInput();
  Type element = Emitter::typeOf(input).getElementType();
  double value = op.getValue().convertToDouble();
  if (Emitter::typeOf(op.getInput()).getElementType().isInteger(1))
    value = value != 0;
  else if (isa<IntegerType>(
               element)) // A number that int64_t holds; a NaN becomes 0.
    value = std::isnan(value)
                ? 0
                : std::clamp(value, -0x1p63, 0x1.fffffffffffffp62);
  return e.padded(input, op.getLow(), op.getHigh(), op.getInterior(),
                  e.scalar(element, value));
}

static Value lowerReverse(ReverseOp op, ReverseOp::Adaptor adaptor,
                          Emitter &e) {
  Value input = adaptor.getInput();
  SmallVector<OpFoldResult> dims = e.dims(input);
  SmallVector<Value> last(dims.size());
  for (int64_t axis : op.getAxes())
    last[axis] = e.toValue(e.sub(dims[axis], e.index(1)));
  return e.parallel(
      {}, {}, e.empty(dims, Emitter::typeOf(input).getElementType()),
      [&](ImplicitLocOpBuilder &b, ValueRange) -> SmallVector<Value> {
        SmallVector<Value> place;
        for (auto [i, end] : llvm::enumerate(last)) {
          place.push_back(linalg::IndexOp::create(b, i));
          if (end)
            place.back() = arith::SubIOp::create(b, end, place.back());
        }
        return {tensor::ExtractOp::create(b, input, place)};
      });
}

void addPlacementLowerings(Lowerings &lowerings) {
  lowerings.add<ConcatOp>(lowerConcat);
  lowerings.add<SliceOp>(lowerSlice);
  lowerings.add<PadOp>(lowerPad);
  lowerings.add<ReverseOp>(lowerReverse);
}

} // namespace weir

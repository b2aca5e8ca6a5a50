//===- Kernels.cpp - What the kernels share -------------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Interpreter/Kernels.h"

#include "dialects/Weir/Shape.h"

using namespace mlir;

namespace weir {

void Walk::next() {
  for (size_t d = shape.size(); d-- > 0;) {
    for (auto [offset, stride] : llvm::zip_equal(offsets, strides))
      offset += stride[d];
    if (++index[d] < shape[d])
      return;
    index[d] = 0;
    for (auto [offset, stride] : llvm::zip_equal(offsets, strides))
      offset -= stride[d] * shape[d];
  }
}

Walk::Strides rowMajor(ArrayRef<int64_t> shape) {
  Walk::Strides strides(shape.size());
  int64_t stride = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    strides[d] = stride;
    stride *= shape[d];
  }
  return strides;
}

llvm::Expected<SmallVector<int64_t>>
broadcastShapes(Operation *op, ArrayRef<ArrayRef<int64_t>> types,
                ArrayRef<ArrayRef<int64_t>> shapes) {
  size_t rank = 0;
  for (ArrayRef<int64_t> shape : shapes)
    rank = std::max(rank, shape.size());
  SmallVector<int64_t> result(rank, 1);
  SmallVector<bool> decided(rank, false);
  for (auto [type, shape] : llvm::zip_equal(types, shapes)) {
    for (size_t d = 0; d < shape.size(); ++d) {
      size_t at = rank - shape.size() + d;
      if (type[d] == 1)
        continue;
      if (decided[at] && result[at] != shape[d])
        return nodeError(
            op, code::extents,
            "extents " + Twine(result[at]) + " and " + Twine(shape[d]) +
                " of dimension " + Twine(at) +
                " differ; only an extent declared as 1 is repeated");
      result[at] = shape[d];
      decided[at] = true;
    }
  }
  return result;
}

Walk::Strides repeated(ArrayRef<int64_t> shape, ArrayRef<int64_t> over) {
  Walk::Strides own = rowMajor(shape), strides(over.size(), 0);
  size_t shift = over.size() - shape.size();
  for (size_t d = 0; d < shape.size(); ++d)
    if (shape[d] == over[d + shift])
      strides[d + shift] = own[d];
  return strides;
}

llvm::Expected<Tensor> resultTensor(Operation *op, WeirDType dtype,
                                    ArrayRef<int64_t> shape) {
  llvm::Expected<Tensor> tensor = Tensor::create(dtype, shape);
  if (!tensor)
    return nodeError(op, code::extents, llvm::toString(tensor.takeError()));
  return tensor;
}

void copyElements(const Tensor &from, int64_t fromStart,
                  const Walk::Strides &fromStrides, Tensor &to, int64_t toStart,
                  const Walk::Strides &toStrides, ArrayRef<int64_t> shape) {
  int64_t count = *elementCount(shape);
  Walk::Strides strides[] = {fromStrides, toStrides};
  dispatch(from.getDType(), [&](auto zero) {
    using T = decltype(zero);
    const T *source = from.read<T>() + fromStart;
    T *target = to.write<T>() + toStart;
    Walk walk(shape, strides);
    for (int64_t i = 0; i < count; ++i, walk.next())
      target[walk[1]] = source[walk[0]];
  });
}

llvm::Error checkIndex(Operation *op, int64_t index, int64_t extent,
                       StringRef what) {
  if (index >= 0 && index < extent)
    return llvm::Error::success();
  return nodeError(op, code::index,
                   what + " " + Twine(index) + " is outside of 0 <= i < " +
                       Twine(extent));
}

llvm::Error checkExtents(Operation *op, ArrayRef<int64_t> a,
                         ArrayRef<int64_t> b) {
  if (a == b)
    return llvm::Error::success();
  return nodeError(op, code::extents,
                   "shapes " + shapeText(a) + " and " + shapeText(b) +
                       " have to be equal");
}

llvm::Expected<Tensor> evaluatePure(Operation *op, Operands x) {
  if (auto constant = dyn_cast<ConstantOp>(op)) {
    llvm::Expected<Tensor> value = Tensor::fromAttribute(constant.getValue());
    return value ? std::move(value)
                 : nodeError(op, code::extents,
                             llvm::toString(value.takeError()));
  }
  for (auto *family :
       {evaluateElementwise, evaluateShape, evaluateReduction,
        evaluateLinearAlgebra, evaluateNeuralNetwork, evaluateQuantized,
        evaluateGather, evaluateDynamicShape, evaluateRandom})
    if (auto result = family(op, x))
      return std::move(*result);
  return nodeError(
      op, "WEIR0135",
      "the interpreter does not know '" + op->getName().getStringRef() +
          "'; it runs graphs of weir nodes from before they are scheduled");
}

} // namespace weir

//===- Kernels.h - How each node is evaluated ----------------- -*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One function for each kind of node, from the values of its data operands to
// the value of its result. They are written for being read: loops over places,
// in the order in which docs/spec defines the value. Each is a function of its
// arguments alone.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_INTERPRETER_KERNELS_H
#define WEIR_LIB_INTERPRETER_KERNELS_H

#include "dialects/Weir/Weir.h"
#include "lib/Interpreter/Errors.h"
#include "lib/Interpreter/Tensor.h"

namespace weir {

using Operands = llvm::ArrayRef<Tensor>;

/// Walks the places of a shape in row-major order, and keeps for each of some
/// arrays the offset of the element that belongs to the place.
class Walk {
public:
  using Strides = llvm::SmallVector<int64_t, 6>;

  Walk(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<Strides> strides)
      : shape(shape), strides(strides), index(shape.size(), 0),
        offsets(strides.size(), 0) {}

  int64_t operator[](size_t array) const { return offsets[array]; }
  llvm::ArrayRef<int64_t> place() const { return index; }
  void next();

private:
  llvm::ArrayRef<int64_t> shape;
  llvm::ArrayRef<Strides> strides;
  llvm::SmallVector<int64_t, 6> index, offsets;
};

/// How far apart the elements of a row-major array are in each dimension.
Walk::Strides rowMajor(llvm::ArrayRef<int64_t> shape);

/// The shape that operands broadcast to. Only an extent that is statically 1
/// (in `types`, the operand's type) is repeated; all others have to agree.
llvm::Expected<llvm::SmallVector<int64_t>>
broadcastShapes(mlir::Operation *op,
                llvm::ArrayRef<llvm::ArrayRef<int64_t>> types,
                llvm::ArrayRef<llvm::ArrayRef<int64_t>> shapes);

/// The strides at which an array of `shape` is read over a larger shape.
Walk::Strides repeated(llvm::ArrayRef<int64_t> shape,
                       llvm::ArrayRef<int64_t> over);

/// A new tensor for a node's result, or an error where it is too large.
llvm::Expected<Tensor> resultTensor(mlir::Operation *op, WeirDType dtype,
                                    llvm::ArrayRef<int64_t> shape);

/// Copies for each place of `shape` one element of `from` to one of `to`.
void copyElements(const Tensor &from, int64_t fromStart,
                  const Walk::Strides &fromStrides, Tensor &to, int64_t toStart,
                  const Walk::Strides &toStrides,
                  llvm::ArrayRef<int64_t> shape);

/// Evaluates any pure node with one tensor as its result. An error for a node
/// that is none of those.
llvm::Expected<Tensor> evaluatePure(mlir::Operation *op, Operands x);

/// The families, as evaluatePure tries them: nothing for a node of another.
std::optional<llvm::Expected<Tensor>> evaluateElementwise(mlir::Operation *op,
                                                          Operands x);
std::optional<llvm::Expected<Tensor>> evaluateShape(mlir::Operation *op,
                                                    Operands x);
std::optional<llvm::Expected<Tensor>> evaluateReduction(mlir::Operation *op,
                                                        Operands x);
std::optional<llvm::Expected<Tensor>> evaluateLinearAlgebra(mlir::Operation *op,
                                                            Operands x);
std::optional<llvm::Expected<Tensor>> evaluateNeuralNetwork(mlir::Operation *op,
                                                            Operands x);
std::optional<llvm::Expected<Tensor>> evaluateQuantized(mlir::Operation *op,
                                                        Operands x);
std::optional<llvm::Expected<Tensor>> evaluateGather(mlir::Operation *op,
                                                     Operands x);
std::optional<llvm::Expected<Tensor>> evaluateDynamicShape(mlir::Operation *op,
                                                           Operands x);
std::optional<llvm::Expected<Tensor>> evaluateRandom(mlir::Operation *op,
                                                     Operands x);

/// a + b or a - b, element by element; both have one type and shape.
Tensor combine(const Tensor &a, const Tensor &b, bool subtract);

/// `operand` with some of its slices changed, as weir.scatter says it.
llvm::Expected<Tensor> scatterSlices(mlir::Operation *op, ScatterKind kind,
                                     Tensor operand, const Tensor &indices,
                                     const Tensor &updates);

/// An error unless `index` is one of 0 <= i < extent.
llvm::Error checkIndex(mlir::Operation *op, int64_t index, int64_t extent,
                       llvm::StringRef what);
/// An error unless two extents agree.
llvm::Error checkExtents(mlir::Operation *op, llvm::ArrayRef<int64_t> a,
                         llvm::ArrayRef<int64_t> b);

} // namespace weir

#endif // WEIR_LIB_INTERPRETER_KERNELS_H

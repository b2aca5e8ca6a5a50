//===- Tensor.h - The values that the interpreter computes with -*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A dense row-major tensor as a value. Copies share their elements until one
// of them is written. Not shared between threads.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_INTERPRETER_TENSOR_H
#define WEIR_LIB_INTERPRETER_TENSOR_H

#include "dialects/Weir/DTypes.h"
#include "lib/Interpreter/Element.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>
#include <vector>

namespace weir {

class Tensor {
public:
  /// A scalar f32 of 0.
  Tensor();
  /// Elements of 0 (strings: empty). `elementCount(shape)` has to exist; use
  /// `create` for extents that are not known to be sane.
  Tensor(WeirDType dtype, llvm::ArrayRef<int64_t> shape);

  /// A tensor of zeros, or an error for extents that no tensor has.
  static llvm::Expected<Tensor> create(WeirDType dtype,
                                       llvm::ArrayRef<int64_t> shape);
  /// A copy of somebody's tensor, which is checked.
  static llvm::Expected<Tensor> fromView(const WeirView &view);
  /// The value of a constant, whatever form the attribute has.
  static llvm::Expected<Tensor> fromAttribute(mlir::ElementsAttr attribute);
  static Tensor fromStrings(llvm::ArrayRef<int64_t> shape,
                            std::vector<std::string> strings);

  template <typename T> static Tensor scalar(WeirDType dtype, T value) {
    Tensor tensor(dtype, {});
    dispatch(dtype, [&](auto zero) {
      using Element = decltype(zero);
      tensor.write<Element>()[0] = convertTo<Element>(value);
    });
    return tensor;
  }

  WeirDType getDType() const { return dtype; }
  llvm::ArrayRef<int64_t> getShape() const { return shape; }
  int64_t getRank() const { return static_cast<int64_t>(shape.size()); }
  int64_t size() const { return count; }
  bool isString() const { return dtype == WEIR_STRING; }

  /// The elements; T is the C++ type of the element type.
  template <typename T> const T *read() const {
    return reinterpret_cast<const T *>(storage->data());
  }
  /// The elements for writing: valid until this tensor is copied.
  template <typename T> T *write() {
    detach();
    return reinterpret_cast<T *>(storage->data());
  }
  llvm::ArrayRef<std::string> readStrings() const { return *strings; }

  /// An element as a double or as 64 bits, for tests and messages.
  double getDouble(int64_t i) const;
  int64_t getInteger(int64_t i) const;

  /// The same elements under other extents, of the same number of elements.
  Tensor withShape(llvm::ArrayRef<int64_t> newShape) const;

  /// A view that lives as long as this tensor and `scratch`, which holds what
  /// the view of a string tensor points to.
  WeirView view(std::vector<WeirString> &scratch) const;

  /// The tensor as a constant of the type, whose element type and (static)
  /// extents are those of the tensor. Not for strings.
  mlir::DenseElementsAttr toAttribute(mlir::RankedTensorType type) const;

private:
  void detach();

  WeirDType dtype;
  llvm::SmallVector<int64_t, 4> shape;
  int64_t count;
  /// Eight bytes a unit, so that every element type is aligned.
  struct Buffer {
    explicit Buffer(int64_t bytes)
        : units(static_cast<size_t>((bytes + 7) / 8)) {}
    char *data() { return reinterpret_cast<char *>(units.data()); }
    std::vector<uint64_t> units;
  };
  std::shared_ptr<Buffer> storage;
  std::shared_ptr<std::vector<std::string>> strings;
};

/// "tensor of f32 with shape 2x3" for messages.
std::string describe(const Tensor &tensor);

} // namespace weir

#endif // WEIR_LIB_INTERPRETER_TENSOR_H

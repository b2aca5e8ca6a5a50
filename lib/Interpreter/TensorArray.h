//===- TensorArray.h - Arrays of tensors, as the judge has them -- -*- C++
//-*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Written from docs/spec/resources.md (R18 to R29), apart from the runtime's.
// Errors begin with the node that runs.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_INTERPRETER_TENSORARRAY_H
#define WEIR_LIB_INTERPRETER_TENSORARRAY_H

#include "lib/Interpreter/Errors.h"
#include "lib/Interpreter/Tensor.h"
#include "runtime/state/Resource.h"
#include <map>
#include <optional>

namespace weir {

/// What is known of a shape: nothing, or some extents (else kDynamic).
using KnownShape = std::optional<llvm::SmallVector<int64_t, 4>>;

class TensorArrayCell final : public rt::Resource {
public:
  struct Options {
    WeirDType dtype = WEIR_F32;
    KnownShape elementShape;
    bool dynamicSize = false, clearAfterRead = false, identicalShapes = false;
  };
  TensorArrayCell(std::string title, int64_t size, Options options)
      : title(std::move(title)), options(std::move(options)), count(size) {}

  std::string describe() const override { return title; }

  using Node = mlir::Operation *;
  llvm::Error write(Node node, int64_t index, const Tensor &value);
  llvm::Expected<Tensor> read(Node node, int64_t index);
  /// `known` is what the result's type knows of an element.
  llvm::Expected<Tensor> gather(Node node, const Tensor &indices,
                                const KnownShape &known);
  llvm::Error scatter(Node node, const Tensor &indices, const Tensor &value);
  /// The value and the lengths; `known` as above, without dimension 0.
  llvm::Expected<std::pair<Tensor, Tensor>> concat(Node node,
                                                   const KnownShape &known);
  llvm::Error split(Node node, const Tensor &value, const Tensor &lengths);
  llvm::Expected<int64_t> size(Node node);
  void close();
  llvm::Expected<std::shared_ptr<TensorArrayCell>>
  gradient(Node node, llvm::StringRef source);

private:
  struct Element {
    std::optional<Tensor> value;
    /// Of a written element without a value: it is zeros of that shape, unless
    /// a read has cleared it.
    llvm::SmallVector<int64_t, 4> shape;
    bool written = false, read = false, cleared = false;
  };

  llvm::Error error(Node node, ErrorKind kind, const llvm::Twine &what) const;
  llvm::Error checkOpen(Node node) const;
  llvm::Error checkDType(Node node, const Tensor &value) const;
  llvm::Error addTo(Node node, int64_t index, Element &element,
                    const Tensor &value);
  llvm::Error checkKnown(Node node, const KnownShape &known,
                         llvm::StringRef what) const;

  std::string title;
  Options options;
  int64_t count;
  /// Those that something happened to.
  std::map<int64_t, Element> elements;
  bool closed = false;
  /// Of an array of gradients: writes add.
  bool isGradient = false;
  /// How many elements the last split wrote.
  std::optional<int64_t> splitCount;
  std::map<std::string, std::shared_ptr<TensorArrayCell>> gradients;
};

} // namespace weir

#endif // WEIR_LIB_INTERPRETER_TENSORARRAY_H

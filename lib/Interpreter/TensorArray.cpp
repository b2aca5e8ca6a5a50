//===- TensorArray.cpp - Arrays of tensors, as the judge has them ---------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Interpreter/TensorArray.h"

#include "dialects/Weir/Shape.h"
#include "lib/Interpreter/Kernels.h"
#include "runtime/base/DType.h"

using namespace mlir;

namespace weir {

namespace {
// The pages of docs/errors.
constexpr ErrorKind closedArray = "WEIR0353", wrongDType = "WEIR0354",
                    wrongIndex = "WEIR0355", wrongMoment = "WEIR0356",
                    wrongShape = "WEIR0357", noValue = "WEIR0358",
                    wrongOperand = "WEIR0359";
constexpr ErrorKind noShape = {"WEIR0358", WEIR_UNIMPLEMENTED};
} // namespace

//===----------------------------------------------------------------------===//
// Shapes and elements
//===----------------------------------------------------------------------===//

static bool allows(const KnownShape &known, ArrayRef<int64_t> shape) {
  return !known || succeeded(verifyCompatibleShape(*known, shape));
}

static bool isWhole(const KnownShape &known) {
  return known && !ShapedType::isDynamicShape(*known);
}

static std::string knownText(const KnownShape &known) {
  return known ? shapeText(*known) : "of unknown rank";
}

/// `count` elements of `value` from `first` on, as a tensor of `shape`.
static Tensor slice(const Tensor &value, int64_t first,
                    ArrayRef<int64_t> shape) {
  Tensor result(value.getDType(), shape);
  if (value.isString()) {
    ArrayRef<std::string> strings = value.readStrings();
    return Tensor::fromStrings(
        shape, strings.slice(static_cast<size_t>(first),
                             static_cast<size_t>(result.size())));
  }
  SmallVector<int64_t> flat{result.size()};
  copyElements(value, first, rowMajor(flat), result, 0, rowMajor(flat), flat);
  return result;
}

/// The elements of all parts, one behind the other, as a tensor of `shape`.
static llvm::Expected<Tensor> join(Operation *node, WeirDType dtype,
                                   ArrayRef<Tensor> parts,
                                   ArrayRef<int64_t> shape) {
  if (dtype == WEIR_STRING) {
    std::vector<std::string> strings;
    for (const Tensor &part : parts)
      llvm::append_range(strings, part.readStrings());
    return Tensor::fromStrings(shape, std::move(strings));
  }
  llvm::Expected<Tensor> result = resultTensor(node, dtype, shape);
  if (!result)
    return result;
  int64_t at = 0;
  for (const Tensor &part : parts) {
    SmallVector<int64_t> flat{part.size()};
    copyElements(part, 0, rowMajor(flat), *result, at, rowMajor(flat), flat);
    at += part.size();
  }
  return result;
}

llvm::Error TensorArrayCell::error(Node node, ErrorKind kind,
                                   const Twine &what) const {
  return nodeError(node, kind, title + ": " + what);
}

llvm::Error TensorArrayCell::checkOpen(Node node) const {
  return closed ? error(node, closedArray, "it has been closed")
                : llvm::Error::success();
}

llvm::Error TensorArrayCell::checkDType(Node node, const Tensor &value) const {
  if (value.getDType() == options.dtype)
    return llvm::Error::success();
  return error(node, wrongDType,
               "its elements are " +
                   StringRef(rt::dtypeInfo(options.dtype)->name) +
                   ", but the value is " + weir::describe(value));
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

llvm::Error TensorArrayCell::write(Node node, int64_t index,
                                   const Tensor &value) {
  if (llvm::Error bad = checkOpen(node))
    return bad;
  if (llvm::Error bad = checkDType(node, value))
    return bad;
  if (index < 0 || (index >= count && !options.dynamicSize))
    return error(node, wrongIndex,
                 "index " + Twine(index) +
                     " to write to is outside of 0 <= i < " + Twine(count));
  count = std::max(count, index + 1);
  if (!allows(options.elementShape, value.getShape()))
    return error(node, wrongShape,
                 "the value has shape " + shapeText(value.getShape()) +
                     ", but the elements have shape " +
                     knownText(options.elementShape));
  if (options.identicalShapes)
    options.elementShape = llvm::SmallVector<int64_t, 4>(value.getShape());
  Element &element = elements[index];
  if (element.read)
    return error(node, wrongMoment,
                 "element " + Twine(index) + " has been read already");
  if (element.written && isGradient)
    return addTo(node, index, element, value);
  if (element.written)
    return error(node, wrongMoment,
                 "element " + Twine(index) + " has been written already");
  element.value = value;
  element.written = true;
  return llvm::Error::success();
}

llvm::Error TensorArrayCell::addTo(Node node, int64_t index, Element &element,
                                   const Tensor &value) {
  ArrayRef<int64_t> shape =
      element.value ? element.value->getShape() : ArrayRef(element.shape);
  if (shape != value.getShape())
    return error(node, wrongShape,
                 "element " + Twine(index) + " has shape " + shapeText(shape) +
                     ", but what is added to it has shape " +
                     shapeText(value.getShape()));
  if (!element.value) {
    element.value = value;
    return llvm::Error::success();
  }
  if (options.dtype == WEIR_STRING || options.dtype == WEIR_BOOL)
    return error(node, wrongDType,
                 "values of " + StringRef(rt::dtypeInfo(options.dtype)->name) +
                     " cannot be added");
  element.value = combine(*element.value, value, /*subtract=*/false);
  return llvm::Error::success();
}

llvm::Error TensorArrayCell::scatter(Node node, const Tensor &indices,
                                     const Tensor &value) {
  if (llvm::Error bad = checkOpen(node))
    return bad;
  if (llvm::Error bad = checkDType(node, value))
    return bad;
  if (indices.getRank() != 1 || value.getRank() == 0 ||
      indices.size() != value.getShape()[0])
    return error(node, wrongOperand,
                 "to scatter takes a vector of indices and a slice for each, "
                 "got " +
                     weir::describe(indices) + " and " + weir::describe(value));
  for (int64_t i = 0; i < indices.size(); ++i)
    if (indices.getInteger(i) >= count && !options.dynamicSize)
      return error(node, wrongIndex,
                   "index " + Twine(indices.getInteger(i)) +
                       " to scatter to is outside of 0 <= i < " + Twine(count));
  ArrayRef<int64_t> shape = value.getShape().drop_front();
  for (int64_t i = 0; i < indices.size(); ++i)
    if (llvm::Error bad = write(node, indices.getInteger(i),
                                slice(value, i * *elementCount(shape), shape)))
      return bad;
  return llvm::Error::success();
}

llvm::Error TensorArrayCell::split(Node node, const Tensor &value,
                                   const Tensor &lengths) {
  if (llvm::Error bad = checkOpen(node))
    return bad;
  if (llvm::Error bad = checkDType(node, value))
    return bad;
  if (lengths.getRank() != 1 || value.getRank() == 0)
    return error(node, wrongOperand,
                 "to split takes a vector of lengths and a value of at least "
                 "one dimension, got " +
                     weir::describe(lengths) + " and " + weir::describe(value));
  int64_t left = value.getShape()[0];
  for (int64_t i = 0; i < lengths.size(); ++i) {
    int64_t length = lengths.getInteger(i);
    if (length < 0 || length > left)
      return error(node, wrongOperand,
                   "length " + Twine(i) + " is " + Twine(length) +
                       ", where at most " + Twine(left) + " slices are left");
    left -= length;
  }
  if (left != 0)
    return error(node, wrongOperand,
                 "the lengths leave " + Twine(left) + " of " +
                     Twine(value.getShape()[0]) + " slices over");
  if (options.dynamicSize)
    count = std::max(count, lengths.size());
  if (lengths.size() != count)
    return error(node, wrongOperand,
                 "it has " + Twine(count) + " elements, but there are " +
                     Twine(lengths.size()) + " lengths");
  SmallVector<int64_t> shape(value.getShape());
  int64_t first = 0;
  for (int64_t i = 0; i < lengths.size(); ++i) {
    shape[0] = lengths.getInteger(i);
    Tensor part = slice(value, first, shape);
    if (llvm::Error bad = write(node, i, part))
      return bad;
    first += part.size();
  }
  splitCount = lengths.size();
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

llvm::Expected<Tensor> TensorArrayCell::read(Node node, int64_t index) {
  if (llvm::Error bad = checkOpen(node))
    return bad;
  if (index < 0 || index >= count)
    return error(node, wrongIndex,
                 "index " + Twine(index) + " to read is outside of 0 <= i < " +
                     Twine(count));
  Element &element = elements[index];
  if (element.cleared)
    return error(node, wrongMoment,
                 "element " + Twine(index) +
                     " was given up by the read before (clear_after_read)");
  if (!element.written) {
    if (!isWhole(options.elementShape))
      return error(node, noValue,
                   "element " + Twine(index) +
                       " was never written, and zeros have no shape: that of "
                       "the elements is " +
                       knownText(options.elementShape));
    element.written = true;
    element.shape = *options.elementShape;
  }
  if (!element.value) {
    if (options.dtype == WEIR_STRING)
      return error(node, noValue,
                   "element " + Twine(index) +
                       " was never written, and there are no zeros of strings");
    llvm::Expected<Tensor> zeros =
        resultTensor(node, options.dtype, element.shape);
    if (!zeros)
      return zeros;
    element.value = std::move(*zeros);
  }
  element.read = true;
  Tensor value = *element.value;
  if (options.clearAfterRead) {
    element.cleared = true;
    element.shape = llvm::SmallVector<int64_t, 4>(value.getShape());
    element.value.reset();
  }
  return value;
}

/// An error unless `known`, the shape of what is taken from an array without
/// elements, is known.
llvm::Error TensorArrayCell::checkKnown(Node node, const KnownShape &known,
                                        StringRef what) const {
  if (isWhole(known))
    return llvm::Error::success();
  return error(node, noShape,
               "to " + what +
                   " nothing needs a result whose type tells the shape of the "
                   "elements; it is " +
                   knownText(known));
}

llvm::Expected<Tensor> TensorArrayCell::gather(Node node, const Tensor &indices,
                                               const KnownShape &known) {
  if (llvm::Error bad = checkOpen(node))
    return bad;
  if (indices.getRank() != 1)
    return error(node, wrongOperand,
                 "to gather takes a vector of indices, got " +
                     weir::describe(indices));
  KnownShape &all = options.elementShape;
  if (known && !allows(all, *known))
    return error(node, wrongShape,
                 "the elements have shape " + knownText(all) +
                     ", but the result wants " + knownText(known));
  if (known && !all)
    all = known;
  for (size_t d = 0; known && d < known->size(); ++d)
    if (isDynamic((*all)[d]))
      (*all)[d] = (*known)[d];
  SmallVector<int64_t> shape{indices.size()};
  if (indices.size() == 0) {
    if (llvm::Error bad = checkKnown(node, known, "gather"))
      return bad;
    llvm::append_range(shape, *known);
    return join(node, options.dtype, {}, shape);
  }
  std::vector<Tensor> parts;
  for (int64_t i = 0; i < indices.size(); ++i) {
    llvm::Expected<Tensor> part = read(node, indices.getInteger(i));
    if (!part)
      return part;
    parts.push_back(std::move(*part));
  }
  for (const Tensor &part : parts)
    if (part.getShape() != parts.front().getShape() ||
        !allows(known, part.getShape()))
      return error(node, wrongShape,
                   "the elements to gather have shapes " +
                       shapeText(parts.front().getShape()) + " and " +
                       shapeText(part.getShape()) + ", the result wants " +
                       knownText(known));
  llvm::append_range(shape, parts.front().getShape());
  return join(node, options.dtype, parts, shape);
}

llvm::Expected<std::pair<Tensor, Tensor>>
TensorArrayCell::concat(Node node, const KnownShape &known) {
  if (llvm::Error bad = checkOpen(node))
    return bad;
  int64_t wanted = isGradient && splitCount ? *splitCount : count;
  SmallVector<int64_t> shape{0}, lengths;
  std::vector<Tensor> parts;
  if (wanted == 0) {
    if (llvm::Error bad = checkKnown(node, known, "concatenate"))
      return bad;
    llvm::append_range(shape, *known);
  }
  for (int64_t i = 0; i < wanted; ++i) {
    llvm::Expected<Tensor> part = read(node, i);
    if (!part)
      return part.takeError();
    if (part->getRank() == 0)
      return error(node, wrongShape,
                   "element " + Twine(i) +
                       " is a scalar, which cannot be concatenated");
    ArrayRef<int64_t> rest = part->getShape().drop_front();
    if (i == 0)
      llvm::append_range(shape, rest);
    if (rest != ArrayRef(shape).drop_front() || !allows(known, rest))
      return error(node, wrongShape,
                   "behind dimension 0, element " + Twine(i) + " has shape " +
                       shapeText(rest) + " and the first one " +
                       shapeText(ArrayRef(shape).drop_front()) +
                       "; the result wants " + knownText(known));
    lengths.push_back(part->getShape()[0]);
    shape[0] += part->getShape()[0];
    parts.push_back(std::move(*part));
  }
  llvm::Expected<Tensor> value = join(node, options.dtype, parts, shape);
  if (!value)
    return value.takeError();
  Tensor extents(WEIR_I64, {wanted});
  llvm::copy(lengths, extents.write<int64_t>());
  return std::pair(std::move(*value), std::move(extents));
}

//===----------------------------------------------------------------------===//
// The array itself
//===----------------------------------------------------------------------===//

llvm::Expected<int64_t> TensorArrayCell::size(Node node) {
  if (llvm::Error bad = checkOpen(node))
    return bad;
  return count;
}

void TensorArrayCell::close() {
  closed = true;
  elements.clear();
}

llvm::Expected<std::shared_ptr<TensorArrayCell>>
TensorArrayCell::gradient(Node node, StringRef source) {
  if (llvm::Error bad = checkOpen(node))
    return bad;
  if (isGradient)
    return error(node, wrongOperand,
                 "it is an array of gradients, which has none of its own");
  // From now on both have the same size.
  options.dynamicSize = false;
  std::shared_ptr<TensorArrayCell> &array = gradients[source.str()];
  if (array)
    return array;
  Options same = options;
  same.clearAfterRead = true;
  array = std::make_shared<TensorArrayCell>(
      "gradient '" + source.str() + "' of " + title, count, same);
  array->isGradient = true;
  array->splitCount = splitCount;
  // What is there now has zeros of its shape to begin with.
  for (const auto &[index, element] : elements)
    if (element.written) {
      Element &zeros = array->elements[index];
      zeros.written = true;
      zeros.shape =
          element.value
              ? llvm::SmallVector<int64_t, 4>(element.value->getShape())
              : element.shape;
    }
  return array;
}

} // namespace weir

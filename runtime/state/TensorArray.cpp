//===- TensorArray.cpp - Tensors by index ---------------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/state/TensorArray.h"
#include "runtime/base/DType.h"
#include "runtime/base/Format.h"
#include "runtime/state/Accumulate.h"

#include <algorithm>
#include <cstring>

using namespace weir::rt;

//===----------------------------------------------------------------------===//
// Partial shapes
//===----------------------------------------------------------------------===//

PartialShape PartialShape::of(const WeirTensorDesc &desc, int32_t skip) {
  PartialShape shape;
  shape.hasRank = desc.rank >= skip;
  for (int32_t i = skip; i < desc.rank; ++i)
    shape.dims.push_back(desc.dims[i]);
  return shape;
}

bool PartialShape::isKnown() const {
  for (int64_t extent : dims)
    if (extent < 0)
      return false;
  return hasRank;
}

bool PartialShape::allows(const int64_t *extents, int32_t rank) const {
  if (!hasRank)
    return true;
  if (rank != static_cast<int32_t>(dims.size()))
    return false;
  for (size_t i = 0; i < dims.size(); ++i)
    if (dims[i] != -1 && extents[i] != -1 && dims[i] != extents[i])
      return false;
  return true;
}

bool PartialShape::merge(const PartialShape &other) {
  if (!other.hasRank)
    return true;
  if (!allows(other.dims.data(), static_cast<int32_t>(other.dims.size())))
    return false;
  dims.resize(other.dims.size(), -1);
  for (size_t i = 0; i < dims.size(); ++i)
    if (dims[i] == -1)
      dims[i] = other.dims[i];
  hasRank = true;
  return true;
}

void PartialShape::set(const int64_t *extents, int32_t rank) {
  hasRank = true;
  dims.assign(extents, extents + rank);
}

std::string PartialShape::text() const {
  if (!hasRank)
    return "of unknown rank";
  std::string text = "[";
  for (size_t i = 0; i < dims.size(); ++i) {
    if (i)
      text += ',';
    text += dims[i] == -1 ? std::string("?") : str(dims[i]);
  }
  return text + "]";
}

static std::string shapeText(const int64_t *dims, int32_t rank) {
  PartialShape shape;
  shape.set(dims, rank);
  return shape.text();
}

static std::string shapeText(const std::vector<int64_t> &dims) {
  return shapeText(dims.data(), static_cast<int32_t>(dims.size()));
}

//===----------------------------------------------------------------------===//
// Making and ending
//===----------------------------------------------------------------------===//

Status TensorArray::create(std::string node, int64_t size,
                           TensorArrayOptions options,
                           std::shared_ptr<TensorArray> &result) {
  std::string title = str("tensor array ", node);
  if (size < 0 || size > INT32_MAX)
    return Status(WEIR_INVALID_ARGUMENT,
                  str("[WEIR0359] ", title, " was to be made with size ", size,
                      "; the size should be >= 0"));
  result.reset(new TensorArray(std::move(title), size, std::move(options)));
  return Status();
}

TensorArray::~TensorArray() = default;

Status TensorArray::refuse(const char *code, const std::string &what) const {
  return Status(WEIR_INVALID_ARGUMENT, str("[", code, "] ", title, what));
}

Status TensorArray::checkOpen() const {
  return closed ? refuse("WEIR0353", " has already been closed") : Status();
}

void TensorArray::close() {
  // Given up outside the lock.
  std::vector<std::unique_ptr<Chunk>> dropped;
  std::lock_guard<std::mutex> lock(mutex);
  dropped.swap(chunks);
  closed = true;
}

Status TensorArray::size(int64_t &result) {
  std::lock_guard<std::mutex> lock(mutex);
  WEIR_RETURN_IF_ERROR(checkOpen());
  result = count;
  return Status();
}

TensorArray::Element &TensorArray::element(int64_t index) {
  size_t chunk = static_cast<size_t>(index / kChunk);
  if (chunk >= chunks.size())
    chunks.resize(chunk + 1);
  if (!chunks[chunk])
    chunks[chunk] = std::make_unique<Chunk>();
  return chunks[chunk]->elements[index % kChunk];
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

Status TensorArray::write(int64_t index, const TensorRef &value) {
  std::lock_guard<std::mutex> lock(mutex);
  WEIR_RETURN_IF_ERROR(checkOpen());
  WEIR_RETURN_IF_ERROR(checkDType(value.view()));
  return writeLocked(index, value);
}

Status TensorArray::checkDType(const WeirView &value) const {
  if (value.dtype == options.dtype)
    return Status();
  return refuse("WEIR0354",
                str(": its dtype is ", dtypeInfo(options.dtype)->name,
                    ", but what is to be written is ",
                    typeText(value.dtype, value.dims, value.rank)));
}

Status TensorArray::writeLocked(int64_t index, const TensorRef &value) {
  if (index < 0 || (!options.dynamicSize && index >= count))
    return refuse(
        "WEIR0355",
        str(": tried to write to index ", index,
            index < 0 ? "; an index is not negative (the size is "
                      : ", but the array is not resizeable and its size is ",
            count, index < 0 ? ")" : ""));
  count = std::max(count, index + 1);
  Element &place = element(index);
  WeirView view = value.view();
  auto cannot = [&](const char *code, const std::string &why) {
    return refuse(code,
                  str(": could not write to index ", index, " because ", why));
  };
  if (!options.elementShape.allows(view.dims, view.rank))
    return cannot("WEIR0357",
                  str("the value's shape is ", shapeText(view.dims, view.rank),
                      ", which is incompatible with the array's element shape ",
                      options.elementShape.text()));
  if (options.identicalShapes && !options.elementShape.isKnown())
    options.elementShape.set(view.dims, view.rank);
  if (place.read)
    return cannot("WEIR0356", "it has already been read");
  if (place.written)
    return isGradient ? add(index, place, value)
                      : cannot("WEIR0356", "it has already been written to");
  place.value = value;
  place.written = true;
  return Status();
}

/// Adds a value to an element of an array of gradients.
Status TensorArray::add(int64_t index, Element &place, const TensorRef &value) {
  WeirView view = value.view();
  std::vector<int64_t> existing = place.shape;
  if (place.value) {
    WeirView held = place.value.view();
    existing.assign(held.dims, held.dims + held.rank);
  }
  if (existing != std::vector<int64_t>(view.dims, view.dims + view.rank))
    return refuse("WEIR0357", str(": could not aggregate to index ", index,
                                  " because the existing shape is ",
                                  shapeText(existing), ", but the new one is ",
                                  shapeText(view.dims, view.rank)));
  if (!place.value) {
    place.value = value;
    return Status();
  }
  if (!isAddable(options.dtype))
    return refuse("WEIR0354",
                  str(": could not aggregate to index ", index,
                      "; values of dtype ", dtypeInfo(options.dtype)->name,
                      " cannot be added"));
  if (!place.isSum) {
    // The first value is somebody else's.
    TensorRef sum;
    WEIR_RETURN_IF_ERROR(createTensor(view.dtype, view.rank, view.dims, sum));
    if (int64_t bytes = viewBytes(view); bytes > 0)
      std::memcpy(sum.get()->data, place.value.get()->data,
                  static_cast<size_t>(bytes));
    place.value = std::move(sum);
    place.isSum = true;
  }
  addElements(place.value.view(), view.data);
  return Status();
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

Status TensorArray::read(int64_t index, TensorRef &value) {
  std::lock_guard<std::mutex> lock(mutex);
  WEIR_RETURN_IF_ERROR(checkOpen());
  return readLocked(index, value);
}

Status TensorArray::readLocked(int64_t index, TensorRef &value) {
  if (index < 0 || index >= count)
    return refuse("WEIR0355", str(": tried to read from index ", index,
                                  ", but the array size is ", count));
  Element &place = element(index);
  if (!place.written) {
    if (!options.elementShape.isKnown())
      return refuse(
          "WEIR0358",
          str(": could not read from index ", index,
              ": it has not been written to, and the element shape is not "
              "fully defined (",
              options.elementShape.text(),
              "), so that there are no zeros in its place; write it, or "
              "declare the shape of the elements"));
    place.shape = options.elementShape.dims;
    place.written = true;
  }
  if (place.cleared)
    return refuse("WEIR0356",
                  str(": could not read index ", index,
                      " twice because it was cleared after a previous read "
                      "(perhaps clear_after_read should be false)"));
  if (!place.value) {
    if (options.dtype == WEIR_STRING)
      return refuse("WEIR0358",
                    str(": could not read from index ", index,
                        ": it has not been written to, and there are no zeros "
                        "of strings in its place"));
    TensorRef zeros;
    WEIR_RETURN_IF_ERROR(createTensor(options.dtype,
                                      static_cast<int32_t>(place.shape.size()),
                                      place.shape.data(), zeros));
    if (int64_t bytes = viewBytes(zeros.view()); bytes > 0)
      std::memset(zeros.get()->data, 0, static_cast<size_t>(bytes));
    place.value = std::move(zeros);
  }
  place.read = true;
  if (!options.clearAfterRead) {
    value = place.value;
    return Status();
  }
  // The shape stays, for arrays of gradients.
  WeirView view = place.value.view();
  place.shape.assign(view.dims, view.dims + view.rank);
  place.cleared = true;
  value = std::move(place.value);
  return Status();
}

//===----------------------------------------------------------------------===//
// Gradients
//===----------------------------------------------------------------------===//

Status TensorArray::gradient(const std::string &source,
                             std::shared_ptr<TensorArray> &result) {
  std::lock_guard<std::mutex> lock(mutex);
  WEIR_RETURN_IF_ERROR(checkOpen());
  if (isGradient)
    return refuse("WEIR0359", "; it has no gradients of its own");
  // From now on the two have to keep the same size.
  options.dynamicSize = false;
  std::shared_ptr<TensorArray> &known = gradients[source];
  if (!known) {
    TensorArrayOptions same = options;
    same.clearAfterRead = true;
    known.reset(new TensorArray(str("gradient '", source, "' of ", title),
                                count, std::move(same)));
    known->isGradient = true;
    known->splitCount = splitCount;
    copyShapesTo(*known);
  }
  result = known;
  return Status();
}

void TensorArray::copyShapesTo(TensorArray &other) {
  for (size_t chunk = 0; chunk < chunks.size(); ++chunk) {
    if (!chunks[chunk])
      continue;
    for (int64_t i = 0; i < kChunk; ++i) {
      const Element &from = chunks[chunk]->elements[i];
      if (!from.written)
        continue;
      Element &to = other.element(static_cast<int64_t>(chunk) * kChunk + i);
      to.written = true;
      if (from.value) {
        WeirView view = from.value.view();
        to.shape.assign(view.dims, view.dims + view.rank);
      } else {
        to.shape = from.shape;
      }
    }
  }
}

//===- TensorArrayBatch.cpp - Arrays from and into one tensor -------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/base/Checked.h"
#include "runtime/base/DType.h"
#include "runtime/base/Format.h"
#include "runtime/state/TensorArray.h"

#include <algorithm>
#include <cstring>

using namespace weir::rt;

static std::string typeOf(const WeirView &view) {
  return typeText(view.dtype, view.dims, view.rank);
}

/// The elements of the parts, one behind the other, as a tensor of `dims`.
static Status join(int32_t dtype, const std::vector<int64_t> &dims,
                   const std::vector<TensorRef> &parts, TensorRef &result) {
  int32_t rank = static_cast<int32_t>(dims.size());
  if (dtype == WEIR_STRING) {
    std::vector<WeirString> strings;
    for (const TensorRef &part : parts) {
      WeirView view = part.view();
      const WeirString *data = static_cast<const WeirString *>(view.data);
      strings.insert(strings.end(), data,
                     data + viewBytes(view) /
                                static_cast<int64_t>(sizeof(WeirString)));
    }
    return createStringTensor(rank, dims.data(), strings.data(), result);
  }
  WEIR_RETURN_IF_ERROR(createTensor(dtype, rank, dims.data(), result));
  char *to = static_cast<char *>(result.get()->data);
  for (const TensorRef &part : parts) {
    WeirView view = part.view();
    int64_t bytes = viewBytes(view);
    if (bytes > 0)
      std::memcpy(to, view.data, static_cast<size_t>(bytes));
    to += bytes;
  }
  return Status();
}

/// A copy of the part of `value` that has these extents and begins `offset`
/// elements into it.
static Status slice(const WeirView &value, int64_t offset,
                    const std::vector<int64_t> &dims, TensorRef &result) {
  int32_t rank = static_cast<int32_t>(dims.size());
  if (value.dtype == WEIR_STRING)
    return createStringTensor(
        rank, dims.data(), static_cast<const WeirString *>(value.data) + offset,
        result);
  WEIR_RETURN_IF_ERROR(createTensor(value.dtype, rank, dims.data(), result));
  if (int64_t bytes = viewBytes(result.view()); bytes > 0)
    std::memcpy(result.get()->data,
                static_cast<const char *>(value.data) +
                    offset * dtypeInfo(value.dtype)->size,
                static_cast<size_t>(bytes));
  return Status();
}

/// The shape of `view` from dimension 1 on.
static PartialShape rest(const WeirView &view) {
  PartialShape shape;
  shape.set(view.dims + 1, view.rank - 1);
  return shape;
}

static int64_t countOf(const PartialShape &shape) {
  int64_t count = 0;
  checkedCount(shape.dims.data(), static_cast<int32_t>(shape.dims.size()),
               count);
  return count;
}

static std::vector<int64_t> prepend(int64_t extent, const PartialShape &shape) {
  std::vector<int64_t> dims = {extent};
  dims.insert(dims.end(), shape.dims.begin(), shape.dims.end());
  return dims;
}

/// No element tells what the others look like.
static Status nothingKnown(const std::string &title, const char *what,
                           const PartialShape &shape) {
  return Status(WEIR_UNIMPLEMENTED,
                str("[WEIR0358] ", title, ": ", what,
                    " nothing needs an element shape that is fully defined, "
                    "but it is ",
                    shape.text()));
}

//===----------------------------------------------------------------------===//
// By indices
//===----------------------------------------------------------------------===//

static bool isVector(const WeirView &view, int32_t dtype) {
  return view.dtype == dtype && view.rank == 1;
}

Status TensorArray::gather(const WeirView &indices, const PartialShape &shape,
                           TensorRef &value) {
  std::lock_guard<std::mutex> lock(mutex);
  WEIR_RETURN_IF_ERROR(checkOpen());
  if (!isVector(indices, WEIR_I32))
    return refuse("WEIR0359", str(": expected indices to be a vector of i32, "
                                  "but received ",
                                  typeOf(indices)));
  if (!options.elementShape.merge(shape))
    return refuse("WEIR0357",
                  str(": its elements have the shape ",
                      options.elementShape.text(), ", but those to gather ",
                      shape.text(), "; the two are incompatible"));
  int64_t wanted = indices.dims[0];
  if (wanted == 0) {
    if (!shape.isKnown())
      return nothingKnown(title, "gathering", shape);
    return join(options.dtype, prepend(0, shape), {}, value);
  }
  const int32_t *index = static_cast<const int32_t *>(indices.data);
  std::vector<TensorRef> parts(static_cast<size_t>(wanted));
  for (int64_t i = 0; i < wanted; ++i)
    WEIR_RETURN_IF_ERROR(readLocked(index[i], parts[static_cast<size_t>(i)]));
  WeirView first = parts[0].view();
  PartialShape firstShape;
  firstShape.set(first.dims, first.rank);
  if (!shape.allows(first.dims, first.rank))
    return refuse("WEIR0357", str(": element shape ", shape.text(),
                                  " does not match the element at index ",
                                  index[0], ": ", firstShape.text()));
  for (int64_t i = 1; i < wanted; ++i) {
    WeirView view = parts[static_cast<size_t>(i)].view();
    if (!firstShape.allows(view.dims, view.rank)) {
      PartialShape other;
      other.set(view.dims, view.rank);
      return refuse("WEIR0357",
                    str(" has inconsistent shapes; index ", index[0],
                        " has shape ", firstShape.text(), ", but index ",
                        index[i], " has shape ", other.text()));
    }
  }
  return join(options.dtype, prepend(wanted, firstShape), parts, value);
}

Status TensorArray::scatter(const WeirView &indices, const WeirView &value) {
  std::lock_guard<std::mutex> lock(mutex);
  WEIR_RETURN_IF_ERROR(checkOpen());
  WEIR_RETURN_IF_ERROR(checkDType(value));
  if (!isVector(indices, WEIR_I32))
    return refuse("WEIR0359", str(": expected indices to be a vector of i32, "
                                  "but received ",
                                  typeOf(indices)));
  if (value.rank < 1)
    return refuse("WEIR0359",
                  str(": a value to scatter must be at least a vector, but is ",
                      typeOf(value)));
  int64_t wanted = indices.dims[0];
  if (wanted != value.dims[0])
    return refuse("WEIR0359",
                  str(": expected len(indices) == value.shape[0], but saw ",
                      wanted, " and ", value.dims[0]));
  const int32_t *index = static_cast<const int32_t *>(indices.data);
  int32_t largest = wanted ? *std::max_element(index, index + wanted) : -1;
  if (!options.dynamicSize && largest >= count)
    return refuse("WEIR0355",
                  str(": the largest index to scatter to must be less than the "
                      "array size (",
                      largest, " and ", count, ")"));
  PartialShape part = rest(value);
  int64_t size = countOf(part);
  for (int64_t i = 0; i < wanted; ++i) {
    TensorRef slot;
    WEIR_RETURN_IF_ERROR(slice(value, i * size, part.dims, slot));
    WEIR_RETURN_IF_ERROR(writeLocked(index[i], slot));
  }
  return Status();
}

//===----------------------------------------------------------------------===//
// By lengths
//===----------------------------------------------------------------------===//

Status TensorArray::concat(const PartialShape &shape, TensorRef &value,
                           TensorRef &lengths) {
  std::lock_guard<std::mutex> lock(mutex);
  WEIR_RETURN_IF_ERROR(checkOpen());
  // The gradient of a split is made of what the split wrote.
  int64_t wanted = isGradient && splitCount >= 0 ? splitCount : count;
  TensorRef extents;
  WEIR_RETURN_IF_ERROR(createTensor(WEIR_I64, 1, &wanted, extents));
  if (wanted == 0) {
    if (!shape.isKnown())
      return nothingKnown(title, "concatenating", shape);
    lengths = std::move(extents);
    return join(options.dtype, prepend(0, shape), {}, value);
  }
  int64_t *length = static_cast<int64_t *>(extents.get()->data), total = 0;
  std::vector<TensorRef> parts(static_cast<size_t>(wanted));
  PartialShape first;
  for (int64_t i = 0; i < wanted; ++i) {
    TensorRef &part = parts[static_cast<size_t>(i)];
    WEIR_RETURN_IF_ERROR(readLocked(i, part));
    WeirView view = part.view();
    if (view.rank == 0)
      return refuse("WEIR0357",
                    str(": concatenating saw a scalar at index ", i,
                        ", but requires at least vectors; did you mean to "
                        "gather?"));
    if (i == 0)
      first = rest(view);
    if (!first.allows(view.dims + 1, view.rank - 1))
      return refuse("WEIR0357",
                    str(" has inconsistent shapes; index 0 has (excepting "
                        "dimension 0) shape ",
                        first.text(), ", but index ", i, " has ",
                        rest(view).text()));
    length[i] = view.dims[0];
    total += length[i];
  }
  if (!shape.allows(first.dims.data(), static_cast<int32_t>(first.dims.size())))
    return refuse("WEIR0357", str(": element shape ", shape.text(),
                                  " does not match index 0, which has "
                                  "(excepting dimension 0) shape ",
                                  first.text()));
  WEIR_RETURN_IF_ERROR(
      join(options.dtype, prepend(total, first), parts, value));
  lengths = std::move(extents);
  return Status();
}

Status TensorArray::split(const WeirView &value, const WeirView &lengths) {
  std::lock_guard<std::mutex> lock(mutex);
  WEIR_RETURN_IF_ERROR(checkOpen());
  WEIR_RETURN_IF_ERROR(checkDType(value));
  if (!isVector(lengths, WEIR_I64))
    return refuse("WEIR0359", str(": expected lengths to be a vector of i64, "
                                  "but received ",
                                  typeOf(lengths)));
  if (value.rank < 1)
    return refuse("WEIR0359",
                  str(": expected the value to split to be at least a vector, "
                      "but received ",
                      typeOf(value)));
  int64_t wanted = lengths.dims[0], total = 0;
  const int64_t *length = static_cast<const int64_t *>(lengths.data);
  for (int64_t i = 0; i < wanted; ++i)
    if (!checkedAdd(total, length[i], total))
      return refuse("WEIR0359",
                    str(": length ", i, " to split by is ", length[i],
                        "; lengths are not negative, and their sum "
                        "is an extent"));
  if (total != value.dims[0])
    return refuse("WEIR0359",
                  str(": expected the sum of lengths to be equal to "
                      "value.shape[0], but it is ",
                      total, " and the value is ", typeOf(value)));
  if (options.dynamicSize)
    count = std::max(count, wanted);
  if (wanted != count)
    return refuse(
        "WEIR0359",
        str(": its size is not equal to the number of lengths (", count,
            " and ", wanted, ")",
            options.dynamicSize
                ? ""
                : ", and it is not marked as dynamically resizeable"));
  PartialShape part = rest(value);
  int64_t size = countOf(part), offset = 0;
  for (int64_t i = 0; i < wanted; ++i) {
    TensorRef slot;
    WEIR_RETURN_IF_ERROR(
        slice(value, offset * size, prepend(length[i], part), slot));
    WEIR_RETURN_IF_ERROR(writeLocked(i, slot));
    offset += length[i];
  }
  splitCount = wanted;
  return Status();
}

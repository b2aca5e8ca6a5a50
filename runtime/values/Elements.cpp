//===- Elements.cpp - Values whose extents depend on elements -------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/base/DType.h"
#include "runtime/base/Format.h"
#include "runtime/base/Half.h"
#include "runtime/values/ValueCall.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

using namespace weir::rt;

static Status invalid(std::string text) {
  return Status(WEIR_INVALID_ARGUMENT, std::move(text));
}

static std::string typeOf(const WeirView &view) {
  return typeText(view.dtype, view.dims, view.rank);
}

//===----------------------------------------------------------------------===//
// The largest of a row
//===----------------------------------------------------------------------===//

/// The elements in a type that orders them: doubles, or 64 bits.
template <typename Key, typename Element, typename Load>
static std::vector<Key> keysOf(const WeirView &view, Load load) {
  const Element *data = static_cast<const Element *>(view.data);
  std::vector<Key> keys(static_cast<size_t>(elementsOf(view)));
  for (size_t i = 0; i < keys.size(); ++i)
    keys[i] = static_cast<Key>(load(data[i]));
  return keys;
}

/// Of each row of `columns` keys, the places of the `count` largest.
template <typename Key>
static void selectLargest(const std::vector<Key> &keys, int64_t columns,
                          int64_t count, std::vector<int64_t> &indices) {
  std::vector<int64_t> order(static_cast<size_t>(columns));
  for (size_t row = 0; row < keys.size(); row += static_cast<size_t>(columns)) {
    const Key *of = keys.data() + row;
    std::iota(order.begin(), order.end(), 0);
    std::partial_sort(order.begin(), order.begin() + count, order.end(),
                      [of](int64_t a, int64_t b) {
                        if constexpr (std::is_floating_point_v<Key>) {
                          // A NaN comes last.
                          bool isA = std::isnan(of[a]), isB = std::isnan(of[b]);
                          if (isA || isB)
                            return isA == isB ? a < b : isB;
                        }
                        return of[a] == of[b] ? a < b : of[a] > of[b];
                      });
    indices.insert(indices.end(), order.begin(), order.begin() + count);
  }
}

static void selectLargest(const WeirView &x, int64_t columns, int64_t count,
                          std::vector<int64_t> &indices) {
  auto same = [](auto value) { return value; };
  auto select = [&](auto keys) {
    selectLargest(keys, columns, count, indices);
  };
  switch (x.dtype) {
  case WEIR_F32:
    return select(keysOf<double, float>(x, same));
  case WEIR_F64:
    return select(keysOf<double, double>(x, same));
  case WEIR_F16:
    return select(keysOf<double, uint16_t>(x, f16ToFloat));
  case WEIR_BF16:
    return select(keysOf<double, uint16_t>(x, bf16ToFloat));
  case WEIR_I8:
    return select(keysOf<int64_t, int8_t>(x, same));
  case WEIR_I16:
    return select(keysOf<int64_t, int16_t>(x, same));
  case WEIR_I32:
    return select(keysOf<int64_t, int32_t>(x, same));
  case WEIR_I64:
    return select(keysOf<int64_t, int64_t>(x, same));
  case WEIR_U16:
    return select(keysOf<uint64_t, uint16_t>(x, same));
  case WEIR_U32:
    return select(keysOf<uint64_t, uint32_t>(x, same));
  case WEIR_U64:
    return select(keysOf<uint64_t, uint64_t>(x, same));
  default:
    return select(keysOf<uint64_t, uint8_t>(x, same));
  }
}

Status weir::rt::topK(ValueCall &call) {
  WeirView x = call.inputs[0].view();
  int64_t count = 0;
  WEIR_RETURN_IF_ERROR(scalarInput(call, 1, "the number of elements", count));
  int64_t columns = x.rank > 0 ? x.dims[x.rank - 1] : -1;
  if (count < 0 || count > columns || x.dtype == WEIR_STRING)
    return invalid(str("[WEIR0452] the ", count,
                       " largest elements of each row are wanted, but the "
                       "operand is ",
                       typeOf(x)));
  std::vector<int64_t> indices, dims(x.dims, x.dims + x.rank);
  dims.back() = count;
  if (count > 0)
    selectLargest(x, columns, count, indices);
  std::vector<int64_t> places(indices);
  for (size_t i = 0; i < places.size(); ++i)
    places[i] += static_cast<int64_t>(i) / count * columns;
  WEIR_RETURN_IF_ERROR(takeSlices(x, 1, places, dims, call.outputs[0]));
  return makeIntegers(call.node.outputs[1].dtype, indices,
                      static_cast<int32_t>(dims.size()), dims.data(),
                      call.outputs[1]);
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

Status weir::rt::dynamicPartition(ValueCall &call) {
  WeirView data = call.inputs[0].view(), partitions = call.inputs[1].view();
  std::vector<int64_t> numbers;
  WEIR_RETURN_IF_ERROR(integersOf(partitions, "the partitions", numbers));
  bool fits =
      data.rank >= partitions.rank &&
      std::equal(partitions.dims, partitions.dims + partitions.rank, data.dims);
  if (!fits)
    return invalid(str("[WEIR0453] the data are ", typeOf(data),
                       ", which does not begin with the shape of the "
                       "partitions, ",
                       typeOf(partitions)));
  std::vector<std::vector<int64_t>> parts(
      static_cast<size_t>(call.node.output_count));
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] < 0 || numbers[i] >= call.node.output_count)
      return invalid(str("[WEIR0453] partition ", numbers[i],
                         " is outside of 0 <= p < ", call.node.output_count));
    parts[static_cast<size_t>(numbers[i])].push_back(static_cast<int64_t>(i));
  }
  std::vector<int64_t> dims{0};
  dims.insert(dims.end(), data.dims + partitions.rank, data.dims + data.rank);
  WeirView slice = data;
  slice.dims += partitions.rank;
  slice.rank -= partitions.rank;
  int64_t size = elementsOf(slice);
  for (size_t p = 0; p < parts.size(); ++p) {
    dims[0] = static_cast<int64_t>(parts[p].size());
    WEIR_RETURN_IF_ERROR(
        takeSlices(data, size, parts[p], dims, call.outputs[p]));
  }
  return Status();
}

//===----------------------------------------------------------------------===//
// Distinct elements
//===----------------------------------------------------------------------===//

/// The bytes of the elements of a vector, by which they are told apart. Zeros
/// of both signs are one element.
static Status bytesOf(const WeirView &x, std::vector<std::string> &elements) {
  if (x.rank != 1)
    return invalid(
        str("[WEIR0454] a vector is needed, the operand is ", typeOf(x)));
  int64_t count = x.dims[0], size = dtypeInfo(x.dtype)->size;
  elements.resize(static_cast<size_t>(count));
  bool isFloat = dtypeInfo(x.dtype)->kind == DTypeKind::Float;
  for (int64_t i = 0; i < count; ++i) {
    std::string &element = elements[static_cast<size_t>(i)];
    if (x.dtype == WEIR_STRING) {
      const WeirString &string = static_cast<const WeirString *>(x.data)[i];
      element.assign(string.size > 0 ? string.data : "",
                     static_cast<size_t>(string.size));
      continue;
    }
    element.assign(static_cast<const char *>(x.data) + i * size,
                   static_cast<size_t>(size));
    // Little endian: the sign is the highest bit of the last byte.
    bool isZero = isFloat &&
                  std::all_of(element.begin(), element.end() - 1,
                              [](char byte) { return byte == 0; }) &&
                  (element.back() & 0x7f) == 0;
    if (isZero)
      element.back() = 0;
  }
  return Status();
}

Status weir::rt::unique(ValueCall &call) {
  WeirView x = call.inputs[0].view();
  std::vector<std::string> elements;
  WEIR_RETURN_IF_ERROR(bytesOf(x, elements));
  std::unordered_map<std::string_view, int64_t> known;
  std::vector<int64_t> first, indices, counts;
  for (size_t i = 0; i < elements.size(); ++i) {
    auto [it, isNew] =
        known.try_emplace(elements[i], static_cast<int64_t>(first.size()));
    if (isNew) {
      first.push_back(static_cast<int64_t>(i));
      counts.push_back(0);
    }
    indices.push_back(it->second);
    ++counts[static_cast<size_t>(it->second)];
  }
  WEIR_RETURN_IF_ERROR(takeSlices(
      x, 1, first, {static_cast<int64_t>(first.size())}, call.outputs[0]));
  WEIR_RETURN_IF_ERROR(
      makeVector(call.node.outputs[1].dtype, indices, call.outputs[1]));
  return makeVector(call.node.outputs[2].dtype, counts, call.outputs[2]);
}

Status weir::rt::listDifference(ValueCall &call) {
  WeirView x = call.inputs[0].view(), y = call.inputs[1].view();
  if (x.dtype != y.dtype)
    return invalid(str("[WEIR0454] the operands are of one element type, but "
                       "are ",
                       typeOf(x), " and ", typeOf(y)));
  std::vector<std::string> elements, without;
  WEIR_RETURN_IF_ERROR(bytesOf(x, elements));
  WEIR_RETURN_IF_ERROR(bytesOf(y, without));
  std::unordered_set<std::string_view> gone(without.begin(), without.end());
  std::vector<int64_t> left;
  for (size_t i = 0; i < elements.size(); ++i)
    if (!gone.count(elements[i]))
      left.push_back(static_cast<int64_t>(i));
  WEIR_RETURN_IF_ERROR(takeSlices(
      x, 1, left, {static_cast<int64_t>(left.size())}, call.outputs[0]));
  return makeVector(call.node.outputs[1].dtype, left, call.outputs[1]);
}

Status weir::rt::nonzero(ValueCall &call) {
  WeirView x = call.inputs[0].view();
  int64_t count = elementsOf(x), size = dtypeInfo(x.dtype)->size;
  const unsigned char *data = static_cast<const unsigned char *>(x.data);
  bool isFloat = dtypeInfo(x.dtype)->kind == DTypeKind::Float;
  std::vector<int64_t> places, place(static_cast<size_t>(x.rank), 0);
  int64_t rows = 0;
  for (int64_t i = 0; i < count; ++i) {
    const unsigned char *element = data + i * size;
    bool isZero = (element[size - 1] & (isFloat ? 0x7f : 0xff)) == 0 &&
                  std::all_of(element, element + size - 1,
                              [](unsigned char byte) { return byte == 0; });
    if (!isZero) {
      ++rows;
      places.insert(places.end(), place.begin(), place.end());
    }
    for (size_t d = place.size(); d-- > 0;) {
      if (++place[d] < x.dims[d])
        break;
      place[d] = 0;
    }
  }
  int64_t dims[] = {rows, x.rank};
  return makeIntegers(WEIR_I64, places, 2, dims, call.outputs[0]);
}

Status weir::rt::selectN(ValueCall &call) {
  int64_t index = 0, count = call.node.input_count - 1;
  WEIR_RETURN_IF_ERROR(scalarInput(call, 0, "the index", index));
  if (index < 0 || index >= count)
    return invalid(
        str("[WEIR0455] index ", index, " is outside of 0 <= i < ", count));
  call.outputs[0] = call.inputs[1 + index];
  return Status();
}

//===- Strings.cpp - Strings that are moved and compared ------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/base/Format.h"
#include "runtime/values/ValueCall.h"

#include <algorithm>
#include <string_view>

using namespace weir::rt;

static std::string typeOf(const WeirView &view) {
  return typeText(view.dtype, view.dims, view.rank);
}

Status weir::rt::takeStrings(ValueCall &call) {
  WeirView at = call.inputs[0].view();
  std::vector<int64_t> places;
  WEIR_RETURN_IF_ERROR(integersOf(at, "the places", places));
  std::vector<WeirString> all, taken;
  for (int32_t i = 1; i < call.node.input_count; ++i) {
    WeirView strings = call.inputs[i].view();
    if (strings.dtype != WEIR_STRING)
      return Status(WEIR_INVALID_ARGUMENT,
                    str("[WEIR0456] strings are needed, operand ", i, " is ",
                        typeOf(strings)));
    const WeirString *data = static_cast<const WeirString *>(strings.data);
    all.insert(all.end(), data, data + elementsOf(strings));
  }
  for (int64_t place : places) {
    if (place < 0 || place >= static_cast<int64_t>(all.size()))
      return Status(WEIR_INVALID_ARGUMENT,
                    str("[WEIR0456] place ", place, " is outside of 0 <= i < ",
                        all.size()));
    taken.push_back(all[static_cast<size_t>(place)]);
  }
  return createStringTensor(at.rank, at.dims, taken.data(), call.outputs[0]);
}

/// How far apart the strings of `x` are in each dimension of a shape of `rank`
/// dimensions that it broadcasts to.
static std::vector<int64_t> stridesOf(const WeirView &x, size_t rank) {
  std::vector<int64_t> strides(rank, 0);
  int64_t stride = 1;
  for (int32_t d = x.rank; d-- > 0;) {
    if (x.dims[d] != 1)
      strides[rank - static_cast<size_t>(x.rank - d)] = stride;
    stride *= x.dims[d];
  }
  return strides;
}

static bool holds(int64_t predicate, int order) {
  switch (predicate) {
  case 0:
    return order == 0;
  case 1:
    return order != 0;
  case 2:
    return order < 0;
  case 3:
    return order <= 0;
  case 4:
    return order > 0;
  default:
    return order >= 0;
  }
}

Status weir::rt::compareStrings(ValueCall &call) {
  WeirView x = call.inputs[0].view(), y = call.inputs[1].view();
  size_t rank = static_cast<size_t>(std::max(x.rank, y.rank));
  std::vector<int64_t> dims(rank, 1);
  bool fits = x.dtype == WEIR_STRING && y.dtype == WEIR_STRING;
  for (const WeirView &operand : {x, y})
    for (int32_t d = 0; d < operand.rank; ++d) {
      int64_t &extent = dims[rank - static_cast<size_t>(operand.rank - d)];
      fits &= extent == 1 || operand.dims[d] == 1 || extent == operand.dims[d];
      if (extent == 1)
        extent = operand.dims[d];
    }
  if (!fits)
    return Status(WEIR_INVALID_ARGUMENT,
                  str("[WEIR0456] strings are compared with strings of a shape "
                      "that broadcasts, but the operands are ",
                      typeOf(x), " and ", typeOf(y)));
  WEIR_RETURN_IF_ERROR(createTensor(WEIR_BOOL, static_cast<int32_t>(rank),
                                    dims.data(), call.outputs[0]));
  uint8_t *result = static_cast<uint8_t *>(call.outputs[0].get()->data);
  int64_t count = elementsOf(call.outputs[0].view());
  std::vector<int64_t> xStrides = stridesOf(x, rank),
                       yStrides = stridesOf(y, rank), place(rank, 0);
  auto text = [](const WeirView &view, int64_t i) {
    const WeirString &string = static_cast<const WeirString *>(view.data)[i];
    return std::string_view(string.size > 0 ? string.data : "",
                            static_cast<size_t>(string.size));
  };
  int64_t xAt = 0, yAt = 0;
  for (int64_t i = 0; i < count; ++i) {
    result[i] = holds(call.number(0, 0), text(x, xAt).compare(text(y, yAt)));
    for (size_t d = rank; d-- > 0;) {
      xAt += xStrides[d];
      yAt += yStrides[d];
      if (++place[d] < dims[d])
        break;
      xAt -= xStrides[d] * dims[d];
      yAt -= yStrides[d] * dims[d];
      place[d] = 0;
    }
  }
  return Status();
}

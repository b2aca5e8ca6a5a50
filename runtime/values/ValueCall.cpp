//===- ValueCall.cpp - What functions of values share ---------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/values/ValueCall.h"
#include "runtime/base/Checked.h"
#include "runtime/base/DType.h"
#include "runtime/base/Format.h"

#include <cstring>

using namespace weir::rt;

int64_t weir::rt::elementsOf(const WeirView &view) {
  int64_t count = 0;
  checkedCount(view.dims, view.rank, count);
  return count;
}

static Status badOperand(const char *what, const char *expected,
                         const WeirView &view) {
  return Status(WEIR_INVALID_ARGUMENT,
                str("[WEIR0339] ", what, " must be ", expected, ", but is ",
                    typeText(view.dtype, view.dims, view.rank)));
}

Status weir::rt::scalarInput(const ValueCall &call, int32_t i, const char *what,
                             int64_t &value) {
  WeirView view = call.inputs[i].view();
  if (view.rank != 0 || (view.dtype != WEIR_I32 && view.dtype != WEIR_I64))
    return badOperand(what, "a scalar of i32 or i64", view);
  value = view.dtype == WEIR_I32 ? *static_cast<const int32_t *>(view.data)
                                 : *static_cast<const int64_t *>(view.data);
  return Status();
}

Status weir::rt::integersOf(const WeirView &view, const char *what,
                            std::vector<int64_t> &values) {
  int64_t count = elementsOf(view);
  if (view.dtype == WEIR_I32) {
    const int32_t *data = static_cast<const int32_t *>(view.data);
    values.assign(data, data + count);
  } else if (view.dtype == WEIR_I64) {
    const int64_t *data = static_cast<const int64_t *>(view.data);
    values.assign(data, data + count);
  } else {
    return badOperand(what, "of i32 or i64", view);
  }
  return Status();
}

Status weir::rt::makeIntegers(int32_t dtype, const std::vector<int64_t> &values,
                              int32_t rank, const int64_t *dims,
                              TensorRef &result) {
  // A wrong declaration shows when the output is compared with it.
  if (dtype != WEIR_I32)
    dtype = WEIR_I64;
  WEIR_RETURN_IF_ERROR(createTensor(dtype, rank, dims, result));
  void *data = result.get()->data;
  if (dtype == WEIR_I64) {
    if (!values.empty())
      std::memcpy(data, values.data(), values.size() * sizeof(int64_t));
    return Status();
  }
  int32_t *to = static_cast<int32_t *>(data);
  for (int64_t value : values)
    *to++ = static_cast<int32_t>(value);
  return Status();
}

Status weir::rt::takeSlices(const WeirView &from, int64_t size,
                            const std::vector<int64_t> &places,
                            const std::vector<int64_t> &dims,
                            TensorRef &result) {
  int32_t rank = static_cast<int32_t>(dims.size());
  if (from.dtype == WEIR_STRING) {
    const WeirString *strings = static_cast<const WeirString *>(from.data);
    std::vector<WeirString> taken;
    for (int64_t place : places)
      taken.insert(taken.end(), strings + place * size,
                   strings + (place + 1) * size);
    return createStringTensor(rank, dims.data(), taken.data(), result);
  }
  WEIR_RETURN_IF_ERROR(createTensor(from.dtype, rank, dims.data(), result));
  size_t bytes = static_cast<size_t>(size * dtypeInfo(from.dtype)->size);
  const char *source = static_cast<const char *>(from.data);
  char *to = static_cast<char *>(result.get()->data);
  for (int64_t place : places) {
    if (bytes)
      std::memcpy(to, source + static_cast<size_t>(place) * bytes, bytes);
    to += bytes;
  }
  return Status();
}

Status weir::rt::makeZeros(int32_t dtype, const std::vector<int64_t> &dims,
                           TensorRef &result) {
  WEIR_RETURN_IF_ERROR(createTensor(dtype, static_cast<int32_t>(dims.size()),
                                    dims.data(), result));
  WeirView view = result.view();
  if (dtype != WEIR_STRING && elementsOf(view))
    std::memset(view.data, 0, static_cast<size_t>(viewBytes(view)));
  return Status();
}

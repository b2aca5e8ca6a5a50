//===- Stack.cpp - Tensors, last in first out -----------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/state/Stack.h"
#include "runtime/base/DType.h"
#include "runtime/base/Format.h"

using namespace weir::rt;

std::string Stack::describe() const { return str("stack ", node); }

Status Stack::checkOpen() const {
  return closed ? Status(WEIR_INVALID_ARGUMENT, str("[WEIR0353] ", describe(),
                                                    " has already been closed"))
                : Status();
}

Status Stack::push(const TensorRef &value) {
  WeirView view = value.view();
  if (view.dtype != dtype)
    return Status(WEIR_INVALID_ARGUMENT,
                  str("[WEIR0354] ", describe(), " must have type ",
                      dtypeInfo(dtype)->name, " but got ",
                      typeText(view.dtype, view.dims, view.rank)));
  std::lock_guard<std::mutex> lock(mutex);
  WEIR_RETURN_IF_ERROR(checkOpen());
  if (limit >= 0 && static_cast<int64_t>(values.size()) >= limit)
    return Status(WEIR_INVALID_ARGUMENT,
                  str("[WEIR0352] ", describe(), " overflowed its max_size (",
                      limit, "); give it a larger one, or -1 for no bound"));
  values.push_back(value);
  return Status();
}

Status Stack::pop(TensorRef &value) {
  std::lock_guard<std::mutex> lock(mutex);
  WEIR_RETURN_IF_ERROR(checkOpen());
  if (values.empty())
    return Status(WEIR_INVALID_ARGUMENT,
                  str("[WEIR0351] ", describe(),
                      " is empty, and a value was to be popped; order the "
                      "pushes before the pops"));
  value = std::move(values.back());
  values.pop_back();
  return Status();
}

void Stack::close() {
  // The values are given up outside the lock.
  std::vector<TensorRef> dropped;
  std::lock_guard<std::mutex> lock(mutex);
  dropped.swap(values);
  closed = true;
}

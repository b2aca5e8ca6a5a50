//===- CallSupport.cpp - What the calls of nodes share --------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/executor/calls/CallSupport.h"
#include "runtime/base/DType.h"
#include "runtime/base/Format.h"
#include "runtime/core/Program.h"
#include "runtime/core/Session.h"

#include <cstring>

using namespace weir::rt;

static std::string typeOf(const WeirView &view) {
  return typeText(view.dtype, view.dims, view.rank);
}

Status weir::rt::findResource(WeirNodeCall *call, int32_t input,
                              Resource *&result) {
  const TensorRef &handle = call->inputs[input];
  result = peekResource(handle.get());
  if (!result)
    return Status(WEIR_INVALID_ARGUMENT,
                  str("[WEIR0338] operand ", input, " is no handle but ",
                      typeOf(handle.view())));
  if (result->family != 0 && result->family != call->session.state->id())
    return Status(
        WEIR_INVALID_ARGUMENT,
        str("[WEIR0338] the handle names ", result->describe(),
            " of another session; a handle is of use only in the session that "
            "it comes from, and in those that share its state"));
  return Status();
}

Status weir::rt::wrongResource(const Resource &resource, const char *expected) {
  return Status(WEIR_INVALID_ARGUMENT,
                str("[WEIR0338] the handle names ", resource.describe(),
                    ", where ", expected, " is needed"));
}

static Status badOperand(int32_t input, const char *what, const char *expected,
                         const WeirView &view) {
  return Status(WEIR_INVALID_ARGUMENT,
                str("[WEIR0339] ", what, " (operand ", input, ") must be ",
                    expected, ", but is ", typeOf(view)));
}

Status weir::rt::integerInput(WeirNodeCall *call, int32_t input,
                              const char *what, int64_t &result) {
  WeirView view = call->inputs[input].view();
  if (view.rank != 0 || (view.dtype != WEIR_I32 && view.dtype != WEIR_I64))
    return badOperand(input, what, "a scalar of i32 or i64", view);
  result = view.dtype == WEIR_I32 ? *static_cast<const int32_t *>(view.data)
                                  : *static_cast<const int64_t *>(view.data);
  return Status();
}

Status weir::rt::stringInput(WeirNodeCall *call, int32_t input,
                             const char *what, std::string &result) {
  WeirView view = call->inputs[input].view();
  if (view.rank != 0 || view.dtype != WEIR_STRING)
    return badOperand(input, what, "a string scalar", view);
  const WeirString &text = *static_cast<const WeirString *>(view.data);
  result.assign(text.size > 0 ? text.data : "", static_cast<size_t>(text.size));
  return Status();
}

std::string weir::rt::textOf(const WeirNodeCall *call, int32_t index) {
  if (index >= call->node.text_count || call->node.texts[index].size <= 0)
    return std::string();
  const WeirString &text = call->node.texts[index];
  return std::string(text.data, static_cast<size_t>(text.size));
}

Status weir::rt::setInteger(WeirNodeCall *call, int32_t index, int64_t value) {
  int32_t dtype = call->node.outputs[index].dtype;
  TensorRef scalar;
  WEIR_RETURN_IF_ERROR(createTensor(dtype, 0, nullptr, scalar));
  int32_t narrow = static_cast<int32_t>(value);
  if (dtype == WEIR_I32)
    std::memcpy(scalar.get()->data, &narrow, sizeof(narrow));
  else if (dtype == WEIR_I64)
    std::memcpy(scalar.get()->data, &value, sizeof(value));
  else
    return Status(WEIR_INVALID_ARGUMENT,
                  str("[WEIR0326] output ", index, " is declared ",
                      dtypeInfo(dtype)->name, "; the value is i32 or i64"));
  call->outputs[index] = std::move(scalar);
  return Status();
}

Status weir::rt::setBool(WeirNodeCall *call, int32_t index, bool value) {
  TensorRef scalar;
  WEIR_RETURN_IF_ERROR(createTensor(WEIR_BOOL, 0, nullptr, scalar));
  *static_cast<uint8_t *>(scalar.get()->data) = value;
  call->outputs[index] = std::move(scalar);
  return Status();
}

void weir::rt::finishWith(WeirNodeCall *call, Status &&status,
                          QueueTuple &&tuple) {
  if (status.ok())
    for (int32_t i = 0; i < tuple.size() && i < call->node.output_count; ++i)
      call->outputs[i] = std::move(tuple[i]);
  call->finish(std::move(status));
}

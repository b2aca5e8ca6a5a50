//===- CheckCalls.cpp - Nodes that check values ---------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/base/DType.h"
#include "runtime/base/Format.h"
#include "runtime/base/Half.h"
#include "runtime/core/Program.h"
#include "runtime/executor/calls/CallSupport.h"

#include <cmath>

using namespace weir::rt;

static int64_t countOf(const WeirView &view) {
  return viewBytes(view) / dtypeInfo(view.dtype)->size;
}

/// Element `index` of a tensor of floats.
static double floatAt(const WeirView &view, int64_t index) {
  switch (view.dtype) {
  case WEIR_F32:
    return static_cast<const float *>(view.data)[index];
  case WEIR_F16:
    return f16ToFloat(static_cast<const uint16_t *>(view.data)[index]);
  case WEIR_BF16:
    return bf16ToFloat(static_cast<const uint16_t *>(view.data)[index]);
  }
  return static_cast<const double *>(view.data)[index];
}

/// Element `index` as text.
static std::string elementText(const WeirView &view, int64_t index) {
  const DTypeInfo *info = dtypeInfo(view.dtype);
  const char *at = static_cast<const char *>(view.data) + index * info->size;
  switch (info->kind) {
  case DTypeKind::Float:
    return numberText(floatAt(view, index), view.dtype == WEIR_F64 ? 17 : 9);
  case DTypeKind::Bool:
    return *at ? "true" : "false";
  case DTypeKind::String: {
    const WeirString &text = *reinterpret_cast<const WeirString *>(at);
    return text.size > 0
               ? std::string(text.data, static_cast<size_t>(text.size))
               : std::string();
  }
  case DTypeKind::Signed:
    switch (info->size) {
    case 1:
      return str(*reinterpret_cast<const int8_t *>(at));
    case 2:
      return str(*reinterpret_cast<const int16_t *>(at));
    case 4:
      return str(*reinterpret_cast<const int32_t *>(at));
    }
    return str(*reinterpret_cast<const int64_t *>(at));
  case DTypeKind::Unsigned:
    switch (info->size) {
    case 1:
      return str(*reinterpret_cast<const uint8_t *>(at));
    case 2:
      return str(*reinterpret_cast<const uint16_t *>(at));
    case 4:
      return str(*reinterpret_cast<const uint32_t *>(at));
    }
    return str(*reinterpret_cast<const uint64_t *>(at));
  }
  return std::string();
}

/// "[1 2 3...]": the first elements.
static std::string summary(const WeirView &view) {
  if (view.dtype == WEIR_RESOURCE)
    return "[a handle]";
  constexpr int64_t kShown = 3;
  int64_t count = countOf(view);
  std::string text = "[";
  for (int64_t i = 0; i < count && i < kShown; ++i)
    text += str(i ? " " : "", elementText(view, i));
  return text + (count > kShown ? "...]" : "]");
}

void weir_node_check_numerics(WeirNodeCall *call) {
  WeirView view = call->inputs[0].view();
  const DTypeInfo *info = dtypeInfo(view.dtype);
  if (!info || info->kind != DTypeKind::Float)
    return finish(call,
                  Status(WEIR_INVALID_ARGUMENT,
                         str("[WEIR0339] the value to check must be floats, "
                             "but is ",
                             typeText(view.dtype, view.dims, view.rank))));
  int64_t count = countOf(view);
  for (int64_t i = 0; i < count; ++i)
    if (!std::isfinite(floatAt(view, i)))
      return finish(call, Status(WEIR_INVALID_ARGUMENT,
                                 str("[WEIR0333] ", textOf(call, 0),
                                     ": the value holds a NaN or an infinity "
                                     "(element ",
                                     i, " is ", elementText(view, i), ")")));
  call->outputs[0] = call->inputs[0];
  finish(call, Status());
}

void weir_node_ensure_shape(WeirNodeCall *call) {
  WeirView view = call->inputs[0].view();
  const WeirTensorDesc &desc = call->node.outputs[0];
  if (!matches(desc, view))
    return finish(
        call, Status(WEIR_INVALID_ARGUMENT,
                     str("[WEIR0335] the shape of the value is not the "
                         "expected one; expected ",
                         typeText(desc.dtype, desc.dims, desc.rank), ", got ",
                         typeText(view.dtype, view.dims, view.rank))));
  call->outputs[0] = call->inputs[0];
  finish(call, Status());
}

void weir_node_assert(WeirNodeCall *call) {
  WeirView condition = call->inputs[0].view();
  if (condition.dtype != WEIR_BOOL)
    return finish(call, Status(WEIR_INVALID_ARGUMENT,
                               str("[WEIR0339] the condition must be of i1, "
                                   "but is ",
                                   typeText(condition.dtype, condition.dims,
                                            condition.rank))));
  const uint8_t *data = static_cast<const uint8_t *>(condition.data);
  int64_t count = countOf(condition);
  bool holds = true;
  for (int64_t i = 0; i < count; ++i)
    holds &= data[i] != 0;
  if (holds)
    return finish(call, Status());
  std::string text = str("[WEIR0336] assertion failed: ", textOf(call, 0));
  for (int32_t i = 1; i < call->node.input_count; ++i)
    text += str(" ", summary(call->inputs[i].view()));
  WeirCode code =
      numberOf(call, 0, 0) ? WEIR_OUT_OF_RANGE : WEIR_INVALID_ARGUMENT;
  finish(call, Status(code, std::move(text)));
}

void weir_node_foreign(WeirNodeCall *call) {
  std::string reason = textOf(call, 1);
  finish(call,
         Status(WEIR_UNIMPLEMENTED,
                str("[WEIR0337] this version of Weir cannot run op '",
                    textOf(call, 0), "'", reason.empty() ? "" : ": ", reason)));
}

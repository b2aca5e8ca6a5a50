//===- CallSupport.h - What the calls of nodes share ------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checked access to a call's operands, and its end. Handles, scalars and types
// come from a graph whose types need not be known when it is compiled, so every
// call checks them.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_EXECUTOR_CALLS_CALLSUPPORT_H
#define WEIR_RUNTIME_EXECUTOR_CALLS_CALLSUPPORT_H

#include "runtime/executor/NodeCall.h"
#include "runtime/state/QueueSpec.h"

#include <string>
#include <typeinfo>

namespace weir::rt {

/// The resource that handle `input` names, whatever it is; belongs to the
/// handle. INVALID_ARGUMENT [WEIR0338] for what is no handle, or one of another
/// state.
Status findResource(WeirNodeCall *call, int32_t input, Resource *&result);

/// INVALID_ARGUMENT [WEIR0338]: the handle names something else.
Status wrongResource(const Resource &resource, const char *expected);

/// The same for a resource of class T (final); `expected` says what that is,
/// as in "a queue".
template <typename T>
Status findResource(WeirNodeCall *call, int32_t input, const char *expected,
                    T *&result) {
  Resource *resource = nullptr;
  WEIR_RETURN_IF_ERROR(findResource(call, input, resource));
  if (typeid(*resource) != typeid(T))
    return wrongResource(*resource, expected);
  result = static_cast<T *>(resource);
  return Status();
}

/// The same, kept alive by the result: for operations that go on with the
/// resource after the call has ended.
template <typename T>
Status findResource(WeirNodeCall *call, int32_t input, const char *expected,
                    std::shared_ptr<T> &result) {
  T *resource = nullptr;
  WEIR_RETURN_IF_ERROR(findResource(call, input, expected, resource));
  result = std::static_pointer_cast<T>(resourceOf(call->inputs[input].get()));
  return Status();
}

/// Operand `input`, a scalar of i32 or i64, called `what` in messages.
/// INVALID_ARGUMENT [WEIR0339] for anything else.
Status integerInput(WeirNodeCall *call, int32_t input, const char *what,
                    int64_t &result);

/// Operand `input`, a string scalar.
Status stringInput(WeirNodeCall *call, int32_t input, const char *what,
                   std::string &result);

/// Number `index` of the node, or `absent`.
inline int64_t numberOf(const WeirNodeCall *call, int32_t index,
                        int64_t absent) {
  return index < call->node.number_count ? call->node.numbers[index] : absent;
}

/// Text `index` of the node, or "".
std::string textOf(const WeirNodeCall *call, int32_t index);

/// Output `index` becomes a scalar. It must be declared of the type.
Status setInteger(WeirNodeCall *call, int32_t index, int64_t value);
Status setBool(WeirNodeCall *call, int32_t index, bool value);

/// Ends the call. The executor checks that the outputs are what the node
/// declares.
inline void finish(WeirNodeCall *call, Status status) {
  call->finish(std::move(status));
}

/// Ends the call with the tensors of `tuple` as its outputs.
void finishWith(WeirNodeCall *call, Status &&status, QueueTuple &&tuple);

} // namespace weir::rt

#endif // WEIR_RUNTIME_EXECUTOR_CALLS_CALLSUPPORT_H

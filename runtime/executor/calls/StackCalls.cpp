//===- StackCalls.cpp - Nodes of stacks -----------------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/executor/calls/CallSupport.h"
#include "runtime/state/Stack.h"

using namespace weir::rt;

static Status findStack(WeirNodeCall *call, Stack *&stack) {
  return findResource(call, 0, "a stack", stack);
}

void weir_node_stack(WeirNodeCall *call) {
  int64_t limit = -1;
  Status status = integerInput(call, 0, "the size of a stack", limit);
  if (status.ok())
    status = makeHandle(std::make_shared<Stack>(
                            call->node.name,
                            static_cast<int32_t>(numberOf(call, 0, WEIR_F32)),
                            limit),
                        call->outputs[0]);
  finish(call, std::move(status));
}

void weir_node_stack_push(WeirNodeCall *call) {
  Stack *stack = nullptr;
  Status status = findStack(call, stack);
  if (status.ok())
    status = stack->push(call->inputs[1]);
  if (status.ok())
    call->outputs[0] = call->inputs[1];
  finish(call, std::move(status));
}

void weir_node_stack_pop(WeirNodeCall *call) {
  Stack *stack = nullptr;
  Status status = findStack(call, stack);
  if (status.ok())
    status = stack->pop(call->outputs[0]);
  finish(call, std::move(status));
}

void weir_node_stack_close(WeirNodeCall *call) {
  Stack *stack = nullptr;
  Status status = findStack(call, stack);
  if (status.ok())
    stack->close();
  finish(call, std::move(status));
}

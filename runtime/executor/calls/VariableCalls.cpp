//===- VariableCalls.cpp - Nodes of variables -----------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/core/Session.h"
#include "runtime/executor/calls/CallSupport.h"
#include "runtime/state/Variable.h"

#include <vector>

using namespace weir::rt;

/// The variable of the program that the node names.
static Variable &ownVariable(WeirNodeCall *call) {
  return call->session.variables.variable(call->node.index);
}

static Status findVariable(WeirNodeCall *call, Variable *&variable) {
  return findResource(call, 0, "a variable", variable);
}

static void read(WeirNodeCall *call, Variable &variable) {
  finish(call, variable.read(call->session.program, call->outputs[0]));
}

/// The operands from `first` on are the kernel's, behind the old value.
static void update(WeirNodeCall *call, Variable &variable, int32_t first) {
  std::vector<WeirView> inputs(1);
  for (int32_t i = first; i < call->node.input_count; ++i)
    inputs.push_back(call->inputs[i].view());
  finish(call, variable.update(call->session.program, [&](const WeirView &old,
                                                          TensorRef &result) {
    inputs[0] = old;
    return runKernel(call->session, call->node.name, call->node.kernel,
                     inputs.data(), static_cast<int32_t>(inputs.size()),
                     &variable.desc(), &result, 1);
  }));
}

void weir_node_read(WeirNodeCall *call) { read(call, ownVariable(call)); }

void weir_node_assign(WeirNodeCall *call) {
  finish(call, ownVariable(call).assign(call->inputs[0].view()));
}

void weir_node_update(WeirNodeCall *call) {
  update(call, ownVariable(call), 0);
}

void weir_node_is_initialized(WeirNodeCall *call) {
  finish(call, setBool(call, 0, ownVariable(call).initializedBuffer()));
}

void weir_node_read_resource(WeirNodeCall *call) {
  Variable *variable = nullptr;
  if (Status status = findVariable(call, variable); !status.ok())
    return finish(call, std::move(status));
  read(call, *variable);
}

void weir_node_assign_resource(WeirNodeCall *call) {
  Variable *variable = nullptr;
  Status status = findVariable(call, variable);
  if (status.ok())
    status = variable->assign(call->inputs[1].view());
  finish(call, std::move(status));
}

void weir_node_update_resource(WeirNodeCall *call) {
  Variable *variable = nullptr;
  if (Status status = findVariable(call, variable); !status.ok())
    return finish(call, std::move(status));
  update(call, *variable, 1);
}

void weir_node_is_initialized_resource(WeirNodeCall *call) {
  Variable *variable = nullptr;
  Status status = findVariable(call, variable);
  if (status.ok())
    status = setBool(call, 0, variable->initializedBuffer());
  finish(call, std::move(status));
}

//===- VariableCalls.cpp - Nodes of variables -----------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/base/DType.h"
#include "runtime/base/Format.h"
#include "runtime/core/Program.h"
#include "runtime/core/Session.h"
#include "runtime/executor/calls/CallSupport.h"
#include "runtime/state/Variable.h"

#include <vector>

using namespace weir::rt;

/// The variable of the program that the node names.
static Status ownVariable(WeirNodeCall *call, Variable *&variable) {
  const int32_t index = call->node.index,
                count = call->session.program.variable_count;
  if (index < 0 || index >= count)
    return Status(WEIR_INTERNAL,
                  str("[WEIR0313] the node is of variable ", index,
                      ", of which there are ", count,
                      "; this is a fault of the compiler, please report it"));
  variable = &call->session.variables.variable(index);
  return Status();
}

static Status findVariable(WeirNodeCall *call, Variable *&variable) {
  return findResource(call, 0, "a variable", variable);
}

static Status read(WeirNodeCall *call, Variable &variable) {
  return variable.read(call->session.program, call->outputs[0], call->device);
}

/// Where the kernel of an update takes its operands.
static Status bring(TensorRef &operand, Device *to) {
  if (operand.get()->device == to)
    return Status();
  TensorRef there;
  WEIR_RETURN_IF_ERROR(copyTensorTo(to, *operand.get(), there));
  operand = std::move(there);
  return Status();
}

/// Compiled code relies on the type of the old value, which the numbers of the
/// node say where the variable is known at run time only.
static Status checkOld(WeirNodeCall *call, const Variable &variable,
                       const WeirView &old) {
  if (call->node.number_count < 2)
    return Status();
  const int64_t *dims = call->node.numbers + 2;
  bool fits =
      old.dtype == call->node.numbers[0] && old.rank == call->node.numbers[1];
  for (int32_t d = 0; fits && d < old.rank; ++d)
    fits = dims[d] == -1 || dims[d] == old.dims[d];
  if (fits)
    return Status();
  return Status(WEIR_INVALID_ARGUMENT,
                str("[WEIR0308] ", variable.describe(), " is ",
                    typeText(old.dtype, old.dims, old.rank),
                    ", but the node updates ",
                    typeText(static_cast<int32_t>(call->node.numbers[0]), dims,
                             static_cast<int32_t>(call->node.numbers[1]))));
}

/// The operands from `first` on are the kernel's, behind the old value.
template <int32_t first>
static Status update(WeirNodeCall *call, Variable &variable) {
  std::vector<WeirView> inputs(1);
  for (int32_t i = first; i < call->node.input_count; ++i) {
    WEIR_RETURN_IF_ERROR(bring(call->inputs[i], call->device));
    inputs.push_back(call->inputs[i].view());
  }
  return variable.update(
      call->session.program,
      [&](const WeirView &old, TensorRef &result) {
        WEIR_RETURN_IF_ERROR(checkOld(call, variable, old));
        inputs[0] = old;
        // An update keeps the shape, also where any would do.
        WeirTensorDesc desc = variable.desc();
        desc.dims = old.dims;
        desc.rank = old.rank;
        return runKernel(call->session, call->node.name, call->node.kernel,
                         inputs.data(), static_cast<int32_t>(inputs.size()),
                         &desc, &result, 1, call->device);
      },
      call->device);
}

/// Ends the call with what `operation` does on the variable that `find` finds.
template <typename Find, typename Operation>
static void perform(WeirNodeCall *call, Find find, Operation operation) {
  Variable *variable = nullptr;
  Status status = find(call, variable);
  if (status.ok())
    status = operation(call, *variable);
  finish(call, std::move(status));
}

/// Assigns operand `input`.
template <int32_t input>
static Status assign(WeirNodeCall *call, Variable &variable) {
  const WeirTensor &value = *call->inputs[input].get();
  return variable.assign(weir_tensor_view(&value), value.device);
}

static Status isInitialized(WeirNodeCall *call, Variable &variable) {
  return setBool(call, 0, variable.isInitialized());
}

void weir_node_temporary_variable(WeirNodeCall *call) {
  std::vector<int64_t> dims;
  int32_t rank = static_cast<int32_t>(numberOf(call, 1, -1));
  for (int32_t d = 0; d < rank; ++d)
    dims.push_back(numberOf(call, 2 + d, 0));
  WeirTensorDesc desc{call->node.name, dims.data(), rank,
                      static_cast<int32_t>(numberOf(call, 0, WEIR_F32))};
  finish(call, makeHandle(std::make_shared<Variable>(desc), call->outputs[0]));
}

void weir_node_variable_destroy(WeirNodeCall *call) {
  perform(call, findVariable, [](WeirNodeCall *, Variable &variable) {
    variable.clear();
    return Status();
  });
}

void weir_node_read(WeirNodeCall *call) { perform(call, ownVariable, read); }
void weir_node_assign(WeirNodeCall *call) {
  perform(call, ownVariable, assign<0>);
}
void weir_node_update(WeirNodeCall *call) {
  perform(call, ownVariable, update<0>);
}
void weir_node_is_initialized(WeirNodeCall *call) {
  perform(call, ownVariable, isInitialized);
}

void weir_node_read_resource(WeirNodeCall *call) {
  perform(call, findVariable, read);
}
void weir_node_assign_resource(WeirNodeCall *call) {
  perform(call, findVariable, assign<1>);
}
void weir_node_update_resource(WeirNodeCall *call) {
  perform(call, findVariable, update<1>);
}
void weir_node_is_initialized_resource(WeirNodeCall *call) {
  perform(call, findVariable, isInitialized);
}

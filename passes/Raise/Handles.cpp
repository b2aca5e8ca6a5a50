//===- Handles.cpp - Which state a handle names ---------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Raise/Handles.h"
#include "lib/Analysis/Kernels.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace weir;

/// True for a node each result of which is one of its operands, if a handle.
static bool handsOn(Operation *op) {
  return isa<IdentityOp, EnterOp, ExitOp, SwitchOp, SwitchNOp, NextIterationOp,
             MergeOp>(op);
}

Handles::Handles(GraphOp graph)
    : severalDevices(asksForSeveralDevices(graph.getBody().front())) {
  auto isHandle = [](Value value) {
    return isa<ResourceType>(value.getType());
  };
  // Optimistic: a cycle adds nothing to what enters it.
  llvm::SetVector<Value> work;
  auto meet = [&](Value value, FlatSymbolRefAttr name) {
    auto [at, isNew] = names.try_emplace(value, name);
    if (!isNew && (at->second == name || !at->second))
      return;
    if (!isNew)
      at->second = {};
    work.insert(value);
  };
  for (Value argument : graph.getBody().getArguments())
    if (isHandle(argument))
      meet(argument, {});
  for (Operation &op : graph.getBody().front()) {
    if (auto handle = dyn_cast<HandleOp>(op))
      meet(handle.getResult(), handle.getSymbolAttr());
    else if (!handsOn(&op))
      for (Value result : op.getResults())
        if (isHandle(result))
          meet(result, {});
  }
  while (!work.empty()) {
    Value value = work.pop_back_val();
    FlatSymbolRefAttr name = names.lookup(value);
    for (Operation *user : value.getUsers())
      if (handsOn(user))
        for (Value result : user->getResults())
          if (isHandle(result))
            meet(result, name);
  }
}

FlatSymbolRefAttr Handles::operator[](Value handle) const {
  return names.lookup(handle);
}

//===- Eligible.cpp - What a straight line can hold -----------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "passes/Raise/Raising.h"

using namespace mlir;

namespace weir::raise {

bool isPredicate(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getRank() == 0 &&
         (type.getElementType().isInteger(1) ||
          type.getElementType().isInteger(32));
}

std::string whyNotRaised(Operation *op, const Handles &handles) {
  if (op->hasAttr(WeirDialect::getDeviceAttrName()) &&
      handles.hasSeveralDevices())
    return "it asks for a device, and the graph is for several";
  for (Value result : op->getResults()) {
    // An index that nobody reads is not made.
    if (isa<MergeOp>(op) && result.use_empty())
      continue;
    Type type = result.getType();
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (isa<TensorType>(type) && !tensor)
      return "the rank of its result is not known";
    if (tensor && isa<StringType>(tensor.getElementType()))
      return "its result holds strings";
    if (isa<ResourceType>(type) && !handles[result])
      return "its result is a handle of which nobody knows what it names";
  }
  if (isa<RuntimeCallInterface>(op))
    return "it is a call of the runtime, which may wait";
  if (isa<SaveOp, RestoreOp>(op))
    return "it reads or writes a checkpoint";
  if (isa<GradientsOp>(op))
    return "it is a request for gradients";
  if (isa<EnterOp, ExitOp, NextIterationOp>(op))
    return "it belongs to a loop that stays dataflow";
  if (isa<SwitchOp, SwitchNOp, MergeOp, LoopCondOp, ControlTriggerOp, ReadOp,
          AssignOp, AssignAddOp, AssignSubOp, AssignScatterOp, IsInitializedOp,
          CheckNumericsOp, NoOpOp, CompletedOp, scf::IfOp, scf::WhileOp,
          tensor::ExtractOp>(op))
    return "";
  if (isa<NodeInterface>(op) && isMemoryEffectFree(op))
    return "";
  return "a straight line cannot hold it";
}

} // namespace weir::raise

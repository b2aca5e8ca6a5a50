//===- Controls.cpp - Where a pure node's wait goes -------------------------
//===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Fuse/Controls.h"

#include "dialects/Rt/Rt.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace weir {

void hoistControls(NodeInterface node, bool isInLoop) {
  SmallVector<Value> controls(node.getControlInputs());
  if (controls.empty() || (isInLoop && node.getDataInputs().empty()))
    return;
  OpBuilder builder(node);
  auto wait = [&](Value value) -> Value {
    auto identity = IdentityOp::create(builder, node.getLoc(), value, controls);
    for (StringRef name : {WeirDialect::getDeviceAttrName(), rt::hopAttrName})
      if (Attribute attribute = node->getDiscardableAttr(name))
        identity->setDiscardableAttr(name, attribute);
    return identity;
  };
  node.getControlInputsMutable().clear();
  llvm::SmallMapVector<Value, Value, 4> waiting;
  for (Value operand : node.getDataInputs())
    if ((isInLoop || !operand.getDefiningOp<ConstantOp>()) &&
        !waiting.contains(operand))
      waiting[operand] = wait(operand);
  for (OpOperand &operand : node->getOpOperands())
    if (Value instead = waiting.lookup(operand.get()))
      operand.set(instead);
  if (!waiting.empty())
    return;
  builder.setInsertionPointAfter(node);
  for (Value result : node->getResults()) {
    Value instead = wait(result);
    result.replaceAllUsesExcept(instead, instead.getDefiningOp());
  }
}

} // namespace weir

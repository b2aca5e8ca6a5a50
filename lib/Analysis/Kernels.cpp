//===- Kernels.cpp - Which devices can run a node -------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Analysis/Kernels.h"

#include "dialects/Weir/Weir.h"
#include "lib/Analysis/DeviceName.h"
#include "lib/Analysis/MxuFeasible.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace weir {

bool isDeclaredState(Operation *op) {
  return isa<VariableOp, QueueOp, BarrierOp, AccumulatorOp, ReaderOp>(op);
}

/// What only the host's memory holds.
static bool isOfHost(Type type) {
  Type element = getElementTypeOrSelf(type);
  return isa<UnrankedTensorType>(type) ||
         !(element.isIntOrFloat() || isa<ControlType>(element));
}

std::optional<std::string> whyNotOn(Operation *op, StringRef type) {
  if (type == "CPU")
    return std::nullopt;
  auto hostOnly = [&](Type operand) -> std::string {
    std::string text;
    llvm::raw_string_ostream(text)
        << "is about " << operand << ", which only a CPU holds";
    return text;
  };
  if (isDeclaredState(op)) {
    auto variable = dyn_cast<VariableOp>(op);
    if (!variable || type != "GPU")
      return ("is state of a kind that a " + type + " has no memory for").str();
    if (isOfHost(variable.getType()))
      return hostOnly(variable.getType());
    return std::nullopt;
  }
  auto node = dyn_cast<NodeInterface>(op);
  if (!node)
    return "is control flow, which a CPU runs";
  ArrayRef<StringLiteral> types = node.getDeviceTypes();
  if (!llvm::is_contained(types, type))
    return "has kernels for " +
           llvm::join(llvm::map_range(
                          types, [](StringRef name) { return name.str(); }),
                      ", ") +
           " only";
  for (Type operand : op->getOperandTypes())
    if (isOfHost(operand))
      return hostOnly(operand);
  for (Type result : op->getResultTypes())
    if (isOfHost(result))
      return hostOnly(result);
  return type == "MXU" ? whyNotOnMxu(op) : std::nullopt;
}

bool asksForSeveralDevices(Block &block) {
  llvm::SmallSetVector<Attribute, 4> texts;
  for (Operation &op : block)
    if (Attribute device = op.getAttr(WeirDialect::getDeviceAttrName()))
      texts.insert(device);
  SmallVector<DeviceName> requests;
  for (Attribute text : texts)
    if (auto string = dyn_cast<StringAttr>(text))
      if (auto name = DeviceName::parse(string.getValue())) {
        if (llvm::any_of(requests, [&](const DeviceName &other) {
              return !DeviceName::both(*name, other);
            }))
          return true;
        requests.push_back(*name);
      }
  return false;
}

} // namespace weir

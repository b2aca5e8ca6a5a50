//===- QueueOps.cpp - Queues, barriers, accumulators -===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Weir/Weir.h"

using namespace mlir;

namespace weir {

static LogicalResult verifyComponents(Operation *op, ArrayAttr components,
                                      StringRef what) {
  if (components.empty())
    return op->emitOpError()
           << "[WEIR0008] a " << what << " has at least one component";
  for (Attribute component : components) {
    auto type = dyn_cast<TypeAttr>(component);
    if (!type)
      return op->emitOpError()
             << "[WEIR0008] a component is a type, got " << component;
    if (failed(verifyAnyTensorType(type.getValue(),
                                   [&] { return op->emitOpError(); })))
      return failure();
  }
  return success();
}

ParseResult QueueOp::parse(OpAsmParser &parser, OperationState &result) {
  StringAttr name;
  int64_t capacity;
  SmallVector<Type> components;
  if (parser.parseSymbolName(name, "sym_name", result.attributes) ||
      parser.parseKeyword("capacity") || parser.parseInteger(capacity) ||
      parser.parseKeyword("of") || parser.parseTypeList(components) ||
      parser.parseOptionalAttrDict(result.attributes))
    return failure();
  Builder &builder = parser.getBuilder();
  result.addAttribute("capacity", builder.getI64IntegerAttr(capacity));
  result.addAttribute("components", builder.getTypeArrayAttr(components));
  return success();
}

void QueueOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printSymbolName(getSymName());
  printer << " capacity " << getCapacityAttr().getInt() << " of ";
  llvm::interleaveComma(getComponents().getAsValueRange<TypeAttr>(), printer);
  printer.printOptionalAttrDict((*this)->getAttrs(),
                                {"sym_name", "capacity", "components"});
}

LogicalResult QueueOp::verify() {
  // queue_c1
  int64_t capacity = getCapacity();
  if (capacity < -1 || capacity == 0)
    return emitOpError()
           << "[WEIR0007] the capacity is positive, or -1 for no bound, got "
           << capacity;
  // queue_c2
  if (failed(verifyComponents(*this, getComponents(), "queue")))
    return failure();
  // queue_c3
  int64_t kept = getMinAfterDequeue();
  if (getKind() != QueueKind::random_shuffle && kept != 0)
    return emitOpError()
           << "[WEIR0065] min_after_dequeue is for random_shuffle "
              "only, the kind is "
           << stringifyQueueKind(getKind());
  if (kept < 0 || (capacity != -1 && kept >= capacity))
    return emitOpError() << "[WEIR0065] min_after_dequeue is in 0 <= n < "
                            "capacity, got "
                         << kept << " of " << capacity;
  // queue_c4
  Type first = cast<TypeAttr>(getComponents()[0]).getValue();
  if (getKind() == QueueKind::priority &&
      first != RankedTensorType::get({}, IntegerType::get(getContext(), 64)))
    return emitOpError()
           << "[WEIR0065] the first component of a priority queue "
              "is tensor<i64>, got "
           << first;
  return success();
}

LogicalResult BarrierOp::verify() {
  return verifyComponents(*this, getComponents(), "barrier"); // barrier_c1
}

} // namespace weir

//===- ResourceOps.cpp - State by handle -===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Weir/DTypes.h"
#include "dialects/Weir/Weir.h"

using namespace mlir;

namespace weir {

/// Rank and extents as calls take them: -1 is unknown.
static void appendShape(TensorType type, SmallVectorImpl<int64_t> &numbers) {
  if (!type.hasRank()) {
    numbers.push_back(-1);
    return;
  }
  numbers.push_back(type.getRank());
  for (int64_t extent : type.getShape())
    numbers.push_back(ShapedType::isDynamic(extent) ? -1 : extent);
}

//===----------------------------------------------------------------------===//
// Handles
//===----------------------------------------------------------------------===//

ArrayRef<StringLiteral> HandleOp::getDeviceTypes() {
  static constexpr StringLiteral types[] = {"CPU"};
  return types;
}

OperandRange HandleOp::getControlInputs() {
  return getOperation()->getOperands();
}
OperandRange HandleOp::getDataInputs() { return getOperation()->getOperands(); }
MutableOperandRange HandleOp::getControlInputsMutable() {
  return MutableOperandRange(getOperation(), 0, 0);
}

LogicalResult HandleOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // handle_c1
  Operation *named = symbols.lookupNearestSymbolFrom(*this, getSymbolAttr());
  if (isa_and_present<VariableOp, QueueOp, BarrierOp, AccumulatorOp, ReaderOp>(
          named))
    return success();
  return emitOpError() << "[WEIR0066] names '" << getSymbol()
                       << "', which is no variable, queue, barrier, "
                          "accumulator or reader";
}

//===----------------------------------------------------------------------===//
// Step resources, checks
//===----------------------------------------------------------------------===//

LogicalResult AssignScatterResourceOp::verify() {
  // assign_scatter_resource_c1
  return verifyScatter(cast<RankedTensorType>(getType()),
                       cast<RankedTensorType>(getIndices().getType()),
                       cast<RankedTensorType>(getUpdates().getType()),
                       getKind(), [&] { return InferError(emitOpError()); });
}

LogicalResult TemporaryVariableOp::verify() {
  // temporary_variable_c1
  auto type = dyn_cast<RankedTensorType>(getType());
  if (type && !type.hasStaticShape())
    return emitOpError() << "[WEIR0006] the extents of a variable are static, "
                            "or its rank is unknown; got "
                         << type;
  return verifyAnyTensorType(getType(), [&] { return emitOpError(); });
}

SmallVector<int64_t> TemporaryVariableOp::getCallNumbers() {
  auto type = cast<TensorType>(getType());
  SmallVector<int64_t> numbers{dtypeOf(type.getElementType())};
  appendShape(type, numbers);
  return numbers;
}

SmallVector<std::string> TemporaryVariableOp::getCallTexts() { return {}; }

LogicalResult TensorListOp::verify() {
  // tensor_list_c1
  if (isa<ResourceType>(getElement()))
    return success();
  if (!isa<TensorType>(getElement()))
    return emitOpError()
           << "[WEIR0079] elements are tensors or !weir.resource, got "
           << getElement();
  return verifyAnyTensorType(getElement(), [&] { return emitOpError(); });
}

SmallVector<int64_t> TensorListOp::getCallNumbers() {
  auto type = dyn_cast<TensorType>(getElement());
  if (!type)
    return {WEIR_RESOURCE, 0};
  SmallVector<int64_t> numbers{dtypeOf(type.getElementType())};
  appendShape(type, numbers);
  return numbers;
}

SmallVector<std::string> TensorListOp::getCallTexts() { return {}; }

LogicalResult StackOp::verify() {
  if (isElementType(getElement())) // stack_c1
    return success();
  return emitOpError() << "[WEIR0067] the elements are of an element type, got "
                       << getElement();
}

SmallVector<int64_t> TensorArrayOp::getCallNumbers() {
  auto type = cast<TensorType>(getElement());
  SmallVector<int64_t> numbers{dtypeOf(type.getElementType()), getDynamicSize(),
                               getClearAfterRead(),
                               getIdenticalElementShapes()};
  appendShape(type, numbers);
  return numbers;
}

SmallVector<std::string> TensorArrayOp::getCallTexts() { return {}; }

LogicalResult EnsureShapeOp::verify() {
  if (areCompatible(getInput().getType(), getResult().getType()))
    return success(); // ensure_shape_c1
  return emitOpError() << "[WEIR0062] is given " << getInput().getType()
                       << ", which is no value of the result's type "
                       << getResult().getType();
}

} // namespace weir

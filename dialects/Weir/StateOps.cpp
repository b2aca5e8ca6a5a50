//===- StateOps.cpp - Variables, checkpoints, run-time checks
//-----------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Weir/Weir.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace weir {

/// The variable a node names, or an error that lists what there is.
static FailureOr<VariableOp> findVariable(Operation *op, FlatSymbolRefAttr name,
                                          SymbolTableCollection &symbols) {
  if (auto variable = symbols.lookupNearestSymbolFrom<VariableOp>(op, name))
    return variable;
  InFlightDiagnostic error = op->emitOpError()
                             << "[WEIR0012] names '" << name.getValue()
                             << "', which is no weir.variable";
  Operation *table = SymbolTable::getNearestSymbolTable(op);
  StringRef closest;
  unsigned distance = 3;
  for (auto variable : table->getRegion(0).getOps<VariableOp>()) {
    unsigned d = variable.getSymName().edit_distance(name.getValue());
    if (d < distance) {
      distance = d;
      closest = variable.getSymName();
    }
  }
  if (!closest.empty())
    error.attachNote() << "did you mean '@" << closest << "'?";
  return error;
}

static LogicalResult mismatch(Operation *op, VariableOp variable, Type type) {
  InFlightDiagnostic error = op->emitOpError()
                             << "[WEIR0013] type " << type
                             << " does not match variable '@"
                             << variable.getSymName() << "' of type "
                             << variable.getType();
  error.attachNote(variable.getLoc()) << "variable declared here";
  return error;
}

LogicalResult ReadOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto variable = findVariable(*this, getVariableAttr(), symbols); // read_c1
  if (failed(variable))
    return failure();
  if (variable->getType() != getValue().getType()) // read_c2
    return mismatch(*this, *variable, getValue().getType());
  return success();
}

template <typename OpT>
static LogicalResult verifyAssign(OpT op, SymbolTableCollection &symbols) {
  auto variable = findVariable(op, op.getVariableAttr(), symbols); // assign_c1
  if (failed(variable))
    return failure();
  if (!areCompatible(variable->getType(), op.getValue().getType())) // assign_c2
    return mismatch(op, *variable, op.getValue().getType());
  return success();
}

LogicalResult AssignOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyAssign(*this, symbols);
}
LogicalResult AssignAddOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyAssign(*this, symbols);
}
LogicalResult AssignSubOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyAssign(*this, symbols);
}

LogicalResult
AssignScatterOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto variable =
      findVariable(*this, getVariableAttr(), symbols); // assign_scatter_c1
  if (failed(variable))
    return failure();
  return verifyScatter(
      cast<RankedTensorType>(variable->getType()),
      cast<RankedTensorType>(getIndices().getType()),
      cast<RankedTensorType>(getUpdates().getType()), getKind(),
      [&] { return InferError(emitOpError()); }); // assign_scatter_c2
}

LogicalResult
IsInitializedOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (getValue().getType().getRank() != 0) // is_initialized_c2
    return emitOpError() << "[WEIR0013] the result is a scalar, got "
                         << getValue().getType();
  return failure(failed(
      findVariable(*this, getVariableAttr(), symbols))); // is_initialized_c1
}

static LogicalResult verifyNames(Operation *op, ArrayAttr names,
                                 size_t values) {
  // save_c1, restore_c1
  if (names.size() != values)
    return op->emitOpError() << "[WEIR0014] has " << names.size()
                             << " names for " << values << " values";
  // save_c2, restore_c2
  llvm::StringSet<> seen;
  for (StringRef name : names.getAsValueRange<StringAttr>()) {
    if (name.empty())
      return op->emitOpError()
             << "[WEIR0014] a tensor's name in a checkpoint is not empty";
    if (!seen.insert(name).second)
      return op->emitOpError()
             << "[WEIR0014] the name '" << name << "' is given twice";
  }
  return success();
}

LogicalResult SaveOp::verify() {
  return verifyNames(*this, getNames(), getValues().size());
}

LogicalResult RestoreOp::verify() {
  if (getValues().empty()) // restore_c1
    return emitOpError()
           << "[WEIR0014] restores nothing; name one value at least";
  for (Type type : getValues().getTypes()) // restore_c3
    if (!cast<RankedTensorType>(type).hasStaticShape())
      return emitOpError()
             << "[WEIR0014] restored values have static extents, got " << type;
  return verifyNames(*this, getNames(), getValues().size());
}

} // namespace weir

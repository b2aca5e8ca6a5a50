//===- ControlFlowOps.cpp - Conditionals and loops as dataflow -===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Weir/Weir.h"

using namespace mlir;

namespace weir {

/// An error unless `type` is that of a scalar, or of unknown rank.
static LogicalResult verifyScalar(Operation *op, StringRef what, Type type) {
  auto ranked = dyn_cast<RankedTensorType>(type);
  if (!ranked || ranked.getRank() == 0)
    return success();
  return op->emitOpError() << "[WEIR0061] the " << what << " is a scalar, got "
                           << type;
}

/// An error unless a value of type `from` can be one of type `to`.
static LogicalResult verifyCarried(Operation *op, Type from, Type to) {
  if (areCompatible(from, to))
    return success();
  return op->emitOpError() << "[WEIR0062] is given " << from
                           << ", which is no value of the result's type " << to;
}

LogicalResult SwitchOp::verify() {
  if (failed(verifyScalar(*this, "predicate",
                          getPredicate().getType()))) // switch_c1
    return failure();
  for (Value side : {getFalseSide(), getTrueSide()}) // switch_c2
    if (failed(verifyCarried(*this, getData().getType(), side.getType())))
      return failure();
  return success();
}

LogicalResult SwitchNOp::verify() {
  if (failed(verifyScalar(*this, "index", getIndex().getType()))) // switch_n_c1
    return failure();
  if (getSides().empty()) // switch_n_c2
    return emitOpError() << "[WEIR0063] has no side to switch to";
  for (Value side : getSides())
    if (failed(verifyCarried(*this, getData().getType(), side.getType())))
      return failure();
  return success();
}

LogicalResult MergeOp::verify() {
  if (getInputs().empty()) // merge_c1
    return emitOpError() << "[WEIR0063] has no operand to take";
  for (Value input : getInputs()) // merge_c2
    if (failed(verifyCarried(*this, input.getType(), getValue().getType())))
      return failure();
  return verifyScalar(*this, "number of the operand",
                      getIndex().getType()); // merge_c3
}

LogicalResult EnterOp::verify() {
  if (getFrame().empty()) // enter_c1
    return emitOpError() << "[WEIR0064] the frame has no name";
  int64_t parallel = getParallelIterations();
  if (parallel < 1 || parallel >= (int64_t(1) << 31)) // enter_c2
    return emitOpError()
           << "[WEIR0064] parallel_iterations is in 1 <= n < 2^31, got "
           << parallel;
  return verifyCarried(*this, getInput().getType(),
                       getResult().getType()); // enter_c3
}

LogicalResult ExitOp::verify() {
  return verifyCarried(*this, getInput().getType(), getResult().getType());
}

LogicalResult NextIterationOp::verify() {
  return verifyCarried(*this, getInput().getType(), getResult().getType());
}

LogicalResult LoopCondOp::verify() {
  if (failed(verifyScalar(*this, "condition", getInput().getType())))
    return failure();
  return verifyCarried(*this, getInput().getType(), getResult().getType());
}

} // namespace weir

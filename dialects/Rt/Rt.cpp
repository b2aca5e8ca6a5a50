//===- Rt.cpp - Scheduled programs
//--------------------------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Rt/Rt.h"

using namespace mlir;

#include "dialects/Rt/RtDialect.cpp.inc"

#define GET_OP_CLASSES
#include "dialects/Rt/RtOps.cpp.inc"

void weir::rt::RtDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "dialects/Rt/RtOps.cpp.inc"
      >();
}

/// Checkpoints go by name: an error unless each value has one.
static LogicalResult verifyNames(Operation *op, ArrayAttr names,
                                 size_t values) {
  if (names.size() == values)
    return success();
  return op->emitOpError() << "[WEIR0018] has " << names.size() << " names for "
                           << values << " values";
}

namespace weir::rt {

// save_c1, save_buffers_c1, restore_buffers_c1
LogicalResult SaveOp::verify() {
  return verifyNames(*this, getNames(), getValues().size());
}
LogicalResult SaveBuffersOp::verify() {
  return verifyNames(*this, getNames(), getValues().size());
}
LogicalResult RestoreBuffersOp::verify() {
  return verifyNames(*this, getNames(), getValues().size());
}

LogicalResult RestoreOp::verify() {
  if (getValues().empty()) // restore_c1
    return emitOpError() << "[WEIR0018] restores nothing";
  return verifyNames(*this, getNames(), getValues().size());
}

} // namespace weir::rt

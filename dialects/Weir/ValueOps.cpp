//===- ValueOps.cpp - Values whose extents depend on elements -------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Weir/Weir.h"

using namespace mlir;

namespace weir {

LogicalResult SelectNOp::verify() {
  // select_n_c1
  if (getInputs().empty())
    return emitOpError() << "[WEIR0079] selects among one operand at least";
  for (Type type : getInputs().getTypes())
    if (!areCompatible(type, getResult().getType()))
      return emitOpError() << "[WEIR0079] an operand of type " << type
                           << " cannot be a result of type "
                           << getResult().getType();
  return success();
}

} // namespace weir

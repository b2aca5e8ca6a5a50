//===- Rt.cpp - Scheduled programs --------------------------------------------===//
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

//===- Interfaces.h - Op interfaces of Weir -----------------------*- C++
//-*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECTS_INTERFACES_INTERFACES_H
#define WEIR_DIALECTS_INTERFACES_INTERFACES_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"

namespace weir {
class GraphBuilder;
class GradientBuilder;
class ScalarBuilder;
} // namespace weir

#include "dialects/Interfaces/Interfaces.h.inc"

#endif // WEIR_DIALECTS_INTERFACES_INTERFACES_H

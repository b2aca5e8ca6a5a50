//===- Passes.h - What warns of graphs that may not do what they should -*- C++
//-*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_PASSES_CHECK_PASSES_H
#define WEIR_PASSES_CHECK_PASSES_H

#include "mlir/Pass/Pass.h"

namespace weir {

#define GEN_PASS_DECL
#include "passes/Check/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "passes/Check/Passes.h.inc"

} // namespace weir

#endif // WEIR_PASSES_CHECK_PASSES_H

//===- Passes.td - What puts a program in order -*- tablegen -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_PASSES_SCHEDULE_PASSES_TD
#define WEIR_PASSES_SCHEDULE_PASSES_TD

include "mlir/Pass/PassBase.td"

#endif // WEIR_PASSES_SCHEDULE_PASSES_TD

//===- Passes.td - What brings a program in and checks it -*- tablegen -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_PASSES_IMPORT_PASSES_TD
#define WEIR_PASSES_IMPORT_PASSES_TD

include "mlir/Pass/PassBase.td"

#endif // WEIR_PASSES_IMPORT_PASSES_TD

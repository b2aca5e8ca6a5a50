//===- FreezeVariables.h - Variables become constants -*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_QUANTIZE_FREEZEVARIABLES_H
#define WEIR_LIB_QUANTIZE_FREEZEVARIABLES_H

#include "lib/Quantize/Samples.h"
#include "mlir/IR/BuiltinOps.h"

namespace weir {

/// Replaces the reads of all variables of the module by what the checkpoint has
/// under their names, and drops the variables. False after an error [WEIR0263]:
/// a variable that the checkpoint does not have, or that a graph does more with
/// than read it.
bool freezeVariables(mlir::ModuleOp module, const std::string &prefix,
                     Messages &messages);

/// The same with the values that the caller has.
bool freezeVariables(mlir::ModuleOp module, const NamedTensors &values,
                     Messages &messages);

} // namespace weir

#endif // WEIR_LIB_QUANTIZE_FREEZEVARIABLES_H

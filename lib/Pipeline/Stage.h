//===- Stage.h - Is a module what a phase starts from? -------- -*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_PIPELINE_STAGE_H
#define WEIR_LIB_PIPELINE_STAGE_H

#include "lib/Pipeline/Phases.h"

namespace weir {

/// Checks that the module is in the form that phase `first` starts from, graphs
/// or scheduled programs: a user may give any file to any phase. Errors at
/// places go to the handler of the context.
bool checkStage(mlir::ModuleOp module, Phase first, Messages &messages);

} // namespace weir

#endif // WEIR_LIB_PIPELINE_STAGE_H

//===- Passes.h - What cuts a graph into programs, one a device -*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_PASSES_PARTITION_PASSES_H
#define WEIR_PASSES_PARTITION_PASSES_H

#include "mlir/Pass/Pass.h"

namespace weir {

#define GEN_PASS_DECL
#include "passes/Partition/Passes.h.inc"

/// Adds the passes of this phase, which cuts a graph into programs, one a
/// device.
void buildPartitionPipeline(mlir::OpPassManager &manager);

#define GEN_PASS_REGISTRATION
#include "passes/Partition/Passes.h.inc"

} // namespace weir

#endif // WEIR_PASSES_PARTITION_PASSES_H

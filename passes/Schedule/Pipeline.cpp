//===- Pipeline.cpp - The passes of this phase -===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Schedule/Passes.h"

#include "mlir/Pass/PassManager.h"

void weir::buildSchedulePipeline(mlir::OpPassManager &manager) {
  manager.addPass(createScheduleBuildDataflow());
  manager.addPass(createScheduleOrderProgram());
}

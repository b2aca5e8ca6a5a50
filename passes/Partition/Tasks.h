//===- Tasks.h - Devices and the tasks they are of -------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_PASSES_PARTITION_TASKS_H
#define WEIR_PASSES_PARTITION_TASKS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"

namespace weir {

/// True for a CPU: what is there, a client can feed and fetch.
bool hasHostMemory(mlir::StringAttr device);

/// The CPU 0 of the task of a device; both are full names.
mlir::StringAttr hostOf(mlir::StringAttr device);

/// Where a client is: the CPU 0 of the task of the module's first device.
mlir::StringAttr homeOf(mlir::ModuleOp module);

/// True where the devices there are (`rt.devices`) are of several tasks.
bool hasSeveralTasks(mlir::ModuleOp module);

} // namespace weir

#endif // WEIR_PASSES_PARTITION_TASKS_H

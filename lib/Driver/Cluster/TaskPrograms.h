//===- TaskPrograms.h - A program for each task of a cluster ----*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_DRIVER_CLUSTER_TASKPROGRAMS_H
#define WEIR_LIB_DRIVER_CLUSTER_TASKPROGRAMS_H

#include "lib/Driver/Driver.h"

namespace weir {

/// Compiles what each task runs of a program: `tasks` are prefixes of device
/// names, "/job:ps/replica:0/task:0". `options.devices` has the devices of all
/// tasks, that of the client's task first. `libraries` receives a shared
/// library without the runtime for each task, empty where it has no part of any
/// entry point.
bool compileTasks(const Program &program, const CompileOptions &options,
                  const std::vector<std::string> &tasks,
                  std::vector<std::string> &libraries, Messages &messages);

} // namespace weir

#endif // WEIR_LIB_DRIVER_CLUSTER_TASKPROGRAMS_H

//===- ClusterEngine.h - Steps that a cluster runs --------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_DRIVER_CLUSTER_CLUSTERENGINE_H
#define WEIR_LIB_DRIVER_CLUSTER_CLUSTERENGINE_H

#include "lib/Driver/Engine.h"
#include "runtime/distributed/ClusterSession.h"

namespace weir {

/// Which cluster: one that is there, or one that is started for the run.
struct ClusterRequest {
  /// A file with the cluster's spec, as TF_CONFIG has it.
  std::string specFile;
  /// "ps=1,worker=2": processes on this machine.
  std::string local;
  /// Devices that each task has besides its CPU, as "GPU:0".
  std::vector<std::string> taskDevices;
  rt::ClusterOptions options;

  bool isGiven() const { return !specFile.empty() || !local.empty(); }
};

/// Compiles the program for the tasks of a cluster and loads it there. The
/// engine has the cluster that it started, and ends it. Steps may run side by
/// side.
std::unique_ptr<Engine> makeClusterEngine(const Program &program,
                                          const CompileOptions &options,
                                          const ClusterRequest &request,
                                          Messages &messages);

} // namespace weir

#endif // WEIR_LIB_DRIVER_CLUSTER_CLUSTERENGINE_H

//===- ClusterOptions.h - The flags of a cluster ----------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_DRIVER_CLUSTER_CLUSTEROPTIONS_H
#define WEIR_LIB_DRIVER_CLUSTER_CLUSTEROPTIONS_H

#include "lib/Driver/Cluster/ClusterEngine.h"

namespace weir {

/// Registers --cluster, --local-cluster, --task-devices, --heartbeat-ms and
/// --tls-*. Call it once, before the command line is parsed.
void registerClusterOptions();

/// What the flags ask for; nothing is asked for where isGiven() is false. False
/// on an error.
bool readClusterOptions(ClusterRequest &request, Messages &messages);

} // namespace weir

#endif // WEIR_LIB_DRIVER_CLUSTER_CLUSTEROPTIONS_H

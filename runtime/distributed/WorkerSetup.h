//===- WorkerSetup.h - From a command line to a task ------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_DISTRIBUTED_WORKERSETUP_H
#define WEIR_RUNTIME_DISTRIBUTED_WORKERSETUP_H

#include "runtime/cli/Arguments.h"
#include "runtime/distributed/WorkerServer.h"
#include "weir-c/device.h"

namespace weir::rt {

using DeviceKinds = std::vector<const WeirDeviceKind *>;

/// What weir-worker's command line and the environment say: which task this is
/// (--cluster, --slurm or TF_CONFIG; --job and --task), where it listens, how
/// it is secured, which devices of `kinds` it has. Configures the devices of
/// the process. INVALID_ARGUMENT [WEIR0398] for options that do not go
/// together.
Status setUpWorker(const Arguments &arguments, const DeviceKinds &kinds,
                   WorkerOptions &options);

/// Lets the C library keep memory that was freed: what tensors come in is
/// needed again for the next ones, and fresh pages cost more than the copy.
void keepFreedMemory();

/// The port as text, in a file that is whole once it has its name.
Status writePortFile(const std::string &path, int32_t port);

} // namespace weir::rt

#endif // WEIR_RUNTIME_DISTRIBUTED_WORKERSETUP_H

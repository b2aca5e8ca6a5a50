//===- RunPlan.h - What weir-run is asked to do --------------- -*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_DRIVER_RUNPLAN_H
#define WEIR_LIB_DRIVER_RUNPLAN_H

#include "lib/Driver/Engine.h"
#include "runtime/main/Checkpoints.h"

#include <functional>

namespace weir {

/// What weir-run's command line asks for, as text.
struct RunRequest {
  /// Entry points in the order to run them; empty for the only one there is.
  std::vector<std::string> entries;
  std::vector<std::string> feeds;   ///< NAME=VALUE or NAME=file.npy
  std::vector<std::string> fetches; ///< What to print; empty for all.
  std::vector<std::string> outputs; ///< NAME=file.npy
  /// Nodes that run for their effects, and those that run first, each in a step
  /// of its own.
  std::vector<std::string> targets, first;
  bool init = false;
  int64_t seed = 0;
  rt::CheckpointRequest checkpoints;
  /// Run beside the last entry: ENTRY[:N][=CLOSE], as `--runner` of compiled
  /// programs has it.
  std::vector<std::string> runners;
  /// Of the last entry, with those that a checkpoint of --restore-latest has
  /// behind it; the entry may end before with the data of its runners.
  int64_t steps = 1;
  bool benchmark = false;
  std::string profile;
  /// Print where the time went.
  bool profileSummary = false;
  /// Deadline and stall report of each step.
  WeirRunOptions options = WEIR_RUN_OPTIONS_INIT;
};

/// Makes the engine for a program; null on an error, which is in the messages.
using EngineMaker = std::function<std::unique_ptr<Engine>(
    const Program &program, Messages &messages)>;

/// Checks all of the request, makes an engine for the entry points that it
/// needs, which are all that is left of `program`, and runs it: init, restore,
/// the entries, save. Fetches of the last entry go to standard output. False
/// after an error.
bool runRequest(Program &program, const RunRequest &request,
                const EngineMaker &makeEngine, Messages &messages);

} // namespace weir

#endif // WEIR_LIB_DRIVER_RUNPLAN_H

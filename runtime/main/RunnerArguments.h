//===- RunnerArguments.h - What --runner asks for ---------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runners (runtime/input/Coordinator.h) beside the entry that a command runs:
// of compiled programs and of weir-run.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_MAIN_RUNNERARGUMENTS_H
#define WEIR_RUNTIME_MAIN_RUNNERARGUMENTS_H

#include "runtime/input/Coordinator.h"

#include <functional>
#include <string>
#include <vector>

namespace weir::rt {

/// Steps of an entry whose number the data decide.
constexpr int64_t kEndlessSteps = int64_t(1) << 40;

/// The runners of the options `texts`, each ENTRY[:N][=CLOSE] without its
/// feeds; one that is there twice has two threads. INVALID_ARGUMENT [WEIR0319]
/// where a text says something else.
Status parseRunners(const std::vector<std::string> &texts,
                    std::vector<RunnerOptions> &runners);

/// Calls `steps` once, which runs steps with the options that it is given,
/// while the runners run beside it; stops them when it returns. What a runner
/// failed with comes before what that led to.
Status
runBeside(Coordinator &coordinator, std::vector<RunnerOptions> runners,
          const std::function<Status(const WeirRunOptions &options)> &steps);

} // namespace weir::rt

#endif // WEIR_RUNTIME_MAIN_RUNNERARGUMENTS_H

//===- RunOptions.h - The flags of weir-run ---------------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_DRIVER_RUNOPTIONS_H
#define WEIR_LIB_DRIVER_RUNOPTIONS_H

#include "lib/Driver/QuantizeOptions.h"
#include "lib/Driver/RunPlan.h"

namespace weir {

/// Registers the file to run and the flags that say what is run of it, with
/// which feeds, how often, and what is shown. Call it once, before the command
/// line is parsed.
void registerRunOptions();

struct RunFlags {
  /// A module or a GraphDef; "-" is standard input.
  std::string input;
  bool interpret = false;
  RunRequest request;
};

/// What the flags ask for. False on an error.
bool readRunOptions(const PostTrainingOptions &training, RunFlags &result,
                    Messages &messages);

} // namespace weir

#endif // WEIR_LIB_DRIVER_RUNOPTIONS_H

//===- Profile.h - What a run of steps took ---------------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_DRIVER_PROFILE_H
#define WEIR_LIB_DRIVER_PROFILE_H

#include "lib/Driver/RunPlan.h"
#include "runtime/trace/TraceFile.h"

namespace weir {

/// Takes a trace of all devices and tasks while it lives, where a request asks
/// for a trace or for a summary.
class Profile {
public:
  Profile(const RunRequest &request, Engine *engine)
      : request(request), engine(engine) {}

  rt::Status start();
  /// Writes the trace, and the summary to standard output.
  rt::Status finish();

private:
  bool isWanted() const {
    return !request.profile.empty() || request.profileSummary;
  }

  const RunRequest &request;
  /// Null for what runs in this process.
  Engine *engine;
};

/// The sums of a trace as a table: time by device, by kernel, and in transfer.
std::string profileText(const rt::TraceSummary &summary);

} // namespace weir

#endif // WEIR_LIB_DRIVER_PROFILE_H

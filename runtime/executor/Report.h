//===- Report.h - What a step waits for, in words ---------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_EXECUTOR_REPORT_H
#define WEIR_RUNTIME_EXECUTOR_REPORT_H

#include "runtime/executor/Machine.h"

namespace weir::rt {

/// Looks at a machine whose lock is held.
class MachineReport {
public:
  explicit MachineReport(const Machine &machine)
      : machine(machine), graph(machine.graph) {}

  /// At most `limit` calls in flight and nodes with missing inputs, each as
  /// `prefix` and what it waits for; then how many more there are.
  std::string waiting(size_t limit, const char *prefix) const;
  /// The names of the feeds without a value that fetch `index` waits for.
  std::string missingFeeds(int32_t index) const;

  /// The error of a step that cannot go on.
  Status stuck() const;
  /// The error of the dead FETCH node `n`.
  Status deadFetch(uint32_t n) const;
  /// The error of a step that was ended from outside.
  Status interrupted(WeirCode code, const std::string &reason) const;

private:
  /// "the step of entry 'train'", or "step 7 of entry 'train'".
  std::string step() const;
  const char *entryName() const;
  std::string unmade(uint32_t n) const;
  bool hasRun(uint32_t n) const;
  bool isInFlight(uint32_t n) const;
  /// "; 'a', 'b' were running", or "".
  std::string running() const;
  std::string call(const Call &call) const;
  std::string missing(uint32_t n) const;
  const char *fetchName(int32_t index) const;
  /// The untaken switch or the exit that made an input of `n` dead, or -1.
  int64_t killer(uint32_t n, int32_t &output) const;

  const Machine &machine;
  const Graph &graph;
};

} // namespace weir::rt

#endif // WEIR_RUNTIME_EXECUTOR_REPORT_H

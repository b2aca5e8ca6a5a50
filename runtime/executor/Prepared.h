//===- Prepared.h - What a session keeps of a dataflow entry ----*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_EXECUTOR_PREPARED_H
#define WEIR_RUNTIME_EXECUTOR_PREPARED_H

#include "runtime/executor/Machine.h"

#include <atomic>
#include <vector>

namespace weir::rt {

/// The graph, and machines for as many steps as have run at a time. From any
/// thread.
class PreparedGraph final : public PreparedEntry {
public:
  /// That of `entry`, an entry of the session's program with a dataflow; built
  /// at its first use. The error of Graph::build.
  static Status find(WeirSession &session, const WeirEntryDesc &entry,
                     PreparedGraph *&prepared);

  ~PreparedGraph() override { delete spare.load(); }

  std::unique_ptr<Machine> take();
  void giveBack(std::unique_ptr<Machine> machine);
  void waitUntilIdle() override;

  void add(WeirPartialRun &run);
  void remove(WeirPartialRun &run);

private:
  PreparedGraph(WeirSession &session, std::unique_ptr<Graph> graph)
      : session(session), graph(std::move(graph)) {}

  WeirSession &session;
  const std::unique_ptr<Graph> graph;
  /// A machine that is not in use, where most steps find one.
  std::atomic<Machine *> spare{nullptr};
  std::mutex mutex;
  /// Further ones, and how many there are in all.
  std::vector<std::unique_ptr<Machine>> machines;
  size_t machineCount = 0;
  std::vector<WeirPartialRun *> partialRuns;
};

} // namespace weir::rt

#endif // WEIR_RUNTIME_EXECUTOR_PREPARED_H

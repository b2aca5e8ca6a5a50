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
  std::mutex mutex;
  std::condition_variable idle;
  std::vector<std::unique_ptr<Machine>> machines;
  std::vector<WeirPartialRun *> partialRuns;
  int32_t busy = 0;
};

} // namespace weir::rt

#endif // WEIR_RUNTIME_EXECUTOR_PREPARED_H

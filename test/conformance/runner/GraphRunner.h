//===- GraphRunner.h - Carries out the runs of a request --------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_TEST_CONFORMANCE_RUNNER_GRAPHRUNNER_H
#define WEIR_TEST_CONFORMANCE_RUNNER_GRAPHRUNNER_H

#include "lib/Driver/GraphSession.h"
#include "test/conformance/runner/Protocol.h"

namespace weir::conformance {

/// A session on the graph of one request.
class GraphRunner {
public:
  /// Loads the graph.
  rt::Status open(const Request &request);

  /// Answers in the order of the runs, which are made at the same time.
  std::vector<RunAnswer> run(std::vector<RunRequest> &group);

private:
  struct PartialRun {
    std::unique_ptr<GraphSession::PartialRun> run;
    size_t feeds = 0, fetches = 0; // that are still to come
  };

  RunAnswer runOne(RunRequest &request);
  rt::Status beginPartial(const RunRequest &request);
  rt::Status continuePartial(RunRequest &request,
                             std::vector<rt::TensorRef> &values);

  std::unique_ptr<GraphSession> session;
  std::map<int64_t, PartialRun> partials;
};

} // namespace weir::conformance

#endif // WEIR_TEST_CONFORMANCE_RUNNER_GRAPHRUNNER_H

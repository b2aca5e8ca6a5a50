//===- GraphRun.h - A step that weir-run is asked for --------- -*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_DRIVER_GRAPHRUN_H
#define WEIR_LIB_DRIVER_GRAPHRUN_H

#include "lib/Driver/GraphSession.h"
#include "lib/Driver/RunPlan.h"

namespace weir {

/// True when a request names feeds, fetches or targets that are no names of the
/// only entry point that it runs: inner values of the graph.
bool namesInnerValues(const Program &program, const RunRequest &request);

/// Runs the steps that a request asks for: `request.first` once, each in a step
/// of its own, then feeds, fetches and targets, `request.steps` times, beside
/// the nodes that `request.runners` names. Fetches go to standard output.
/// `source` is that of the session.
rt::Status runGraphRequest(GraphSession &session, const GraphSource &source,
                           const RunRequest &request);

} // namespace weir

#endif // WEIR_LIB_DRIVER_GRAPHRUN_H

//===- weir-run.cpp - Runs graphs, compiled in memory or interpreted ------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Driver/Cluster/ClusterOptions.h"
#include "lib/Driver/Devices.h"
#include "lib/Driver/GraphRun.h"
#include "lib/Driver/RunOptions.h"
#include "lib/Driver/ToolOptions.h"
#include "lib/Frontend/GraphDef/GraphDefSource.h"
#include "lib/Pipeline/Register.h"
#include "runtime/base/Format.h"
#include "runtime/cli/Statistics.h"

using namespace weir;

static const char kOverview[] =
    "Compiles a graph in memory and runs it.\n\n"
    "  weir-run net.mlir --entry=predict --feed x=x.npy\n"
    "  weir-run mlp.mlir --entry=init --entry=train --feed x=x.npy --feed "
    "y=y.npy\n"
    "  weir-run graph.pbtxt --first=init --feed x:0=[1,2] --fetch loss:0 "
    "--target train\n";

static bool run(Messages &messages) {
  CompileOptions options;
  PostTrainingOptions training;
  if (!readQuantizeOptions(training, messages))
    return false;
  RunFlags flags;
  if (!readRunOptions(training, flags, messages))
    return false;
  const RunRequest &request = flags.request;
  if (!readToolOptions(options, messages))
    return false;
  if (options.threads > 0)
    rt::setKernelThreads(options.threads);
  ClusterRequest cluster;
  if (!readClusterOptions(cluster, messages) ||
      !configureDevices(options, messages))
    return false;
  RunInput opened = openRunInput(flags.input, request, messages);
  if (cluster.isGiven() && (opened.source || flags.interpret))
    return messages.error(
        "[WEIR0216] a cluster runs whole entry points of an MLIR file, "
        "compiled; leave --interpret, --target, --first and the names of inner "
        "values out");
  if (opened.source) {
    if (!training.samples.empty())
      return messages.error(
          "[WEIR0264] --quantize wants entry points of an MLIR file, and no "
          "feeds or fetches inside of them");
    const GraphSource &graph = *opened.source;
    GraphSession session(std::move(opened.source),
                         {options, flags.interpret, {}});
    rt::Status status = runGraphRequest(session, graph, request);
    session.takeMessages(messages);
    return status.ok() || messages.error(status.message());
  }
  if (!opened.program ||
      (!training.samples.empty() &&
       !postTrain(*opened.program, request.entries, training, messages)))
    return false;
  auto makeEngine = [&](const Program &program, Messages &messages) {
    return cluster.isGiven()
               ? makeClusterEngine(program, options, cluster, messages)
           : flags.interpret ? Engine::interpret(program, options, messages)
                             : Engine::compile(program, options, messages);
  };
  return runRequest(*opened.program, request, makeEngine, messages);
}

int main(int argc, char **argv) {
  registerToolOptions();
  registerRunOptions();
  registerQuantizeOptions();
  registerClusterOptions();
  registerAllPasses();
  parseToolOptions(argc, argv, kOverview);
  if (listedPhases())
    return 0;
  Messages messages;
  run(messages);
  return reportMessages(messages);
}

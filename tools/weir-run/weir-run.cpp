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
#include "lib/Driver/QuantizeOptions.h"
#include "lib/Driver/ToolOptions.h"
#include "lib/Frontend/GraphDef/GraphDefSource.h"
#include "lib/Pipeline/Register.h"
#include "runtime/base/Format.h"
#include "runtime/cli/Statistics.h"
#include "runtime/main/RunnerArguments.h"
#include "llvm/Support/CommandLine.h"

using namespace weir;
namespace cl = llvm::cl;

static const char kOverview[] =
    "Compiles a graph in memory and runs it.\n\n"
    "  weir-run net.mlir --entry=predict --feed x=x.npy\n"
    "  weir-run mlp.mlir --entry=init --entry=train --feed x=x.npy --feed "
    "y=y.npy\n"
    "  weir-run graph.pbtxt --first=init --feed x:0=[1,2] --fetch loss:0 "
    "--target train\n";

static cl::OptionCategory &category = toolCategory();
static cl::opt<std::string> input(cl::Positional,
                                  cl::desc("<input.mlir or GraphDef>"),
                                  cl::init("-"), cl::cat(category));
static cl::list<std::string>
    entries("entry",
            cl::desc("The entry point to run; more than one run in this order"),
            cl::value_desc("name"), cl::cat(category));
static cl::list<std::string>
    feeds("feed",
          cl::desc("A feed: a number, a list like [1,2], \"text\" or file.npy"),
          cl::value_desc("name=value"), cl::cat(category));
static cl::list<std::string>
    fetches("fetch",
            cl::desc("Print this fetch (default: all of the last entry)"),
            cl::value_desc("name"), cl::cat(category));
static cl::list<std::string> targets("target",
                                     cl::desc("Run this node for its effects"),
                                     cl::value_desc("name"), cl::cat(category));
static cl::list<std::string>
    first("first",
          cl::desc("Run this node first, in a step of its own: an initializer"),
          cl::value_desc("name"), cl::cat(category));
static cl::opt<int64_t>
    timeout("timeout-ms",
            cl::desc("End a step that takes longer with an error"),
            cl::value_desc("ms"), cl::init(0), cl::cat(category));
static cl::opt<int64_t>
    stallReport("stall-report-ms",
                cl::desc("Say which nodes wait when none has run for so long"),
                cl::value_desc("ms"), cl::init(0), cl::cat(category));
static cl::list<std::string> outputs("output",
                                     cl::desc("Write a fetch to an .npy file"),
                                     cl::value_desc("name=file"),
                                     cl::cat(category));
static cl::opt<bool> init("init", cl::desc("Run entry init first"),
                          cl::cat(category));
static cl::opt<int64_t> seed("seed",
                             cl::desc("The feed seed of init (default: 0)"),
                             cl::value_desc("n"), cl::init(0),
                             cl::cat(category));
static cl::opt<std::string> save("save",
                                 cl::desc("Save a checkpoint at the end"),
                                 cl::value_desc("prefix"), cl::cat(category));
static cl::opt<int64_t>
    saveEvery("save-every",
              cl::desc("Save after every N steps, too: as PREFIX-STEP"),
              cl::value_desc("n"), cl::init(0), cl::cat(category));
static cl::opt<int64_t>
    keep("keep", cl::desc("How many checkpoints PREFIX-STEP stay (default: 5)"),
         cl::value_desc("n"), cl::init(0), cl::cat(category));
static cl::opt<std::string> restoreLatest(
    "restore-latest",
    cl::desc("Restore the newest checkpoint PREFIX-STEP that is whole; --steps "
             "counts from its step"),
    cl::value_desc("prefix"), cl::cat(category));
static cl::opt<int64_t> steps(
    "steps",
    cl::desc(
        "Run the last entry so often (default: 1, or 1000 for --benchmark)"),
    cl::value_desc("n"), cl::init(0), cl::cat(category));
static cl::list<std::string> runners(
    "runner",
    cl::desc("Run an entry over and over (or N times) in a thread beside the "
             "last one, and CLOSE when it has ended; the last one runs until "
             "there are no data"),
    cl::value_desc("entry[:N][=CLOSE]"), cl::cat(category));
static cl::opt<bool>
    interpret("interpret", cl::desc("Interpret the graph, do not compile it"),
              cl::cat(category));
static cl::opt<bool> benchmark("benchmark",
                               cl::desc("Show the times of the steps"),
                               cl::cat(category));
static cl::opt<std::string>
    profile("profile",
            cl::desc("Write a trace for Perfetto or chrome://tracing"),
            cl::value_desc("file"), cl::cat(category));

static cl::opt<bool> profileSummary(
    "profile-summary",
    cl::desc("Show the time by device, by kernel, and in transfer"),
    cl::cat(category));

static RunRequest readRequest(const PostTrainingOptions &training) {
  RunRequest request;
  request.entries = entries;
  request.feeds = feeds;
  request.fetches = fetches;
  request.outputs = outputs;
  request.init = init;
  request.seed = seed;
  // Where variables become constants, there is nothing left to restore.
  if (training.samples.empty())
    request.checkpoints.restore = training.checkpoint;
  request.checkpoints.restoreLatest = restoreLatest;
  request.checkpoints.save = save;
  if (saveEvery.getNumOccurrences())
    request.checkpoints.saveEvery = saveEvery;
  if (keep.getNumOccurrences())
    request.checkpoints.keep = keep;
  request.benchmark = benchmark;
  request.runners = runners;
  // With runners, the data decide how many steps there are.
  request.steps = steps.getNumOccurrences() ? steps
                  : benchmark               ? 1000
                  : !runners.empty()        ? rt::kEndlessSteps
                                            : 1;
  request.profile = profile;
  request.profileSummary = profileSummary;
  request.targets = targets;
  request.first = first;
  request.options.timeout_ms = timeout;
  request.options.stall_report_ms = stallReport;
  return request;
}

static bool run(Messages &messages) {
  CompileOptions options;
  PostTrainingOptions training;
  if (!readQuantizeOptions(training, messages))
    return false;
  const RunRequest request = readRequest(training);
  if (request.steps < 1)
    return messages.error(rt::str(
        "[WEIR0216] --steps wants a number from 1 on, got ", request.steps));
  if (rt::Status status =
          rt::Checkpoints::check(request.checkpoints, "WEIR0216");
      !status.ok())
    return messages.error(status.message());
  if (!readToolOptions(options, messages))
    return false;
  if (options.threads > 0)
    rt::setKernelThreads(options.threads);
  ClusterRequest cluster;
  if (!readClusterOptions(cluster, messages) ||
      !configureDevices(options, messages))
    return false;
  RunInput opened = openRunInput(input, request, messages);
  if (opened.source) {
    if (!training.samples.empty())
      return messages.error(
          "[WEIR0264] --quantize wants entry points of an MLIR file, and no "
          "feeds or fetches inside of them");
    const GraphSource &graph = *opened.source;
    GraphSession session(std::move(opened.source), {options, interpret});
    rt::Status status = runGraphRequest(session, graph, request);
    session.takeMessages(messages);
    return status.ok() || messages.error(status.message());
  }
  if (!opened.program ||
      (!training.samples.empty() &&
       !postTrain(*opened.program, request.entries, training, messages)))
    return false;
  std::unique_ptr<Engine> engine =
      cluster.isGiven()
          ? makeClusterEngine(*opened.program, options, cluster, messages)
      : interpret ? Engine::interpret(*opened.program, options, messages)
                  : Engine::compile(*opened.program, options, messages);
  if (!engine)
    return false;
  rt::Status status = runRequest(*engine, request);
  return status.ok() || messages.error(status.message());
}

int main(int argc, char **argv) {
  registerToolOptions();
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

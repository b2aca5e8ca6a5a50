//===- RunOptions.cpp - The flags of weir-run -----------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Driver/RunOptions.h"

#include "lib/Driver/ToolOptions.h"
#include "runtime/base/Format.h"
#include "runtime/main/RunnerArguments.h"
#include "llvm/Support/CommandLine.h"

using namespace weir;
namespace cl = llvm::cl;

namespace {
struct Flags {
  cl::OptionCategory &category = toolCategory();
  cl::opt<std::string> input{cl::Positional,
                             cl::desc("<input.mlir or GraphDef>"),
                             cl::init("-"), cl::cat(category)};
  cl::list<std::string> entries{
      "entry",
      cl::desc("The entry point to run; more than one run in this order"),
      cl::value_desc("name"), cl::cat(category)};
  cl::list<std::string> feeds{
      "feed",
      cl::desc("A feed: a number, a list like [1,2], \"text\" or file.npy"),
      cl::value_desc("name=value"), cl::cat(category)};
  cl::list<std::string> fetches{
      "fetch", cl::desc("Print this fetch (default: all of the last entry)"),
      cl::value_desc("name"), cl::cat(category)};
  cl::list<std::string> targets{"target",
                                cl::desc("Run this node for its effects"),
                                cl::value_desc("name"), cl::cat(category)};
  cl::list<std::string> first{
      "first",
      cl::desc("Run this node first, in a step of its own: an initializer"),
      cl::value_desc("name"), cl::cat(category)};
  cl::opt<int64_t> timeout{
      "timeout-ms", cl::desc("End a step that takes longer with an error"),
      cl::value_desc("ms"), cl::init(0), cl::cat(category)};
  cl::opt<int64_t> stallReport{
      "stall-report-ms",
      cl::desc("Say which nodes wait when none has run for so long"),
      cl::value_desc("ms"), cl::init(0), cl::cat(category)};
  cl::list<std::string> outputs{"output",
                                cl::desc("Write a fetch to an .npy file"),
                                cl::value_desc("name=file"), cl::cat(category)};
  cl::opt<bool> init{"init", cl::desc("Run entry init first"),
                     cl::cat(category)};
  cl::opt<int64_t> seed{"seed", cl::desc("The feed seed of init (default: 0)"),
                        cl::value_desc("n"), cl::init(0), cl::cat(category)};
  cl::opt<std::string> save{"save", cl::desc("Save a checkpoint at the end"),
                            cl::value_desc("prefix"), cl::cat(category)};
  cl::opt<int64_t> saveEvery{
      "save-every", cl::desc("Save after every N steps, too: as PREFIX-STEP"),
      cl::value_desc("n"), cl::init(0), cl::cat(category)};
  cl::opt<int64_t> keep{
      "keep", cl::desc("How many checkpoints PREFIX-STEP stay (default: 5)"),
      cl::value_desc("n"), cl::init(0), cl::cat(category)};
  cl::opt<std::string> restoreLatest{
      "restore-latest",
      cl::desc(
          "Restore the newest checkpoint PREFIX-STEP that is whole; --steps "
          "counts from its step"),
      cl::value_desc("prefix"), cl::cat(category)};
  cl::opt<int64_t> steps{
      "steps",
      cl::desc(
          "Run the last entry so often (default: 1, or 1000 for --benchmark)"),
      cl::value_desc("n"), cl::init(0), cl::cat(category)};
  cl::list<std::string> runners{
      "runner",
      cl::desc(
          "Run an entry (of a GraphDef: a node) over and over, or N times, "
          "in a thread beside the last one, and CLOSE when it has ended; "
          "the last one runs until there are no data"),
      cl::value_desc("entry[:N][=CLOSE]"), cl::cat(category)};
  cl::opt<bool> interpret{"interpret",
                          cl::desc("Interpret the graph, do not compile it"),
                          cl::cat(category)};
  cl::opt<bool> benchmark{"benchmark", cl::desc("Show the times of the steps"),
                          cl::cat(category)};
  cl::opt<std::string> profile{
      "profile", cl::desc("Write a trace for Perfetto or chrome://tracing"),
      cl::value_desc("file"), cl::cat(category)};

  cl::opt<bool> profileSummary{
      "profile-summary",
      cl::desc("Show the time by device, by kernel, and in transfer"),
      cl::cat(category)};
};
} // namespace

static Flags *flags = nullptr;

void weir::registerRunOptions() {
  static Flags registered;
  flags = &registered;
}

bool weir::readRunOptions(const PostTrainingOptions &training, RunFlags &result,
                          Messages &messages) {
  result.input = flags->input;
  result.interpret = flags->interpret;
  RunRequest &request = result.request;
  request.entries = flags->entries;
  request.feeds = flags->feeds;
  request.fetches = flags->fetches;
  request.outputs = flags->outputs;
  request.init = flags->init;
  request.seed = flags->seed;
  // Where variables become constants, there is nothing left to restore.
  if (training.samples.empty())
    request.checkpoints.restore = training.checkpoint;
  request.checkpoints.restoreLatest = flags->restoreLatest;
  request.checkpoints.save = flags->save;
  if (flags->saveEvery.getNumOccurrences())
    request.checkpoints.saveEvery = flags->saveEvery;
  if (flags->keep.getNumOccurrences())
    request.checkpoints.keep = flags->keep;
  request.benchmark = flags->benchmark;
  request.runners = flags->runners;
  // With flags->runners, the data decide how many flags->steps there are.
  request.steps = flags->steps.getNumOccurrences() ? flags->steps
                  : flags->benchmark               ? 1000
                  : !flags->runners.empty()        ? rt::kEndlessSteps
                                                   : 1;
  request.profile = flags->profile;
  request.profileSummary = flags->profileSummary;
  request.targets = flags->targets;
  request.first = flags->first;
  request.options.timeout_ms = flags->timeout;
  request.options.stall_report_ms = flags->stallReport;
  if (request.steps < 1)
    return messages.error(rt::str(
        "[WEIR0216] --steps wants a number from 1 on, got ", request.steps));
  rt::Status status = rt::Checkpoints::check(request.checkpoints, "WEIR0216");
  return status.ok() || messages.error(status.message());
}

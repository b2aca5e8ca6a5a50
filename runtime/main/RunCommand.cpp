//===- RunCommand.cpp - `run`: any entry, once or many times --------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/base/Format.h"
#include "runtime/cli/Npy.h"
#include "runtime/cli/Statistics.h"
#include "runtime/cli/Values.h"
#include "runtime/core/Program.h"
#include "runtime/main/Checkpoints.h"
#include "runtime/main/CommandLine.h"
#include "runtime/main/RunnerArguments.h"
#include "runtime/trace/Trace.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <tuple>

using namespace weir::rt;

static const std::vector<Option> &options() {
  static const std::vector<Option> table = {
      {"--feed", "NAME=VALUE",
       "a number, a list like [1,2], \"text\" or file.npy; once per feed"},
      {"--output", "NAME=FILE", "write a fetch to an .npy file"},
      {"--steps", "N", "run the entry N times (default 1)"},
      {"--runner", "ENTRY[:N][=CLOSE]",
       "run ENTRY over and over (or N times) in a thread beside the entry, and "
       "CLOSE when it has ended; the entry runs until there are no data; its "
       "feeds come from --feed too"},
      {"--init", nullptr, "run init first"},
      {"--seed", "S", "the seed for init, if it takes one (default 0)"},
      {"--restore", "PREFIX", "restore a checkpoint first"},
      {"--restore-latest", "PREFIX",
       "restore the newest checkpoint PREFIX-STEP that is whole; --steps "
       "counts "
       "from its step"},
      {"--save", "PREFIX", "save a checkpoint at the end"},
      {"--save-every", "N", "save after every N steps, too: as PREFIX-STEP"},
      {"--keep", "N", "how many checkpoints PREFIX-STEP stay (default 5)"},
      {"--benchmark", nullptr,
       "show the times of the steps (default: 1000 of them)"},
      {"--threads", "N", "threads of parallel kernels"},
      {"--profile", "FILE", "write a trace for Perfetto or chrome://tracing"},
  };
  return table;
}

static int32_t indexOf(const WeirTensorDesc *descs, int32_t count,
                       const std::string &name) {
  for (int32_t i = 0; i < count; ++i)
    if (name == descs[i].name)
      return i;
  return -1;
}

/// Does one of the entries that run have each feed that is given? The first is
/// the one that is run, the others are runners.
static Status checkFeedNames(const std::vector<const WeirEntryDesc *> &entries,
                             const Arguments &arguments) {
  for (const std::string &text : arguments.all("--feed")) {
    std::string name, value;
    WEIR_RETURN_IF_ERROR(splitNamed("--feed", text, name, value));
    auto hasFeed = [&name = name](const WeirEntryDesc *entry) {
      return indexOf(entry->feeds, entry->feed_count, name) >= 0;
    };
    if (std::any_of(entries.begin(), entries.end(), hasFeed))
      continue;
    const WeirEntryDesc &entry = *entries[0];
    std::vector<std::string_view> known =
        descNames(entry.feeds, entry.feed_count);
    return Status(WEIR_NOT_FOUND,
                  str("[WEIR0304] entry '", entry.name, "' has no feed '", name,
                      "'", didYouMean(name, known), " (it has ",
                      listNames(known), ")"));
  }
  return Status();
}

/// The tensors for the feeds of `entry` from all --feed options.
static Status parseFeeds(const WeirEntryDesc &entry, const Arguments &arguments,
                         std::vector<TensorRef> &tensors) {
  tensors.resize(static_cast<size_t>(entry.feed_count));
  for (const std::string &text : arguments.all("--feed")) {
    std::string name, value;
    WEIR_RETURN_IF_ERROR(splitNamed("--feed", text, name, value));
    int32_t index = indexOf(entry.feeds, entry.feed_count, name);
    if (index >= 0)
      WEIR_RETURN_IF_ERROR(
          parseValue(entry.feeds[index], value, tensors[index]));
  }
  for (int32_t i = 0; i < entry.feed_count; ++i)
    if (!tensors[i])
      return Status(WEIR_INVALID_ARGUMENT,
                    str("[WEIR0301] entry '", entry.name, "' needs feed '",
                        entry.feeds[i].name, "' (",
                        typeText(entry.feeds[i].dtype, entry.feeds[i].dims,
                                 entry.feeds[i].rank),
                        "); give it with --feed ", entry.feeds[i].name,
                        "=VALUE"));
  return Status();
}

/// The fetches to write to files: (index, path).
static Status parseOutputs(const WeirEntryDesc &entry,
                           const Arguments &arguments,
                           std::vector<std::pair<int32_t, std::string>> &out) {
  std::vector<std::string_view> known =
      descNames(entry.fetches, entry.fetch_count);
  for (const std::string &text : arguments.all("--output")) {
    std::string name, path;
    WEIR_RETURN_IF_ERROR(splitNamed("--output", text, name, path));
    int32_t index = indexOf(entry.fetches, entry.fetch_count, name);
    if (index < 0)
      return Status(WEIR_NOT_FOUND,
                    str("[WEIR0305] entry '", entry.name, "' has no fetch '",
                        name, "'", didYouMean(name, known), " (it has ",
                        listNames(known), ")"));
    out.emplace_back(index, path);
  }
  return Status();
}

static Status
writeOutputs(const WeirEntryDesc &entry, const std::vector<TensorRef> &fetches,
             const std::vector<std::pair<int32_t, std::string>> &outputs) {
  std::vector<bool> written(fetches.size());
  for (const auto &[index, path] : outputs) {
    WEIR_RETURN_IF_ERROR(writeNpy(path, fetches[index].view()));
    written[index] = true;
  }
  for (size_t i = 0; i < fetches.size(); ++i)
    if (!written[i])
      printf("%s = %s\n", entry.fetches[i].name,
             valueText(fetches[i].view()).c_str());
  return Status();
}

namespace {

/// How an entry is run.
struct StepPlan {
  int32_t index;
  /// Those that are left.
  int64_t steps;
  bool benchmark;
  /// OUT_OF_RANGE after at least one step is no error.
  bool untilEndOfData;
  const WeirRunOptions *options;
  Checkpoints *checkpoints;
};

} // namespace

static Checkpoints::Save saveWith(Runner &runner) {
  return [&runner](const std::string &prefix) {
    return runner.checkpoint("save", prefix);
  };
}

static Status runSteps(Runner &runner, const StepPlan &plan,
                       const std::vector<TensorRef> &tensors,
                       std::vector<TensorRef> &fetches) {
  std::vector<WeirView> feeds;
  for (const TensorRef &tensor : tensors)
    feeds.push_back(tensor.view());
  // The first steps find cold memory and idle threads; they do not count.
  for (int64_t i = 0; plan.benchmark && i < plan.steps / 10 + 1; ++i)
    WEIR_RETURN_IF_ERROR(
        runner.run(plan.index, feeds.data(), fetches, plan.options));
  std::vector<int64_t> times;
  for (int64_t i = 0; i < plan.steps; ++i) {
    int64_t begin = traceNow();
    std::vector<TensorRef> made;
    Status status = runner.run(plan.index, feeds.data(), made, plan.options);
    if (status.code() == WEIR_OUT_OF_RANGE && plan.untilEndOfData && i > 0) {
      printf("the data ended after %lld steps\n", static_cast<long long>(i));
      break;
    }
    WEIR_RETURN_IF_ERROR(std::move(status));
    fetches = std::move(made);
    if (plan.benchmark)
      times.push_back(traceNow() - begin);
    WEIR_RETURN_IF_ERROR(plan.checkpoints->stepped(saveWith(runner)));
  }
  if (plan.benchmark)
    fputs(benchmarkText(summarizeTimes(std::move(times)), kernelThreads())
              .c_str(),
          stdout);
  return Status();
}

/// Runs the entry while its runners run, until the data end.
static Status runWithRunners(Runner &runner, StepPlan plan,
                             std::vector<RunnerOptions> runners,
                             const std::vector<TensorRef> &tensors,
                             std::vector<TensorRef> &fetches) {
  plan.untilEndOfData = true;
  Coordinator coordinator(*runner.getSession());
  return runBeside(coordinator, std::move(runners),
                   [&](const WeirRunOptions &options) {
                     plan.options = &options;
                     return runSteps(runner, plan, tensors, fetches);
                   });
}

static Status readCheckpoints(const Arguments &arguments,
                              CheckpointRequest &request) {
  request.restore = arguments.get("--restore");
  request.restoreLatest = arguments.get("--restore-latest");
  request.save = arguments.get("--save");
  for (auto [option, low, value] :
       {std::tuple{"--save-every", 1, &request.saveEvery},
        std::tuple{"--keep", 2, &request.keep}})
    if (arguments.has(option))
      WEIR_RETURN_IF_ERROR(
          arguments.number(option, low, low, INT32_MAX, value->emplace()));
  return Checkpoints::check(request, "WEIR0319");
}

static Status run(const WeirProgram &program, const Arguments &arguments) {
  if (arguments.positional.size() != 1)
    return Status(WEIR_INVALID_ARGUMENT,
                  str("[WEIR0319] run wants one entry, got ",
                      arguments.positional.size(), "; there are ",
                      listNames(entryNames(program))));
  Runner runner(program);
  int32_t index;
  WEIR_RETURN_IF_ERROR(runner.find(arguments.positional[0], index));
  const WeirEntryDesc &entry = runner.entry(index);
  bool benchmark = arguments.has("--benchmark");
  int64_t steps, seed, threads;
  // With runners, the data decide how many steps there are.
  int64_t usual = benchmark                   ? 1000
                  : arguments.has("--runner") ? kEndlessSteps
                                              : 1;
  WEIR_RETURN_IF_ERROR(
      arguments.number("--steps", usual, 1, kEndlessSteps, steps));
  WEIR_RETURN_IF_ERROR(
      arguments.number("--seed", 0, INT64_MIN, INT64_MAX, seed));
  WEIR_RETURN_IF_ERROR(arguments.number("--threads", 0, 1, 4096, threads));
  CheckpointRequest request;
  Checkpoints checkpoints;
  WEIR_RETURN_IF_ERROR(readCheckpoints(arguments, request));
  std::vector<TensorRef> feeds, fetches;
  std::vector<std::pair<int32_t, std::string>> outputs;
  std::vector<RunnerOptions> runners;
  WEIR_RETURN_IF_ERROR(parseRunners(arguments.all("--runner"), runners));
  std::vector<const WeirEntryDesc *> entries = {&entry};
  for (RunnerOptions &options : runners) {
    int32_t number;
    WEIR_RETURN_IF_ERROR(runner.find(options.entry, number));
    entries.push_back(&runner.entry(number));
    WEIR_RETURN_IF_ERROR(parseFeeds(*entries.back(), arguments, options.feeds));
  }
  WEIR_RETURN_IF_ERROR(checkFeedNames(entries, arguments));
  WEIR_RETURN_IF_ERROR(parseFeeds(entry, arguments, feeds));
  WEIR_RETURN_IF_ERROR(parseOutputs(entry, arguments, outputs));
  if (threads > 0)
    setKernelThreads(static_cast<int>(threads));
  WEIR_RETURN_IF_ERROR(checkpoints.open(request, arguments.has("--init")));
  WEIR_RETURN_IF_ERROR(runner.start());
  if (arguments.has("--init"))
    WEIR_RETURN_IF_ERROR(runner.init(seed));
  if (!checkpoints.restored().empty())
    WEIR_RETURN_IF_ERROR(runner.checkpoint("restore", checkpoints.restored()));
  const int64_t left = checkpoints.stepsLeft(steps);
  if (left == 0) {
    printf("checkpoint '%s' has %lld steps or more behind it\n",
           checkpoints.restored().c_str(), static_cast<long long>(steps));
    return Status();
  }
  TraceScope trace(arguments.get("--profile"));
  StepPlan plan = {index, left, benchmark, false, nullptr, &checkpoints};
  WEIR_RETURN_IF_ERROR(
      runners.empty()
          ? runSteps(runner, plan, feeds, fetches)
          : runWithRunners(runner, plan, std::move(runners), feeds, fetches));
  WEIR_RETURN_IF_ERROR(trace.finish());
  WEIR_RETURN_IF_ERROR(writeOutputs(entry, fetches, outputs));
  return checkpoints.ended(saveWith(runner));
}

const Command &weir::rt::runCommand() {
  static const Command command = {"run", "ENTRY [options]",
                                  "Runs an entry and prints its fetches.",
                                  options, run};
  return command;
}

//===- RunPlan.cpp - What weir-run is asked to do -------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Driver/RunPlan.h"

#include "lib/Driver/Descriptors.h"
#include "lib/Driver/Profile.h"
#include "runtime/base/Format.h"
#include "runtime/cli/Npy.h"
#include "runtime/cli/Statistics.h"
#include "runtime/cli/Values.h"
#include "runtime/core/Program.h"
#include "runtime/main/CommandLine.h"
#include "runtime/main/RunnerArguments.h"
#include "runtime/trace/Trace.h"

#include <cstdio>
#include <map>
#include <set>

using namespace weir;

namespace {
/// One entry point with everything it is fed.
struct PlannedStep {
  int32_t entry;
  std::vector<rt::TensorRef> feeds;

  std::vector<WeirView> views() const {
    std::vector<WeirView> result;
    for (const rt::TensorRef &feed : feeds)
      result.push_back(feed.view());
    return result;
  }
};

/// What a request comes to for a program. Entry points are numbered as
/// `program` has them; an engine may have fewer.
class RunPlan {
public:
  RunPlan(const WeirProgram &program, const RunRequest &request)
      : program(program), request(request) {}

  rt::Status prepare();
  /// The entry points that run() needs.
  std::vector<std::string> entries() const;
  rt::Status run(Engine &runningEngine);

private:
  rt::Status runEntry(int32_t entry, const std::vector<WeirView> &feeds,
                      std::vector<rt::TensorRef> &fetches,
                      const WeirRunOptions &options);
  rt::Status readFeeds();
  rt::Status checkFeedNames(const std::vector<int32_t> &entries);
  rt::Status parseFeeds(int32_t entry, std::vector<rt::TensorRef> &feeds);
  rt::Status addEntry(int32_t entry);
  rt::Status addRunners(std::vector<int32_t> &entries);
  rt::Status addInit();
  rt::Status findCheckpointEntry(const char *name, int32_t &entry) const;
  rt::Status addRestore();
  rt::Status save(const std::string &prefix);
  rt::Status findFetch(const std::string &name, int32_t &index);
  rt::Status selectFetches();
  rt::Status runLast(std::vector<rt::TensorRef> &fetches,
                     const WeirRunOptions &options);
  rt::Status runLastBeside(std::vector<rt::TensorRef> &fetches);
  rt::Status writeFetches(const std::vector<rt::TensorRef> &fetches);

  const WeirProgram &program;
  const RunRequest &request;
  std::map<std::string, std::string> values;
  std::vector<rt::RunnerOptions> runners;
  rt::Checkpoints checkpoints;
  std::vector<PlannedStep> before;
  PlannedStep last;
  int32_t saveEntry = -1;
  std::vector<int32_t> printed;
  std::vector<std::pair<int32_t, std::string>> files;
  /// What runs, and what the entry points that run are there.
  Engine *engine = nullptr;
  std::map<int32_t, int32_t> engineEntries;
};
} // namespace

rt::Status RunPlan::readFeeds() {
  for (const std::string &text : request.feeds) {
    std::string name, value;
    WEIR_RETURN_IF_ERROR(rt::splitNamed("--feed", text, name, value));
    if (!values.emplace(name, value).second)
      return rt::Status(WEIR_INVALID_ARGUMENT,
                        rt::str("[WEIR0304] feed '", name, "' is given twice"));
  }
  return rt::Status();
}

/// A feed may be for any of the entries, but must be for one.
rt::Status RunPlan::checkFeedNames(const std::vector<int32_t> &entries) {
  std::vector<std::string_view> known, names;
  for (int32_t entry : entries) {
    const WeirEntryDesc &desc = program.entries[entry];
    names.push_back(desc.name);
    for (int32_t i = 0; i < desc.feed_count; ++i)
      known.push_back(desc.feeds[i].name);
  }
  for (const auto &[name, value] : values)
    if (std::find(known.begin(), known.end(), name) == known.end())
      return rt::Status(
          WEIR_NOT_FOUND,
          rt::str("[WEIR0304] entry ", rt::listNames(names), " has no feed '",
                  name, "'", rt::didYouMean(name, known), " (",
                  known.empty() ? "it has none"
                                : "it has " + rt::listNames(known),
                  ")"));
  return rt::Status();
}

rt::Status RunPlan::parseFeeds(int32_t entry,
                               std::vector<rt::TensorRef> &feeds) {
  const WeirEntryDesc &desc = program.entries[entry];
  for (int32_t i = 0; i < desc.feed_count; ++i) {
    const WeirTensorDesc &feed = desc.feeds[i];
    auto value = values.find(feed.name);
    if (value == values.end())
      return rt::Status(
          WEIR_INVALID_ARGUMENT,
          rt::str("[WEIR0301] entry '", desc.name, "' needs feed '", feed.name,
                  "' (", rt::typeText(feed.dtype, feed.dims, feed.rank),
                  "); give it with --feed ", feed.name, "=VALUE"));
    rt::TensorRef &tensor = feeds.emplace_back();
    WEIR_RETURN_IF_ERROR(rt::parseValue(feed, value->second, tensor));
    WEIR_RETURN_IF_ERROR(rt::checkFeed(desc, feed, tensor.view()));
  }
  return rt::Status();
}

rt::Status RunPlan::addEntry(int32_t entry) {
  before.push_back({entry, {}});
  return parseFeeds(entry, before.back().feeds);
}

/// Reads what runs beside the last entry; adds its entries to the list.
rt::Status RunPlan::addRunners(std::vector<int32_t> &entries) {
  WEIR_RETURN_IF_ERROR(rt::parseRunners(request.runners, runners));
  for (const rt::RunnerOptions &runner : runners) {
    WEIR_RETURN_IF_ERROR(
        rt::findEntry(program, runner.entry.c_str(), entries.emplace_back()));
    int32_t closing;
    if (!runner.closingEntry.empty())
      WEIR_RETURN_IF_ERROR(
          rt::findEntry(program, runner.closingEntry.c_str(), closing));
  }
  return rt::Status();
}

/// `--init` is `--entry init` with --seed as its seed.
rt::Status RunPlan::addInit() {
  int32_t entry;
  WEIR_RETURN_IF_ERROR(rt::findEntry(program, "init", entry));
  values.emplace("seed", rt::str(request.seed));
  return addEntry(entry);
}

/// The entry `save` or `restore`.
rt::Status RunPlan::findCheckpointEntry(const char *name,
                                        int32_t &entry) const {
  WEIR_RETURN_IF_ERROR(rt::findEntry(program, name, entry));
  const WeirEntryDesc &desc = program.entries[entry];
  if (desc.feed_count == 1 && desc.feeds[0].dtype == WEIR_STRING &&
      desc.feeds[0].rank == 0)
    return rt::Status();
  return rt::Status(
      WEIR_INVALID_ARGUMENT,
      rt::str(
          "[WEIR0301] entry '", name,
          "' should have one feed, the path as tensor<!weir.string>; it has ",
          desc.feed_count, " feeds"));
}

static rt::Status pathTensor(const std::string &prefix, rt::TensorRef &tensor) {
  WeirString path = {prefix.data(), static_cast<int64_t>(prefix.size())};
  return rt::createStringTensor(0, nullptr, &path, tensor);
}

rt::Status RunPlan::addRestore() {
  if (checkpoints.restored().empty())
    return rt::Status();
  PlannedStep step;
  WEIR_RETURN_IF_ERROR(findCheckpointEntry("restore", step.entry));
  WEIR_RETURN_IF_ERROR(
      pathTensor(checkpoints.restored(), step.feeds.emplace_back()));
  before.push_back(std::move(step));
  return rt::Status();
}

rt::Status RunPlan::save(const std::string &prefix) {
  rt::TensorRef path;
  std::vector<rt::TensorRef> ignored;
  WEIR_RETURN_IF_ERROR(pathTensor(prefix, path));
  return runEntry(saveEntry, {path.view()}, ignored, request.options);
}

rt::Status RunPlan::findFetch(const std::string &name, int32_t &index) {
  const WeirEntryDesc &desc = program.entries[last.entry];
  std::vector<std::string_view> known =
      rt::descNames(desc.fetches, desc.fetch_count);
  auto found = std::find(known.begin(), known.end(), name);
  if (found == known.end())
    return rt::Status(WEIR_NOT_FOUND,
                      rt::str("[WEIR0305] entry '", desc.name,
                              "' has no fetch '", name, "'",
                              rt::didYouMean(name, known), " (",
                              known.empty() ? "it has none"
                                            : "it has " + rt::listNames(known),
                              ")"));
  index = static_cast<int32_t>(found - known.begin());
  return rt::Status();
}

rt::Status RunPlan::selectFetches() {
  int32_t index;
  for (const std::string &text : request.outputs) {
    std::string name, path;
    WEIR_RETURN_IF_ERROR(rt::splitNamed("--output", text, name, path));
    WEIR_RETURN_IF_ERROR(findFetch(name, index));
    files.emplace_back(index, path);
  }
  for (const std::string &name : request.fetches) {
    WEIR_RETURN_IF_ERROR(findFetch(name, index));
    printed.push_back(index);
  }
  if (!request.fetches.empty() || !request.outputs.empty())
    return rt::Status();
  for (int32_t i = 0; i < program.entries[last.entry].fetch_count; ++i)
    printed.push_back(i);
  return rt::Status();
}

rt::Status RunPlan::prepare() {
  std::vector<int32_t> entries;
  for (const std::string &name : request.entries)
    WEIR_RETURN_IF_ERROR(
        rt::findEntry(program, name.c_str(), entries.emplace_back()));
  if (entries.empty() && rt::entryNames(program).size() == 1)
    entries.push_back(0);
  if (entries.empty())
    return rt::Status(
        WEIR_INVALID_ARGUMENT,
        program.entry_count == 0
            ? std::string("[WEIR0204] the module has no graphs to run")
            : rt::str("[WEIR0204] which entry? give --entry, one of ",
                      rt::listNames(rt::entryNames(program))));
  if (!request.targets.empty() || !request.first.empty())
    return rt::Status(WEIR_INVALID_ARGUMENT,
                      "[WEIR0204] --target and --first name nodes of one "
                      "graph; run one entry at a time with them");
  std::vector<int32_t> fed = entries;
  WEIR_RETURN_IF_ERROR(addRunners(fed));
  WEIR_RETURN_IF_ERROR(readFeeds());
  WEIR_RETURN_IF_ERROR(checkFeedNames(fed));
  for (size_t i = 0; i < runners.size(); ++i)
    WEIR_RETURN_IF_ERROR(parseFeeds(fed[entries.size() + i], runners[i].feeds));
  if (request.init)
    WEIR_RETURN_IF_ERROR(addInit());
  WEIR_RETURN_IF_ERROR(checkpoints.open(request.checkpoints, request.init));
  WEIR_RETURN_IF_ERROR(addRestore());
  for (int32_t entry : entries)
    WEIR_RETURN_IF_ERROR(addEntry(entry));
  last = std::move(before.back());
  before.pop_back();
  if (!request.checkpoints.save.empty())
    WEIR_RETURN_IF_ERROR(findCheckpointEntry("save", saveEntry));
  return selectFetches();
}

rt::Status RunPlan::runLast(std::vector<rt::TensorRef> &fetches,
                            const WeirRunOptions &options) {
  std::vector<WeirView> feeds = last.views();
  // The first steps find cold memory and idle threads; they do not count.
  for (int64_t i = 0; request.benchmark && i < request.steps / 10 + 1; ++i)
    WEIR_RETURN_IF_ERROR(runEntry(last.entry, feeds, fetches, options));
  std::vector<int64_t> times;
  for (int64_t i = 0, e = checkpoints.stepsLeft(request.steps); i < e; ++i) {
    int64_t begin = rt::traceNow();
    std::vector<rt::TensorRef> made;
    rt::Status status = runEntry(last.entry, feeds, made, options);
    if (status.code() == WEIR_OUT_OF_RANGE && !runners.empty() && i > 0) {
      printf("the data ended after %lld steps\n", static_cast<long long>(i));
      break;
    }
    WEIR_RETURN_IF_ERROR(std::move(status));
    fetches = std::move(made);
    if (request.benchmark)
      times.push_back(rt::traceNow() - begin);
    WEIR_RETURN_IF_ERROR(checkpoints.stepped(
        [this](const std::string &prefix) { return save(prefix); }));
  }
  if (request.benchmark)
    fputs(rt::benchmarkText(rt::summarizeTimes(std::move(times)),
                            rt::kernelThreads())
              .c_str(),
          stdout);
  return rt::Status();
}

/// Runs the last entry while its runners run.
rt::Status RunPlan::runLastBeside(std::vector<rt::TensorRef> &fetches) {
  if (runners.empty())
    return runLast(fetches, request.options);
  rt::Coordinator coordinator(program, [&](int32_t entry, const WeirView *feeds,
                                           const WeirRunOptions &options) {
    const WeirEntryDesc &desc = program.entries[entry];
    std::vector<rt::TensorRef> dropped;
    return runEntry(entry, {feeds, feeds + desc.feed_count}, dropped, options);
  });
  return rt::runBeside(coordinator, runners, [&](const WeirRunOptions &beside) {
    WeirRunOptions options = request.options;
    options.cancellation = beside.cancellation;
    return runLast(fetches, options);
  });
}

rt::Status RunPlan::writeFetches(const std::vector<rt::TensorRef> &fetches) {
  const WeirEntryDesc &desc = program.entries[last.entry];
  for (const auto &[index, path] : files)
    WEIR_RETURN_IF_ERROR(rt::writeNpy(path, fetches[index].view()));
  for (int32_t index : printed)
    printf("%s = %s\n", desc.fetches[index].name,
           rt::valueText(fetches[index].view()).c_str());
  return rt::Status();
}

std::vector<std::string> RunPlan::entries() const {
  std::set<std::string> names;
  for (const PlannedStep &step : before)
    names.insert(program.entries[step.entry].name);
  names.insert(program.entries[last.entry].name);
  if (saveEntry >= 0)
    names.insert(program.entries[saveEntry].name);
  for (const rt::RunnerOptions &runner : runners) {
    names.insert(runner.entry);
    if (!runner.closingEntry.empty())
      names.insert(runner.closingEntry);
  }
  return {names.begin(), names.end()};
}

rt::Status RunPlan::runEntry(int32_t entry, const std::vector<WeirView> &feeds,
                             std::vector<rt::TensorRef> &fetches,
                             const WeirRunOptions &options) {
  return engine->run(engineEntries.at(entry), feeds, fetches, &options);
}

rt::Status RunPlan::run(Engine &runningEngine) {
  engine = &runningEngine;
  if (!runners.empty() && !engine->isConcurrent())
    return rt::Status(WEIR_UNIMPLEMENTED,
                      "[WEIR0368] runners run compiled code in threads of "
                      "their own, which --interpret does not have; leave it "
                      "out");
  for (const std::string &name : entries()) {
    int32_t number = 0, there = 0;
    WEIR_RETURN_IF_ERROR(rt::findEntry(program, name.c_str(), number));
    WEIR_RETURN_IF_ERROR(rt::findEntry(engine->program(), name.c_str(), there));
    engineEntries[number] = there;
  }
  std::vector<rt::TensorRef> fetches, ignored;
  for (const PlannedStep &step : before)
    WEIR_RETURN_IF_ERROR(
        runEntry(step.entry, step.views(), ignored, request.options));
  if (checkpoints.stepsLeft(request.steps) == 0) {
    printf("checkpoint '%s' has %lld steps or more behind it\n",
           checkpoints.restored().c_str(),
           static_cast<long long>(request.steps));
    return rt::Status();
  }
  Profile trace(request, engine);
  WEIR_RETURN_IF_ERROR(trace.start());
  rt::Status ran = runLastBeside(fetches);
  // A trace of a step that failed is worth having.
  rt::Status traced = trace.finish();
  WEIR_RETURN_IF_ERROR(std::move(ran));
  WEIR_RETURN_IF_ERROR(std::move(traced));
  WEIR_RETURN_IF_ERROR(writeFetches(fetches));
  WEIR_RETURN_IF_ERROR(checkpoints.ended(
      [this](const std::string &prefix) { return save(prefix); }));
  if (fflush(stdout) != 0)
    return rt::Status(WEIR_UNAVAILABLE,
                      "[WEIR0319] the output cannot be written");
  return rt::Status();
}

bool weir::runRequest(Program &program, const RunRequest &request,
                      const EngineMaker &makeEngine, Messages &messages) {
  std::string name = program.name();
  std::vector<EntrySignature> signatures = program.entries();
  std::unique_ptr<Engine> engine;
  // Of a module behind the schedule phase only the code says what there is.
  if (signatures.empty() && !(engine = makeEngine(program, messages)))
    return false;
  Descriptors descriptors(name.c_str(), std::move(signatures));
  RunPlan plan(engine ? engine->program() : descriptors.get(), request);
  rt::Status status = plan.prepare();
  if (!status.ok())
    return messages.error(status.message());
  if (!engine && (!program.keepEntries(plan.entries(), messages) ||
                  !(engine = makeEngine(program, messages))))
    return false;
  status = plan.run(*engine);
  return status.ok() || messages.error(status.message());
}

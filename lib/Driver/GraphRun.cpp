//===- GraphRun.cpp - A step that weir-run is asked for -------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Driver/GraphRun.h"
#include "lib/Driver/Descriptors.h"
#include "lib/Driver/Profile.h"

#include "runtime/base/Format.h"
#include "runtime/cli/Npy.h"
#include "runtime/cli/Statistics.h"
#include "runtime/cli/Values.h"
#include "runtime/main/CommandLine.h"
#include "runtime/main/RunnerArguments.h"

#include <cstdio>

using namespace weir;

bool weir::namesInnerValues(const Program &program, const RunRequest &request) {
  std::vector<EntrySignature> entries = program.entries();
  if (request.entries.size() > 1 ||
      (request.entries.empty() && entries.size() != 1))
    return false;
  if (!request.targets.empty() || !request.first.empty())
    return true;
  for (const EntrySignature &entry : entries) {
    if (!request.entries.empty() && entry.name != request.entries[0])
      continue;
    auto isKnown = [](const std::vector<TensorSignature> &tensors,
                      const std::string &name) {
      for (const TensorSignature &tensor : tensors)
        if (tensor.name == name)
          return true;
      return false;
    };
    // "name:port" is never a mistyped name of a feed or fetch.
    auto isInner = [](const std::string &name) {
      return name.find(':') != std::string::npos;
    };
    for (const std::string &fetch : request.fetches)
      if (!isKnown(entry.fetches, fetch) && isInner(fetch))
        return true;
    for (const std::string &feed : request.feeds) {
      std::string name = feed.substr(0, feed.find('='));
      if (!isKnown(entry.feeds, name) && isInner(name))
        return true;
    }
  }
  return false;
}

namespace {
/// Values that were given as text, as feeds.
struct ParsedFeeds {
  std::vector<rt::TensorRef> tensors;
  std::vector<GraphSession::Feed> feeds;
};
} // namespace

/// The types that text stands for are those that the graph declares.
static rt::Status parseFeeds(const GraphSource &source,
                             const RunRequest &request, ParsedFeeds &parsed) {
  EntryRequest wanted;
  wanted.fetches = request.fetches;
  wanted.targets = request.targets;
  std::vector<std::string> texts;
  for (const std::string &text : request.feeds) {
    std::string name, value;
    WEIR_RETURN_IF_ERROR(rt::splitNamed("--feed", text, name, value));
    wanted.feeds.push_back({name, WEIR_DTYPE_INVALID, std::nullopt});
    texts.push_back(value);
  }
  if (texts.empty())
    return rt::Status();
  Messages messages;
  std::unique_ptr<Program> program = source.derive(wanted, messages);
  if (!program)
    return firstError(messages);
  std::vector<TensorSignature> signatures = program->entries().front().feeds;
  for (size_t i = 0; i < texts.size(); ++i) {
    const TensorSignature &signature = signatures[i];
    WeirTensorDesc desc = {
        signature.name.c_str(), signature.dims.data(),
        signature.hasRank ? static_cast<int32_t>(signature.dims.size()) : -1,
        signature.dtype};
    rt::TensorRef &tensor = parsed.tensors.emplace_back();
    WEIR_RETURN_IF_ERROR(rt::parseValue(desc, texts[i], tensor));
    parsed.feeds.push_back({wanted.feeds[i].name, tensor.view()});
  }
  return rt::Status();
}

/// Runs `steps` while the nodes of --runner run beside it, over and over and
/// each in a thread of its own, as TensorFlow's queue runners do.
static rt::Status
runBesideNodes(GraphSession &session, const RunRequest &request,
               const std::function<rt::Status(const WeirRunOptions &)> &steps) {
  if (request.runners.empty())
    return steps(request.options);
  if (session.isInterpreted())
    return rt::Status(WEIR_UNIMPLEMENTED,
                      "[WEIR0368] runners run compiled code in threads of "
                      "their own, which --interpret does not have; leave it "
                      "out");
  std::vector<rt::RunnerOptions> runners;
  WEIR_RETURN_IF_ERROR(rt::parseRunners(request.runners, runners));
  // To the coordinator each node is an entry point without feeds.
  std::vector<EntrySignature> nodes;
  auto add = [&](const std::string &name) {
    for (const EntrySignature &node : nodes)
      if (node.name == name)
        return;
    nodes.emplace_back().name = name;
  };
  for (const rt::RunnerOptions &runner : runners) {
    add(runner.entry);
    if (!runner.closingEntry.empty())
      add(runner.closingEntry);
  }
  // Compiled before any thread is started: a name that is none is an error
  // here.
  for (const EntrySignature &node : nodes) {
    std::shared_ptr<Engine> ignored;
    WEIR_RETURN_IF_ERROR(session.describe({{}, {}, {node.name}}, ignored));
  }
  Descriptors descriptors("graph", std::move(nodes));
  const WeirProgram &program = descriptors.get();
  rt::Coordinator coordinator(program, [&](int32_t node, const WeirView *,
                                           const WeirRunOptions &options) {
    std::vector<rt::TensorRef> ignored;
    return session.run({}, {}, {program.entries[node].name}, ignored, &options);
  });
  return rt::runBeside(coordinator, std::move(runners),
                       [&](const WeirRunOptions &beside) {
                         WeirRunOptions options = request.options;
                         options.cancellation = beside.cancellation;
                         return steps(options);
                       });
}

rt::Status weir::runGraphRequest(GraphSession &session,
                                 const GraphSource &source,
                                 const RunRequest &request) {
  std::vector<rt::TensorRef> results;
  for (const std::string &target : request.first)
    WEIR_RETURN_IF_ERROR(
        session.run({}, {}, {target}, results, &request.options));
  ParsedFeeds parsed;
  WEIR_RETURN_IF_ERROR(parseFeeds(source, request, parsed));
  std::vector<std::string> fetches = request.fetches;
  std::vector<std::pair<size_t, std::string>> files;
  for (const std::string &text : request.outputs) {
    std::string name, path;
    WEIR_RETURN_IF_ERROR(rt::splitNamed("--output", text, name, path));
    files.emplace_back(fetches.size(), path);
    fetches.push_back(name);
  }
  std::vector<int64_t> times;
  auto runSteps = [&](const WeirRunOptions &options) {
    std::vector<rt::TensorRef> made;
    auto step = [&] {
      return session.run(parsed.feeds, fetches, request.targets, made,
                         &options);
    };
    for (int64_t i = 0; request.benchmark && i < request.steps / 10 + 1; ++i)
      WEIR_RETURN_IF_ERROR(step());
    for (int64_t i = 0; i < request.steps; ++i) {
      int64_t begin = rt::traceNow();
      rt::Status status = step();
      if (status.code() == WEIR_OUT_OF_RANGE && !request.runners.empty() &&
          i > 0) {
        printf("the data ended after %lld steps\n", static_cast<long long>(i));
        break;
      }
      WEIR_RETURN_IF_ERROR(std::move(status));
      results = std::move(made);
      times.push_back(rt::traceNow() - begin);
    }
    return rt::Status();
  };
  Profile trace(request, nullptr);
  WEIR_RETURN_IF_ERROR(trace.start());
  rt::Status ran = runBesideNodes(session, request, runSteps);
  // A trace of a step that failed is worth having.
  rt::Status traced = trace.finish();
  WEIR_RETURN_IF_ERROR(std::move(ran));
  WEIR_RETURN_IF_ERROR(std::move(traced));
  if (request.benchmark)
    fputs(rt::benchmarkText(rt::summarizeTimes(std::move(times)),
                            rt::kernelThreads())
              .c_str(),
          stdout);
  for (const auto &[index, path] : files)
    WEIR_RETURN_IF_ERROR(rt::writeNpy(path, results[index].view()));
  for (size_t i = 0; i < request.fetches.size(); ++i)
    printf("%s = %s\n", request.fetches[i].c_str(),
           rt::valueText(results[i].view()).c_str());
  if (fflush(stdout) != 0)
    return rt::Status(WEIR_UNAVAILABLE,
                      "[WEIR0319] the output cannot be written");
  return rt::Status();
}

//===- GraphRunner.cpp - Carries out the runs of a request ----------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/conformance/runner/GraphRunner.h"

#include "lib/Driver/Devices.h"
#include "lib/Frontend/GraphDef/GraphDefSource.h"
#include "lib/Frontend/GraphDef/Importer.h"
#include "runtime/base/Format.h"

#include <thread>

using namespace weir;
using namespace weir::conformance;

static rt::Status statusOf(const Messages &messages) {
  for (const Message &message : messages.all())
    if (message.severity == Message::Severity::Error)
      return rt::Status(WEIR_INVALID_ARGUMENT, message.text);
  return rt::Status(WEIR_INTERNAL, "failed without a message");
}

static std::unique_ptr<GraphSource> makeSource(const Request &request,
                                               Messages &messages) {
  if (request.text.empty()) {
    std::unique_ptr<GraphFile> file = GraphFile::load(request.file, messages);
    return file ? makeGraphDefSource(std::move(file)) : nullptr;
  }
  std::unique_ptr<Program> program =
      Program::parse(request.text, "graph.mlir", messages);
  return program
             ? GraphSource::create(std::move(program), request.entry, messages)
             : nullptr;
}

rt::Status GraphRunner::open(const Request &request) {
  GraphSessionOptions options;
  options.compile.threads = 1;
  options.interpret = request.mode == "interpret";
  if (request.mode == "dataflow" || request.mode == "tasks") {
    options.compile.raise = false;
    options.compile.executor = request.mode == "tasks" ? "tasks" : "all";
  } else if (request.mode == "devices") {
    options.compile.devices = {"CPU:0", "CPU:1", "GPU:0", "MXU:0"};
    options.compile.mxu = "32x32";
    options.compile.emulateGpu = true;
    // What ptxas says of kernels is tested elsewhere, and takes its time.
    options.compile.gpuArchitectures = {80};
  } else if (request.mode != "compile" && !options.interpret) {
    return rt::Status(WEIR_INVALID_ARGUMENT,
                      rt::str("there is no mode '", request.mode, "'"));
  }
  Messages messages;
  if (!configureDevices(options.compile, messages))
    return statusOf(messages);
  std::unique_ptr<GraphSource> source = makeSource(request, messages);
  if (!source)
    return statusOf(messages);
  session = std::make_unique<GraphSession>(std::move(source), options);
  return rt::Status();
}

rt::Status GraphRunner::beginPartial(const RunRequest &request) {
  std::vector<FeedRequest> feeds;
  for (const FedTensor &feed : request.feeds)
    feeds.push_back({feed.name, WEIR_DTYPE_INVALID, std::nullopt});
  rt::Status status;
  PartialRun &partial = partials[request.partialKey];
  partial.feeds = feeds.size();
  partial.fetches = request.fetches.size();
  partial.run = session->begin(feeds, request.fetches, request.targets, status);
  return status;
}

rt::Status GraphRunner::continuePartial(RunRequest &request,
                                        std::vector<rt::TensorRef> &values) {
  PartialRun &partial = partials[request.partialKey];
  if (!partial.run)
    return rt::Status(WEIR_INVALID_ARGUMENT, "the partial run has ended");
  for (FedTensor &feed : request.feeds) {
    WEIR_RETURN_IF_ERROR(partial.run->feed(feed.name, feed.view()));
    --partial.feeds;
  }
  for (const std::string &fetch : request.fetches) {
    WEIR_RETURN_IF_ERROR(partial.run->fetch(fetch, values.emplace_back()));
    --partial.fetches;
  }
  if (partial.feeds || partial.fetches)
    return rt::Status();
  rt::Status status = partial.run->end();
  partial.run.reset();
  return status;
}

RunAnswer GraphRunner::runOne(RunRequest &request) {
  RunAnswer answer;
  if (request.partial == RunRequest::Partial::Setup) {
    answer.status = beginPartial(request);
    return answer;
  }
  if (request.partial == RunRequest::Partial::Run) {
    answer.status = continuePartial(request, answer.values);
    return answer;
  }
  std::vector<GraphSession::Feed> feeds;
  for (FedTensor &feed : request.feeds)
    feeds.push_back({feed.name, feed.view()});
  // A step that takes so long is a fault, and says which it is.
  WeirRunOptions options = WEIR_RUN_OPTIONS_INIT;
  options.timeout_ms = request.timeoutMs ? request.timeoutMs : 300000;
  options.threads = 2;
  answer.status = session->run(feeds, request.fetches, request.targets,
                               answer.values, &options);
  return answer;
}

std::vector<RunAnswer> GraphRunner::run(std::vector<RunRequest> &group) {
  std::vector<RunAnswer> answers(group.size());
  std::vector<std::thread> threads;
  for (size_t i = 1; i < group.size(); ++i)
    threads.emplace_back([&, i] { answers[i] = runOne(group[i]); });
  if (!group.empty())
    answers[0] = runOne(group[0]);
  for (std::thread &thread : threads)
    thread.join();
  return answers;
}

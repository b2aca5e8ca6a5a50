//===- GraphSession.cpp - Steps on any feeds and fetches of a graph -------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Driver/GraphSession.h"

#include "runtime/base/Format.h"

using namespace weir;

/// Text that two requests have in common exactly when one program serves both.
static std::string keyOf(const EntryRequest &request, bool executor) {
  std::string key = executor ? "x" : "";
  // Lengths keep names apart whatever characters are in them.
  auto name = [&](char kind, const std::string &text) {
    key += rt::str(kind, text.size(), ":", text);
  };
  for (const FeedRequest &feed : request.feeds) {
    name('f', feed.name);
    key += rt::str("=", feed.dtype);
    if (feed.dims) {
      key += "[";
      for (int64_t extent : *feed.dims)
        key += rt::str(extent, ",");
    }
  }
  for (const std::string &fetch : request.fetches)
    name('r', fetch);
  for (const std::string &target : request.targets)
    name('t', target);
  return key;
}

rt::Status weir::firstError(const Messages &messages) {
  for (const Message &message : messages.all())
    if (message.severity == Message::Severity::Error) {
      std::string text = message.text;
      if (!message.file.empty())
        text = rt::str(text, " (", message.file, ":", message.line, ")");
      for (const Message &note : message.notes)
        text += rt::str("; ", note.text);
      return rt::Status(WEIR_INVALID_ARGUMENT, text);
    }
  return rt::Status(WEIR_INTERNAL, "[WEIR0299] the graph cannot be compiled");
}

/// Placeholders of a GraphDef that are needed and not fed come behind the feeds
/// that were asked for.
static rt::Status checkFeeds(const Program &program,
                             const EntryRequest &request) {
  std::vector<TensorSignature> feeds = program.entries().front().feeds;
  if (feeds.size() <= request.feeds.size())
    return rt::Status();
  const TensorSignature &feed = feeds[request.feeds.size()];
  int32_t rank = feed.hasRank ? static_cast<int32_t>(feed.dims.size()) : -1;
  return rt::Status(WEIR_INVALID_ARGUMENT,
                    rt::str("[WEIR0301] what is fetched needs feed '",
                            feed.name, "' (",
                            rt::typeText(feed.dtype, feed.dims.data(), rank),
                            "), which is not given"));
}

rt::Status GraphSession::find(const EntryRequest &request,
                              std::shared_ptr<Engine> &engine, bool executor) {
  std::lock_guard<std::mutex> lock(mutex);
  Key key = keyOf(request, executor);
  if (auto found = engines.find(key); found != engines.end()) {
    engine = found->second;
    return rt::Status();
  }
  Messages messages;
  std::unique_ptr<Program> program = source->derive(request, messages);
  if (program) {
    WEIR_RETURN_IF_ERROR(checkFeeds(*program, request));
    CompileOptions compile = options.compile;
    // A partial run needs the executor whatever the graph is made of, and no
    // kernel that waits for two feeds where one is enough.
    if (executor)
      compile.executor = "tasks";
    engine = options.interpret
                 ? Engine::interpret(*program, compile, messages, first.get(),
                                     options.poll)
                 : Engine::compile(*program, compile, messages, first.get());
  }
  rt::Status status = engine ? rt::Status() : firstError(messages);
  for (const Message &message : messages.all())
    if (message.severity != Message::Severity::Error)
      collected.add(message);
  WEIR_RETURN_IF_ERROR(std::move(status));
  if (!first)
    first = engine;
  engines.emplace(std::move(key), engine);
  return rt::Status();
}

rt::Status GraphSession::describe(const EntryRequest &request,
                                  std::shared_ptr<Engine> &engine) {
  return find(request, engine);
}

rt::Status GraphSession::run(const std::vector<Feed> &feeds,
                             const std::vector<std::string> &fetches,
                             const std::vector<std::string> &targets,
                             std::vector<rt::TensorRef> &results,
                             const WeirRunOptions *runOptions) {
  EntryRequest request;
  std::vector<WeirView> views;
  for (const Feed &feed : feeds) {
    WEIR_RETURN_IF_ERROR(rt::checkView(
        feed.value, rt::str("[WEIR0302] feed '", feed.name, "'").c_str()));
    FeedRequest &wanted = request.feeds.emplace_back();
    wanted.name = feed.name;
    wanted.dtype = feed.value.dtype;
    if (source->dependsOnExtents(feed.name))
      wanted.dims.emplace(feed.value.dims, feed.value.dims + feed.value.rank);
    views.push_back(feed.value);
  }
  request.fetches = fetches;
  request.targets = targets;
  std::shared_ptr<Engine> engine;
  WEIR_RETURN_IF_ERROR(find(request, engine));
  if (!options.interpret)
    return engine->run(0, views, results, runOptions);
  std::lock_guard<std::mutex> lock(mutex);
  return engine->run(0, views, results, runOptions);
}

std::unique_ptr<GraphSession::PartialRun>
GraphSession::begin(const std::vector<FeedRequest> &feeds,
                    const std::vector<std::string> &fetches,
                    const std::vector<std::string> &targets, rt::Status &status,
                    const WeirRunOptions *runOptions) {
  auto result = std::make_unique<PartialRun>();
  status = find({feeds, fetches, targets}, result->engine, /*executor=*/true);
  if (!status.ok())
    return nullptr;
  result->run = result->engine->begin(0, runOptions, status);
  if (!result->run)
    return nullptr;
  for (const FeedRequest &feed : feeds)
    result->feeds.push_back(feed.name);
  result->fetches = fetches;
  return result;
}

/// The place of a name in a list; NOT_FOUND lists the names.
static rt::Status indexOf(const std::vector<std::string> &names,
                          const std::string &name, const char *what,
                          int32_t &index) {
  auto found = std::find(names.begin(), names.end(), name);
  index = static_cast<int32_t>(found - names.begin());
  if (found != names.end())
    return rt::Status();
  std::vector<std::string_view> known(names.begin(), names.end());
  return rt::Status(WEIR_NOT_FOUND,
                    rt::str("[WEIR0329] '", name, "' is no ", what,
                            " of this partial run; they were given when it "
                            "began: ",
                            known.empty() ? "none" : rt::listNames(known)));
}

rt::Status GraphSession::PartialRun::feed(const std::string &name,
                                          const WeirView &value) {
  int32_t index;
  WEIR_RETURN_IF_ERROR(indexOf(feeds, name, "feed", index));
  return run->feed(index, value);
}

rt::Status GraphSession::PartialRun::fetch(const std::string &name,
                                           rt::TensorRef &result) {
  int32_t index;
  WEIR_RETURN_IF_ERROR(indexOf(fetches, name, "fetch", index));
  return run->fetch(index, result);
}

size_t GraphSession::programCount() const {
  std::lock_guard<std::mutex> lock(mutex);
  return engines.size();
}

void GraphSession::takeMessages(Messages &messages) {
  std::lock_guard<std::mutex> lock(mutex);
  Messages taken = std::exchange(collected, Messages());
  for (const Message &message : taken.all())
    messages.add(message);
}

//===- ClusterStep.cpp - One step of a cluster, as its client runs it -----===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/distributed/ClusterStep.h"
#include "runtime/base/Format.h"
#include "runtime/rendezvous/Rendezvous.h"

#include <algorithm>
#include <cstdio>

using namespace weir::rt;

namespace distributed = weir::distributed;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

ClusterStep::~ClusterStep() = default;

std::string ClusterStep::text() const {
  return str("step ", number, " of entry '", plan.name, "'");
}

static Status lostError(const std::string &step, const Status &why) {
  return Status(WEIR_UNAVAILABLE,
                str("[WEIR0388] ", step, " has ended: ", plainText(why)));
}

Status ClusterStep::addParts(const ProgramSet &programs) {
  incarnations.assign(client.links.size(), 0);
  for (const EntryPlan::Part &each : plan.parts) {
    TaskLink &link = client.links[static_cast<size_t>(each.task)];
    if (!link.lost.ok())
      return lostError(text(), link.lost);
    incarnations[static_cast<size_t>(each.task)] = link.incarnation;
    std::unique_ptr<Part> part = std::make_unique<Part>();
    part->plan = &each;
    part->link = &link;
    part->request.set_handle(programs.handles[static_cast<size_t>(each.task)]);
    part->request.set_entry(each.entry);
    part->request.set_step(number);
    part->request.set_timeout_ms(options.timeoutMs);
    part->request.set_stall_report_ms(options.stallReportMs);
    parts.push_back(std::move(part));
  }
  for (std::unique_ptr<Part> &part : parts)
    for (uint64_t incarnation : incarnations)
      part->request.add_incarnations(incarnation);
  return Status();
}

// ---- Names.

static Status unknownName(const std::string &entry, const char *what,
                          const std::string &name,
                          const std::vector<std::string_view> &known) {
  return Status(WEIR_NOT_FOUND,
                str("[WEIR0394] entry '", entry, "' has no ", what, " '", name,
                    "'", didYouMean(name, known), " (it has ",
                    known.empty() ? "none" : listNames(known), ")"));
}

Status ClusterStep::addFeed(Part &part, const WeirView &value) {
  TensorRef described;
  // The tensor borrows the caller's memory.
  WeirStatus status = WEIR_STATUS_INIT;
  described =
      TensorRef(weir_tensor_adopt(value.dtype, value.rank, value.dims,
                                  value.data, nullptr, nullptr, &status));
  if (!described) {
    Status error(static_cast<WeirCode>(status.code),
                 status.message ? status.message : "");
    weir_status_clear(&status);
    return error;
  }
  distributed::InlineTensor &message = *part.request.add_feeds();
  WEIR_RETURN_IF_ERROR(
      encodeInline(described.get(), false, part.room, message));
  if (message.by_stream())
    largeFeeds.push_back({&part, part.request.feeds_size() - 1, value});
  return Status();
}

Status ClusterStep::route(const Feeds &feeds, const Fetches &fetches) {
  std::map<std::string_view, const WeirView *> given;
  std::vector<std::string_view> feedNames, fetchNames;
  std::map<std::string_view, Source> made;
  for (size_t p = 0; p < parts.size(); ++p) {
    const EntryPlan::Part &part = *parts[p]->plan;
    feedNames.insert(feedNames.end(), part.feeds.begin(), part.feeds.end());
    for (size_t i = 0; i < part.fetches.size(); ++i) {
      fetchNames.push_back(part.fetches[i]);
      made[part.fetches[i]] = {p, static_cast<int32_t>(i)};
    }
  }
  for (const ClusterSession::Feed &feed : feeds) {
    if (std::find(feedNames.begin(), feedNames.end(), feed.name) ==
        feedNames.end())
      return unknownName(plan.name, "feed", feed.name, feedNames);
    if (!given.emplace(feed.name, &feed.value).second)
      return Status(WEIR_INVALID_ARGUMENT,
                    str("[WEIR0394] feed '", feed.name, "' of entry '",
                        plan.name, "' is given twice"));
    WEIR_RETURN_IF_ERROR(
        checkView(feed.value, str("feed '", feed.name, "'").c_str()));
  }
  for (const std::string &fetch : fetches) {
    auto it = made.find(fetch);
    if (it == made.end())
      return unknownName(plan.name, "fetch", fetch, fetchNames);
    sources.push_back(it->second);
  }
  for (std::unique_ptr<Part> &part : parts)
    for (const std::string &name : part->plan->feeds) {
      auto it = given.find(name);
      if (it == given.end())
        return Status(WEIR_INVALID_ARGUMENT,
                      str("[WEIR0394] feed '", name, "' of entry '", plan.name,
                          "' is not given"));
      WEIR_RETURN_IF_ERROR(addFeed(*part, *it->second));
    }
  return Status();
}

// ---- Running.

void ClusterStep::fail(Rank newRank, Status status) {
  Lock lock(mutex);
  if (newRank < rank) {
    rank = newRank;
    error = std::move(status);
  }
  for (grpc::ClientContext *upload : uploads)
    upload->TryCancel();
  if (pull)
    pull->cancel();
  changed.notify_all();
}

ClusterStep::Part *ClusterStep::findOpen(const TaskLink &link) {
  for (std::unique_ptr<Part> &part : parts)
    if (part->link == &link && !part->done)
      return part.get();
  return nullptr;
}

void ClusterStep::partFailed(const TaskLink &link, Rank newRank,
                             Status status) {
  {
    Lock lock(mutex);
    Part *part = findOpen(link);
    if (!part)
      return;
    part->done = true;
  }
  fail(newRank, std::move(status));
}

void ClusterStep::taskLost(const TaskLink &link, const Status &why) {
  partFailed(link, Lost, lostError(text(), why));
}

void ClusterStep::taskFailed(const TaskLink &link, const Status &why) {
  partFailed(link, why.code() == WEIR_CANCELLED ? Derived : Root, why.copy());
}

void ClusterStep::taskWaits(const TaskLink &link,
                            const distributed::StepReport &report) {
  Lock lock(mutex);
  Part *part = findOpen(link);
  if (!part || hasReportedStall)
    return;
  const steady_clock::time_point now = steady_clock::now();
  part->waiting = report.waiting();
  part->waitsSince = now;
  // A task that waits for one that works is no stall.
  std::string said;
  for (const std::unique_ptr<Part> &each : parts) {
    if (each->done)
      continue;
    if (now - each->waitsSince > milliseconds(2 * options.stallReportMs))
      return;
    said += str("\n in task ", each->link->task.id.text(), ":", each->waiting);
  }
  hasReportedStall = true;
  said = str("[WEIR0327] nothing has run for ", options.stallReportMs,
             " ms in ", text(), "; these nodes wait", said, "\n");
  std::fputs(said.c_str(), stderr);
}

void ClusterStep::taskAnswered(const TaskLink &link,
                               distributed::StepResult &result) {
  if (result.error().code() != WEIR_OK) {
    const Cause cause = result.error().cause();
    Status told = errorOf(result.error());
    // What speaks of the step already need not be said twice.
    const bool namesStep = plainText(told).substr(0, text().size()) == text();
    return partFailed(
        link,
        cause == distributed::Error::OWN    ? Root
        : cause == distributed::Error::PEER ? Peer
                                            : Derived,
        std::move(told).withContext(str("task ", link.task.id.text(),
                                        namesStep ? "" : ", " + text(), ": ")));
  }
  Lock lock(mutex);
  Part *part = findOpen(link);
  if (!part)
    return;
  part->reply.Swap(&result);
  part->done = true;
  // Waking the caller for each part would cost more than the part.
  if (allDone())
    changed.notify_all();
}

Status ClusterStep::sendFeed(Part &part, int32_t feed, const WeirView &value) {
  grpc::ClientContext context;
  {
    Lock lock(mutex);
    if (rank != None)
      return error.copy();
    uploads.insert(&context);
  }
  distributed::SendTensorReply reply;
  auto writer = part.link->stub->SendTensor(&context, &reply);
  distributed::SendTensorRequest message;
  message.set_protocol(kProtocolVersion);
  message.set_session(client.sessionId);
  message.set_step(number);
  message.set_feed(feed);
  *message.mutable_header() = part.request.feeds(feed).header();
  TensorRef tensor;
  WeirStatus ignored = WEIR_STATUS_INIT;
  tensor = TensorRef(weir_tensor_adopt(value.dtype, value.rank, value.dims,
                                       value.data, nullptr, nullptr, &ignored));
  weir_status_clear(&ignored);
  std::string storage;
  std::string_view rest;
  if (tensor)
    rest = tensorBytes(*tensor.get(), storage);
  while (!rest.empty()) {
    std::string_view bytes = rest.substr(0, static_cast<size_t>(kChunkBytes));
    rest.remove_prefix(bytes.size());
    message.set_data(bytes.data(), bytes.size());
    if (!writer->Write(message))
      break;
    message.Clear();
  }
  writer->WritesDone();
  grpc::Status sent = writer->Finish();
  Lock lock(mutex);
  uploads.erase(&context);
  if (rank != None)
    return error.copy();
  WEIR_RETURN_IF_ERROR(transportError(sent, part.link->name, "SendTensor"));
  return errorOf(reply.error());
}

Status ClusterStep::sendLargeFeeds() {
  for (const LargeFeed &feed : largeFeeds)
    WEIR_RETURN_IF_ERROR(sendFeed(*feed.part, feed.feed, feed.value));
  return Status();
}

void ClusterStep::start() {
  for (std::unique_ptr<Part> &part : parts)
    // The connection is closed only after the last step.
    (void)part->link->way->add(kInlineStepBytes - part->room,
                               [&](distributed::Packet &packet) {
                                 packet.add_steps()->Swap(&part->request);
                               });
}

bool ClusterStep::allDone() const {
  return std::all_of(
      parts.begin(), parts.end(),
      [](const std::unique_ptr<Part> &part) { return part->done; });
}

void ClusterStep::wait() {
  Lock lock(mutex);
  auto isOver = [&] { return rank != None || allDone(); };
  if (options.timeoutMs <= 0) {
    changed.wait(lock, isOver);
    return;
  }
  // The tasks look at the clock themselves; this is for those that do not.
  const milliseconds time(options.timeoutMs + client.options.heartbeatMs);
  if (changed.wait_for(lock, time, isOver))
    return;
  lock.unlock();
  fail(Root, Status(WEIR_DEADLINE_EXCEEDED,
                    str("[WEIR0397] ", text(), " has not ended within ",
                        options.timeoutMs, " ms")));
}

void ClusterStep::abort() {
  Status reason;
  std::set<TaskLink *> open;
  {
    Lock lock(mutex);
    reason = error.copy();
    for (std::unique_ptr<Part> &part : parts)
      if (!part->done)
        open.insert(part->link);
  }
  {
    std::lock_guard<std::mutex> lock(client.mutex);
    for (auto it = open.begin(); it != open.end();)
      it = (*it)->lost.ok() ? std::next(it) : open.erase(it);
  }
  callTasks<distributed::AbortStepRequest, distributed::AbortStepReply>(
      {open.begin(), open.end()}, client.options.heartbeatMs,
      /*waitForReady=*/false, WEIR_WORKER_CALL(AbortStep),
      [&](TaskLink &, distributed::AbortStepRequest &request) {
        request.set_session(client.sessionId);
        request.set_step(number);
        setError(request.mutable_reason(), reason, distributed::Error::DERIVED);
        return true;
      });
  Lock lock(mutex);
  changed.wait_for(lock, milliseconds(client.options.heartbeatMs),
                   [&] { return allDone(); });
  // Who has not answered now is not waited for.
}

void ClusterStep::cleanUp(bool onlyUnwanted) {
  std::vector<TaskLink *> open;
  {
    std::lock_guard<std::mutex> lock(client.mutex);
    for (size_t p = 0; p < parts.size(); ++p) {
      bool wanted = !onlyUnwanted;
      const distributed::StepResult &reply = parts[p]->reply;
      for (int32_t i = 0; i < reply.fetches_size(); ++i)
        wanted |= reply.fetches(i).by_stream() &&
                  std::none_of(sources.begin(), sources.end(),
                               [&](const Source &source) {
                                 return source.part == p && source.fetch == i;
                               });
      if (wanted && parts[p]->link->lost.ok())
        open.push_back(parts[p]->link);
    }
  }
  callTasks<distributed::CleanupStepRequest, distributed::CleanupStepReply>(
      open, client.options.heartbeatMs, /*waitForReady=*/false,
      WEIR_WORKER_CALL(CleanupStep),
      [&](TaskLink &, distributed::CleanupStepRequest &request) {
        request.set_session(client.sessionId);
        request.add_steps(number);
        return true;
      });
}

// ---- Fetches.

Status ClusterStep::pullFetch(Part &part, int32_t fetch, TensorRef &result) {
  RendezvousKey key;
  key.tensor = str("fetch:", fetch);
  key.source = part.link->task.id.devicePrefix() + "CPU:0";
  key.destination = "client";
  key.incarnation = incarnations[static_cast<size_t>(part.plan->task)];
  distributed::ReceiveTensorRequest request;
  request.set_protocol(kProtocolVersion);
  request.set_session(client.sessionId);
  request.set_step(number);
  request.set_key(key.text());
  bool done = false;
  Failure failure;
  std::shared_ptr<TensorPull> call =
      std::make_shared<TensorPull>(part.link->name);
  call->onDone([&](Failure told, TensorRef value, bool) {
    Lock lock(mutex);
    failure = std::move(told);
    result = std::move(value);
    done = true;
    changed.notify_all();
  });
  {
    Lock lock(mutex);
    if (rank != None)
      return error.copy();
    pull = call;
  }
  call->start(client.loop, part.link->channel, request);
  Lock lock(mutex);
  changed.wait(lock, [&] { return done; });
  pull = nullptr;
  return rank != None ? error.copy() : std::move(failure.status);
}

Status ClusterStep::takeFetches(std::vector<TensorRef> &results) {
  std::vector<TensorRef> made(sources.size());
  for (size_t i = 0; i < sources.size(); ++i) {
    Part &part = *parts[sources[i].part];
    const int32_t fetch = sources[i].fetch;
    // The same fetch may be wanted twice; it is sent once.
    for (size_t k = 0; k < i && !made[i]; ++k)
      if (sources[k].part == sources[i].part && sources[k].fetch == fetch)
        made[i] = made[k];
    if (made[i])
      continue;
    if (fetch >= part.reply.fetches_size())
      return Status(WEIR_INTERNAL,
                    str("[WEIR0396] ", part.link->name, " has answered with ",
                        part.reply.fetches_size(), " fetches, not ",
                        part.plan->fetches.size()));
    const distributed::InlineTensor &message = part.reply.fetches(fetch);
    Status taken = message.by_stream() ? pullFetch(part, fetch, made[i])
                                       : decodeInline(message, made[i]);
    WEIR_RETURN_IF_ERROR(std::move(taken));
  }
  results = std::move(made);
  return Status();
}

Status ClusterStep::run(const Feeds &feeds, const Fetches &fetches,
                        std::vector<TensorRef> &results) {
  WEIR_RETURN_IF_ERROR(route(feeds, fetches));
  CancellationToken::Id id = 0;
  if (options.cancellation) {
    auto cancelled = [this] {
      fail(Root,
           Status(WEIR_CANCELLED, str("[WEIR0323] ", text(), " was cancelled: ",
                                      options.cancellation->reason())));
    };
    id = options.cancellation->onCancel(cancelled);
    if (id == 0)
      cancelled();
  }
  Status uploaded = sendLargeFeeds();
  if (!uploaded.ok())
    fail(Root, std::move(uploaded));
  bool begun;
  {
    Lock lock(mutex);
    begun = rank == None;
  }
  if (begun) {
    start();
    wait();
  }
  bool failed;
  {
    Lock lock(mutex);
    failed = rank != None;
  }
  if (begun && failed)
    abort();
  if (!failed) {
    Status taken = takeFetches(results);
    if (!taken.ok())
      fail(Root, std::move(taken));
  }
  if (options.cancellation)
    options.cancellation->remove(id);
  Lock lock(mutex);
  Status result = std::move(error);
  lock.unlock();
  cleanUp(/*onlyUnwanted=*/result.ok());
  return result;
}

Status ClusterClient::run(int32_t set, const std::string &entry,
                          const std::vector<Feed> &feeds,
                          const std::vector<std::string> &fetches,
                          std::vector<TensorRef> &results,
                          const ClusterRunOptions &runOptions) {
  results.clear();
  const ProgramSet *programs = nullptr;
  const EntryPlan *plan = nullptr;
  std::unique_ptr<ClusterStep> step;
  {
    std::lock_guard<std::mutex> lock(mutex);
    WEIR_RETURN_IF_ERROR(findEntry(set, entry, programs, plan));
    step = std::make_unique<ClusterStep>(*this, *plan, nextStep.fetch_add(1),
                                         runOptions);
    WEIR_RETURN_IF_ERROR(step->addParts(*programs));
    running.emplace(step->number, step.get());
  }
  Status result = step->run(feeds, fetches, results);
  std::lock_guard<std::mutex> lock(mutex);
  running.erase(step->number);
  return result;
}

void ClusterClient::take(TaskLink &link, distributed::Packet &packet) {
  if (packet.has_error())
    return streamLost(link,
                      errorOf(packet.error()).withContext(link.name + ": "));
  std::lock_guard<std::mutex> lock(mutex);
  for (const distributed::StepReport &report : packet.reports())
    if (auto it = running.find(report.step()); it != running.end())
      it->second->taskWaits(link, report);
  for (distributed::StepResult &result : *packet.mutable_results()) {
    // One that has ended already is not waited for.
    auto it = running.find(result.step());
    if (it != running.end())
      it->second->taskAnswered(link, result);
  }
}

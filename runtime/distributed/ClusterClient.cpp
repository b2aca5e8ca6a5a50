//===- ClusterClient.cpp - A client of a cluster --------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Connecting, programs and the end of a session. Steps: ClusterStep.cpp;
// heartbeats: ClusterHeart.cpp.
//
//===----------------------------------------------------------------------===//

#include "runtime/distributed/ClusterClient.h"
#include "runtime/base/Format.h"
#include "runtime/distributed/ClusterStep.h"

#include <random>

using namespace weir::rt;

namespace distributed = weir::distributed;

using distributed::Worker;

ClusterClient::ClusterClient(const ClusterSpec &spec,
                             const ClusterOptions &options, const TlsKeys &keys)
    : options(options) {
  std::random_device device;
  sessionId = static_cast<uint64_t>(device()) << 32 | device() | 1;
  for (const ClusterTask &task : spec.tasks()) {
    TaskLink &link = links.emplace_back();
    link.task = task;
    link.name = str("task ", task.id.text(), " (", task.address, ")");
    link.channel = makeChannel(
        task.address, keys, std::max<int64_t>(options.heartbeatMs * 5, 1000));
    link.stub = Worker::NewStub(link.channel);
    link.way = std::make_shared<TaskConnection>(TaskConnection::Options{
        link.channel, &loop, sessionId, std::nullopt, link.name, "RunStep"});
    link.way->onPacket(
        [this, &link](distributed::Packet &packet) { take(link, packet); });
    link.way->onLost(
        [this, &link](const Status &why) { streamLost(link, why); });
  }
}

Status ClusterSession::connect(const ClusterSpec &spec,
                               const ClusterOptions &options,
                               std::unique_ptr<ClusterSession> &session) {
  TlsKeys keys;
  WEIR_RETURN_IF_ERROR(readTlsFiles(options.tls, keys));
  std::unique_ptr<ClusterClient> made =
      std::make_unique<ClusterClient>(spec, options, keys);
  WEIR_RETURN_IF_ERROR(made->open());
  session = std::move(made);
  return Status();
}

ClusterClient::Links ClusterClient::allLinks() {
  Links all;
  for (TaskLink &link : links)
    all.push_back(&link);
  return all;
}

int32_t ClusterClient::indexOf(const TaskLink &link) const {
  for (size_t i = 0; i < links.size(); ++i)
    if (&links[i] == &link)
      return static_cast<int32_t>(i);
  return -1;
}

Status ClusterClient::open() {
  WEIR_RETURN_IF_ERROR(greet(allLinks()));
  opened = true;
  Links fresh;
  WEIR_RETURN_IF_ERROR(openSessions(allLinks(), fresh));
  heart = std::thread([this] { beat(); });
  return Status();
}

Status ClusterClient::greet(const Links &tasks) {
  auto calls =
      callTasks<distributed::GetStatusRequest, distributed::GetStatusReply>(
          tasks, options.connectTimeoutMs, /*waitForReady=*/true,
          WEIR_WORKER_CALL(GetStatus),
          [](TaskLink &, distributed::GetStatusRequest &) { return true; });
  Links silent;
  Status first;
  for (auto &call : calls) {
    if (call->status.error_code() == grpc::StatusCode::DEADLINE_EXCEEDED ||
        call->status.error_code() == grpc::StatusCode::UNAVAILABLE) {
      silent.push_back(call->link);
      continue;
    }
    Status status = transportError(call->status, call->link->name, "GetStatus");
    // Its version before its words.
    if (status.ok())
      status = checkProtocol(call->reply.protocol(), call->link->name);
    if (status.ok())
      status = errorOf(call->reply.error());
    if (status.ok() && call->reply.task() != call->link->task.id.text())
      status = Status(WEIR_FAILED_PRECONDITION,
                      str("[WEIR0381] at ", call->link->task.address,
                          " is task ", call->reply.task(), ", the cluster has ",
                          call->link->task.id.text(), " there"));
    if (first.ok())
      first = std::move(status);
    std::lock_guard<std::mutex> lock(mutex);
    call->link->incarnation = call->reply.incarnation();
  }
  WEIR_RETURN_IF_ERROR(std::move(first));
  if (silent.empty())
    return Status();
  std::vector<std::string_view> names;
  for (const TaskLink *link : silent)
    names.push_back(link->name);
  return Status(WEIR_UNAVAILABLE,
                str("[WEIR0387] no answer within ", options.connectTimeoutMs,
                    " ms from ", listNames(names),
                    whyNoConnection(*silent.front()),
                    "; are these tasks running (weir-worker)?"));
}

/// What gRPC says where it does not wait until a task is there: refused, or the
/// certificates do not fit. Empty where it connects, and nothing comes.
std::string ClusterClient::whyNoConnection(TaskLink &link) {
  constexpr int64_t kTryMs = 1000;
  auto calls =
      callTasks<distributed::GetStatusRequest, distributed::GetStatusReply>(
          {&link}, kTryMs, /*waitForReady=*/false, WEIR_WORKER_CALL(GetStatus),
          [](TaskLink &, distributed::GetStatusRequest &) { return true; });
  const grpc::Status &status = calls.front()->status;
  if (status.error_code() != grpc::StatusCode::UNAVAILABLE)
    return "";
  return str(" (", link.task.id.text(), ": ", status.error_message(), ")");
}

Status ClusterClient::openSessions(const Links &tasks, Links &fresh) {
  auto calls =
      callTasks<distributed::OpenSessionRequest, distributed::OpenSessionReply>(
          tasks, options.connectTimeoutMs, /*waitForReady=*/true,
          WEIR_WORKER_CALL(OpenSession),
          [&](TaskLink &link, distributed::OpenSessionRequest &request) {
            request.set_session(sessionId);
            request.set_task(indexOf(link));
            for (const TaskLink &each : links) {
              distributed::Task &task = *request.add_tasks();
              task.set_job(each.task.id.job);
              task.set_index(each.task.id.index);
              task.set_address(each.task.address);
            }
            return true;
          });
  for (auto &call : calls) {
    Status opened = call->error("OpenSession");
    // A task that was only slow still has its session.
    if (opened.code() == WEIR_ALREADY_EXISTS)
      continue;
    WEIR_RETURN_IF_ERROR(std::move(opened));
    fresh.push_back(call->link);
  }
  return Status();
}

ClusterClient::~ClusterClient() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    stopping = true;
    beatChanged.notify_all();
  }
  if (heart.joinable())
    heart.join();
  for (TaskLink &link : links)
    link.way->close();
  if (!opened)
    return;
  callTasks<distributed::CloseSessionRequest, distributed::CloseSessionReply>(
      allLinks(), std::min<int64_t>(options.connectTimeoutMs, 5000),
      /*waitForReady=*/false, WEIR_WORKER_CALL(CloseSession),
      [&](TaskLink &link, distributed::CloseSessionRequest &request) {
        request.set_session(sessionId);
        return link.lost.ok();
      });
}

Status ClusterClient::shutdownTasks() {
  auto calls =
      callTasks<distributed::ShutdownRequest, distributed::ShutdownReply>(
          allLinks(), options.connectTimeoutMs, /*waitForReady=*/false,
          WEIR_WORKER_CALL(Shutdown),
          [](TaskLink &, distributed::ShutdownRequest &) { return true; });
  for (auto &call : calls)
    WEIR_RETURN_IF_ERROR(call->error("Shutdown"));
  return Status();
}

// ---- Programs.

Status ClusterClient::addEntries(int32_t task,
                                 const distributed::RegisterProgramReply &reply,
                                 ProgramSet &set) {
  for (int32_t i = 0; i < reply.entries_size(); ++i) {
    const distributed::Entry &entry = reply.entries(i);
    if (entry.name().empty())
      continue;
    EntryPlan &plan = set.entries[entry.name()];
    plan.name = entry.name();
    for (const std::string &fetch : entry.fetches())
      for (const EntryPlan::Part &part : plan.parts)
        for (const std::string &other : part.fetches)
          if (other == fetch)
            return Status(
                WEIR_INVALID_ARGUMENT,
                str("[WEIR0394] fetch '", fetch, "' of entry '", entry.name(),
                    "' is made by task ",
                    links[static_cast<size_t>(task)].task.id.text(),
                    " and by task ",
                    links[static_cast<size_t>(part.task)].task.id.text()));
    plan.parts.push_back({task,
                          i,
                          {entry.feeds().begin(), entry.feeds().end()},
                          {entry.fetches().begin(), entry.fetches().end()}});
  }
  return Status();
}

Status ClusterClient::registerProgram(TaskLink &link, ProgramSet &set) {
  const int32_t task = indexOf(link);
  const std::string &bytes = set.bytes[static_cast<size_t>(task)];
  grpc::ClientContext context;
  context.set_deadline(deadlineIn(options.connectTimeoutMs));
  distributed::RegisterProgramReply reply;
  auto writer = link.stub->RegisterProgram(&context, &reply);
  distributed::RegisterProgramRequest message;
  message.set_protocol(kProtocolVersion);
  message.set_session(sessionId);
  message.set_size(static_cast<int64_t>(bytes.size()));
  for (size_t sent = 0; sent < bytes.size(); sent += kChunkBytes) {
    message.set_data(bytes.substr(sent, kChunkBytes));
    // The reply says why.
    if (!writer->Write(message))
      break;
    message.Clear();
  }
  writer->WritesDone();
  grpc::Status status = writer->Finish();
  WEIR_RETURN_IF_ERROR(transportError(status, link.name, "RegisterProgram"));
  WEIR_RETURN_IF_ERROR(errorOf(reply.error()).withContext(link.name + ": "));
  std::lock_guard<std::mutex> lock(mutex);
  const bool isNew = set.handles[static_cast<size_t>(task)] < 0;
  set.handles[static_cast<size_t>(task)] = reply.handle();
  return isNew ? addEntries(task, reply, set) : Status();
}

Status ClusterClient::registerPrograms(std::vector<std::string> programs,
                                       int32_t &set) {
  if (programs.size() != links.size())
    return Status(WEIR_INVALID_ARGUMENT,
                  str("[WEIR0394] ", programs.size(),
                      " programs for a cluster of ", links.size(), " tasks"));
  ProgramSet made;
  made.bytes = std::move(programs);
  made.handles.assign(links.size(), -1);
  for (size_t i = 0; i < links.size(); ++i)
    if (!made.bytes[i].empty())
      WEIR_RETURN_IF_ERROR(registerProgram(links[i], made));
  std::lock_guard<std::mutex> lock(mutex);
  set = static_cast<int32_t>(sets.size());
  sets.push_back(std::move(made));
  return Status();
}

std::vector<ClusterSession::Entry> ClusterClient::entries(int32_t set) const {
  std::vector<Entry> result;
  std::lock_guard<std::mutex> lock(mutex);
  if (set < 0 || static_cast<size_t>(set) >= sets.size())
    return result;
  for (const auto &[name, plan] : sets[static_cast<size_t>(set)].entries) {
    Entry &entry = result.emplace_back();
    entry.name = name;
    std::set<std::string> seen;
    for (const EntryPlan::Part &part : plan.parts) {
      entry.tasks.push_back(part.task);
      for (const std::string &feed : part.feeds)
        if (seen.insert(feed).second)
          entry.feeds.push_back(feed);
      entry.fetches.insert(entry.fetches.end(), part.fetches.begin(),
                           part.fetches.end());
    }
  }
  return result;
}

Status ClusterClient::findEntry(int32_t set, const std::string &entry,
                                const ProgramSet *&programs,
                                const EntryPlan *&plan) const {
  if (set < 0 || static_cast<size_t>(set) >= sets.size())
    return Status(WEIR_NOT_FOUND,
                  str("[WEIR0394] the session has no programs ", set));
  programs = &sets[static_cast<size_t>(set)];
  auto it = programs->entries.find(entry);
  if (it != programs->entries.end()) {
    plan = &it->second;
    return Status();
  }
  std::vector<std::string_view> known;
  for (const auto &[name, unused] : programs->entries)
    known.push_back(name);
  return Status(WEIR_NOT_FOUND, str("[WEIR0394] no task has an entry '", entry,
                                    "'", didYouMean(entry, known),
                                    " (there are ", listNames(known), ")"));
}

Status ClusterClient::reconnect() {
  Links tasks;
  {
    std::lock_guard<std::mutex> lock(mutex);
    for (TaskLink &link : links)
      if (!link.lost.ok())
        tasks.push_back(&link);
  }
  WEIR_RETURN_IF_ERROR(greet(tasks));
  Links fresh;
  WEIR_RETURN_IF_ERROR(openSessions(tasks, fresh));
  size_t count;
  {
    std::lock_guard<std::mutex> lock(mutex);
    count = sets.size();
  }
  for (TaskLink *link : fresh) {
    const size_t task = static_cast<size_t>(indexOf(*link));
    for (size_t i = 0; i < count; ++i)
      if (!sets[i].bytes[task].empty())
        WEIR_RETURN_IF_ERROR(registerProgram(*link, sets[i]));
  }
  std::lock_guard<std::mutex> lock(mutex);
  for (TaskLink *link : tasks)
    link->lost = Status();
  return Status();
}

std::vector<std::string> ClusterClient::lostTasks() const {
  std::vector<std::string> lost;
  std::lock_guard<std::mutex> lock(mutex);
  for (const TaskLink &link : links)
    if (!link.lost.ok())
      lost.push_back(link.task.id.text());
  return lost;
}

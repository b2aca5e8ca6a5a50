//===- WorkerSessions.cpp - The sessions of a task ------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/distributed/WorkerSessions.h"
#include "runtime/base/Format.h"

using namespace weir::rt;

namespace distributed = weir::distributed;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

WorkerSessions::WorkerSessions(int64_t sessionMs, int64_t stepMs)
    : sessionMs(sessionMs), stepMs(stepMs), thread([this] { work(); }),
      jobThread([this] { workLater(); }) {}

Status WorkerSessions::add(std::shared_ptr<WorkerSession> session) {
  std::lock_guard<std::mutex> lock(mutex);
  if (stopping)
    return Status(WEIR_UNAVAILABLE, "[WEIR0388] the task is stopping");
  uint64_t id = session->id();
  if (!sessions.emplace(id, std::move(session)).second)
    return Status(WEIR_ALREADY_EXISTS,
                  str("[WEIR0390] there is a session ", id, " already"));
  return Status();
}

Status WorkerSessions::find(uint64_t id,
                            std::shared_ptr<WorkerSession> &session) {
  std::lock_guard<std::mutex> lock(mutex);
  auto it = sessions.find(id);
  if (it == sessions.end())
    return Status(WEIR_NOT_FOUND,
                  str("[WEIR0390] there is no session ", id,
                      "; the client was not heard of for too long, or the "
                      "task was started again"));
  session = it->second;
  session->touch();
  return Status();
}

void WorkerSessions::close(uint64_t id, std::function<void()> done) {
  std::unique_lock<std::mutex> lock(mutex);
  auto it = sessions.find(id);
  if (it == sessions.end() || stopping) {
    lock.unlock();
    return done();
  }
  closing.push_back(
      {std::move(it->second), "its client has closed it", std::move(done)});
  sessions.erase(it);
  changed.notify_all();
}

void WorkerSessions::sweep() {
  const steady_clock::time_point old =
      steady_clock::now() - milliseconds(stepMs);
  for (auto it = sessions.begin(); it != sessions.end();) {
    it->second->steps().sweep(old);
    if (it->second->idleMs() < sessionMs) {
      ++it;
      continue;
    }
    closing.push_back(
        {std::move(it->second),
         str("its client was not heard of for ", sessionMs, " ms"), nullptr});
    it = sessions.erase(it);
  }
}

void WorkerSessions::work() {
  const milliseconds interval(
      std::max<int64_t>(10, std::min(sessionMs, stepMs) / 4));
  std::unique_lock<std::mutex> lock(mutex);
  while (true) {
    sweep();
    while (!closing.empty()) {
      Closing next = std::move(closing.back());
      closing.pop_back();
      lock.unlock();
      next.session->close(
          {Status(WEIR_ABORTED,
                  "[WEIR0390] the session was closed: " + next.reason),
           distributed::Error::DERIVED});
      if (next.done)
        next.done();
      lock.lock();
    }
    if (stopping)
      return;
    changed.wait_for(lock, interval,
                     [&] { return stopping || !closing.empty(); });
  }
}

void WorkerSessions::later(std::function<void()> job) {
  std::lock_guard<std::mutex> lock(mutex);
  jobs.push_back(std::move(job));
  changed.notify_all();
}

void WorkerSessions::workLater() {
  std::unique_lock<std::mutex> lock(mutex);
  while (true) {
    changed.wait(lock, [&] { return stopping || !jobs.empty(); });
    if (jobs.empty())
      return;
    std::function<void()> job = std::move(jobs.front());
    jobs.pop_front();
    lock.unlock();
    job();
    job = nullptr;
    lock.lock();
  }
}

void WorkerSessions::stop() {
  std::map<uint64_t, std::shared_ptr<WorkerSession>> all;
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (stopping)
      return;
    stopping = true;
    all.swap(sessions);
    changed.notify_all();
  }
  thread.join();
  jobThread.join();
  for (auto &[id, session] : all)
    session->close(
        {Status(WEIR_UNAVAILABLE, str("[WEIR0388] task ",
                                      session->task().text(), " was stopped")),
         distributed::Error::OWN});
}

WorkerServer::Statistics WorkerSessions::statistics() const {
  std::lock_guard<std::mutex> lock(mutex);
  WorkerServer::Statistics result;
  result.sessions = static_cast<int64_t>(sessions.size());
  for (auto &[id, session] : sessions) {
    result.steps += session->steps().size();
    result.pulls += session->steps().pullCount();
  }
  return result;
}

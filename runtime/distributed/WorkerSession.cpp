//===- WorkerSession.cpp - What one client has in a task ------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/distributed/WorkerSession.h"
#include "runtime/base/Format.h"
#include "runtime/core/CStatus.h"

using namespace weir::rt;

WorkerSession::WorkerSession(std::shared_ptr<const SessionCluster> cluster)
    : cluster(cluster), table(std::make_shared<StepTable>(cluster)) {
  touch();
  for (size_t i = 0; i < cluster->peers.size(); ++i)
    if (const std::shared_ptr<TaskConnection> &way = cluster->peers[i].way)
      way->onLost(
          [steps = std::weak_ptr<StepTable>(table), i](const Status &why) {
            if (std::shared_ptr<StepTable> alive = steps.lock())
              alive->peerLost(i, why);
          });
}

int64_t WorkerSession::now() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

Status WorkerSession::add(const std::string &bytes, int64_t &handle) {
  Program made = {nullptr, nullptr};
  WEIR_RETURN_IF_ERROR(LoadedProgram::load(bytes, task(), made.code));
  std::lock_guard<std::mutex> lock(mutex);
  if (closed)
    return Status(WEIR_ABORTED, "[WEIR0390] the session was closed");
  WeirStatus status = WEIR_STATUS_INIT;
  const WeirProgram *program = &made.code->program();
  made.session = programs.empty()
                     ? weir_session_create(program, &status)
                     : weir_session_create_shared(
                           program, programs.front().session, &status);
  if (!made.session) {
    Status error(static_cast<WeirCode>(status.code),
                 status.message ? status.message : "");
    weir_status_clear(&status);
    return error;
  }
  handle = static_cast<int64_t>(programs.size());
  programs.push_back(std::move(made));
  return Status();
}

Status WorkerSession::find(int64_t handle, WeirSession *&session) {
  std::lock_guard<std::mutex> lock(mutex);
  if (handle < 0 || handle >= static_cast<int64_t>(programs.size()))
    return Status(WEIR_NOT_FOUND, str("[WEIR0390] task ", task().text(),
                                      " has no program with handle ", handle,
                                      "; it may have been started again"));
  session = programs[static_cast<size_t>(handle)].session;
  return Status();
}

bool WorkerSession::enter() {
  std::lock_guard<std::mutex> lock(mutex);
  if (closed)
    return false;
  ++running;
  return true;
}

void WorkerSession::leave() {
  std::lock_guard<std::mutex> lock(mutex);
  lastSeen = now();
  if (--running == 0)
    left.notify_all();
}

int64_t WorkerSession::idleMs() const {
  std::lock_guard<std::mutex> lock(mutex);
  return running > 0 ? 0 : now() - lastSeen;
}

void WorkerSession::close(const Failure &reason) {
  std::vector<Program> ended;
  {
    std::unique_lock<std::mutex> lock(mutex);
    closed = true;
    lock.unlock();
    table->abortAll(reason);
    lock.lock();
    left.wait(lock, [&] { return running == 0; });
    ended.swap(programs);
  }
  for (const SessionCluster::Peer &peer : cluster->peers)
    if (peer.way)
      peer.way->close();
  // Sessions before the code that they run.
  for (Program &program : ended)
    weir_session_destroy(program.session);
}

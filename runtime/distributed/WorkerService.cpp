//===- WorkerService.cpp - The calls that a task answers ------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All but those that move tensors (StepService.cpp, ProgramService.cpp).
//
//===----------------------------------------------------------------------===//

#include "runtime/distributed/WorkerService.h"
#include "runtime/base/Format.h"
#include "runtime/trace/Trace.h"

#include <random>

using namespace weir::rt;

namespace distributed = weir::distributed;

/// What the version of the project is, for people.
constexpr char kVersion[] = "weir-worker";

static uint64_t randomNumber() {
  std::random_device device;
  uint64_t number = 0;
  while (number == 0)
    number = static_cast<uint64_t>(device()) << 32 | device();
  return number;
}

WorkerService::WorkerService(const WorkerOptions &options, TlsKeys keys)
    : sessions(options.sessionTimeToLiveMs, options.stepTimeToLiveMs),
      task(options.task), incarnation(randomNumber()),
      name("task " + options.task.text()), options(options),
      keys(std::move(keys)) {}

bool WorkerService::waitForShutdown(int64_t ms) {
  std::unique_lock<std::mutex> lock(mutex);
  auto isOver = [&] { return shutdownAsked || interrupted; };
  if (ms < 0)
    changed.wait(lock, isOver);
  else
    changed.wait_for(lock, std::chrono::milliseconds(ms), isOver);
  return shutdownAsked;
}

void WorkerService::interrupt() {
  std::lock_guard<std::mutex> lock(mutex);
  interrupted = true;
  changed.notify_all();
}

/// Answers at once.
template <typename Reply>
static grpc::ServerUnaryReactor *answer(grpc::CallbackServerContext *context,
                                        Reply *reply, const Status &status) {
  if (!status.ok())
    setError(reply->mutable_error(), status);
  grpc::ServerUnaryReactor *reactor = context->DefaultReactor();
  reactor->Finish(grpc::Status::OK);
  return reactor;
}

grpc::ServerUnaryReactor *
WorkerService::GetStatus(Context *context,
                         const distributed::GetStatusRequest *request,
                         distributed::GetStatusReply *reply) {
  // Answered whole for any version: the other side says what is wrong too.
  reply->set_protocol(kProtocolVersion);
  reply->set_program_abi(WEIR_PROGRAM_ABI);
  reply->set_incarnation(incarnation);
  reply->set_task(task.text());
  reply->set_version(kVersion);
  for (const std::string &device : options.devices)
    reply->add_devices(task.devicePrefix() + device);
  return answer(context, reply, checkProtocol(request->protocol(), "a client"));
}

Status
WorkerService::openSession(const distributed::OpenSessionRequest &request) {
  auto cluster = std::make_shared<SessionCluster>();
  cluster->session = request.session();
  if (request.task() < 0 || request.task() >= request.tasks_size() ||
      request.session() == 0)
    return Status(WEIR_INVALID_ARGUMENT,
                  "[WEIR0396] a request to open a session is malformed");
  cluster->own = static_cast<size_t>(request.task());
  const distributed::Task &own = request.tasks(request.task());
  TaskId taken = {own.job(), own.index()};
  if (!(taken == task))
    return Status(WEIR_FAILED_PRECONDITION,
                  str("[WEIR0381] the client's cluster has task ", taken.text(),
                      " at ", own.address(), "; the one there is ",
                      task.text()));
  for (const distributed::Task &each : request.tasks()) {
    TaskId id = {each.job(), each.index()};
    SessionCluster::Peer peer = {id, each.address(), id.devicePrefix(),
                                 nullptr};
    // gRPC keeps one connection to an address however many channels there are.
    if (!(id == task))
      peer.channel = makeChannel(each.address(), keys, options.keepaliveMs);
    cluster->peers.push_back(std::move(peer));
  }
  return sessions.add(std::make_shared<WorkerSession>(std::move(cluster)));
}

grpc::ServerUnaryReactor *
WorkerService::OpenSession(Context *context,
                           const distributed::OpenSessionRequest *request,
                           distributed::OpenSessionReply *reply) {
  Status status = checkProtocol(request->protocol(), "a client");
  if (status.ok())
    status = openSession(*request);
  reply->set_incarnation(incarnation);
  reply->set_time_to_live_ms(options.sessionTimeToLiveMs);
  return answer(context, reply, status);
}

grpc::ServerUnaryReactor *
WorkerService::AbortStep(Context *context,
                         const distributed::AbortStepRequest *request,
                         distributed::AbortStepReply *reply) {
  Status status = checkProtocol(request->protocol(), "a client");
  std::shared_ptr<WorkerSession> session;
  if (status.ok())
    status = sessions.find(request->session(), session);
  Status reason = errorOf(request->reason());
  if (status.ok() && reason.ok())
    status = Status(WEIR_INVALID_ARGUMENT,
                    "[WEIR0396] a step was to be ended without a reason");
  if (status.ok())
    session->steps().abort(request->step(),
                           {std::move(reason), distributed::Error::DERIVED});
  return answer(context, reply, status);
}

grpc::ServerUnaryReactor *
WorkerService::CleanupStep(Context *context,
                           const distributed::CleanupStepRequest *request,
                           distributed::CleanupStepReply *reply) {
  Status status = checkProtocol(request->protocol(), "a client");
  std::shared_ptr<WorkerSession> session;
  if (status.ok())
    status = sessions.find(request->session(), session);
  if (status.ok())
    for (uint64_t step : request->steps())
      session->steps().cleanUp(step);
  return answer(context, reply, status);
}

grpc::ServerUnaryReactor *
WorkerService::CloseSession(Context *context,
                            const distributed::CloseSessionRequest *request,
                            distributed::CloseSessionReply *reply) {
  Status status = checkProtocol(request->protocol(), "a client");
  if (!status.ok())
    return answer(context, reply, status);
  grpc::ServerUnaryReactor *reactor = context->DefaultReactor();
  sessions.close(request->session(),
                 [reactor] { reactor->Finish(grpc::Status::OK); });
  return reactor;
}

grpc::ServerUnaryReactor *
WorkerService::Heartbeat(Context *context,
                         const distributed::HeartbeatRequest *request,
                         distributed::HeartbeatReply *reply) {
  Status status = checkProtocol(request->protocol(), "a client");
  std::shared_ptr<WorkerSession> session;
  if (status.ok() && request->session() != 0)
    reply->set_has_session(sessions.find(request->session(), session).ok());
  reply->set_incarnation(incarnation);
  reply->set_now(traceNow());
  return answer(context, reply, status);
}

grpc::ServerUnaryReactor *
WorkerService::Shutdown(Context *context,
                        const distributed::ShutdownRequest *request,
                        distributed::ShutdownReply *reply) {
  Status status = checkProtocol(request->protocol(), "a client");
  if (status.ok()) {
    std::lock_guard<std::mutex> lock(mutex);
    shutdownAsked = true;
    changed.notify_all();
  }
  return answer(context, reply, status);
}

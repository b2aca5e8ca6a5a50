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

template <typename Request, typename Reply, typename Handle>
CallTable::Maker WorkerService::atOnce(Handle handle) {
  class AtOnce final : public UnaryCall<Request, Reply> {
  public:
    explicit AtOnce(Handle handle) : handler(std::move(handle)) {}

  private:
    void handle() override {
      Status status = checkProtocol(this->request.protocol(), "a client");
      handler(status, this->request, this->reply);
      if (!status.ok())
        setError(this->reply.mutable_error(), status);
      this->answer();
    }
    const Handle handler;
  };
  return [handle] { return std::make_shared<AtOnce>(handle); };
}

void WorkerService::serve(grpc::AsyncGenericService &service, EventLoop &on,
                          grpc::ServerCompletionQueue &queue) {
  loop = &on;
  addSessionCalls();
  calls.add("Exchange", [this] { return exchange(); });
  calls.add("SendTensor", [this] { return sendTensor(); });
  calls.add("ReceiveTensor", [this] { return receiveTensor(); });
  calls.add("RegisterProgram", [this] { return registerProgram(); });
  calls.add("CloseSession", [this] { return closeSession(); });
  calls.add("StartTrace", [this] { return startTrace(); });
  calls.add("StopTrace", [this] { return stopTrace(); });
  calls.listen(service, queue);
}

void WorkerService::addSessionCalls() {
  using namespace distributed;
  calls.add("GetStatus",
            atOnce<GetStatusRequest, GetStatusReply>(
                [this](Status &, const auto &, auto &reply) {
                  // Answered whole for any version: the other side
                  // says what is wrong too.
                  reply.set_protocol(kProtocolVersion);
                  reply.set_program_abi(WEIR_PROGRAM_ABI);
                  reply.set_incarnation(incarnation);
                  reply.set_task(task.text());
                  reply.set_version(kVersion);
                  for (const std::string &device : options.devices)
                    reply.add_devices(task.devicePrefix() + device);
                }));
  calls.add("OpenSession",
            atOnce<OpenSessionRequest, OpenSessionReply>(
                [this](Status &status, const auto &request, auto &reply) {
                  if (status.ok())
                    status = openSession(request);
                  reply.set_incarnation(incarnation);
                  reply.set_time_to_live_ms(options.sessionTimeToLiveMs);
                }));
  calls.add("AbortStep",
            atOnce<AbortStepRequest, AbortStepReply>(
                [this](Status &status, const auto &request, auto &) {
                  if (status.ok())
                    status = abortStep(request);
                }));
  calls.add("CleanupStep",
            atOnce<CleanupStepRequest, CleanupStepReply>(
                [this](Status &status, const auto &request, auto &) {
                  if (status.ok())
                    status = cleanupStep(request);
                }));
  calls.add("Heartbeat",
            atOnce<HeartbeatRequest, HeartbeatReply>(
                [this](Status &status, const auto &request, auto &reply) {
                  std::shared_ptr<WorkerSession> session;
                  if (status.ok() && request.session() != 0)
                    reply.set_has_session(
                        sessions.find(request.session(), session).ok());
                  reply.set_incarnation(incarnation);
                  reply.set_now(traceNow());
                }));
  calls.add("Shutdown", atOnce<ShutdownRequest, ShutdownReply>(
                            [this](Status &status, const auto &, auto &) {
                              if (!status.ok())
                                return;
                              std::lock_guard<std::mutex> lock(mutex);
                              shutdownAsked = true;
                              changed.notify_all();
                            }));
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
      peer.way = std::make_shared<TaskConnection>(TaskConnection::Options{
          makeChannel(each.address(), keys, options.keepaliveMs), loop,
          cluster->session, request.task(),
          str("task ", id.text(), " (", each.address(), ")")});
    cluster->peers.push_back(std::move(peer));
  }
  return sessions.add(std::make_shared<WorkerSession>(std::move(cluster)));
}

Status WorkerService::abortStep(const distributed::AbortStepRequest &request) {
  std::shared_ptr<WorkerSession> session;
  WEIR_RETURN_IF_ERROR(sessions.find(request.session(), session));
  Status reason = errorOf(request.reason());
  if (reason.ok())
    return Status(WEIR_INVALID_ARGUMENT,
                  "[WEIR0396] a step was to be ended without a reason");
  session->steps().abort(request.step(),
                         {std::move(reason), distributed::Error::DERIVED});
  return Status();
}

Status
WorkerService::cleanupStep(const distributed::CleanupStepRequest &request) {
  std::shared_ptr<WorkerSession> session;
  WEIR_RETURN_IF_ERROR(sessions.find(request.session(), session));
  for (uint64_t step : request.steps())
    session->steps().cleanUp(step);
  return Status();
}

namespace {
/// Answers when the session is closed.
class CloseCall final : public UnaryCall<distributed::CloseSessionRequest,
                                         distributed::CloseSessionReply> {
public:
  explicit CloseCall(WorkerSessions &sessions) : sessions(sessions) {}

private:
  void handle() override {
    Status status = checkProtocol(request.protocol(), "a client");
    if (status.ok())
      return sessions.close(request.session(),
                            [call = std::static_pointer_cast<CloseCall>(
                                 shared_from_this())] { call->answer(); });
    setError(reply.mutable_error(), status);
    answer();
  }

  WorkerSessions &sessions;
};
} // namespace

std::shared_ptr<ServerCall> WorkerService::closeSession() {
  return std::make_shared<CloseCall>(sessions);
}

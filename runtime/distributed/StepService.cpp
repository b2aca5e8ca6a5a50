//===- StepService.cpp - Steps, and tensors between tasks -----------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/base/Format.h"
#include "runtime/core/Program.h"
#include "runtime/core/Session.h"
#include "runtime/distributed/WorkerService.h"
#include "runtime/executor/StepRun.h"
#include "runtime/executor/ThreadPool.h"

using namespace weir::rt;

namespace distributed = weir::distributed;

using distributed::Error;

/// How a step is ended whose client has gone.
static void giveUp(StepState &state) {
  const char *reason = "[WEIR0393] the client has given the step up";
  state.rendezvous->abortWith({Status(WEIR_CANCELLED, reason), Error::DERIVED});
  state.cancellation->cancel(reason);
}

namespace {

/// The steps that run here on behalf of one client.
class RunningSteps {
public:
  /// False where the client has gone.
  bool add(const std::shared_ptr<StepState> &state) {
    std::lock_guard<std::mutex> lock(mutex);
    if (!hasEnded)
      steps.insert(state);
    return !hasEnded;
  }
  void remove(const std::shared_ptr<StepState> &state) {
    std::lock_guard<std::mutex> lock(mutex);
    steps.erase(state);
  }
  void end() {
    std::unordered_set<std::shared_ptr<StepState>> left;
    {
      std::lock_guard<std::mutex> lock(mutex);
      hasEnded = true;
      left.swap(steps);
    }
    for (const std::shared_ptr<StepState> &state : left)
      giveUp(*state);
  }

private:
  std::mutex mutex;
  std::unordered_set<std::shared_ptr<StepState>> steps;
  bool hasEnded = false;
};

/// One step here. Lives until it has answered.
class StepCall : public std::enable_shared_from_this<StepCall> {
public:
  StepCall(std::string devicePrefix, uint64_t number,
           std::shared_ptr<ServerStream> stream,
           std::shared_ptr<RunningSteps> steps)
      : devicePrefix(std::move(devicePrefix)), stream(std::move(stream)),
        steps(std::move(steps)) {
    result.set_step(number);
  }

  /// Begins the step, or says why not.
  Status begin(WorkerSessions &sessions, uint64_t sessionId,
               const distributed::RunStep &request);
  void answer(const Status &status, Cause cause);

private:
  Status takeFeeds(const distributed::RunStep &request,
                   const WeirEntryDesc &entry, StepState &begun,
                   std::vector<TensorRef> &feeds);
  void done(Status status, std::vector<TensorRef> fetches);
  Status addFetch(int32_t index, TensorRef value);
  Cause causeOf(const Status &status);

  const std::string devicePrefix;
  const std::shared_ptr<ServerStream> stream;
  const std::shared_ptr<RunningSteps> steps;
  distributed::StepResult result;
  /// Of the fetches that are part of the answer.
  int64_t room = kInlineStepBytes;
  std::shared_ptr<WorkerSession> session;
  std::shared_ptr<StepState> state;
};

/// What a client, or another task, says over its stream.
class ExchangeUser final : public StreamUser {
public:
  explicit ExchangeUser(WorkerService &service)
      : service(service), steps(std::make_shared<RunningSteps>()) {}

  Status take(const std::shared_ptr<ServerStream> &stream,
              distributed::Packet &packet) override;
  void ended() override;

private:
  void deliver(WorkerSession &session, const distributed::SentTensor &tensor);

  WorkerService &service;
  const std::shared_ptr<RunningSteps> steps;
  /// Where another task sends: its number, and the session's steps.
  int32_t from = -1;
  std::weak_ptr<WorkerSession> session;
};

} // namespace

// ---- Steps.

Status StepCall::takeFeeds(const distributed::RunStep &request,
                           const WeirEntryDesc &entry, StepState &begun,
                           std::vector<TensorRef> &feeds) {
  feeds.resize(static_cast<size_t>(entry.feed_count));
  for (int32_t i = 0; i < entry.feed_count; ++i) {
    TensorRef &feed = feeds[static_cast<size_t>(i)];
    if (!request.feeds(i).by_stream())
      WEIR_RETURN_IF_ERROR(decodeInline(request.feeds(i), feed));
    else if (auto it = begun.feeds.find(i); it != begun.feeds.end())
      feed = std::move(it->second);
    if (!feed)
      return Status(WEIR_INVALID_ARGUMENT,
                    str("[WEIR0396] feed '", entry.feeds[i].name,
                        "' of entry '", entry.name, "' has not come"));
  }
  return Status();
}

Status StepCall::begin(WorkerSessions &sessions, uint64_t sessionId,
                       const distributed::RunStep &request) {
  std::shared_ptr<WorkerSession> found;
  WEIR_RETURN_IF_ERROR(sessions.find(sessionId, found));
  WeirSession *program = nullptr;
  WEIR_RETURN_IF_ERROR(found->find(request.handle(), program));
  if (request.entry() < 0 || request.entry() >= program->program.entry_count)
    return Status(WEIR_NOT_FOUND,
                  str("[WEIR0390] the program has no entry ", request.entry()));
  const WeirEntryDesc &entry = program->program.entries[request.entry()];
  if (request.feeds_size() != entry.feed_count)
    return Status(WEIR_INVALID_ARGUMENT,
                  str("[WEIR0396] entry '", entry.name, "' has ",
                      entry.feed_count, " feeds here, the request ",
                      request.feeds_size()));
  std::shared_ptr<StepState> begun;
  WEIR_RETURN_IF_ERROR(found->steps().begin(
      request.step(),
      {request.incarnations().begin(), request.incarnations().end()}, begun));
  std::vector<TensorRef> feeds;
  Status ready = takeFeeds(request, entry, *begun, feeds);
  if (ready.ok() && !found->enter())
    ready = Status(WEIR_ABORTED, "[WEIR0390] the session was closed");
  if (!ready.ok()) {
    begun->rendezvous->abort(ready.copy());
    found->steps().end(*begun, /*failed=*/true);
    return ready;
  }
  session = std::move(found);
  state = begun;
  if (!steps->add(begun))
    giveUp(*begun);
  StepOptions options;
  options.rendezvous = begun->rendezvous;
  options.cancellation = begun->cancellation;
  options.stepId = request.step();
  options.timeoutMs = request.timeout_ms();
  options.stallReportMs = request.stall_report_ms();
  options.onStall = [stream = stream,
                     step = request.step()](const std::string &waiting) {
    (void)stream->add(static_cast<int64_t>(waiting.size()),
                      [&](distributed::Packet &packet) {
                        distributed::StepReport &report = *packet.add_reports();
                        report.set_step(step);
                        report.set_waiting(waiting);
                      });
  };
  startStep(*program, request.entry(), std::move(feeds), std::move(options),
            [call = shared_from_this()](Status status,
                                        std::vector<TensorRef> fetches) {
              call->done(std::move(status), std::move(fetches));
            });
  return Status();
}

/// Is the step's error its own, or what came of another task's?
Cause StepCall::causeOf(const Status &status) {
  Failure outside = state->rendezvous->outsideFailure();
  if (outside.status.ok())
    return Error::OWN;
  bool follows = status.code() == WEIR_CANCELLED ||
                 status.code() == WEIR_ABORTED ||
                 plainText(status).find(plainText(outside.status)) !=
                     std::string_view::npos;
  return follows ? outside.cause : Error::OWN;
}

Status StepCall::addFetch(int32_t index, TensorRef value) {
  distributed::InlineTensor &message = *result.add_fetches();
  WEIR_RETURN_IF_ERROR(encodeInline(value.get(), false, room, message));
  if (!message.by_stream())
    return Status();
  // The client takes it as a task would.
  RendezvousKey key;
  key.tensor = str("fetch:", index);
  key.source = devicePrefix + "CPU:0";
  key.destination = "client";
  return state->rendezvous->keep(key, std::move(value), false);
}

void StepCall::done(Status status, std::vector<TensorRef> fetches) {
  for (size_t i = 0; i < fetches.size() && status.ok(); ++i)
    status = addFetch(static_cast<int32_t>(i), std::move(fetches[i]));
  Cause cause = Error::OWN;
  if (!status.ok()) {
    cause = causeOf(status);
    result.clear_fetches();
    // Whoever waits for a tensor of this step is told.
    state->rendezvous->abort(status.copy());
  }
  session->steps().end(*state, !status.ok());
  session->leave();
  steps->remove(state);
  answer(status, cause);
}

void StepCall::answer(const Status &status, Cause cause) {
  if (!status.ok())
    setError(result.mutable_error(), status, cause);
  // A client that has gone wants no answer.
  (void)stream->add(kInlineStepBytes - room, [&](distributed::Packet &packet) {
    packet.add_results()->Swap(&result);
  });
}

// ---- Exchange.

Status ExchangeUser::take(const std::shared_ptr<ServerStream> &stream,
                          distributed::Packet &packet) {
  WEIR_RETURN_IF_ERROR(checkProtocol(packet.protocol(), "the other side"));
  OwnTurns turns;
  if (packet.has_from())
    from = packet.from();
  for (const distributed::RunStep &request : packet.steps()) {
    std::shared_ptr<StepCall> call = std::make_shared<StepCall>(
        service.task.devicePrefix(), request.step(), stream, steps);
    Status begun = call->begin(service.sessions, packet.session(), request);
    if (!begun.ok())
      call->answer(begun, Error::OWN);
  }
  if (packet.tensors().empty() && from < 0)
    return Status();
  // A session that was closed has no steps that could wait.
  std::shared_ptr<WorkerSession> found;
  if (!service.sessions.find(packet.session(), found).ok())
    return Status();
  session = found;
  for (const distributed::SentTensor &tensor : packet.tensors())
    deliver(*found, tensor);
  return Status();
}

void ExchangeUser::deliver(WorkerSession &session,
                           const distributed::SentTensor &tensor) {
  // Meant for a process that had this address before.
  if (tensor.incarnation() != service.incarnation)
    return;
  RendezvousKey key;
  std::shared_ptr<StepState> state;
  // What comes for a step that has ended is late, and wanted by nobody.
  if (!session.steps().find(tensor.step(), state).ok())
    return;
  Status parsed = RendezvousKey::parse(tensor.key(), key);
  if (parsed.ok())
    state->rendezvous->deliver(key, tensor.value());
  else
    state->rendezvous->abortWith({std::move(parsed), Error::PEER});
}

void ExchangeUser::ended() {
  steps->end();
  if (from < 0)
    return;
  if (std::shared_ptr<WorkerSession> open = session.lock()) {
    const std::vector<SessionCluster::Peer> &peers = open->tasks().peers;
    const size_t task = static_cast<size_t>(from);
    if (task < peers.size())
      open->steps().peerLost(
          task,
          Status(WEIR_UNAVAILABLE, str("[WEIR0387] the connection from task ",
                                       peers[task].id.text(), " (",
                                       peers[task].address, ") has ended")));
  }
}

std::shared_ptr<ServerCall> WorkerService::exchange() {
  return streams.open(std::make_unique<ExchangeUser>(*this));
}

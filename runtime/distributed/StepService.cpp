//===- StepService.cpp - Steps and their tensors --------------------------===//
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

using namespace weir::rt;

namespace distributed = weir::distributed;

using distributed::Error;

// ---- RunStep.

namespace {

/// A step that runs here on behalf of a client. Goes away by itself.
class StepCall final : public grpc::ServerUnaryReactor {
public:
  StepCall(std::string devicePrefix, distributed::RunStepReply *reply)
      : devicePrefix(std::move(devicePrefix)), reply(reply) {}

  /// Begins the step, or says why not.
  Status begin(WorkerSessions &sessions,
               const distributed::RunStepRequest &request);
  void finish(Status status, Cause cause) {
    setError(reply->mutable_error(), status, cause);
    Finish(grpc::Status::OK);
  }

private:
  void done(Status status, std::vector<TensorRef> fetches);
  Status addFetch(int32_t index, TensorRef value);
  Cause causeOf(const Status &status);

  // The client has gone, or does not want the step any more.
  void OnCancel() override {
    std::shared_ptr<StepState> stopped;
    {
      std::lock_guard<std::mutex> lock(mutex);
      cancelled = true;
      stopped = state;
    }
    if (stopped)
      stop(*stopped);
  }
  void OnDone() override { delete this; }

  static void stop(StepState &state) {
    const char *reason = "[WEIR0393] the client has given the step up";
    state.rendezvous->abortWith(
        {Status(WEIR_CANCELLED, reason), Error::DERIVED});
    state.cancellation->cancel(reason);
  }

  const std::string devicePrefix;
  distributed::RunStepReply *const reply;
  std::shared_ptr<WorkerSession> session;
  std::mutex mutex;
  std::shared_ptr<StepState> state;
  bool cancelled = false;
};

} // namespace

Status StepCall::begin(WorkerSessions &sessions,
                       const distributed::RunStepRequest &request) {
  WEIR_RETURN_IF_ERROR(checkProtocol(request.protocol(), "a client"));
  std::shared_ptr<WorkerSession> found;
  WEIR_RETURN_IF_ERROR(sessions.find(request.session(), found));
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
  WEIR_RETURN_IF_ERROR(found->steps().begin(request.step(), begun));
  begun->rendezvous->setIncarnations(
      {request.incarnations().begin(), request.incarnations().end()});
  std::vector<TensorRef> feeds(static_cast<size_t>(entry.feed_count));
  Status decoded;
  for (int32_t i = 0; i < entry.feed_count && decoded.ok(); ++i) {
    TensorRef &feed = feeds[static_cast<size_t>(i)];
    if (!request.feeds(i).by_stream())
      decoded = decodeInline(request.feeds(i), feed);
    else if (auto it = begun->feeds.find(i); it != begun->feeds.end())
      feed = std::move(it->second);
    if (decoded.ok() && !feed)
      decoded = Status(WEIR_INVALID_ARGUMENT,
                       str("[WEIR0396] feed '", entry.feeds[i].name,
                           "' of entry '", entry.name, "' has not come"));
  }
  if (decoded.ok() && !found->enter())
    decoded = Status(WEIR_ABORTED, "[WEIR0390] the session was closed");
  if (!decoded.ok()) {
    begun->rendezvous->abort(decoded.copy());
    found->steps().end(*begun, /*failed=*/true);
    return decoded;
  }
  session = std::move(found);
  bool isCancelled;
  {
    std::lock_guard<std::mutex> lock(mutex);
    state = begun;
    isCancelled = cancelled;
  }
  if (isCancelled)
    stop(*begun);
  StepOptions options;
  options.rendezvous = begun->rendezvous;
  options.cancellation = begun->cancellation;
  options.stepId = request.step();
  options.timeoutMs = request.timeout_ms();
  startStep(*program, request.entry(), std::move(feeds), std::move(options),
            [this](Status status, std::vector<TensorRef> fetches) {
              done(std::move(status), std::move(fetches));
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
  distributed::InlineTensor &message = *reply->add_fetches();
  WEIR_RETURN_IF_ERROR(
      makeHeader(value.get(), false, *message.mutable_header()));
  if (message.header().size() <= kInlineBytes) {
    std::string storage;
    std::string_view bytes = tensorBytes(*value.get(), storage);
    message.set_data(bytes.data(), bytes.size());
    return Status();
  }
  message.set_by_stream(true);
  // The client takes it as any other tensor.
  RendezvousKey key;
  key.tensor = str("fetch:", index);
  key.source = devicePrefix + "CPU:0";
  key.destination = "client";
  return state->rendezvous->send(key, std::move(value), false);
}

void StepCall::done(Status status, std::vector<TensorRef> fetches) {
  for (size_t i = 0; i < fetches.size() && status.ok(); ++i)
    status = addFetch(static_cast<int32_t>(i), std::move(fetches[i]));
  Cause cause = Error::OWN;
  if (!status.ok()) {
    cause = causeOf(status);
    reply->clear_fetches();
    // Whoever waits for a tensor of this step is told.
    state->rendezvous->abort(status.copy());
  }
  session->steps().end(*state, !status.ok());
  session->leave();
  if (status.ok())
    Finish(grpc::Status::OK);
  else
    finish(std::move(status), cause);
}

grpc::ServerUnaryReactor *
WorkerService::RunStep(Context *, const distributed::RunStepRequest *request,
                       distributed::RunStepReply *reply) {
  StepCall *call = new StepCall(task.devicePrefix(), reply);
  Status begun = call->begin(sessions, *request);
  if (!begun.ok())
    call->finish(std::move(begun), Error::OWN);
  return call;
}

// ---- SendTensor.

namespace {

/// A feed that comes ahead of its step.
class FeedCall final
    : public grpc::ServerReadReactor<distributed::SendTensorRequest> {
public:
  FeedCall(WorkerSessions &sessions, distributed::SendTensorReply *reply)
      : sessions(sessions), reply(reply) {
    StartRead(&message);
  }

private:
  void OnReadDone(bool ok) override {
    if (!ok && status.ok())
      status = end();
    else if (ok)
      status = take();
    if (ok && status.ok()) {
      StartRead(&message);
      return;
    }
    if (!status.ok())
      setError(reply->mutable_error(), status);
    Finish(grpc::Status::OK);
  }
  void OnDone() override { delete this; }

  Status take() {
    if (!assembler.hasBegun()) {
      WEIR_RETURN_IF_ERROR(checkProtocol(message.protocol(), "a client"));
      WEIR_RETURN_IF_ERROR(sessions.find(message.session(), session));
      WEIR_RETURN_IF_ERROR(session->steps().find(message.step(), state));
      feed = message.feed();
      WEIR_RETURN_IF_ERROR(assembler.begin(message.header()));
    }
    return assembler.append(message.data());
  }
  Status end() {
    TensorRef value;
    WEIR_RETURN_IF_ERROR(assembler.finish(value));
    session->steps().addFeed(*state, feed, std::move(value));
    return Status();
  }

  WorkerSessions &sessions;
  distributed::SendTensorReply *const reply;
  distributed::SendTensorRequest message;
  std::shared_ptr<WorkerSession> session;
  std::shared_ptr<StepState> state;
  int32_t feed = -1;
  TensorAssembler assembler;
  Status status;
};

} // namespace

grpc::ServerReadReactor<distributed::SendTensorRequest> *
WorkerService::SendTensor(Context *, distributed::SendTensorReply *reply) {
  return new FeedCall(sessions, reply);
}

// ---- ReceiveTensor.

namespace {

/// Waits for a tensor of this task and sends it. Lives until gRPC is done with
/// it and the rendezvous has called back.
class TensorCall final : public grpc::ServerWriteReactor<grpc::ByteBuffer>,
                         public std::enable_shared_from_this<TensorCall> {
public:
  void begin(WorkerService &service, const grpc::ByteBuffer &request) {
    self = shared_from_this();
    Failure failure = ask(service, request);
    if (!failure.status.ok())
      sendError(failure.status, failure.cause);
  }

private:
  Failure ask(WorkerService &service, const grpc::ByteBuffer &request);
  void sendError(const Status &status, Cause cause);
  void sendValue(TensorRef given, bool isDead);
  void sendNext();
  /// True for the one who answers: the tensor, or a cancellation before it.
  bool claim() { return !claimed.exchange(true); }

  void OnWriteDone(bool ok) override {
    if (ok)
      sendNext();
    else
      Finish(grpc::Status(grpc::StatusCode::CANCELLED, "nobody listens"));
  }
  void OnCancel() override {
    if (claim())
      Finish(grpc::Status(grpc::StatusCode::CANCELLED, "cancelled"));
  }
  void OnDone() override { std::shared_ptr<TensorCall> last = std::move(self); }

  std::shared_ptr<TensorCall> self;
  std::atomic<bool> claimed{false};
  TensorRef value;
  std::string text;
  std::string_view rest;
  bool hasHeader = false;
  distributed::TensorHeader header;
  grpc::ByteBuffer chunk;
};

} // namespace

Failure TensorCall::ask(WorkerService &service,
                        const grpc::ByteBuffer &request) {
  distributed::ReceiveTensorRequest message;
  grpc::ByteBuffer bytes(request);
  if (!grpc::SerializationTraits<
           distributed::ReceiveTensorRequest>::Deserialize(&bytes, &message)
           .ok())
    return {Status(WEIR_INVALID_ARGUMENT,
                   "[WEIR0396] a request for a tensor is malformed")};
  Status status = checkProtocol(message.protocol(), "another task");
  std::shared_ptr<WorkerSession> session;
  RendezvousKey key;
  if (status.ok())
    status = RendezvousKey::parse(message.key(), key);
  // An incarnation that has gone had sessions that are not there now.
  if (status.ok() && key.incarnation != 0 &&
      key.incarnation != service.incarnation)
    return {
        Status(WEIR_ABORTED, str("[WEIR0391] ", service.name,
                                 " was started again since the step began")),
        Error::PEER};
  if (status.ok())
    status = service.sessions.find(message.session(), session);
  std::shared_ptr<StepState> state;
  if (status.ok())
    status = session->steps().find(message.step(), state);
  if (!status.ok())
    return {std::move(status)};
  state->rendezvous->receiveLocally(
      key,
      [call = shared_from_this()](Status status, TensorRef value, bool isDead) {
        if (!status.ok())
          call->sendError(status, Error::DERIVED);
        else
          call->sendValue(std::move(value), isDead);
      });
  return {};
}

void TensorCall::sendError(const Status &status, Cause cause) {
  if (!claim())
    return;
  chunk = encodeError(status, cause);
  StartWriteAndFinish(&chunk, grpc::WriteOptions(), grpc::Status::OK);
}

void TensorCall::sendValue(TensorRef given, bool isDead) {
  Status described = makeHeader(given.get(), isDead, header);
  if (!described.ok())
    return sendError(described, Error::OWN);
  if (!claim())
    return;
  value = std::move(given);
  if (value)
    rest = tensorBytes(*value.get(), text);
  sendNext();
}

void TensorCall::sendNext() {
  std::string_view bytes = rest.substr(0, static_cast<size_t>(kChunkBytes));
  rest.remove_prefix(bytes.size());
  const bool isText = !text.empty();
  chunk = encodeChunk(hasHeader ? nullptr : &header, bytes,
                      isText ? TensorRef() : value);
  hasHeader = true;
  if (rest.empty())
    StartWriteAndFinish(&chunk, grpc::WriteOptions(), grpc::Status::OK);
  else
    StartWrite(&chunk);
}

grpc::ServerWriteReactor<grpc::ByteBuffer> *
WorkerService::ReceiveTensor(Context *, const grpc::ByteBuffer *request) {
  std::shared_ptr<TensorCall> call = std::make_shared<TensorCall>();
  call->begin(*this, *request);
  return call.get();
}

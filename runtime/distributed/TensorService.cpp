//===- TensorService.cpp - Tensors that go by streams of their own --------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/base/Format.h"
#include "runtime/distributed/WorkerService.h"

#include <atomic>

using namespace weir::rt;

namespace distributed = weir::distributed;

using distributed::Error;

// ---- SendTensor.

namespace {

/// A feed that comes ahead of its step.
class FeedCall final : public UploadCall<distributed::SendTensorRequest,
                                         distributed::SendTensorReply> {
public:
  explicit FeedCall(WorkerSessions &sessions) : sessions(sessions) {}

private:
  void taken() override { answer(end()); }

  Status take() override {
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
  std::shared_ptr<WorkerSession> session;
  std::shared_ptr<StepState> state;
  int32_t feed = -1;
  TensorAssembler assembler;
};

} // namespace

std::shared_ptr<ServerCall> WorkerService::sendTensor() {
  return std::make_shared<FeedCall>(sessions);
}

// ---- ReceiveTensor.

namespace {

/// Waits for a tensor of this task and sends it. Lives until gRPC is done with
/// it and the rendezvous has called back.
class TensorCall final : public ServerCall {
public:
  explicit TensorCall(WorkerService &service) : service(service) {}

private:
  void onRead(bool ok, grpc::ByteBuffer &message) override;
  void onWritten(bool ok) override;
  void onEnd(bool isCancelled) override;

  std::shared_ptr<TensorCall> self() {
    return std::static_pointer_cast<TensorCall>(shared_from_this());
  }
  Failure ask(const distributed::ReceiveTensorRequest &request);
  void sendError(const Status &status, Cause cause);
  void sendValue(TensorRef given, bool isDead);
  void sendNext();
  /// True for the one who answers: the tensor, or a cancellation before it.
  bool claim() { return !claimed.exchange(true); }

  WorkerService &service;
  std::atomic<bool> claimed{false};
  TensorRef value;
  std::string text;
  std::string_view rest;
  bool hasHeader = false;
  distributed::TensorHeader header;
};

} // namespace

void TensorCall::onRead(bool ok, grpc::ByteBuffer &message) {
  distributed::ReceiveTensorRequest request;
  if (!ok || !decodeMessage(message, request)) {
    if (claim())
      finish(malformedMessage());
    return;
  }
  Failure failure = ask(request);
  if (!failure.status.ok())
    sendError(failure.status, failure.cause);
}

void TensorCall::onWritten(bool ok) {
  if (ok)
    sendNext();
  else
    finish(grpc::Status(grpc::StatusCode::CANCELLED, "nobody listens"));
}

void TensorCall::onEnd(bool isCancelled) {
  if (isCancelled && claim())
    finish(grpc::Status(grpc::StatusCode::CANCELLED, "cancelled"));
}

Failure TensorCall::ask(const distributed::ReceiveTensorRequest &message) {
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
      key, [call = self()](Status status, TensorRef value, bool isDead) {
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
  writeAndFinish(encodeError(status, cause));
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
  grpc::ByteBuffer chunk = encodeChunk(hasHeader ? nullptr : &header, bytes,
                                       isText ? TensorRef() : value);
  hasHeader = true;
  if (rest.empty())
    writeAndFinish(chunk);
  else
    startWrite(chunk);
}

std::shared_ptr<ServerCall> WorkerService::receiveTensor() {
  return std::make_shared<TensorCall>(*this);
}

//===- ServerCall.cpp - A call that a task answers ------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/distributed/ServerCall.h"

using namespace weir::rt;

void ServerCall::startRead() {
  message.Clear();
  incoming->stream.Read(&message,
                        EventLoop::tag([self = shared_from_this()](bool ok) {
                          self->onRead(ok, self->message);
                        }));
}

void ServerCall::startWrite(const grpc::ByteBuffer &message) {
  incoming->stream.Write(message,
                         EventLoop::tag([self = shared_from_this()](bool ok) {
                           self->onWritten(ok);
                         }));
}

void ServerCall::writeAndFinish(const grpc::ByteBuffer &message) {
  incoming->stream.WriteAndFinish(
      message, grpc::WriteOptions(), grpc::Status::OK,
      EventLoop::tag([self = shared_from_this()](bool) {}));
}

void ServerCall::finish(const grpc::Status &status) {
  incoming->stream.Finish(status,
                          EventLoop::tag([self = shared_from_this()](bool) {}));
}

grpc::Status weir::rt::malformedMessage() {
  return grpc::Status(grpc::StatusCode::INVALID_ARGUMENT,
                      "the bytes are no message of the call");
}

namespace {
/// A method that there is not.
class UnknownCall final : public ServerCall {
  void begin() override {
    finish(grpc::Status(grpc::StatusCode::UNIMPLEMENTED, "no such call"));
  }
  void onRead(bool, grpc::ByteBuffer &) override {}
};
} // namespace

void CallTable::add(const std::string &method, Maker maker) {
  makers["/weir.distributed.Worker/" + method] = std::move(maker);
}

void CallTable::listen(grpc::AsyncGenericService &service,
                       grpc::ServerCompletionQueue &queue) {
  struct Next {
    std::unique_ptr<IncomingCall> call = std::make_unique<IncomingCall>();
    std::shared_ptr<ServerCall> owner;
  };
  std::shared_ptr<Next> next = std::make_shared<Next>();
  IncomingCall &call = *next->call;
  // Comes when a call ends that has begun.
  EventLoop::Event *ended = EventLoop::tag([next, &call](bool) {
    if (next->owner)
      next->owner->onEnd(call.context.IsCancelled());
  });
  call.context.AsyncNotifyWhenDone(ended);
  service.RequestCall(
      &call.context, &call.stream, &queue, &queue,
      EventLoop::tag([this, &service, &queue, next, ended](bool ok) {
        // The server stops.
        if (!ok) {
          delete ended;
          return;
        }
        listen(service, queue);
        auto it = makers.find(next->call->context.method());
        next->owner =
            it != makers.end() ? it->second() : std::make_shared<UnknownCall>();
        next->owner->accept(std::move(next->call));
      }));
}

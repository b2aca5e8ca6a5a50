//===- ServerCall.h - A call that a task answers ----------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The server's end of one call. What it reads and writes are messages as bytes,
// so that tensors need not be copied into messages of protobuf. All of on...
// comes from the loop's thread; what starts an operation may be called from any
// thread, one of a kind at a time. Lives until nothing is under way.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_DISTRIBUTED_SERVERCALL_H
#define WEIR_RUNTIME_DISTRIBUTED_SERVERCALL_H

#include "runtime/distributed/EventLoop.h"
#include "runtime/distributed/Wire.h"

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/impl/codegen/proto_utils.h>
#include <map>
#include <mutex>

namespace weir::rt {

/// A call as gRPC hands it over.
struct IncomingCall {
  grpc::GenericServerContext context;
  grpc::GenericServerAsyncReaderWriter stream{&context};
};

class ServerCall : public std::enable_shared_from_this<ServerCall> {
public:
  virtual ~ServerCall() = default;

  /// Once: takes the call over and begins it.
  void accept(std::unique_ptr<IncomingCall> call) {
    incoming = std::move(call);
    begin();
  }
  /// The call is over, before it was finished or after.
  virtual void onEnd(bool isCancelled) {}

protected:
  virtual void begin() { startRead(); }
  /// A message, or (not `ok`) there is none any more.
  virtual void onRead(bool ok, grpc::ByteBuffer &message) = 0;
  virtual void onWritten(bool ok) {}

  void startRead();
  void startWrite(const grpc::ByteBuffer &message);
  void writeAndFinish(const grpc::ByteBuffer &message);
  void finish(const grpc::Status &status);

private:
  std::unique_ptr<IncomingCall> incoming;
  grpc::ByteBuffer message;
};

/// The bytes of a message, and back; false where they are none of it.
template <typename Message>
grpc::ByteBuffer encodeMessage(const Message &from) {
  grpc::ByteBuffer bytes;
  bool owned;
  (void)grpc::SerializationTraits<Message>::Serialize(from, &bytes, &owned);
  return bytes;
}
template <typename Message>
bool decodeMessage(grpc::ByteBuffer &bytes, Message &to) {
  return grpc::SerializationTraits<Message>::Deserialize(&bytes, &to).ok();
}

/// What gRPC says of bytes that are no message.
grpc::Status malformedMessage();

/// One request, one reply.
template <typename Request, typename Reply>
class UnaryCall : public ServerCall {
protected:
  /// Calls answer() when it has, now or later.
  virtual void handle() = 0;
  void answer() { writeAndFinish(encodeMessage(reply)); }

  Request request;
  Reply reply;

private:
  void onRead(bool ok, grpc::ByteBuffer &message) final {
    if (ok && decodeMessage(message, request))
      handle();
    else
      finish(malformedMessage());
  }
};

/// Several messages, then one reply.
template <typename Request, typename Reply>
class UploadCall : public ServerCall {
protected:
  /// Each message; an error is the reply.
  virtual Status take() = 0;
  /// All have come: calls answer(), now or later.
  virtual void taken() = 0;
  void answer(const Status &status) {
    if (!status.ok())
      setError(reply.mutable_error(), status);
    writeAndFinish(encodeMessage(reply));
  }

  Request message;
  Reply reply;

private:
  void onRead(bool ok, grpc::ByteBuffer &bytes) final {
    if (!ok)
      return taken();
    if (!decodeMessage(bytes, message))
      return finish(malformedMessage());
    if (Status status = take(); !status.ok())
      return answer(status);
    startRead();
  }
};

/// Takes the calls that come to a server and hands them to who answers.
class CallTable {
public:
  using Maker = std::function<std::shared_ptr<ServerCall>()>;

  /// Before the first call. `method` as in "Heartbeat".
  void add(const std::string &method, Maker maker);
  /// Waits for the next call, and each one after it. The queue is that of a
  /// loop.
  void listen(grpc::AsyncGenericService &service,
              grpc::ServerCompletionQueue &queue);

private:
  std::map<std::string, Maker> makers;
};

} // namespace weir::rt

#endif // WEIR_RUNTIME_DISTRIBUTED_SERVERCALL_H

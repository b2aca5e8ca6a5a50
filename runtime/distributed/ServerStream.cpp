//===- ServerStream.cpp - The streams that a task has open ----------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/distributed/ServerStream.h"

using namespace weir::rt;

namespace distributed = weir::distributed;

ServerStream::ServerStream(ServerStreams &all, std::unique_ptr<StreamUser> user)
    : all(all), user(std::move(user)),
      queue(0, [this](const distributed::Packet &packet) {
        startWrite(encodeMessage(packet));
      }) {}

std::shared_ptr<ServerStream> ServerStream::self() {
  return std::static_pointer_cast<ServerStream>(shared_from_this());
}

void ServerStream::begin() {
  bool isLate;
  {
    std::lock_guard<std::mutex> lock(all.mutex);
    all.streams.insert(self());
    isLate = all.isClosed;
  }
  if (isLate)
    close();
  else
    startRead();
}

void ServerStream::close() {
  if (queue.close())
    finish(grpc::Status::OK);
}

void ServerStream::onRead(bool ok, grpc::ByteBuffer &message) {
  if (!ok)
    return close();
  packet.Clear();
  Status taken;
  if (!decodeMessage(message, packet))
    taken = Status(WEIR_INVALID_ARGUMENT,
                   "[WEIR0396] a packet is malformed: it cannot be read");
  if (taken.ok())
    taken = user->take(self(), packet);
  if (taken.ok())
    return startRead();
  (void)add(0, [&](distributed::Packet &reply) {
    setError(reply.mutable_error(), taken);
  });
  close();
}

void ServerStream::onWritten(bool ok) {
  if (queue.written(ok))
    finish(grpc::Status::OK);
}

void ServerStream::onEnd(bool) {
  (void)queue.close();
  user->ended();
  std::lock_guard<std::mutex> lock(all.mutex);
  all.streams.erase(self());
}

std::shared_ptr<ServerCall>
ServerStreams::open(std::unique_ptr<StreamUser> user) {
  return std::make_shared<ServerStream>(*this, std::move(user));
}

void ServerStreams::close() {
  std::unordered_set<std::shared_ptr<ServerStream>> open;
  {
    std::lock_guard<std::mutex> lock(mutex);
    isClosed = true;
    open = streams;
  }
  for (const std::shared_ptr<ServerStream> &stream : open)
    stream->close();
}

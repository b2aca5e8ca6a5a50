//===- ServerStream.h - The streams that a task has open --------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The task's end of Exchange: of clients, and of other tasks that send tensors
// here. Safe to use from several threads.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_DISTRIBUTED_SERVERSTREAM_H
#define WEIR_RUNTIME_DISTRIBUTED_SERVERSTREAM_H

#include "runtime/distributed/PacketQueue.h"
#include "runtime/distributed/ServerCall.h"

#include <unordered_set>

namespace weir::rt {

class ServerStream;

/// What the packets of one stream are for.
class StreamUser {
public:
  virtual ~StreamUser() = default;
  /// One packet after the other. An error is told to the other side and ends
  /// the stream.
  virtual Status take(const std::shared_ptr<ServerStream> &stream,
                      distributed::Packet &packet) = 0;
  /// The other side has gone, or the stream was closed; the last call.
  virtual void ended() = 0;
};

class ServerStreams {
public:
  /// A new stream, to be begun.
  std::shared_ptr<ServerCall> open(std::unique_ptr<StreamUser> user);
  /// Closes those that are there, and each that comes.
  void close();

private:
  friend class ServerStream;
  std::mutex mutex;
  std::unordered_set<std::shared_ptr<ServerStream>> streams;
  bool isClosed = false;
};

class ServerStream final : public ServerCall {
public:
  ServerStream(ServerStreams &all, std::unique_ptr<StreamUser> user);

  /// As PacketQueue::add; false where nobody listens any more.
  template <typename Fill> bool add(int64_t bytes, Fill fill) {
    return queue.add(bytes, std::move(fill));
  }
  /// Ends the stream when everything that was added is written.
  void close();

private:
  std::shared_ptr<ServerStream> self();
  void begin() override;
  void onRead(bool ok, grpc::ByteBuffer &message) override;
  void onWritten(bool ok) override;
  void onEnd(bool isCancelled) override;

  ServerStreams &all;
  const std::unique_ptr<StreamUser> user;
  PacketQueue queue;
  distributed::Packet packet;
};

} // namespace weir::rt

#endif // WEIR_RUNTIME_DISTRIBUTED_SERVERSTREAM_H

//===- TaskStream.h - The open stream to a task -----------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One call of Exchange: from a client, or from a task that sends tensors, to a
// task. It stays open, so that a step costs messages and no calls.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_DISTRIBUTED_TASKSTREAM_H
#define WEIR_RUNTIME_DISTRIBUTED_TASKSTREAM_H

#include "runtime/distributed/EventLoop.h"
#include "runtime/distributed/PacketQueue.h"

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/impl/codegen/proto_utils.h>
#include <grpcpp/support/async_stream.h>
#include <memory>

namespace weir::rt {

class TaskStream : public std::enable_shared_from_this<TaskStream> {
public:
  /// From the loop's thread, one packet after the other.
  using OnPacket = std::function<void(distributed::Packet &packet)>;
  /// Once, the last call of all.
  using OnEnd = std::function<void(const grpc::Status &status)>;

  /// Does not wait for the connection, and does nothing before the first
  /// packet.
  static std::shared_ptr<TaskStream>
  open(EventLoop &loop, const std::shared_ptr<grpc::Channel> &channel,
       uint64_t session, OnPacket onPacket, OnEnd onEnd);

  /// As PacketQueue::add; false where the stream has ended, of which onEnd
  /// tells.
  template <typename Fill> bool add(int64_t bytes, Fill fill) {
    return queue.add(bytes, std::move(fill));
  }
  /// onEnd follows soon.
  void cancel() { context.TryCancel(); }

private:
  TaskStream(uint64_t session, OnPacket onPacket, OnEnd onEnd)
      : onPacket(std::move(onPacket)), onEnd(std::move(onEnd)),
        queue(session,
              [this](const distributed::Packet &packet) { write(packet); }) {}

  void read();
  void write(const distributed::Packet &packet);
  void end();

  const OnPacket onPacket;
  const OnEnd onEnd;
  grpc::ClientContext context;
  PacketQueue queue;
  distributed::Packet packet;
  std::unique_ptr<
      grpc::ClientAsyncReaderWriter<distributed::Packet, distributed::Packet>>
      stream;
  grpc::Status status;
  /// With the queue's lock.
  bool isReading = false;
};

} // namespace weir::rt

#endif // WEIR_RUNTIME_DISTRIBUTED_TASKSTREAM_H

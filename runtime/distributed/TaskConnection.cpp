//===- TaskConnection.cpp - The way to a task for one session -------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/distributed/TaskConnection.h"

using namespace weir::rt;

namespace distributed = weir::distributed;

std::shared_ptr<TaskStream> TaskConnection::get() {
  std::lock_guard<std::mutex> lock(mutex);
  if (stream || isClosed)
    return stream;
  const uint64_t opened = ++number;
  ++openCount;
  stream = TaskStream::open(
      *options.loop, options.channel, options.session,
      [self = shared_from_this()](distributed::Packet &packet) {
        if (self->heard)
          self->heard(packet);
      },
      [self = shared_from_this(), opened](const grpc::Status &status) {
        self->ended(opened, status);
      });
  if (options.own)
    stream->add(
        0, [&](distributed::Packet &packet) { packet.set_from(*options.own); });
  return stream;
}

void TaskConnection::drop(const std::shared_ptr<TaskStream> &ended) {
  std::lock_guard<std::mutex> lock(mutex);
  if (stream == ended)
    stream = nullptr;
}

void TaskConnection::ended(uint64_t which, const grpc::Status &status) {
  std::unique_lock<std::mutex> lock(mutex);
  if (which == number)
    stream = nullptr;
  const bool tell = !isClosed && lost;
  lock.unlock();
  if (tell)
    lost(status.ok() ? Status(WEIR_UNAVAILABLE, "[WEIR0387] " + options.name +
                                                    " has ended the stream")
                     : transportError(status, options.name, options.call));
  lock.lock();
  --openCount;
  changed.notify_all();
}

void TaskConnection::close() {
  std::unique_lock<std::mutex> lock(mutex);
  isClosed = true;
  if (stream)
    stream->cancel();
  stream = nullptr;
  changed.wait(lock, [&] { return openCount == 0; });
}

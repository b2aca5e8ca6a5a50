//===- PacketQueue.h - Packets that wait to be written ----------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A stream writes one packet at a time. What is to be said meanwhile goes
// together in the next one, so that many small tensors cost as many messages as
// the stream can carry, not one each. Safe to use from several threads.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_DISTRIBUTED_PACKETQUEUE_H
#define WEIR_RUNTIME_DISTRIBUTED_PACKETQUEUE_H

#include "runtime/distributed/Wire.h"

#include <deque>
#include <functional>
#include <mutex>

namespace weir::rt {

class PacketQueue {
public:
  /// `write` starts to write a packet, which stays where it is until written().
  PacketQueue(uint64_t session,
              std::function<void(const distributed::Packet &)> write)
      : session(session), write(std::move(write)) {}

  /// `fill` adds about `bytes` to a packet. False where the queue is closed.
  template <typename Fill> bool add(int64_t bytes, Fill fill) {
    std::lock_guard<std::mutex> lock(mutex);
    if (isClosed)
      return false;
    // The first one may be under way.
    if (packets.size() <= (isWriting ? 1 : 0) ||
        lastBytes + bytes > kInlineStepBytes) {
      distributed::Packet &packet = packets.emplace_back();
      packet.set_protocol(kProtocolVersion);
      packet.set_session(session);
      lastBytes = 0;
    }
    lastBytes += bytes;
    fill(packets.back());
    if (!isWriting) {
      isWriting = true;
      write(packets.front());
    }
    return true;
  }
  /// A packet was written, or (not `ok`) will never be, nor any other. True for
  /// the one who has to end the stream: it was closed, and nothing waits.
  bool written(bool ok) {
    std::lock_guard<std::mutex> lock(mutex);
    packets.pop_front();
    if (!ok)
      packets.clear();
    isWriting = !packets.empty();
    if (isWriting)
      write(packets.front());
    return isClosed && !isWriting;
  }
  /// Takes nothing more. True as for written(), the first time.
  bool close() {
    std::lock_guard<std::mutex> lock(mutex);
    bool isFirst = !isClosed;
    isClosed = true;
    return isFirst && !isWriting;
  }

private:
  const uint64_t session;
  const std::function<void(const distributed::Packet &)> write;
  std::mutex mutex;
  std::deque<distributed::Packet> packets;
  int64_t lastBytes = 0;
  bool isWriting = false, isClosed = false;
};

} // namespace weir::rt

#endif // WEIR_RUNTIME_DISTRIBUTED_PACKETQUEUE_H

//===- TaskConnection.h - The way to a task for one session -----*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a client, or one session of a task, says to another task: over a stream
// that is opened when there is something to say, and again where it was lost.
// Safe to use from several threads.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_DISTRIBUTED_TASKCONNECTION_H
#define WEIR_RUNTIME_DISTRIBUTED_TASKCONNECTION_H

#include "runtime/distributed/TaskStream.h"

#include <condition_variable>
#include <optional>

namespace weir::rt {

class TaskConnection : public std::enable_shared_from_this<TaskConnection> {
public:
  struct Options {
    std::shared_ptr<grpc::Channel> channel;
    /// Outlives the connection.
    EventLoop *loop = nullptr;
    uint64_t session = 0;
    /// Which of the session's tasks speaks; none for a client.
    std::optional<int32_t> own;
    /// The other task in messages, and what is asked of it.
    std::string name;
    const char *call = "Exchange";
  };
  /// What was said last may not have come. Both from the loop's thread, and not
  /// after close().
  using Lost = std::function<void(const Status &why)>;
  using OnPacket = TaskStream::OnPacket;

  explicit TaskConnection(Options options) : options(std::move(options)) {}
  /// Before the first packet goes out.
  void onLost(Lost call) { lost = std::move(call); }
  void onPacket(OnPacket call) { heard = std::move(call); }

  /// As PacketQueue::add. False once closed.
  template <typename Fill> bool add(int64_t bytes, Fill fill) {
    while (std::shared_ptr<TaskStream> open = get()) {
      if (open->add(bytes, fill))
        return true;
      drop(open);
    }
    return false;
  }
  /// Ends the stream and waits for it. Not from the loop's thread.
  void close();

  const std::shared_ptr<grpc::Channel> &channel() const {
    return options.channel;
  }
  EventLoop &loop() const { return *options.loop; }

private:
  /// The stream, opened where there is none; null once closed.
  std::shared_ptr<TaskStream> get();
  /// One that takes nothing more.
  void drop(const std::shared_ptr<TaskStream> &ended);
  void ended(uint64_t which, const grpc::Status &status);

  const Options options;
  Lost lost;
  OnPacket heard;

  std::mutex mutex;
  std::condition_variable changed;
  std::shared_ptr<TaskStream> stream;
  /// Of the newest stream, and how many have not ended.
  uint64_t number = 0, openCount = 0;
  bool isClosed = false;
};

} // namespace weir::rt

#endif // WEIR_RUNTIME_DISTRIBUTED_TASKCONNECTION_H

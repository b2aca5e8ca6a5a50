//===- EventLoop.h - The thread that calls of gRPC end on -------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One completion queue and the thread that waits for it. Everything that a
// process does over gRPC without waiting ends here. There is one such thread,
// and none of gRPC's callback threads: where several wait, each event wakes one
// to handle it and another to wait in its place, which costs more than the
// event (docs/rationale/cluster.md). So what runs here must not wait.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_DISTRIBUTED_EVENTLOOP_H
#define WEIR_RUNTIME_DISTRIBUTED_EVENTLOOP_H

#include <functional>
#include <grpcpp/completion_queue.h>
#include <memory>
#include <thread>

namespace weir::rt {

class EventLoop {
public:
  /// Called once, on the loop's thread: whether the operation has succeeded.
  using Event = std::function<void(bool ok)>;

  /// Of a client, or with a server's queue.
  explicit EventLoop(std::unique_ptr<grpc::CompletionQueue> queue =
                         std::make_unique<grpc::CompletionQueue>());
  /// Waits for what is under way; nothing new may begin.
  ~EventLoop();

  grpc::CompletionQueue *queue() const { return events.get(); }
  /// The tag of an operation, for one event.
  static Event *tag(Event event) { return new Event(std::move(event)); }

private:
  const std::unique_ptr<grpc::CompletionQueue> events;
  std::thread thread;
};

} // namespace weir::rt

#endif // WEIR_RUNTIME_DISTRIBUTED_EVENTLOOP_H

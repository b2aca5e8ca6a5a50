//===- EventLoop.cpp - The thread that calls of gRPC end on ---------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/distributed/EventLoop.h"

#include <absl/synchronization/mutex.h>

using namespace weir::rt;

/// Some builds of gRPC's locks look for cycles among them whenever one is
/// taken, which is a twentieth of what a message costs.
static std::unique_ptr<grpc::CompletionQueue>
withPlainLocks(std::unique_ptr<grpc::CompletionQueue> queue) {
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  return queue;
}

EventLoop::EventLoop(std::unique_ptr<grpc::CompletionQueue> queue)
    : events(withPlainLocks(std::move(queue))), thread([this] {
        void *tag;
        bool ok;
        while (events->Next(&tag, &ok)) {
          std::unique_ptr<Event> event(static_cast<Event *>(tag));
          (*event)(ok);
        }
      }) {}

EventLoop::~EventLoop() {
  events->Shutdown();
  thread.join();
}

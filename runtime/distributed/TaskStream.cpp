//===- TaskStream.cpp - The open stream to a task -------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/distributed/TaskStream.h"

#include "worker.grpc.pb.h"

using namespace weir::rt;

namespace distributed = weir::distributed;

std::shared_ptr<TaskStream>
TaskStream::open(EventLoop &loop, const std::shared_ptr<grpc::Channel> &channel,
                 uint64_t session, OnPacket onPacket, OnEnd onEnd) {
  std::shared_ptr<TaskStream> made(
      new TaskStream(session, std::move(onPacket), std::move(onEnd)));
  made->stream = distributed::Worker::Stub(channel).PrepareAsyncExchange(
      &made->context, loop.queue());
  // The call goes out with the first packet: nothing ends here.
  made->context.set_initial_metadata_corked(true);
  made->stream->StartCall(nullptr);
  return made;
}

void TaskStream::read() {
  stream->Read(&packet, EventLoop::tag([self = shared_from_this()](bool ok) {
    if (!ok)
      return self->end();
    self->onPacket(self->packet);
    self->read();
  }));
}

void TaskStream::write(const distributed::Packet &packet) {
  stream->Write(packet, EventLoop::tag([self = shared_from_this()](bool ok) {
                  (void)self->queue.written(ok);
                }));
  if (!isReading)
    read();
  isReading = true;
}

void TaskStream::end() {
  (void)queue.close();
  stream->Finish(&status, EventLoop::tag([self = shared_from_this()](bool) {
    self->onEnd(self->status);
  }));
}

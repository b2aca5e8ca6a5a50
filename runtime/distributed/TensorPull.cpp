//===- TensorPull.cpp - Fetching one tensor from a task -------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/distributed/TensorPull.h"
#include "runtime/distributed/ServerCall.h"

using namespace weir::rt;

namespace distributed = weir::distributed;

void TensorPull::start(EventLoop &loop,
                       const std::shared_ptr<grpc::Channel> &channel,
                       const weir::distributed::ReceiveTensorRequest &request) {
  // Chunks are decoded by hand; so the method is named, not taken from a stub.
  stream = grpc::GenericStub(channel).PrepareCall(
      &context, "/weir.distributed.Worker/ReceiveTensor", loop.queue());
  // The call goes out with the request.
  context.set_initial_metadata_corked(true);
  stream->StartCall(nullptr);
  stream->WriteLast(encodeMessage(request), grpc::WriteOptions(),
                    EventLoop::tag([self = shared_from_this()](bool ok) {
                      if (ok)
                        self->read();
                      else
                        self->end();
                    }));
}

void TensorPull::read() {
  chunk.Clear();
  stream->Read(&chunk, EventLoop::tag([self = shared_from_this()](bool ok) {
    if (ok)
      self->take();
    else
      self->end();
  }));
}

void TensorPull::take() {
  Failure told;
  Status decoded = decodeChunk(chunk, assembler, told);
  if (!decoded.ok())
    failure = {std::move(decoded), distributed::Error::OWN};
  else if (!told.status.ok())
    // What is that task's own error is not this one's.
    failure = {std::move(told.status), told.cause == distributed::Error::PEER
                                           ? distributed::Error::PEER
                                           : distributed::Error::DERIVED};
  if (!failure.status.ok())
    context.TryCancel();
  // What the status says needs no read for which there is nothing.
  if (failure.status.ok() && !assembler.isComplete())
    read();
  else
    end();
}

void TensorPull::end() {
  chunk.Clear();
  stream->Finish(&status, EventLoop::tag([self = shared_from_this()](bool) {
    self->finished();
  }));
}

void TensorPull::finished() {
  TensorRef value;
  if (failure.status.ok() && !status.ok())
    failure = {transportError(status, peer, "ReceiveTensor"),
               distributed::Error::PEER};
  if (failure.status.ok())
    failure.status = assembler.finish(value);
  done(std::move(failure), std::move(value), assembler.isDead());
}

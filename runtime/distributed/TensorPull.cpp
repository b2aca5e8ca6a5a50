//===- TensorPull.cpp - Fetching one tensor from a task -------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/distributed/TensorPull.h"

#include "worker.grpc.pb.h"

using namespace weir::rt;

void TensorPull::start(const std::shared_ptr<grpc::Channel> &channel,
                       const weir::distributed::ReceiveTensorRequest &request) {
  self = shared_from_this();
  // Chunks are decoded by hand; so the method is named, not taken from a stub.
  const grpc::internal::RpcMethod method(
      "/weir.distributed.Worker/ReceiveTensor",
      grpc::internal::RpcMethod::SERVER_STREAMING, channel);
  grpc::internal::ClientCallbackReaderFactory<grpc::ByteBuffer>::Create(
      channel.get(), method, &context, &request, this);
  StartRead(&chunk);
  StartCall();
}

void TensorPull::OnReadDone(bool ok) {
  if (!ok)
    return;
  if (failure.status.ok()) {
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
  }
  chunk.Clear();
  // What the status says needs no read for which there is nothing.
  if (failure.status.ok() && !assembler.isComplete())
    StartRead(&chunk);
}

void TensorPull::OnDone(const grpc::Status &status) {
  TensorRef value;
  if (failure.status.ok() && !status.ok())
    failure = {transportError(status, peer, "ReceiveTensor"),
               distributed::Error::PEER};
  if (failure.status.ok())
    failure.status = assembler.finish(value);
  done(std::move(failure), std::move(value), assembler.isDead());
  // This is gone afterwards.
  std::shared_ptr<TensorPull> last = std::move(self);
}

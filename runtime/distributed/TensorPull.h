//===- TensorPull.h - Fetching one tensor from a task -----------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One call of ReceiveTensor. The chunks go into the tensor as they come, whose
// memory is the pool's.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_DISTRIBUTED_TENSORPULL_H
#define WEIR_RUNTIME_DISTRIBUTED_TENSORPULL_H

#include "runtime/distributed/EventLoop.h"
#include "runtime/distributed/Wire.h"

#include <functional>
#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/generic/generic_stub.h>
#include <memory>

namespace weir::rt {

class TensorPull : public std::enable_shared_from_this<TensorPull> {
public:
  /// Called exactly once, from the loop's thread.
  using Done = std::function<void(Failure failure, TensorRef value, bool dead)>;

  /// `peer` names the task in messages.
  explicit TensorPull(std::string peer) : peer(std::move(peer)) {}
  /// Before the start.
  void onDone(Done call) { done = std::move(call); }

  /// Call it once. The object lives until `done` has returned.
  void start(EventLoop &loop, const std::shared_ptr<grpc::Channel> &channel,
             const distributed::ReceiveTensorRequest &request);
  /// `done` follows soon, with whatever the call has come to.
  void cancel() { context.TryCancel(); }

private:
  void read();
  void take();
  void end();
  void finished();

  const std::string peer;
  Done done;
  grpc::ClientContext context;
  std::unique_ptr<grpc::GenericClientAsyncReaderWriter> stream;
  grpc::ByteBuffer chunk;
  TensorAssembler assembler;
  Failure failure;
  grpc::Status status;
};

} // namespace weir::rt

#endif // WEIR_RUNTIME_DISTRIBUTED_TENSORPULL_H

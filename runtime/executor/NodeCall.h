//===- NodeCall.h - A node that the runtime carries out ---------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a `weir_node_*` function is given: the node, its inputs, a place for its
// outputs, and the step it runs in. The function returns at once; it calls
// finish() or fail() exactly once, during the call or later and on any thread.
// After that the object is gone. Until then it is used by one thread at a time,
// inputs stay as they are, and session and step stay alive.
//
// A function that waits registers with `token()`, so that a cancelled step
// ends its wait; whatever wakes it may call finish() directly: the executor
// hands what becomes ready to its pool where that is needed.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_EXECUTOR_NODECALL_H
#define WEIR_RUNTIME_EXECUTOR_NODECALL_H

#include "runtime/base/Status.h"
#include "runtime/core/Cancellation.h"
#include "runtime/core/Tensor.h"
#include "runtime/state/Resource.h"
#include "weir-c/dataflow.h"

struct WeirSession;

/// The executor derives from this and keeps the node's place in the step.
struct WeirNodeCall {
  WeirNodeCall(const WeirNodeDesc &node, WeirSession &session,
               weir::rt::StepResources &resources,
               weir::rt::CancellationToken &token)
      : node(node), session(session), resources(resources), stepToken(token) {}

  const WeirNodeDesc &node;
  WeirSession &session;
  weir::rt::StepResources &resources;
  /// The device with its own memory that the node runs on, or null. Inputs of a
  /// call about a variable are where they were made, of others in the memory of
  /// the host; outputs may be in either.
  weir::rt::Device *device = nullptr;

  weir::rt::CancellationToken *token() { return &stepToken; }

  /// node.input_count tensors; the executor fills them in. A call may take the
  /// references over, but for the first one's.
  weir::rt::TensorRef *inputs = nullptr;
  /// node.output_count tensors; the call fills them in before finish().
  weir::rt::TensorRef *outputs = nullptr;

  /// Ends the node. An error ends the step, with the node's name put in front.
  void finish(weir::rt::Status status = weir::rt::Status());

protected:
  ~WeirNodeCall() = default;
  weir::rt::CancellationToken &stepToken;
};

namespace weir::rt {

/// Runs compiled code on tensors: one fetch for each of `outputs`, described by
/// `descs`. `name` stands for the node in messages. Inputs and outputs are
/// memory of `device` (null: the host's).
Status runKernel(WeirSession &session, const char *name, WeirEntryFn kernel,
                 const WeirView *inputs, int32_t inputCount,
                 const WeirTensorDesc *descs, TensorRef *outputs,
                 int32_t outputCount, Device *device = nullptr);

} // namespace weir::rt

#endif // WEIR_RUNTIME_EXECUTOR_NODECALL_H

//===- RunTransfers.cpp - What comes from elsewhere and goes there -------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/executor/Deliver.h"
#include "runtime/executor/Worker.h"
#include "runtime/state/Variable.h"
#include "runtime/trace/Trace.h"

using namespace weir::rt;

/// As kernel.fn, for a device with its own memory.
int32_t Machine::runOnDevice(const GraphNode &node, Step &step, WeirView *views,
                             WeirTensor **tensors) {
  for (int32_t i = 0; i < node.inputCount; ++i) {
    const int32_t operand = operands[node.operands + i];
    if (Graph::isConstant(operand)) {
      views[i] = graph.deviceConstants[static_cast<size_t>(~operand)].view();
      continue;
    }
    if (tensors[i]->device == graph.device)
      continue;
    TensorRef there;
    Status status = copyTensorTo(graph.device, *tensors[i], there);
    if (!status.ok())
      return step.fail(std::move(status));
    weir_tensor_release(tensors[i]);
    tensors[i] = there.take();
    views[i] = weir_tensor_view(tensors[i]);
  }
  DeviceBlocks blocks(*graph.device);
  step.blocks = &blocks;
  const int32_t code = kernels[node.index].fn(&step);
  step.blocks = nullptr;
  return code;
}

bool Machine::isAboutVariable(const Call &call) {
  if (call.node.index >= 0)
    return true;
  return call.node.input_count > 0 &&
         dynamic_cast<const Variable *>(peekResource(call.inputs[0].get()));
}

/// Takes the inputs that have come. A call may keep them for longer than the
/// step; but for those about a variable calls look at the host's memory only.
Status Machine::fillInputs(Call &call) {
  const GraphNode &node = nodes[call.nodeNumber];
  const int32_t *from = operands + node.operands;
  Status status;
  int32_t filled = 0;
  // Nearly all calls are about a resource that the graph names.
  if (node.inputCount > 0 && Graph::isConstant(from[0])) {
    WeirTensor *first = graph.constants[~from[0]].get();
    call.isFirstBorrowed = isHandle(*first);
    if (call.isFirstBorrowed)
      call.inputs[filled++] = TensorRef(first);
  }
  for (; filled < node.inputCount; ++filled)
    call.inputs[filled] = TensorRef(takeInput(from[filled], call.iteration));
  const bool wantsHost = graph.device && !isAboutVariable(call);
  for (int32_t i = 0; i < node.inputCount && status.ok(); ++i) {
    const WeirTensor &input = *call.inputs[i].get();
    if (isBorrowed(input) || (wantsHost && input.device)) {
      TensorRef copy;
      status = copyTensorTo(nullptr, input, copy);
      call.inputs[i] = std::move(copy);
    }
  }
  return status;
}

Rendezvous &Machine::rendezvous() {
  if (request.parts)
    return *request.parts->rendezvous;
  if (!ownRendezvous)
    ownRendezvous = makeLocalRendezvous();
  return *ownRendezvous;
}

/// What other devices and processes can take: memory of the host.
static Status toHost(TensorRef &value) {
  if (!value || !value.get()->device)
    return Status();
  TensorRef copy;
  WEIR_RETURN_IF_ERROR(copyTensorTo(nullptr, *value.get(), copy));
  value = std::move(copy);
  return Status();
}

template <bool Plain>
void Machine::runSend(uint32_t n, Iteration *it, bool isDead, Lock &lock) {
  const GraphNode &node = nodes[n];
  TensorRef value;
  if (node.inputCount > 0)
    value = TensorRef(takeInput(operands[node.operands], it));
  // A dead control edge leaves a value behind.
  if (isDead)
    value = TensorRef();
  const int64_t mark = traceBegin();
  Rendezvous &meeting = rendezvous();
  const RendezvousKey &key = graph.keys[static_cast<size_t>(node.index)];
  const int64_t bytes = value ? viewBytes(value.view()) : 0;
  // Who receives may be told in this call, and copies.
  running.fetch_add(1, std::memory_order_relaxed);
  lock.unlock();
  // Not even the fact that it has run goes out before it is known to be fine.
  Status status = toHost(value);
  if (status.ok())
    status = onDevice.settle();
  if (status.ok())
    status = meeting.send(key, std::move(value), isDead);
  if (mark)
    traceTransfer(mark, key.tensor.c_str(), TraceKind::Send, graph.track,
                  bytes);
  lockAgain(lock);
  if (!status.ok())
    return fail(n, std::move(status), lock);
  if (!stopped)
    deliverControl<Plain>(node, it, isDead);
}

/// Puts what was received where the kernels of the device can take it.
static void received(Call *call, Status status, TensorRef value, bool isDead) {
  const int32_t outputs = call->node.output_count;
  int64_t bytes = 0;
  call->isDead = isDead;
  if (status.ok() && value && outputs > 0) {
    bytes = viewBytes(value.view());
    if (call->device && value.get()->dtype != WEIR_STRING) {
      TensorRef there;
      status = copyTensorTo(call->device, *value.get(), there);
      value = std::move(there);
    }
    call->outputs[0] = std::move(value);
  }
  if (call->mark)
    traceTransfer(call->mark, call->key->tensor.c_str(), TraceKind::Receive,
                  call->track, bytes);
  call->finish(std::move(status));
}

/// It is over when the value is there; no thread waits for that.
void Machine::runReceive(uint32_t n, Iteration *it, Worker &worker,
                         Lock &lock) {
  Call *call = beginCall(n, it, lock);
  if (!call)
    return;
  call->mark = traceBegin();
  call->track = graph.track;
  Rendezvous &meeting = rendezvous();
  const RendezvousKey &key = graph.keys[static_cast<size_t>(nodes[n].index)];
  call->key = &key;
  running.fetch_add(1, std::memory_order_relaxed);
  lock.unlock();
  meeting.receive(key, [call](Status status, TensorRef value, bool isDead) {
    received(call, std::move(status), std::move(value), isDead);
  });
  lockAgain(lock);
  drainEnded(worker, lock);
}

template void Machine::runSend<true>(uint32_t, Iteration *, bool, Lock &);
template void Machine::runSend<false>(uint32_t, Iteration *, bool, Lock &);

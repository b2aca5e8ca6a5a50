//===- RunNodes.cpp - Running the nodes of a step -------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/base/Format.h"
#include "runtime/core/Program.h"
#include "runtime/executor/Deliver.h"
#include "runtime/executor/Report.h"
#include "runtime/executor/TableCheck.h"
#include "runtime/executor/Worker.h"

#include <algorithm>
#include <chrono>
#include <cstring>

using namespace weir::rt;

/// A node that takes longer, in nanoseconds, is worth another thread.
static constexpr uint32_t kWorthSharing = 1000;
/// One that takes longer should not have been run with the lock held.
static constexpr int64_t kVeryLong = 50000;
/// How often a worker looks around, in nodes, and how often it takes the time
/// of one that is worth another thread.
static constexpr uint32_t kLookEvery = 64, kMeasureEvery = 8;

/// Why compiled code did not do what it should.
static Status kernelError(Step &step, int32_t code) {
  if (!step.status.ok())
    return std::move(step.status);
  if (code != WEIR_OK)
    return Status(
        static_cast<WeirCode>(code),
        str("[WEIR0313] the code failed with ", code, " and gave no reason"));
  return Status(WEIR_INTERNAL,
                "[WEIR0313] the code left an output without a value; this is a "
                "fault of the compiler, please report it");
}

template <bool Plain>
inline void Machine::runNode(ReadyNode next, Worker &worker, Lock &lock) {
  const uint32_t n = next.node;
  const GraphNode &node = nodes[n];
  Iteration *it = next.iteration;
  if (!Plain && next.isDead) {
    runDead(n, it, lock);
    return;
  }
  switch (node.kind) {
  case WEIR_NODE_NO_OP:
  case WEIR_NODE_CONTROL_TRIGGER:
    deliverControl<Plain>(node, it, false);
    break;
  case WEIR_NODE_KERNEL:
    runKernel<Plain>(n, it, worker, lock);
    break;
  case WEIR_NODE_IDENTITY:
    deliverFirst<Plain>(node, it, takeInput(operands[node.operands], it));
    deliverControl<Plain>(node, it, false);
    break;
  case WEIR_NODE_CALL:
    // It is over when the call has ended.
    runCall(n, it, worker, lock);
    return;
  case WEIR_NODE_FETCH:
    runFetch(n, it);
    break;
  case WEIR_NODE_SWITCH:
    runSwitch(n, it, lock);
    break;
  case WEIR_NODE_MERGE:
    runMerge(n, it, false, lock);
    break;
  case WEIR_NODE_ENTER:
    runEnter(n, it, false);
    break;
  case WEIR_NODE_EXIT:
    runExit(n, it, false, lock);
    break;
  case WEIR_NODE_NEXT_ITERATION:
    runNextIteration(n, it, false);
    break;
  case WEIR_NODE_SEND:
    runSend<Plain>(n, it, false, lock);
    break;
  case WEIR_NODE_RECEIVE:
    runReceive(n, it, worker, lock);
    return;
  default:
    // Feeds are delivered when they come.
    break;
  }
  if (!Plain)
    nodeDone(it);
}

template <bool Plain>
void Machine::runLoop(Worker &worker, Lock &lock, int32_t until) {
  while (!ready.empty()) {
    if (untilLook-- != 0 && !signals.load(std::memory_order_relaxed)) {
      runNode<Plain>(ready.takeNewest(), worker, lock);
    } else {
      untilLook = kLookEvery;
      lookAround(worker, lock);
      if (ready.empty())
        return;
      runNode<Plain>(ready.takeOldest(), worker, lock);
    }
    if (until >= 0 && hasFetch(until))
      return;
  }
}

/// A dead node does nothing, and what it would have made is dead.
void Machine::runDead(uint32_t n, Iteration *it, Lock &lock) {
  const GraphNode &node = nodes[n];
  switch (node.kind) {
  case WEIR_NODE_MERGE:
    runMerge(n, it, true, lock);
    break;
  case WEIR_NODE_ENTER:
    runEnter(n, it, true);
    break;
  case WEIR_NODE_EXIT:
    runExit(n, it, true, lock);
    break;
  case WEIR_NODE_NEXT_ITERATION:
    runNextIteration(n, it, true);
    break;
  case WEIR_NODE_CONTROL_TRIGGER:
    deliverControl<false>(node, it, false);
    break;
  case WEIR_NODE_FETCH:
    stop(lock, MachineReport(*this).deadFetch(n));
    break;
  case WEIR_NODE_SEND:
    runSend<false>(n, it, true, lock);
    break;
  default:
    if (node.kind == WEIR_NODE_SWITCH)
      outcomes[static_cast<size_t>(node.index)] = kDeadOutcome;
    for (int32_t i = 0; i < node.inputCount; ++i) {
      const int32_t operand = operands[node.operands + i];
      if (!Graph::isConstant(operand) && it->slots[operand])
        releaseValue(std::exchange(it->slots[operand], nullptr));
    }
    for (int32_t o = 0; o < node.outputCount; ++o)
      deliverDead(node, o, it);
    deliverControl<false>(node, it, true);
    break;
  }
  nodeDone(it);
}

/// Other threads are told of what else there is before a long node. Of a node
/// that has not run yet nothing is known: the first ones of a graph count as
/// long, and more of them where some were.
Machine::Sharing Machine::beginLong(uint32_t n, Lock &lock) {
  Sharing sharing;
  const uint32_t cost = graph.costs[n].load(std::memory_order_relaxed);
  const bool isUnknown = cost == Graph::kUnknownCost;
  sharing.share =
      isUnknown ? graph.probes.load(std::memory_order_relaxed) > 0 &&
                      graph.probes.fetch_sub(1, std::memory_order_relaxed) > 0
                : cost >= kWorthSharing;
  // Not the first node of a step: of a small one that is all there is, and the
  // clock takes longer.
  sharing.measure =
      isUnknown ||
      (untilLook + 1) % (sharing.share ? kMeasureEvery : kLookEvery) == 0;
  if (sharing.share) {
    if (!ready.empty())
      wantHelp();
    longNodes.push_back(n);
    running.fetch_add(1, std::memory_order_relaxed);
    lock.unlock();
  }
  if (sharing.measure)
    sharing.start = nanoseconds();
  return sharing;
}

void Machine::endLong(const Sharing &sharing, uint32_t n, Lock &lock) {
  if (sharing.measure) {
    const int64_t time = nanoseconds() - sharing.start;
    Graph::recordCost(graph.costs[n], time);
    if (!sharing.share && time >= kVeryLong)
      graph.probes.store(Graph::kProbes, std::memory_order_relaxed);
  }
  if (sharing.share) {
    lockAgain(lock);
    longNodes.erase(std::find(longNodes.begin(), longNodes.end(), n));
  }
}

template <bool Plain>
void Machine::runKernel(uint32_t n, Iteration *it, Worker &worker, Lock &lock) {
  const GraphNode &node = nodes[n];
  const WeirEntryDesc &kernel = kernels[node.index];
  const int32_t inputs = node.inputCount, outputs = node.outputCount;
  WeirView *views = worker.fewViews;
  WeirTensor **tensors = worker.fewTensors;
  if (inputs > Worker::kFew || outputs > Worker::kFew) {
    worker.manyViews.resize(static_cast<size_t>(graph.maxInputs));
    worker.manyTensors.resize(
        static_cast<size_t>(graph.maxInputs + graph.maxOutputs));
    views = worker.manyViews.data();
    tensors = worker.manyTensors.data();
  }
  WeirTensor **made = tensors + inputs;
  const int32_t *from = operands + node.operands;
  for (int32_t i = 0; i < inputs; ++i) {
    if (Graph::isConstant(from[i])) {
      views[i] = graph.table.constants[~from[i]];
      tensors[i] = nullptr;
      continue;
    }
    WeirTensor *tensor = std::exchange(it->slots[from[i]], nullptr);
    tensors[i] = tensor;
    views[i] = {tensor->data, tensor->dims(), tensor->rank, tensor->dtype};
  }
  if (outputs > 0)
    made[0] = nullptr;
  for (int32_t o = 1; o < outputs; ++o)
    made[o] = nullptr;

  const Sharing sharing = mayShare() ? beginLong(n, lock) : Sharing();
  Step step(session, kernel, views, made);
  step.scalars = sharing.share ? nullptr : &scalars;
  // The timer looks at the clock.
  step.options = &options;
  step.stopRequest = &stopRequested;
  step.track = graph.track;
  const int32_t code =
      graph.device ? runOnDevice(node, step, views, tensors) : kernel.fn(&step);
  if (mayShare())
    endLong(sharing, n, lock);

  for (int32_t i = 0; i < inputs; ++i)
    if (tensors[i])
      releaseValue(tensors[i]);
  bool isComplete = code == WEIR_OK && step.status.ok() && !stopped;
  for (int32_t o = 0; o < outputs; ++o)
    isComplete &= made[o] != nullptr;
  if (!isComplete) {
    for (int32_t o = 0; o < outputs; ++o)
      if (made[o])
        releaseValue(made[o]);
    if (step.isInterrupted)
      stopInterrupted(n, worker, lock);
    else if (!stopped)
      fail(n, kernelError(step, code), lock);
    return;
  }
  if (outputs > 0)
    deliverFirst<Plain>(node, it, made[0]);
  for (int32_t o = 1; o < outputs; ++o)
    deliver<Plain>(node, o, it, made[o]);
  deliverControl<Plain>(node, it, false);
}

Call *Machine::beginCall(uint32_t n, Iteration *it, Lock &lock) {
  const GraphNode &node = nodes[n];
  const WeirNodeDesc &desc = graph.desc(n);
  if (!token)
    token.emplace();
  if (!resources)
    resources.emplace();
  const size_t tensors = static_cast<size_t>(node.inputCount) +
                         static_cast<size_t>(node.outputCount);
  Block *block = allocateBlock(
      static_cast<int64_t>(sizeof(Call) + tensors * sizeof(TensorRef)));
  if (!block) {
    fail(n, Status(WEIR_RESOURCE_EXHAUSTED, "[WEIR0311] no memory for a call"),
         lock);
    return nullptr;
  }
  Call *call = new (block->payload())
      Call(*this, desc, session, *resources, *token, n, it);
  TensorRef *refs = reinterpret_cast<TensorRef *>(call + 1);
  for (size_t i = 0; i < tensors; ++i)
    new (refs + i) TensorRef;
  call->inputs = refs;
  call->outputs = refs + node.inputCount;
  call->device = graph.device;
  call->next = inFlight;
  if (inFlight)
    inFlight->prev = call;
  inFlight = call;
  ++inFlightCount;
  return call;
}

void Machine::runCall(uint32_t n, Iteration *it, Worker &worker, Lock &lock) {
  Call *call = beginCall(n, it, lock);
  if (!call)
    return;
  Status filled = fillInputs(*call);
  if (filled.ok() && !isAboutVariable(*call))
    filled = onDevice.settle();
  if (!filled.ok()) {
    call->status = std::move(filled);
    finishCall(call, lock);
    return;
  }
  const Sharing sharing = mayShare() ? beginLong(n, lock) : Sharing();
  call->node.call(call);
  if (mayShare())
    endLong(sharing, n, lock);
  drainEnded(worker, lock);
}

void Machine::drainEnded(Worker &worker, Lock &lock) {
  while (Call *call = worker.take())
    finishCall(call, lock);
}

Status Machine::checkOutputs(const Call &call) const {
  for (int32_t o = 0; o < call.node.output_count; ++o) {
    const WeirTensorDesc &desc = call.node.outputs[o];
    const TensorRef &output = call.outputs[o];
    if (output && matches(desc, output.view()))
      continue;
    if (!output)
      return Status(WEIR_INTERNAL,
                    str("[WEIR0326] output ", o, " was left without a value"));
    WeirView view = output.view();
    return Status(WEIR_INVALID_ARGUMENT,
                  str("[WEIR0326] output ", o, " is ",
                      typeText(view.dtype, view.dims, view.rank),
                      ", the graph says ",
                      typeText(desc.dtype, desc.dims, desc.rank), "; ",
                      describeMismatch(desc, view)));
  }
  return Status();
}

void Machine::finishCall(Call *call, Lock &lock) {
  (call->prev ? call->prev->next : inFlight) = call->next;
  if (call->next)
    call->next->prev = call->prev;
  --inFlightCount;
  const uint32_t n = call->nodeNumber;
  const GraphNode &node = nodes[n];
  Iteration *it = call->iteration;
  Status error = std::move(call->status);
  const bool isDead = call->isDead && error.ok() && !stopped;
  if (error.ok() && !call->isDead)
    error = checkOutputs(*call);
  const bool isLive = error.ok() && !stopped && !isDead;
  if (isLive && graph.isPlain) {
    for (int32_t o = 0; o < node.outputCount; ++o)
      deliver<true>(node, o, it, call->outputs[o].take());
    deliverControl<true>(node, it, false);
  } else if (isLive) {
    for (int32_t o = 0; o < node.outputCount; ++o)
      deliver<false>(node, o, it, call->outputs[o].take());
    deliverControl<false>(node, it, false);
  } else if (isDead) {
    for (int32_t o = 0; o < node.outputCount; ++o)
      deliverDead(node, o, it);
    deliverControl<false>(node, it, true);
  }
  if (call->isFirstBorrowed)
    call->inputs[0].take();
  for (int32_t i = 0; i < node.inputCount + node.outputCount; ++i)
    call->inputs[i].~TensorRef();
  call->~Call();
  releaseBlock(Block::of(call));
  if (!error.ok())
    fail(n, std::move(error), lock);
  if (!graph.isPlain)
    nodeDone(it);
}

/// Which output a predicate chooses. Not OK where it is no predicate.
static Status choose(const WeirTensor &predicate, int32_t outputs,
                     int32_t &chosen) {
  const bool isBool = predicate.dtype == WEIR_BOOL;
  if (predicate.rank != 0 || (!isBool && predicate.dtype != WEIR_I32)) {
    const WeirView view = weir_tensor_view(&predicate);
    return Status(WEIR_INVALID_ARGUMENT,
                  str("[WEIR0328] the predicate is ",
                      typeText(view.dtype, view.dims, view.rank),
                      ", not one boolean or one i32"));
  }
  const void *data = predicate.data;
  int32_t copy = 0;
  if (predicate.device) {
    WEIR_RETURN_IF_ERROR(copyBetween(&copy, nullptr, data, predicate.device,
                                     isBool ? 1 : sizeof(copy)));
    data = &copy;
  }
  if (isBool) {
    chosen = *static_cast<const uint8_t *>(data) ? 1 : 0;
  } else {
    const int32_t value = *static_cast<const int32_t *>(data);
    chosen = value < 0 || value >= outputs ? outputs - 1 : value;
  }
  return Status();
}

void Machine::runSwitch(uint32_t n, Iteration *it, Lock &lock) {
  const GraphNode &node = nodes[n];
  WeirTensor *value = takeInput(operands[node.operands], it);
  WeirTensor *predicate = takeInput(operands[node.operands + 1], it);
  int32_t chosen = 0;
  if (Status error = choose(*predicate, node.outputCount, chosen);
      !error.ok()) {
    releaseValue(value);
    releaseValue(predicate);
    fail(n, std::move(error), lock);
    return;
  }
  releaseValue(predicate);
  outcomes[static_cast<size_t>(node.index)] = chosen;
  for (int32_t o = 0; o < node.outputCount; ++o)
    if (o == chosen)
      deliver<false>(node, o, it, std::exchange(value, nullptr));
    else
      deliverDead(node, o, it);
  if (value)
    releaseValue(value);
  deliverControl<false>(node, it, false);
}

void Machine::runMerge(uint32_t n, Iteration *it, bool isDead, Lock &lock) {
  const GraphNode &node = nodes[n];
  outcomes[static_cast<size_t>(node.index)] = isDead ? kDeadOutcome : 1;
  if (isDead) {
    deliverDead(node, 0, it);
    deliverDead(node, 1, it);
    deliverControl<false>(node, it, true);
    return;
  }
  const int32_t input = static_cast<int32_t>(it->counts[node.count + 2]);
  WeirTensor *value = takeInput(operands[node.operands + input], it);
  const OutputEdges *outputs = graph.outputs.data() + node.outputs;
  if (outputs[1].end > outputs[0].end) {
    WeirTensor *number = allocateTensor(WEIR_I32, 0, nullptr, sizeof(int32_t));
    if (!number) {
      releaseValue(value);
      fail(n, Status(WEIR_RESOURCE_EXHAUSTED, "[WEIR0311] no memory"), lock);
      return;
    }
    *static_cast<int32_t *>(number->data) = input;
    deliver<false>(node, 1, it, number);
  }
  deliver<false>(node, 0, it, value);
  deliverControl<false>(node, it, false);
}

void Machine::runFetch(uint32_t n, Iteration *it) {
  const GraphNode &node = nodes[n];
  request.fetches[node.index] = takeInput(operands[node.operands], it);
  if (graph.isPlain)
    deliverControl<true>(node, it, false);
  else
    deliverControl<false>(node, it, false);
  if (sleepers.load(std::memory_order_relaxed) > 0) {
    std::lock_guard<std::mutex> ringing(bell);
    wakeSleepers();
  }
}

/// An error of node `n` ends the step; its message names the node.
void Machine::fail(uint32_t n, Status error, Lock &lock) {
  if (stopped)
    return;
  // What an earlier node gave to the device is not this one's fault.
  if (Status earlier = onDevice.failure(); !earlier.ok())
    return stop(lock, std::move(earlier));
  const char *name = graph.name(n);
  if (!std::strstr(error.message(), name))
    error = std::move(error).withContext(str(name, ": "));
  stop(lock, std::move(error));
}

template void Machine::runLoop<true>(Worker &, Lock &, int32_t);
template void Machine::runLoop<false>(Worker &, Lock &, int32_t);

//===- QueueCalls.cpp - Nodes of queues -----------------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/base/Format.h"
#include "runtime/executor/calls/CallSupport.h"
#include "runtime/executor/calls/TimeLimit.h"
#include "runtime/state/Queue.h"

using namespace weir::rt;

static Status findQueue(WeirNodeCall *call, Queue *&queue) {
  return findResource(call, 0, "a queue", queue);
}

/// Ends a node without outputs, or with those of the tuple.
static QueueDone doneOf(WeirNodeCall *call) {
  return [call](Status &&status, QueueTuple &&tuple) {
    finishWith(call, std::move(status), std::move(tuple));
  };
}

/// The operands behind the handle.
static QueueTuple components(WeirNodeCall *call) {
  QueueTuple tuple(call->node.input_count - 1);
  for (int32_t i = 0; i < tuple.size(); ++i)
    tuple[i] = std::move(call->inputs[i + 1]);
  return tuple;
}

/// Can what the node declares come from the queue? Asked before anything is
/// taken; a batch has one dimension more than an element.
static Status checkOutputs(WeirNodeCall *call, const Queue &queue,
                           bool isBatch) {
  const QueueSpec &spec = queue.spec();
  const WeirNodeDesc &node = call->node;
  auto refuse = [&](const std::string &what) {
    return Status(WEIR_INVALID_ARGUMENT,
                  str("[WEIR0326] ", queue.describe(), " ", what));
  };
  if (static_cast<size_t>(node.output_count) != spec.components.size())
    return refuse(str("has ", spec.components.size(),
                      " components, the node has ", node.output_count,
                      " outputs"));
  for (int32_t i = 0; i < node.output_count; ++i) {
    const QueueComponent &component = spec.components[static_cast<size_t>(i)];
    const WeirTensorDesc &desc = node.outputs[i];
    int32_t rank = static_cast<int32_t>(component.dims.size()) + isBatch;
    bool fits = component.dtype == desc.dtype;
    if (component.hasShape && desc.rank != -1) {
      fits = fits && desc.rank == rank;
      for (int32_t d = isBatch; fits && d < rank; ++d) {
        int64_t extent = component.dims[static_cast<size_t>(d - isBatch)];
        fits = extent == -1 || desc.dims[d] == -1 || extent == desc.dims[d];
      }
    }
    if (!fits)
      return refuse(str("has component ", i, " of type ",
                        typeText(component.dtype, component.dims.data(),
                                 component.hasShape ? static_cast<int32_t>(
                                                          component.dims.size())
                                                    : -1),
                        ", but the output of the node is ",
                        typeText(desc.dtype, desc.dims, desc.rank)));
  }
  return Status();
}

/// An enqueue: `operation` starts it.
template <typename Operation>
static void startEnqueue(WeirNodeCall *call, Operation operation) {
  Queue *queue = nullptr;
  if (Status status = findQueue(call, queue); !status.ok())
    return finish(call, std::move(status));
  startWithin(call, numberOf(call, 0, -1), doneOf(call),
              [&](QueueDone done, CancellationToken *token) {
                operation(*queue, components(call), std::move(done), token);
              });
}

void weir_node_enqueue(WeirNodeCall *call) {
  startEnqueue(call, [](Queue &queue, QueueTuple element, QueueDone done,
                        CancellationToken *token) {
    queue.enqueue(std::move(element), std::move(done), token);
  });
}

void weir_node_enqueue_many(WeirNodeCall *call) {
  startEnqueue(call, [](Queue &queue, QueueTuple batch, QueueDone done,
                        CancellationToken *token) {
    queue.enqueueMany(std::move(batch), std::move(done), token);
  });
}

void weir_node_dequeue(WeirNodeCall *call) {
  Queue *queue = nullptr;
  Status status = findQueue(call, queue);
  if (status.ok())
    status = checkOutputs(call, *queue, /*isBatch=*/false);
  if (!status.ok())
    return finish(call, std::move(status));
  startWithin(call, numberOf(call, 0, -1), doneOf(call),
              [&](QueueDone done, CancellationToken *token) {
                queue->dequeue(std::move(done), token);
              });
}

static void startDequeueBatch(WeirNodeCall *call,
                              void (Queue::*operation)(int64_t, QueueDone,
                                                       CancellationToken *)) {
  Queue *queue = nullptr;
  int64_t count = 0;
  Status status = findQueue(call, queue);
  if (status.ok())
    status = integerInput(call, 1, "the number of elements", count);
  if (status.ok())
    status = checkOutputs(call, *queue, /*isBatch=*/true);
  if (!status.ok())
    return finish(call, std::move(status));
  startWithin(call, numberOf(call, 0, -1), doneOf(call),
              [&](QueueDone done, CancellationToken *token) {
                ((*queue).*operation)(count, std::move(done), token);
              });
}

void weir_node_dequeue_many(WeirNodeCall *call) {
  startDequeueBatch(call, &Queue::dequeueMany);
}

void weir_node_dequeue_up_to(WeirNodeCall *call) {
  startDequeueBatch(call, &Queue::dequeueUpTo);
}

void weir_node_queue_size(WeirNodeCall *call) {
  Queue *queue = nullptr;
  Status status = findQueue(call, queue);
  if (status.ok())
    status = setInteger(call, 0, queue->size());
  finish(call, std::move(status));
}

void weir_node_queue_close(WeirNodeCall *call) {
  Queue *queue = nullptr;
  if (Status status = findQueue(call, queue); !status.ok())
    return finish(call, std::move(status));
  // In its turn: a close may wait, and the step may be cancelled meanwhile.
  queue->close(numberOf(call, 0, 0) == 1, doneOf(call), call->token());
}

void weir_node_queue_clear(WeirNodeCall *call) {
  Queue *queue = nullptr;
  Status status = findQueue(call, queue);
  if (status.ok())
    queue->clear();
  finish(call, std::move(status));
}

void weir_node_queue_is_closed(WeirNodeCall *call) {
  Queue *queue = nullptr;
  Status status = findQueue(call, queue);
  if (status.ok())
    status = setBool(call, 0, queue->isClosed());
  finish(call, std::move(status));
}

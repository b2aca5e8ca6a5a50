//===- BarrierCalls.cpp - Nodes of barriers -------------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/base/Format.h"
#include "runtime/executor/calls/CallSupport.h"
#include "runtime/executor/calls/TimeLimit.h"
#include "runtime/state/Barrier.h"

using namespace weir::rt;

static Status findBarrier(WeirNodeCall *call,
                          std::shared_ptr<Barrier> &barrier) {
  return findResource(call, 0, "a barrier", barrier);
}

void weir_node_barrier_insert_many(WeirNodeCall *call) {
  std::shared_ptr<Barrier> barrier;
  Status status = findBarrier(call, barrier);
  if (status.ok())
    status = barrier->insertMany(call->inputs[1],
                                 static_cast<int32_t>(numberOf(call, 0, 0)),
                                 call->inputs[2]);
  finish(call, std::move(status));
}

void weir_node_barrier_take_many(WeirNodeCall *call) {
  std::shared_ptr<Barrier> barrier;
  int64_t count = 0;
  Status status = findBarrier(call, barrier);
  if (status.ok())
    status = integerInput(call, 1, "the number of elements", count);
  if (status.ok() && static_cast<size_t>(call->node.output_count) !=
                         barrier->componentCount() + 2)
    status = Status(WEIR_INVALID_ARGUMENT,
                    str("[WEIR0326] ", barrier->describe(), " has ",
                        barrier->componentCount(),
                        " components, so that a take has two outputs more; the "
                        "node has ",
                        call->node.output_count));
  if (!status.ok())
    return finish(call, std::move(status));
  bool allowSmall = numberOf(call, 1, 0) != 0;
  bool waitForIncomplete = numberOf(call, 2, 0) != 0;
  startWithin(
      call, numberOf(call, 0, -1),
      [call](Status taken, QueueTuple batch) {
        finishWith(call, std::move(taken), std::move(batch));
      },
      [&](QueueDone done, CancellationToken *token) {
        barrier->takeMany(count, allowSmall, std::move(done), token,
                          waitForIncomplete);
      });
}

void weir_node_barrier_close(WeirNodeCall *call) {
  std::shared_ptr<Barrier> barrier;
  Status status = findBarrier(call, barrier);
  if (status.ok())
    status = barrier->close(numberOf(call, 0, 0) == 1);
  finish(call, std::move(status));
}

void weir_node_barrier_ready_size(WeirNodeCall *call) {
  std::shared_ptr<Barrier> barrier;
  Status status = findBarrier(call, barrier);
  if (status.ok())
    status = setInteger(call, 0, barrier->readySize());
  finish(call, std::move(status));
}

void weir_node_barrier_incomplete_size(WeirNodeCall *call) {
  std::shared_ptr<Barrier> barrier;
  Status status = findBarrier(call, barrier);
  if (status.ok())
    status = setInteger(call, 0, barrier->incompleteSize());
  finish(call, std::move(status));
}

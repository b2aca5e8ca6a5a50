//===- AccumulatorCalls.cpp - Nodes of conditional accumulators -----------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/base/Format.h"
#include "runtime/executor/calls/CallSupport.h"
#include "runtime/executor/calls/TimeLimit.h"
#include "runtime/state/ConditionalAccumulator.h"

using namespace weir::rt;

static Status
findAccumulator(WeirNodeCall *call,
                std::shared_ptr<ConditionalAccumulator> &accumulator) {
  return findResource(call, 0, "an accumulator", accumulator);
}

void weir_node_accumulator_apply(WeirNodeCall *call) {
  std::shared_ptr<ConditionalAccumulator> accumulator;
  int64_t step = 0;
  Status status = findAccumulator(call, accumulator);
  if (status.ok())
    status = integerInput(call, 1, "the step of the gradient", step);
  if (status.ok())
    status = accumulator->apply(step, call->inputs[2]);
  finish(call, std::move(status));
}

void weir_node_accumulator_take(WeirNodeCall *call) {
  std::shared_ptr<ConditionalAccumulator> accumulator;
  int64_t required = 0;
  Status status = findAccumulator(call, accumulator);
  if (status.ok())
    status = integerInput(call, 1, "the number of gradients", required);
  if (status.ok() && call->node.outputs[0].dtype != accumulator->spec().dtype)
    status = Status(
        WEIR_INVALID_ARGUMENT,
        str("[WEIR0326] ", accumulator->describe(), " holds ",
            typeText(accumulator->spec().dtype, nullptr, -1),
            ", but the output of the node is ",
            typeText(call->node.outputs[0].dtype, call->node.outputs[0].dims,
                     call->node.outputs[0].rank)));
  if (!status.ok())
    return finish(call, std::move(status));
  startWithin(
      call, numberOf(call, 0, -1),
      [call](Status taken, QueueTuple mean) {
        finishWith(call, std::move(taken), std::move(mean));
      },
      [&](QueueDone done, CancellationToken *token) {
        accumulator->take(required, std::move(done), token);
      });
}

void weir_node_accumulator_size(WeirNodeCall *call) {
  std::shared_ptr<ConditionalAccumulator> accumulator;
  Status status = findAccumulator(call, accumulator);
  if (status.ok())
    status = setInteger(call, 0, accumulator->accumulated());
  finish(call, std::move(status));
}

void weir_node_accumulator_set_step(WeirNodeCall *call) {
  std::shared_ptr<ConditionalAccumulator> accumulator;
  int64_t step = 0;
  Status status = findAccumulator(call, accumulator);
  if (status.ok())
    status = integerInput(call, 1, "the new step", step);
  if (status.ok())
    accumulator->setStep(step);
  finish(call, std::move(status));
}

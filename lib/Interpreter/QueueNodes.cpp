//===- QueueNodes.cpp - Queues, barriers, accumulators --------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The runtime's own, which docs/spec/queues.md holds to their rules; here is
// what lies between them and the nodes.
//
//===----------------------------------------------------------------------===//

#include "lib/Interpreter/NodeRun.h"
#include "mlir/IR/TypeUtilities.h"
#include "runtime/base/Format.h"
#include "runtime/state/Barrier.h"
#include "runtime/state/ConditionalAccumulator.h"
#include "runtime/state/Queue.h"

using namespace mlir;

namespace weir {

//===----------------------------------------------------------------------===//
// What they share
//===----------------------------------------------------------------------===//

static rt::QueueDone doneOf(std::shared_ptr<Wait> wait) {
  return [wait = std::move(wait)](rt::Status status, rt::QueueTuple tuple) {
    std::vector<rt::TensorRef> results;
    for (int32_t i = 0; i < tuple.size(); ++i)
      results.push_back(std::move(tuple[i]));
    wait->end(std::move(status), std::move(results));
  };
}

/// The operands from `first` on as tensors of the runtime.
static llvm::Expected<std::vector<rt::TensorRef>>
runtimeOperands(NodeRun &run, unsigned first) {
  std::vector<rt::TensorRef> tensors;
  for (unsigned i = first; i < run.operands.size(); ++i)
    if (rt::Status status = toRuntime(run.tensor(i), tensors.emplace_back());
        !status.ok())
      return statusError(run.op, std::move(status));
  return tensors;
}

static llvm::Error setScalar(NodeRun &run, WeirDType dtype, int64_t value) {
  run.results[0] = Tensor::scalar(dtype, value);
  return llvm::Error::success();
}

/// An error unless elements of `component` can have the type of a result; with
/// `isBatch`, several of them as one tensor. Asked before any is taken.
static llvm::Error checkComponent(NodeRun &run, const rt::Resource &resource,
                                  const rt::QueueComponent &component,
                                  unsigned result, bool isBatch) {
  auto type = cast<TensorType>(run.op->getResult(result).getType());
  bool fits = dtypeOf(type.getElementType()) == component.dtype;
  if (fits && type.hasRank() && component.hasShape) {
    SmallVector<int64_t> shape(isBatch, ShapedType::kDynamic);
    for (int64_t extent : component.dims)
      shape.push_back(extent < 0 ? ShapedType::kDynamic : extent);
    fits = succeeded(verifyCompatibleShape(type.getShape(), shape));
  }
  if (fits)
    return llvm::Error::success();
  std::string declared;
  llvm::raw_string_ostream(declared) << type;
  return run.error(
      code::output,
      resource.describe() + " has elements of " +
          rt::typeText(component.dtype, component.dims.data(),
                       component.hasShape
                           ? static_cast<int32_t>(component.dims.size())
                           : -1) +
          ", but result " + Twine(result) + " is declared as " + declared);
}

static llvm::Error checkComponents(NodeRun &run, const rt::Queue &queue,
                                   bool isBatch) {
  ArrayRef<rt::QueueComponent> components = queue.spec().components;
  unsigned results = run.op->getNumResults() - 1;
  if (results != components.size())
    return run.error(code::output, queue.describe() + " has " +
                                       Twine(components.size()) +
                                       " components, but the node has " +
                                       Twine(results) + " results for them");
  for (unsigned i = 0; i < results; ++i)
    if (llvm::Error error =
            checkComponent(run, queue, components[i], i, isBatch))
      return error;
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Queues
//===----------------------------------------------------------------------===//

using QueueFunction = llvm::Error (*)(NodeRun &run,
                                      std::shared_ptr<rt::Queue> queue);

template <QueueFunction function> static llvm::Error onQueue(NodeRun &run) {
  auto queue = run.resource<rt::Queue>(0, "a queue");
  return queue ? function(run, std::move(*queue)) : queue.takeError();
}

template <typename Op, auto operation>
static llvm::Error enqueue(NodeRun &run, std::shared_ptr<rt::Queue> queue) {
  auto tensors = runtimeOperands(run, 1);
  if (!tensors)
    return tensors.takeError();
  rt::QueueTuple tuple(static_cast<int32_t>(tensors->size()));
  for (int32_t i = 0; i < tuple.size(); ++i)
    tuple[i] = std::move((*tensors)[i]);
  auto wait = run.startWait(cast<Op>(run.op).getTimeoutMs(),
                            "room in " + queue->describe());
  ((*queue).*operation)(std::move(tuple), doneOf(wait), &wait->token);
  return llvm::Error::success();
}

static llvm::Error dequeue(NodeRun &run, std::shared_ptr<rt::Queue> queue) {
  if (llvm::Error error = checkComponents(run, *queue, /*isBatch=*/false))
    return error;
  auto wait = run.startWait(cast<DequeueOp>(run.op).getTimeoutMs(),
                            "an element of " + queue->describe());
  queue->dequeue(doneOf(wait), &wait->token);
  return llvm::Error::success();
}

template <typename Op, auto operation>
static llvm::Error dequeueBatch(NodeRun &run,
                                std::shared_ptr<rt::Queue> queue) {
  llvm::Expected<int64_t> count = run.integer(1);
  if (!count)
    return count.takeError();
  if (llvm::Error error = checkComponents(run, *queue, /*isBatch=*/true))
    return error;
  auto wait = run.startWait(cast<Op>(run.op).getTimeoutMs(),
                            std::to_string(*count) + " elements of " +
                                queue->describe());
  ((*queue).*operation)(*count, doneOf(wait), &wait->token);
  return llvm::Error::success();
}

static llvm::Error queueSize(NodeRun &run, std::shared_ptr<rt::Queue> queue) {
  return setScalar(run, WEIR_I32, queue->size());
}

static llvm::Error queueIsClosed(NodeRun &run,
                                 std::shared_ptr<rt::Queue> queue) {
  return setScalar(run, WEIR_BOOL, queue->isClosed());
}

static llvm::Error queueClear(NodeRun &, std::shared_ptr<rt::Queue> queue) {
  queue->clear();
  return llvm::Error::success();
}

static llvm::Error queueClose(NodeRun &run, std::shared_ptr<rt::Queue> queue) {
  auto wait = run.startWait(/*timeoutMs=*/-1,
                            "the enqueues before it in " + queue->describe());
  queue->close(cast<QueueCloseOp>(run.op).getCancelPending(), doneOf(wait),
               &wait->token);
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

using BarrierFunction = llvm::Error (*)(NodeRun &run,
                                        std::shared_ptr<rt::Barrier> barrier);

template <BarrierFunction function> static llvm::Error onBarrier(NodeRun &run) {
  auto barrier = run.resource<rt::Barrier>(0, "a barrier");
  return barrier ? function(run, std::move(*barrier)) : barrier.takeError();
}

static llvm::Error insertMany(NodeRun &run,
                              std::shared_ptr<rt::Barrier> barrier) {
  auto tensors = runtimeOperands(run, 1);
  if (!tensors)
    return tensors.takeError();
  int64_t component =
      static_cast<int64_t>(cast<BarrierInsertManyOp>(run.op).getComponent());
  return statusError(run.op, barrier->insertMany(
                                 (*tensors)[0], static_cast<int32_t>(component),
                                 (*tensors)[1]));
}

static llvm::Error takeMany(NodeRun &run,
                            std::shared_ptr<rt::Barrier> barrier) {
  auto op = cast<BarrierTakeManyOp>(run.op);
  llvm::Expected<int64_t> count = run.integer(1);
  if (!count)
    return count.takeError();
  if (op.getValues().size() != barrier->componentCount())
    return run.error(code::output, barrier->describe() + " has " +
                                       Twine(barrier->componentCount()) +
                                       " components, but the node has " +
                                       Twine(op.getValues().size()) +
                                       " results for them");
  auto wait = run.startWait(op.getTimeoutMs(), std::to_string(*count) +
                                                   " complete elements of " +
                                                   barrier->describe());
  barrier->takeMany(*count, op.getAllowSmallBatch(), doneOf(wait), &wait->token,
                    op.getWaitForIncomplete());
  return llvm::Error::success();
}

static llvm::Error barrierClose(NodeRun &run,
                                std::shared_ptr<rt::Barrier> barrier) {
  return statusError(
      run.op, barrier->close(cast<BarrierCloseOp>(run.op).getCancelPending()));
}

static llvm::Error readySize(NodeRun &run,
                             std::shared_ptr<rt::Barrier> barrier) {
  return setScalar(run, WEIR_I32, barrier->readySize());
}

static llvm::Error incompleteSize(NodeRun &run,
                                  std::shared_ptr<rt::Barrier> barrier) {
  return setScalar(run, WEIR_I32, barrier->incompleteSize());
}

//===----------------------------------------------------------------------===//
// Accumulators
//===----------------------------------------------------------------------===//

using Accumulator = rt::ConditionalAccumulator;
using AccumulatorFunction =
    llvm::Error (*)(NodeRun &run, std::shared_ptr<Accumulator> accumulator);

template <AccumulatorFunction function>
static llvm::Error onAccumulator(NodeRun &run) {
  auto accumulator = run.resource<Accumulator>(0, "an accumulator");
  return accumulator ? function(run, std::move(*accumulator))
                     : accumulator.takeError();
}

static llvm::Error apply(NodeRun &run,
                         std::shared_ptr<Accumulator> accumulator) {
  llvm::Expected<int64_t> step = run.integer(1);
  if (!step)
    return step.takeError();
  auto gradient = runtimeOperands(run, 2);
  if (!gradient)
    return gradient.takeError();
  return statusError(run.op, accumulator->apply(*step, gradient->front()));
}

static llvm::Error take(NodeRun &run,
                        std::shared_ptr<Accumulator> accumulator) {
  llvm::Expected<int64_t> count = run.integer(1);
  if (!count)
    return count.takeError();
  const rt::AccumulatorSpec &spec = accumulator->spec();
  if (llvm::Error error = checkComponent(
          run, *accumulator, {spec.dtype, spec.hasShape, spec.dims}, 0,
          /*isBatch=*/false))
    return error;
  auto wait = run.startWait(cast<AccumulatorTakeOp>(run.op).getTimeoutMs(),
                            std::to_string(*count) + " gradients in " +
                                accumulator->describe());
  accumulator->take(*count, doneOf(wait), &wait->token);
  return llvm::Error::success();
}

static llvm::Error gradientCount(NodeRun &run,
                                 std::shared_ptr<Accumulator> accumulator) {
  return setScalar(run, WEIR_I32, accumulator->accumulated());
}

static llvm::Error setStep(NodeRun &run,
                           std::shared_ptr<Accumulator> accumulator) {
  llvm::Expected<int64_t> step = run.integer(1);
  if (!step)
    return step.takeError();
  accumulator->setStep(*step);
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

void addQueueNodes(NodeTable &table) {
  using rt::Queue;
  table.add<EnqueueOp>(onQueue<enqueue<EnqueueOp, &Queue::enqueue>>);
  table.add<EnqueueManyOp>(
      onQueue<enqueue<EnqueueManyOp, &Queue::enqueueMany>>);
  table.add<DequeueOp>(onQueue<dequeue>);
  table.add<DequeueManyOp>(
      onQueue<dequeueBatch<DequeueManyOp, &Queue::dequeueMany>>);
  table.add<DequeueUpToOp>(
      onQueue<dequeueBatch<DequeueUpToOp, &Queue::dequeueUpTo>>);
  table.add<QueueSizeOp>(onQueue<queueSize>);
  table.add<QueueClearOp>(onQueue<queueClear>);
  table.add<QueueCloseOp>(onQueue<queueClose>);
  table.add<QueueIsClosedOp>(onQueue<queueIsClosed>);
  table.add<BarrierInsertManyOp>(onBarrier<insertMany>);
  table.add<BarrierTakeManyOp>(onBarrier<takeMany>);
  table.add<BarrierCloseOp>(onBarrier<barrierClose>);
  table.add<BarrierReadySizeOp>(onBarrier<readySize>);
  table.add<BarrierIncompleteSizeOp>(onBarrier<incompleteSize>);
  table.add<AccumulatorApplyOp>(onAccumulator<apply>);
  table.add<AccumulatorTakeOp>(onAccumulator<take>);
  table.add<AccumulatorSizeOp>(onAccumulator<gradientCount>);
  table.add<AccumulatorSetStepOp>(onAccumulator<setStep>);
}

} // namespace weir

//===- QueueOps.td - Queues, barriers, accumulators -*- tablegen -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_QUEUE_OPS_TD
#define WEIR_QUEUE_OPS_TD

include "dialects/Weir/WeirBase.td"

//===----------------------------------------------------------------------===//
// Declarations
//===----------------------------------------------------------------------===//

def Weir_QueueKindEnum : Weir_Enum<"QueueKind", "in which order a queue gives its elements", [
  I32EnumAttrCase<"fifo", 0>, I32EnumAttrCase<"random_shuffle", 1>, I32EnumAttrCase<"padding_fifo", 2>, I32EnumAttrCase<"priority", 3>]>;
def Weir_QueueKind : Weir_EnumAttr<Weir_QueueKindEnum, "queue_kind">;

def Weir_QueueOp : Op<Weir_Dialect, "queue", [Symbol]> {
  let summary = "a queue of tuples that lives as long as the session";
  let description = [{
    Declares a queue and what its elements are made of. `capacity` -1 means
    without bound. A component of unknown rank has elements of any shape.
    docs/spec/queues.md has the rules of its operations. Source: OSDI 2016
    section 3.1.

    - (C1) the capacity is positive, or -1.
    - (C2) there is at least one component, and components are tensors as
      `weir.graph` (C2) has them, or tensors of such elements of unknown rank.
    - (C3) `min_after_dequeue` is 0 unless the kind is random_shuffle, and
      0 <= min_after_dequeue < capacity.
    - (C4) the first component of a priority queue is tensor<i64>.

    Example:
    ```mlir
    weir.queue @batches capacity 100 of tensor<64xf32>, tensor<i32>
    weir.queue @shuffled capacity 100 of tensor<f32> {kind = #weir.queue_kind<random_shuffle>, min_after_dequeue = 10 : i64}
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, I64Attr:$capacity, TypeArrayAttr:$components,
    DefaultValuedOptionalAttr<Weir_QueueKind, "::weir::QueueKind::fifo">:$kind,
    DefaultValuedOptionalAttr<I64Attr, "0">:$min_after_dequeue,
    DefaultValuedOptionalAttr<I64Attr, "0">:$seed, DefaultValuedOptionalAttr<I64Attr, "0">:$seed2,
    OptionalAttr<StrAttr>:$sym_visibility);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Weir_BarrierOp : Op<Weir_Dialect, "barrier", [Symbol]> {
  let summary = "a table that collects the components of tuples by key";
  let description = [{
    docs/spec/resources.md has the rules of its operations.

    - (C1) there is at least one component; see `weir.queue` (C2).

    Example:
    ```mlir
    weir.barrier @pairs of [tensor<f32>, tensor<2xi32>]
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeArrayAttr:$components, OptionalAttr<StrAttr>:$sym_visibility);
  let assemblyFormat = "$sym_name `of` $components attr-dict";
  let hasVerifier = 1;
}

def Weir_ReductionEnum : Weir_Enum<"Reduction", "what an accumulator makes of its gradients", [
  I32EnumAttrCase<"mean", 0>, I32EnumAttrCase<"sum", 1>]>;
def Weir_Reduction : Weir_EnumAttr<Weir_ReductionEnum, "reduction">;

def Weir_AccumulatorOp : Op<Weir_Dialect, "accumulator", [Symbol]> {
  let summary = "gathers gradients and drops stale ones";
  let description = [{
    docs/spec/resources.md has the rules of its operations. Source: OSDI 2016
    section 4.4.

    - (C1) the type is a tensor of numbers, or one of unknown rank.

    Example:
    ```mlir
    weir.accumulator @g : tensor<64x32xf32> {reduction = #weir.reduction<mean>}
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<Weir_AnyTensorOf<[Weir_Number]>>:$type,
    DefaultValuedOptionalAttr<Weir_Reduction, "::weir::Reduction::mean">:$reduction, OptionalAttr<StrAttr>:$sym_visibility);
  let assemblyFormat = "$sym_name `:` $type attr-dict";
}

//===----------------------------------------------------------------------===//
// Queues
//===----------------------------------------------------------------------===//

// `timeout_ms`: after so long the node fails with DEADLINE_EXCEEDED, and no
// element is lost; -1 waits as long as the step does.
defvar Weir_Timeout = (ins DefaultValuedOptionalAttr<I64Attr, "-1">:$timeout_ms);

def Weir_EnqueueOp : Weir_RuntimeNode<"enqueue",
    !con((ins Weir_Resource:$queue, Variadic<Weir_AnyTensor>:$components), Weir_Timeout), [{static_cast<int64_t>(getTimeoutMs())}], [{}], [AttrSizedOperandSegments]> {
  let summary = "adds an element to a queue";
  let description = [{
    Waits while the queue is full.

    Example:
    ```mlir
    %c = weir.enqueue %q, %x : (!weir.resource, tensor<f32>) -> !weir.control
    ```
  }];
  let results = (outs Weir_Control:$control);
}

def Weir_EnqueueManyOp : Weir_RuntimeNode<"enqueue_many",
    !con((ins Weir_Resource:$queue, Variadic<Weir_AnyTensor>:$batches), Weir_Timeout), [{static_cast<int64_t>(getTimeoutMs())}], [{}], [AttrSizedOperandSegments]> {
  let summary = "adds the elements of a batch to a queue";
  let description = [{
    The first dimension of every component counts the elements.

    Example:
    ```mlir
    %c = weir.enqueue_many %q, %x : (!weir.resource, tensor<8xf32>) -> !weir.control
    ```
  }];
  let results = (outs Weir_Control:$control);
}

def Weir_DequeueOp : Weir_RuntimeNode<"dequeue",
    !con((ins Weir_Resource:$queue), Weir_Timeout), [{static_cast<int64_t>(getTimeoutMs())}], [{}], []> {
  let summary = "takes an element from a queue";
  let description = [{
    Waits while there is none; OUT_OF_RANGE when the queue is closed and empty.

    Example:
    ```mlir
    %x, %c = weir.dequeue %q : (!weir.resource) -> (tensor<f32>, !weir.control)
    ```
  }];
  let results = (outs Variadic<Weir_AnyTensor>:$components, Weir_Control:$control);
}

def Weir_DequeueManyOp : Weir_RuntimeNode<"dequeue_many",
    !con((ins Weir_Resource:$queue, Weir_AnyTensorOf<[I32]>:$count), Weir_Timeout), [{static_cast<int64_t>(getTimeoutMs())}], [{}], []> {
  let summary = "takes elements from a queue as one batch";
  let description = [{
    Example:
    ```mlir
    %x, %c = weir.dequeue_many %q, %n : (!weir.resource, tensor<i32>) -> (tensor<?xf32>, !weir.control)
    ```
  }];
  let results = (outs Variadic<Weir_AnyTensor>:$batches, Weir_Control:$control);
}

def Weir_DequeueUpToOp : Weir_RuntimeNode<"dequeue_up_to",
    !con((ins Weir_Resource:$queue, Weir_AnyTensorOf<[I32]>:$count), Weir_Timeout), [{static_cast<int64_t>(getTimeoutMs())}], [{}], []> {
  let summary = "takes elements from a queue, fewer once it is closed";
  let description = [{
    Example:
    ```mlir
    %x, %c = weir.dequeue_up_to %q, %n : (!weir.resource, tensor<i32>) -> (tensor<?xf32>, !weir.control)
    ```
  }];
  let results = (outs Variadic<Weir_AnyTensor>:$batches, Weir_Control:$control);
}

def Weir_QueueSizeOp : Weir_RuntimeNode<"queue_size",
    (ins Weir_Resource:$queue), [{}], [{}], []> {
  let summary = "the number of elements in a queue";
  let description = [{
    Example:
    ```mlir
    %n, %c = weir.queue_size %q : (!weir.resource) -> (tensor<i32>, !weir.control)
    ```
  }];
  let results = (outs Weir_AnyTensorOf<[I32]>:$size, Weir_Control:$control);
}

def Weir_QueueCloseOp : Weir_RuntimeNode<"queue_close",
    (ins Weir_Resource:$queue, UnitAttr:$cancel_pending), [{getCancelPending()}], [{}], []> {
  let summary = "closes a queue";
  let description = [{
    Enqueues that came earlier still complete, unless `cancel_pending`.

    Example:
    ```mlir
    %c = weir.queue_close %q : (!weir.resource) -> !weir.control
    ```
  }];
  let results = (outs Weir_Control:$control);
}

def Weir_QueueIsClosedOp : Weir_RuntimeNode<"queue_is_closed",
    (ins Weir_Resource:$queue), [{}], [{}], []> {
  let summary = "whether a queue is closed";
  let description = [{
    Example:
    ```mlir
    %b, %c = weir.queue_is_closed %q : (!weir.resource) -> (tensor<i1>, !weir.control)
    ```
  }];
  let results = (outs Weir_AnyTensorOf<[I1]>:$closed, Weir_Control:$control);
}

def Weir_QueueClearOp : Weir_RuntimeNode<"queue_clear",
    (ins Weir_Resource:$queue), [{}], [{}], []> {
  let summary = "takes all elements out of a queue";
  let description = [{
    Enqueues that wait go on.

    Example:
    ```mlir
    %c = weir.queue_clear %q : (!weir.resource) -> !weir.control
    ```
  }];
  let results = (outs Weir_Control:$control);
}

//===----------------------------------------------------------------------===//
// Barriers, accumulators
//===----------------------------------------------------------------------===//

def Weir_BarrierInsertManyOp : Weir_RuntimeNode<"barrier_insert_many",
    (ins Weir_Resource:$barrier, Weir_AnyTensorOf<[Weir_String]>:$keys, Weir_AnyTensor:$values, I64Attr:$component), [{static_cast<int64_t>(getComponent())}], [{}], []> {
  let summary = "gives keys of a barrier one of their components";
  let description = [{
    Example:
    ```mlir
    %c = weir.barrier_insert_many %b, %k, %v {component = 0 : i64} : (!weir.resource, tensor<2x!weir.string>, tensor<2xf32>) -> !weir.control
    ```
  }];
  let results = (outs Weir_Control:$control);
}

def Weir_BarrierTakeManyOp : Weir_RuntimeNode<"barrier_take_many",
    !con((ins Weir_Resource:$barrier, Weir_AnyTensorOf<[I32]>:$count, UnitAttr:$allow_small_batch, UnitAttr:$wait_for_incomplete), Weir_Timeout), [{static_cast<int64_t>(getTimeoutMs()), getAllowSmallBatch(), getWaitForIncomplete()}], [{}], []> {
  let summary = "takes complete tuples of a barrier";
  let description = [{
    Example:
    ```mlir
    %i, %k, %v, %c = weir.barrier_take_many %b, %n : (!weir.resource, tensor<i32>) -> (tensor<?xi64>, tensor<?x!weir.string>, tensor<?xf32>, !weir.control)
    ```
  }];
  let results = (outs Weir_AnyTensorOf<[I64]>:$indices, Weir_AnyTensorOf<[Weir_String]>:$keys, Variadic<Weir_AnyTensor>:$values, Weir_Control:$control);
}

def Weir_BarrierCloseOp : Weir_RuntimeNode<"barrier_close",
    (ins Weir_Resource:$barrier, UnitAttr:$cancel_pending), [{getCancelPending()}], [{}], []> {
  let summary = "closes a barrier";
  let description = [{
    Example:
    ```mlir
    %c = weir.barrier_close %b : (!weir.resource) -> !weir.control
    ```
  }];
  let results = (outs Weir_Control:$control);
}

def Weir_BarrierReadySizeOp : Weir_RuntimeNode<"barrier_ready_size",
    (ins Weir_Resource:$barrier), [{}], [{}], []> {
  let summary = "the number of complete tuples of a barrier";
  let description = [{
    Example:
    ```mlir
    %n, %c = weir.barrier_ready_size %b : (!weir.resource) -> (tensor<i32>, !weir.control)
    ```
  }];
  let results = (outs Weir_AnyTensorOf<[I32]>:$size, Weir_Control:$control);
}

def Weir_BarrierIncompleteSizeOp : Weir_RuntimeNode<"barrier_incomplete_size",
    (ins Weir_Resource:$barrier), [{}], [{}], []> {
  let summary = "the number of incomplete tuples of a barrier";
  let description = [{
    Example:
    ```mlir
    %n, %c = weir.barrier_incomplete_size %b : (!weir.resource) -> (tensor<i32>, !weir.control)
    ```
  }];
  let results = (outs Weir_AnyTensorOf<[I32]>:$size, Weir_Control:$control);
}

def Weir_AccumulatorApplyOp : Weir_RuntimeNode<"accumulator_apply",
    (ins Weir_Resource:$accumulator, Weir_AnyTensorOf<[I64]>:$step, Weir_AnyTensorOf<[Weir_Number]>:$gradient), [{}], [{}], []> {
  let summary = "adds a gradient to an accumulator";
  let description = [{
    A gradient of an earlier step than the accumulator is at is dropped.

    Example:
    ```mlir
    %c = weir.accumulator_apply %a, %s, %g : (!weir.resource, tensor<i64>, tensor<2xf32>) -> !weir.control
    ```
  }];
  let results = (outs Weir_Control:$control);
}

def Weir_AccumulatorTakeOp : Weir_RuntimeNode<"accumulator_take",
    !con((ins Weir_Resource:$accumulator, Weir_AnyTensorOf<[I32]>:$count), Weir_Timeout), [{static_cast<int64_t>(getTimeoutMs())}], [{}], []> {
  let summary = "takes the gathered gradient";
  let description = [{
    Waits for `count` gradients at least.

    Example:
    ```mlir
    %g, %c = weir.accumulator_take %a, %n : (!weir.resource, tensor<i32>) -> (tensor<2xf32>, !weir.control)
    ```
  }];
  let results = (outs Weir_AnyTensorOf<[Weir_Number]>:$value, Weir_Control:$control);
}

def Weir_AccumulatorSizeOp : Weir_RuntimeNode<"accumulator_size",
    (ins Weir_Resource:$accumulator), [{}], [{}], []> {
  let summary = "the number of gradients gathered";
  let description = [{
    Example:
    ```mlir
    %n, %c = weir.accumulator_size %a : (!weir.resource) -> (tensor<i32>, !weir.control)
    ```
  }];
  let results = (outs Weir_AnyTensorOf<[I32]>:$size, Weir_Control:$control);
}

def Weir_AccumulatorSetStepOp : Weir_RuntimeNode<"accumulator_set_step",
    (ins Weir_Resource:$accumulator, Weir_AnyTensorOf<[I64]>:$step), [{}], [{}], []> {
  let summary = "sets the step that gradients are compared with";
  let description = [{
    Example:
    ```mlir
    %c = weir.accumulator_set_step %a, %s : (!weir.resource, tensor<i64>) -> !weir.control
    ```
  }];
  let results = (outs Weir_Control:$control);
}

#endif // WEIR_QUEUE_OPS_TD

# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Queues: FIFO, random shuffle, padding and priority. The order of runs is such
that none waits, but for the cases that say so."""

from plan import case, raw, tf

TYPES = [tf.int32, tf.int64, tf.float32, tf.float64, tf.string, tf.bool, tf.uint8, tf.int8, tf.int16, tf.float16]


def values_of(dtype):
    if dtype == tf.string:
        return [b"a", b"", b"\x00\xff"]
    if dtype == tf.bool:
        return [True, False, True]
    return [7, 0, 3]


@case(params=TYPES)
def fifo_types(p, dtype):
    q = tf.FIFOQueue(10, [dtype], shapes=[[]])
    for value in values_of(dtype):
        x = tf.constant(value, dtype)
        p.run([], targets=[q.enqueue([x])])
    p.runs(3, q.dequeue())


@case(params=[tf.int32, tf.float32, tf.string])
def fifo_many_types(p, dtype):
    q = tf.FIFOQueue(10, [dtype], shapes=[[]])
    p.run([], targets=[q.enqueue_many([tf.constant(values_of(dtype), dtype)])])
    p.run(q.dequeue_many(2))
    p.run(q.dequeue_many(1))
    p.run(q.size())


@case
def fifo_order(p):
    q = tf.FIFOQueue(20, [tf.int32], shapes=[[]])
    x = tf.placeholder(tf.int32, [])
    op, item = q.enqueue([x]), q.dequeue()
    for value in (5, 3, 9):
        p.run([], {x: value}, targets=[op])
    p.run(item)
    p.run([], {x: 1}, targets=[op])
    p.runs(3, item)


@case
def fifo_components(p):
    q = tf.FIFOQueue(5, [tf.int32, tf.float32, tf.string], shapes=[[], [2], []])
    p.run([], targets=[q.enqueue([1, [1.5, 2.5], "one"])])
    p.run([], targets=[q.enqueue([2, [3.5, 4.5], "two"])])
    p.run(q.dequeue())
    p.run(q.size())
    p.run(q.dequeue())


@case
def fifo_named_components(p):
    q = tf.FIFOQueue(5, [tf.int32, tf.float32], shapes=[[], []], names=["i", "f"])
    p.run([], targets=[q.enqueue({"i": 4, "f": 0.5})])
    out = q.dequeue()
    p.run([out["i"], out["f"]])


@case
def fifo_components_many(p):
    q = tf.FIFOQueue(10, [tf.int64, tf.float32], shapes=[[], [2]])
    p.run([], targets=[q.enqueue_many([tf.constant([1, 2, 3], tf.int64), tf.constant(p.floats(3, 2))])])
    p.run(q.dequeue_many(2))
    p.run(q.dequeue())


@case
def fifo_without_shapes(p):
    q = tf.FIFOQueue(10, [tf.int32])
    p.run([], targets=[q.enqueue([[1, 2, 3]])])
    p.run([], targets=[q.enqueue([[[4], [5]]])])
    p.run([], targets=[q.enqueue([6])])
    p.runs(3, q.dequeue())


@case
def fifo_without_shapes_dequeue_many(p):
    q = tf.FIFOQueue(10, [tf.int32])
    n = tf.constant(2)
    p.run([], targets=[q.enqueue([[1, 2]])])
    p.run([], targets=[q.enqueue([[3, 4]])])
    many = raw.QueueDequeueManyV2(handle=q.queue_ref, n=n, component_types=[tf.int32])
    p.run(many[0], error="InvalidArgument")


@case
def fifo_size_and_state(p):
    q = tf.FIFOQueue(10, [tf.float32], shapes=[[]])
    p.run([q.size(), q.is_closed()])
    p.run([], targets=[q.enqueue_many([[1.0, 2.0, 3.0]])])
    p.run(q.size())
    p.run([], targets=[q.close()])
    p.run([q.size(), q.is_closed()])


@case
def fifo_dequeue_many_of_none(p):
    q = tf.FIFOQueue(10, [tf.float32], shapes=[[3]])
    p.run(q.dequeue_many(0))
    p.run([], targets=[q.enqueue([[1.0, 2.0, 3.0]])])
    p.run(q.dequeue_many(0))
    p.run(q.size())


@case
def fifo_enqueue_many_of_none(p):
    q = tf.FIFOQueue(10, [tf.float32], shapes=[[]])
    p.run([], targets=[q.enqueue_many([tf.zeros([0])])])
    p.run(q.size())


@case
def fifo_enqueue_many_then_parts(p):
    q = tf.FIFOQueue(10, [tf.float32], shapes=[[2]])
    p.run([], targets=[q.enqueue_many([tf.constant(p.floats(4, 2))])])
    p.run(q.dequeue())
    p.run(q.dequeue_many(3))


@case
def fifo_dequeue_up_to(p):
    q = tf.FIFOQueue(10, [tf.int32], shapes=[[]])
    p.run([], targets=[q.enqueue_many([[1, 2, 3, 4, 5]])])
    p.run(q.dequeue_up_to(3))
    p.run([], targets=[q.close()])
    p.run(q.dequeue_up_to(10))
    p.run(q.dequeue_up_to(10), error="OutOfRange")


@case
def fifo_dequeue_up_to_of_none(p):
    q = tf.FIFOQueue(10, [tf.int32], shapes=[[]])
    p.run(q.dequeue_up_to(0))


@case
def fifo_close_then_drain(p):
    q = tf.FIFOQueue(10, [tf.int32], shapes=[[]])
    item = q.dequeue()
    p.run([], targets=[q.enqueue_many([[10, 20]])])
    p.run([], targets=[q.close()])
    p.runs(2, item)
    p.run(item, error="OutOfRange")


@case
def fifo_close_empty(p):
    q = tf.FIFOQueue(10, [tf.int32], shapes=[[]])
    p.run([], targets=[q.close()])
    p.run(q.dequeue(), error="OutOfRange")
    p.run(q.dequeue_many(2), error="OutOfRange")


@case
def fifo_close_with_too_few_for_many(p):
    q = tf.FIFOQueue(10, [tf.int32], shapes=[[]])
    p.run([], targets=[q.enqueue_many([[1, 2, 3]])])
    p.run([], targets=[q.close()])
    p.run(q.dequeue_many(4), error="OutOfRange")
    p.run(q.size())
    p.run(q.dequeue_many(3))


@case(params=[False, True])
def fifo_enqueue_after_close(p, cancel):
    q = tf.FIFOQueue(10, [tf.int32], shapes=[[]])
    p.run([], targets=[q.close(cancel_pending_enqueues=cancel)])
    p.run([], targets=[q.enqueue([1])], error="Cancelled")
    p.run([], targets=[q.enqueue_many([[1, 2]])], error="Cancelled")


@case
def fifo_close_twice(p):
    q = tf.FIFOQueue(10, [tf.int32], shapes=[[]])
    p.run([], targets=[q.close()])
    p.run([], targets=[q.close()], error="Cancelled")
    p.run(q.is_closed())


@case
def fifo_close_twice_with_cancel(p):
    q = tf.FIFOQueue(10, [tf.int32], shapes=[[]])
    p.run([], targets=[q.close()])
    p.run([], targets=[q.close(cancel_pending_enqueues=True)])


@case
def fifo_dequeue_meets_its_deadline(p):
    q = tf.FIFOQueue(10, [tf.int32], shapes=[[]])
    item = q.dequeue()
    p.run(item, error="DeadlineExceeded", timeout_ms=80)
    p.run([], targets=[q.enqueue([7])])
    p.run(item)


@case
def fifo_enqueue_meets_its_deadline(p):
    q = tf.FIFOQueue(1, [tf.int32], shapes=[[]])
    x = tf.placeholder(tf.int32, [])
    op = q.enqueue([x])
    p.run([], {x: 1}, targets=[op])
    p.run([], {x: 2}, targets=[op], error="DeadlineExceeded", timeout_ms=80)
    p.run(q.size())
    p.run(q.dequeue())
    p.run([], {x: 3}, targets=[op])
    p.run(q.dequeue())


@case
def fifo_full_and_drained_at_once(p):
    q = tf.FIFOQueue(1, [tf.int32], shapes=[[]])
    x = tf.placeholder(tf.int32, [])
    op, item = q.enqueue([x]), q.dequeue()
    with p.together(waits=True):
        p.run([], {x: 1}, targets=[op])
        p.run(item)
    with p.together(waits=True):
        p.run(item)
        p.run([], {x: 2}, targets=[op])


@case
def fifo_many_through_a_small_queue(p):
    q = tf.FIFOQueue(2, [tf.int32], shapes=[[]])
    fill = q.enqueue_many([tf.range(8)])
    many = q.dequeue_many(8)
    with p.together(waits=True):
        p.run([], targets=[fill])
        p.run(many)
    p.run(q.size())


@case
def fifo_dequeue_many_collects_over_time(p):
    q = tf.FIFOQueue(10, [tf.int32], shapes=[[]])
    one, two = q.enqueue_many([[1, 2]]), q.dequeue_many(4)
    more = q.enqueue_many([[1, 2]])
    with p.together(waits=True):
        p.run(two)
        p.run([], targets=[one])
        p.run([], targets=[more])
    p.run(q.size())


@case
def fifo_producers_and_consumers(p):
    q = tf.FIFOQueue(3, [tf.int32], shapes=[[]])
    results = tf.FIFOQueue(100, [tf.int32], shapes=[[]])
    fills = [q.enqueue_many([tf.range(i * 10, i * 10 + 6)]) for i in range(3)]
    moves = [results.enqueue_many([q.dequeue_many(9)]) for _ in range(2)]
    with p.together(waits=True):
        for op in fills + moves:
            p.run([], targets=[op])
    p.run(results.dequeue_many(18), unordered=True)


@case
def fifo_in_one_step(p):
    q = tf.FIFOQueue(5, [tf.int32], shapes=[[]])
    with tf.control_dependencies([q.enqueue([11])]):
        item = q.dequeue()
    with tf.control_dependencies([item]):
        size = q.size()
    p.run([item, size])


@case
def fifo_unbounded(p):
    q = tf.FIFOQueue(-1, [tf.int32], shapes=[[]])
    p.run([], targets=[q.enqueue_many([tf.range(500)])])
    p.run(q.size())
    p.run(q.dequeue_many(500))


@case
def fifo_negative_capacity(p):
    handle = raw.FIFOQueueV2(component_types=[tf.int32], shapes=[[]], capacity=-5)
    p.run([], targets=[raw.QueueEnqueueV2(handle=handle, components=[tf.constant(1)])])
    p.run(raw.QueueSizeV2(handle=handle))


@case
def fifo_wrong_shape(p):
    q = tf.FIFOQueue(5, [tf.int32], shapes=[[2]])
    x = tf.placeholder(tf.int32)
    op = q.enqueue([x])
    p.run([], {x: [1, 2]}, targets=[op])
    p.run([], {x: [1, 2, 3]}, targets=[op], error="InvalidArgument")
    p.run(q.size())


@case
def fifo_wrong_rank_many(p):
    q = tf.FIFOQueue(5, [tf.int32], shapes=[[]])
    x = tf.placeholder(tf.int32)
    op = raw.QueueEnqueueManyV2(handle=q.queue_ref, components=[x])
    p.run([], {x: [1, 2]}, targets=[op])
    p.run([], {x: [[1], [2]]}, targets=[op], error="InvalidArgument")
    p.run(q.size())


@case
def fifo_many_sizes_disagree(p):
    q = tf.FIFOQueue(5, [tf.int32, tf.int32], shapes=[[], []])
    x, y = tf.placeholder(tf.int32), tf.placeholder(tf.int32)
    op = raw.QueueEnqueueManyV2(handle=q.queue_ref, components=[x, y])
    p.run([], {x: [1, 2], y: [3, 4]}, targets=[op])
    p.run([], {x: [1, 2], y: [3]}, targets=[op], error="InvalidArgument")


@case
def fifo_many_of_a_scalar(p):
    q = tf.FIFOQueue(5, [tf.int32])
    x = tf.placeholder(tf.int32)
    op = raw.QueueEnqueueManyV2(handle=q.queue_ref, components=[x])
    p.run([], {x: 1}, targets=[op], error="InvalidArgument", judged=False)


@case
def fifo_wrong_component_types(p):
    q = tf.FIFOQueue(5, [tf.int32], shapes=[[]])
    op = raw.QueueEnqueueV2(handle=q.queue_ref, components=[tf.constant(1.5)])
    p.run([], targets=[op], error="InvalidArgument")
    out = raw.QueueDequeueV2(handle=q.queue_ref, component_types=[tf.float32])
    p.run([], targets=[q.enqueue([1])])
    p.run(out[0], error="InvalidArgument")


@case
def fifo_wrong_component_count(p):
    q = tf.FIFOQueue(5, [tf.int32, tf.int32], shapes=[[], []])
    op = raw.QueueEnqueueV2(handle=q.queue_ref, components=[tf.constant(1)])
    p.run([], targets=[op], error="InvalidArgument")


@case
def fifo_negative_count(p):
    q = tf.FIFOQueue(5, [tf.int32], shapes=[[]])
    n = tf.placeholder(tf.int32, [])
    p.run(q.dequeue_many(n), {n: -1}, error="InvalidArgument")


@case
def fifo_count_beyond_capacity(p):
    q = tf.FIFOQueue(3, [tf.int32], shapes=[[]])
    p.run([], targets=[q.enqueue_many([[1, 2, 3]])])
    p.run([], targets=[q.close()])
    p.run(q.dequeue_many(4), error="OutOfRange")


@case
def fifo_count_is_fed(p):
    q = tf.FIFOQueue(10, [tf.int32], shapes=[[]])
    n = tf.placeholder(tf.int32, [])
    many = q.dequeue_many(n)
    p.run([], targets=[q.enqueue_many([[1, 2, 3, 4, 5]])])
    for count in (2, 0, 3):
        p.run(many, {n: count})


@case
def fifo_shared_by_name(p):
    a = tf.FIFOQueue(10, [tf.int32], shapes=[[]], shared_name="common")
    b = tf.FIFOQueue(10, [tf.int32], shapes=[[]], shared_name="common")
    p.run([], targets=[a.enqueue([5])])
    p.run(b.size())
    p.run(b.dequeue())


@case(params=["capacity", "types", "shapes", "kind"])
def fifo_shared_with_other(p, what):
    a = tf.FIFOQueue(10, [tf.int32], shapes=[[]], shared_name="common")
    if what == "capacity":
        b = tf.FIFOQueue(11, [tf.int32], shapes=[[]], shared_name="common")
    elif what == "types":
        b = tf.FIFOQueue(10, [tf.float32], shapes=[[]], shared_name="common")
    elif what == "shapes":
        b = tf.FIFOQueue(10, [tf.int32], shapes=[[2]], shared_name="common")
    else:
        b = tf.RandomShuffleQueue(10, 1, [tf.int32], shapes=[[]], shared_name="common")
    p.run(a.size())
    p.run(b.size(), error="InvalidArgument")


@case
def fifo_selected_by_index(p):
    a = tf.FIFOQueue(10, [tf.float32], shapes=[[]])
    b = tf.FIFOQueue(10, [tf.float32], shapes=[[]])
    index = tf.placeholder(tf.int32, [])
    q = tf.QueueBase.from_list(index, [a, b])
    p.run([], targets=[a.enqueue([1.0]), b.enqueue([2.0])])
    p.run(q.dequeue(), {index: 1})
    p.run(q.dequeue(), {index: 0})


@case
def fifo_moves_to_another(p):
    a = tf.FIFOQueue(10, [tf.int32], shapes=[[]])
    b = tf.FIFOQueue(10, [tf.int32], shapes=[[]])
    move = b.enqueue([a.dequeue() * 2])
    p.run([], targets=[a.enqueue_many([[1, 2, 3]])])
    for _ in range(3):
        p.run([], targets=[move])
    p.run(b.dequeue_many(3))


@case
def fifo_batch_of_vectors(p):
    q = tf.FIFOQueue(10, [tf.float32], shapes=[[2, 2]])
    for _ in range(3):
        p.run([], targets=[q.enqueue([tf.constant(p.floats(2, 2))])])
    batch = q.dequeue_many(3)
    p.run([batch, tf.reduce_sum(batch, axis=[1, 2])][1], tolerance=1e-5)
    p.run(q.size())


@case
def fifo_first_version(p):
    handle = raw.FIFOQueue(component_types=[tf.int32], shapes=[[]], capacity=4)
    put = raw.QueueEnqueue(handle=handle, components=[tf.constant(3)])
    p.run([], targets=[put])
    p.run(raw.QueueSize(handle=handle))
    p.run(raw.QueueDequeue(handle=handle, component_types=[tf.int32])[0])
    p.run([], targets=[raw.QueueClose(handle=handle)])


@case
def fifo_string_vectors(p):
    q = tf.FIFOQueue(4, [tf.string], shapes=[[2]])
    p.run([], targets=[q.enqueue_many([tf.constant([["a", "b"], ["c", "dd"], ["", "e"]])])])
    p.run(q.dequeue_many(3))

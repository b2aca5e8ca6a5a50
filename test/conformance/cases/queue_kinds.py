# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Queues that shuffle, pad and sort; queues between steps and beside other
nodes."""

from plan import case, np, raw, tf


@case
def shuffle_gives_all(p):
    q = tf.RandomShuffleQueue(100, 0, [tf.int32], shapes=[[]], seed=7)
    p.run([], targets=[q.enqueue_many([tf.range(30)])])
    p.run(q.dequeue_many(30), unordered=True)
    p.run(q.size())


@case
def shuffle_keeps_components_together(p):
    q = tf.RandomShuffleQueue(100, 0, [tf.int32, tf.int32], shapes=[[], []], seed=7)
    p.run([], targets=[q.enqueue_many([tf.range(10), tf.range(10) * 3])])
    a, b = q.dequeue_many(10)
    p.run([tf.reduce_sum(tf.abs(a * 3 - b))])
    p.run(q.size())


@case
def shuffle_minimum_stays(p):
    q = tf.RandomShuffleQueue(10, 5, [tf.int32], shapes=[[]], seed=1)
    p.run([], targets=[q.enqueue_many([[4, 4, 4, 4, 4, 4, 4]])])
    p.runs(2, q.dequeue())
    p.run(q.dequeue(), error="DeadlineExceeded", timeout_ms=80)
    p.run(q.size())
    p.run([], targets=[q.close()])
    p.run(q.dequeue_many(5))
    p.run(q.dequeue(), error="OutOfRange")


@case
def shuffle_up_to_after_close(p):
    q = tf.RandomShuffleQueue(10, 3, [tf.int32], shapes=[[]], seed=1)
    p.run([], targets=[q.enqueue_many([[4, 5, 6]])])
    p.run([], targets=[q.close()])
    p.run(q.dequeue_up_to(8), unordered=True)
    p.run(q.dequeue_up_to(8), error="OutOfRange")


@case
def shuffle_bad_minimum(p):
    handle = raw.RandomShuffleQueueV2(component_types=[tf.int32], shapes=[[]], capacity=4, min_after_dequeue=4)
    p.run(raw.QueueSizeV2(handle=handle), error="InvalidArgument")


@case
def shuffle_negative_minimum(p):
    handle = raw.RandomShuffleQueueV2(component_types=[tf.int32], shapes=[[]], capacity=4, min_after_dequeue=-1)
    p.run(raw.QueueSizeV2(handle=handle), error="InvalidArgument")


@case
def shuffle_enqueue_after_close(p):
    q = tf.RandomShuffleQueue(10, 1, [tf.float32], shapes=[[]])
    p.run([], targets=[q.close()])
    p.run([], targets=[q.enqueue([1.0])], error="Cancelled")


@case
def shuffle_strings(p):
    q = tf.RandomShuffleQueue(10, 0, [tf.string], shapes=[[]], seed=3)
    p.run([], targets=[q.enqueue_many([["x", "y", "zz"]])])
    p.run(q.dequeue_many(3), unordered=True)


@case
def padding_pads(p):
    q = tf.PaddingFIFOQueue(10, [tf.int32], shapes=[[None]])
    for value in ([1], [2, 3, 4], [5, 6]):
        p.run([], targets=[q.enqueue([tf.constant(value)])])
    p.run(q.dequeue_many(3))


@case
def padding_by_batch(p):
    q = tf.PaddingFIFOQueue(10, [tf.int32], shapes=[[None]])
    for value in ([1], [2, 3], [5, 6, 7, 8], [9]):
        p.run([], targets=[q.enqueue([tf.constant(value)])])
    p.run(q.dequeue_many(2))
    p.run(q.dequeue_many(2))


@case
def padding_two_dimensions(p):
    q = tf.PaddingFIFOQueue(10, [tf.float32, tf.string], shapes=[[None, None], [None]])
    p.run([], targets=[q.enqueue([[[1.0, 2.0]], ["a"]])])
    p.run([], targets=[q.enqueue([[[3.0], [4.0], [5.0]], ["b", "c"]])])
    p.run(q.dequeue_many(2))


@case
def padding_single_is_not_padded(p):
    q = tf.PaddingFIFOQueue(10, [tf.int32], shapes=[[None]])
    p.run([], targets=[q.enqueue([[1]])])
    p.run([], targets=[q.enqueue([[2, 3]])])
    p.run(q.dequeue())
    p.run(q.dequeue())


@case
def padding_fixed_part(p):
    q = tf.PaddingFIFOQueue(10, [tf.int32], shapes=[[2, None]])
    x = tf.placeholder(tf.int32)
    op = q.enqueue([x])
    p.run([], {x: [[1], [2]]}, targets=[op])
    p.run([], {x: [[1, 2], [3, 4]]}, targets=[op])
    p.run([], {x: [[1, 2]]}, targets=[op], error="InvalidArgument")
    p.run(q.dequeue_many(2))


@case
def padding_up_to_after_close(p):
    q = tf.PaddingFIFOQueue(10, [tf.int32], shapes=[[None]])
    p.run([], targets=[q.enqueue([[1, 2]])])
    p.run([], targets=[q.enqueue([[3]])])
    p.run([], targets=[q.close()])
    p.run(q.dequeue_up_to(5))
    p.run(q.dequeue_up_to(5), error="OutOfRange")


@case
def padding_empty_elements(p):
    q = tf.PaddingFIFOQueue(10, [tf.int32], shapes=[[None]])
    p.run([], targets=[q.enqueue([tf.zeros([0], tf.int32)])])
    p.run([], targets=[q.enqueue([[3]])])
    p.run(q.dequeue_many(2))


@case
def padding_booleans(p):
    q = tf.PaddingFIFOQueue(10, [tf.bool], shapes=[[None]])
    p.run([], targets=[q.enqueue([[True]])])
    p.run([], targets=[q.enqueue([[True, True]])])
    p.run(q.dequeue_many(2))


@case
def priority_order(p):
    q = tf.PriorityQueue(20, [tf.string], shapes=[[]])
    p.run([], targets=[q.enqueue_many([tf.constant([5, 1, 3, 2], tf.int64), ["five", "one", "three", "two"]])])
    p.runs(2, q.dequeue())
    p.run([], targets=[q.enqueue([tf.constant(0, tf.int64), "zero"])])
    p.run(q.dequeue_many(3))


@case
def priority_negative(p):
    q = tf.PriorityQueue(20, [tf.int32], shapes=[[]])
    p.run([], targets=[q.enqueue_many([tf.constant([2, -7, 0], tf.int64), [1, 2, 3]])])
    p.run(q.dequeue_many(3))


@case
def priority_up_to(p):
    q = tf.PriorityQueue(20, [tf.float32, tf.float32], shapes=[[], [2]])
    p.run([], targets=[q.enqueue_many([tf.constant([9, 4], tf.int64), [0.5, 1.5], [[1.0, 2.0], [3.0, 4.0]]])])
    p.run(q.dequeue_up_to(2))
    p.run([], targets=[q.close()])
    p.run(q.dequeue(), error="OutOfRange")


@case
def priority_wrong_type(p):
    handle = raw.PriorityQueueV2(component_types=[tf.int32], shapes=[[], []], capacity=10)
    op = raw.QueueEnqueueV2(handle=handle, components=[tf.constant(1), tf.constant(1)])
    p.run([], targets=[op], error="InvalidArgument")


@case
def queue_runner_ops_by_hand(p):
    # What a queue runner does, as steps: fill, close at the end of data, drain.
    source = tf.FIFOQueue(10, [tf.string], shapes=[[]])
    work = tf.FIFOQueue(10, [tf.int32], shapes=[[]])
    run = work.enqueue([tf.strings.to_number(source.dequeue(), tf.int32)])
    p.run([], targets=[source.enqueue_many([["12", "-3"]])])
    p.run([], targets=[source.close()])
    for _ in range(2):
        p.run([], targets=[run])
    p.run([], targets=[run], error="OutOfRange")
    p.run([], targets=[work.close()])
    p.run(work.dequeue_up_to(10))


@case
def enqueue_of_a_variable(p):
    v = tf.Variable([1, 2], use_resource=True)
    q = tf.FIFOQueue(5, [tf.int32], shapes=[[2]])
    put = q.enqueue([v.read_value()])
    p.run(v.initializer)
    p.run([], targets=[put])
    p.run([], targets=[v.assign_add([10, 10]).op])
    p.run([], targets=[put])
    p.run(q.dequeue_many(2))


@case
def barrier_like_tokens(p):
    tokens = tf.FIFOQueue(-1, [tf.int64], shapes=[[]])
    step = tf.Variable(0, dtype=tf.int64, use_resource=True)
    with tf.control_dependencies([step.assign_add(1)]):
        give = tokens.enqueue_many([tf.fill([3], step.read_value())])
    p.run(step.initializer)
    p.run([], targets=[give])
    p.runs(3, tokens.dequeue())
    p.run([], targets=[give])
    p.run(tokens.dequeue())


@case
def dequeue_feeds_a_loop(p):
    q = tf.FIFOQueue(5, [tf.int32], shapes=[[]])
    out = tf.while_loop(lambda i, s: i < 4, lambda i, s: (i + 1, s * 2), [0, q.dequeue()])
    p.run([], targets=[q.enqueue([3])])
    p.run(out[1])


@case
def size_between_operations(p):
    q = tf.FIFOQueue(5, [tf.int32], shapes=[[]])
    with tf.control_dependencies([q.enqueue([1])]):
        first = q.size()
    with tf.control_dependencies([first]):
        put = q.enqueue([2])
    with tf.control_dependencies([put]):
        second = q.size()
    p.run([first, second])


@case
def two_dequeues_in_one_step(p):
    q = tf.FIFOQueue(5, [tf.int32], shapes=[[]])
    first = q.dequeue()
    with tf.control_dependencies([first]):
        second = q.dequeue()
    p.run([], targets=[q.enqueue_many([[8, 9]])])
    p.run([first - second, first])


@case
def fed_instead_of_dequeued(p):
    q = tf.FIFOQueue(5, [tf.int32], shapes=[[]])
    item = q.dequeue()
    p.run(item * 2, {item: np.int32(21)})

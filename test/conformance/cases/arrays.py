# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stacks and tensor arrays."""

from plan import case, raw, tf


def stack(dtype, size=-1):
    return raw.StackV2(max_size=tf.constant(size), elem_type=dtype)


@case(params=[tf.int32, tf.float32, tf.string, tf.bool])
def stack_push_and_pop(p, dtype):
    s = stack(dtype)
    value = tf.constant({tf.string: "x", tf.bool: True}.get(dtype, 4), dtype)
    pushed = raw.StackPushV2(handle=s, elem=value)
    with tf.control_dependencies([pushed]):
        popped = raw.StackPopV2(handle=s, elem_type=dtype)
    p.run([pushed, popped])


@case
def stack_last_in_first_out(p):
    s = stack(tf.int32)
    before = []
    for value in (1, 2, 3):
        with tf.control_dependencies(before):
            before = [raw.StackPushV2(handle=s, elem=tf.constant([value, value * 10]))]
    out = []
    for _ in range(3):
        with tf.control_dependencies(before):
            before = [raw.StackPopV2(handle=s, elem_type=tf.int32)]
        out += before
    p.run(out)


@case
def stack_pop_of_empty(p):
    p.run(raw.StackPopV2(handle=stack(tf.int32), elem_type=tf.int32), error="InvalidArgument")


@case
def stack_pop_of_other_type(p):
    s = stack(tf.float32)
    with tf.control_dependencies([raw.StackPushV2(handle=s, elem=tf.constant(1.0))]):
        out = raw.StackPopV2(handle=s, elem_type=tf.int32)
    p.run(out, error="Internal", weir="InvalidArgument")


@case
def stack_push_of_other_type(p):
    s = stack(tf.float32)
    p.run(raw.StackPushV2(handle=s, elem=tf.constant(1)), error="InvalidArgument")


@case
def stack_that_is_full(p):
    s = stack(tf.int32, 1)
    first = raw.StackPushV2(handle=s, elem=tf.constant(1))
    with tf.control_dependencies([first]):
        second = raw.StackPushV2(handle=s, elem=tf.constant(2))
    p.run(first)
    p.run(second, error="InvalidArgument")


@case
def stack_of_each_step(p):
    # A stack lives as long as its step: the next one finds it empty.
    s = stack(tf.int32)
    p.run(raw.StackPushV2(handle=s, elem=tf.constant(1)))
    p.run(raw.StackPopV2(handle=s, elem_type=tf.int32), error="InvalidArgument")


@case
def stack_close(p):
    s = stack(tf.int32)
    pushed = raw.StackPushV2(handle=s, elem=tf.constant(1))
    with tf.control_dependencies([pushed]):
        closed = raw.StackCloseV2(handle=s)
    with tf.control_dependencies([closed]):
        popped = raw.StackPopV2(handle=s, elem_type=tf.int32)
    p.run(pushed, targets=[closed])
    p.run(popped, error="InvalidArgument")


@case
def stack_in_a_loop(p):
    s = stack(tf.int32)

    def push(i):
        with tf.control_dependencies([raw.StackPushV2(handle=s, elem=i * i)]):
            return i + 1

    n = tf.while_loop(lambda i: i < 5, push, [0], parallel_iterations=1)

    def pop(i, t):
        item = raw.StackPopV2(handle=s, elem_type=tf.int32)
        item.set_shape([])
        with tf.control_dependencies([item]):
            return i - 1, t * 3 + item

    p.run(tf.while_loop(lambda i, t: i > 0, pop, [n, 0], parallel_iterations=1)[1])


@case
def stacks_by_name(p):
    a, b = stack(tf.int32), stack(tf.int32)
    with tf.control_dependencies([raw.StackPushV2(handle=a, elem=tf.constant(1)), raw.StackPushV2(handle=b, elem=tf.constant(2))]):
        p.run([raw.StackPopV2(handle=a, elem_type=tf.int32), raw.StackPopV2(handle=b, elem_type=tf.int32)])


# ---- Tensor arrays.


@case(params=[tf.int32, tf.int64, tf.float32, tf.float64, tf.string, tf.bool])
def write_and_read(p, dtype):
    value = {tf.string: ["a", "b"], tf.bool: [True, False]}.get(dtype, [3, 4])
    ta = tf.TensorArray(dtype, 3)
    ta = ta.write(0, tf.constant(value, dtype)).write(2, tf.constant(value[::-1], dtype))
    p.run([ta.read(0), ta.read(2)])


@case
def write_and_stack(p):
    ta = tf.TensorArray(tf.float32, 3).write(1, [4.0, 5.0]).write(0, [1.0, 2.0]).write(2, [7.0, 8.0])
    p.run([ta.stack()])


@case
def stack_of_scalars(p):
    ta = tf.TensorArray(tf.int32, 4)
    for i in range(4):
        ta = ta.write(i, i * i)
    p.run([ta.stack(), ta.size()])


@case
def unstack_and_read(p):
    x = tf.placeholder(tf.float32, [3, 2])
    ta = tf.TensorArray(tf.float32, 3, clear_after_read=False).unstack(x)
    p.run([ta.read(2), ta.read(0), ta.stack()], {x: [[1, 2], [3, 4], [5, 6]]})


@case
def gather_some(p):
    ta = tf.TensorArray(tf.int32, 4, clear_after_read=False).unstack([[1], [2], [3], [4]])
    index = tf.placeholder(tf.int32, [None])
    out = ta.gather(index)
    p.run(out, {index: [3, 0, 3]})
    p.run(out, {index: [1]})


@case
def gather_of_none(p):
    ta = tf.TensorArray(tf.int32, 2, element_shape=[3]).unstack([[1, 2, 3], [4, 5, 6]])
    p.run(ta.gather(tf.zeros([0], tf.int32)))


@case
def scatter_some(p):
    ta = tf.TensorArray(tf.float32, 4, clear_after_read=False).scatter([3, 1], [[1.0, 2.0], [3.0, 4.0]])
    p.run([ta.read(1), ta.read(3)])


@case
def scatter_sizes_disagree(p):
    x = tf.placeholder(tf.float32)
    ta = tf.TensorArray(tf.float32, 4, infer_shape=False)
    out = ta.scatter(tf.constant([0, 1]), x)
    p.run(out.flow, {x: [1.0, 2.0, 3.0]}, error="InvalidArgument")


@case
def concat_rows(p):
    ta = tf.TensorArray(tf.float32, 3, infer_shape=False)
    ta = ta.write(0, [[1.0, 2.0]]).write(1, [[3.0, 4.0], [5.0, 6.0]]).write(2, [[7.0, 8.0]])
    p.run(ta.concat())


@case
def concat_lengths(p):
    ta = tf.TensorArray(tf.int32, 2, infer_shape=False).write(0, [1]).write(1, [2, 3, 4])
    out = raw.TensorArrayConcatV3(handle=ta.handle, flow_in=ta.flow, dtype=tf.int32)
    p.run([out.value, out.lengths])


@case
def split_rows(p):
    ta = tf.TensorArray(tf.float32, 3, infer_shape=False, clear_after_read=False)
    ta = ta.split([[1.0], [2.0], [3.0], [4.0]], [1, 0, 3])
    p.run([ta.read(0), ta.read(1), ta.read(2), ta.size()])


@case
def split_lengths_that_do_not_add_up(p):
    ta = tf.TensorArray(tf.float32, 2, infer_shape=False)
    x = tf.placeholder(tf.float32)
    out = ta.split(x, tf.constant([1, 2]))
    p.run(out.flow, {x: [1.0, 2.0, 3.0, 4.0]}, error="InvalidArgument")


@case
def grows_when_dynamic(p):
    ta = tf.TensorArray(tf.int32, 0, dynamic_size=True)
    ta = ta.write(0, 5).write(3, 8)
    p.run(ta.size())


@case
def does_not_grow_otherwise(p):
    ta = tf.TensorArray(tf.int32, 2)
    i = tf.placeholder(tf.int32, [])
    out = ta.write(i, 7).read(i)
    p.run(out, {i: 1})
    p.run(out, {i: 2}, error="InvalidArgument")
    p.run(out, {i: -1}, error="InvalidArgument")


@case
def size_is_fed(p):
    n = tf.placeholder(tf.int32, [])
    ta = tf.TensorArray(tf.float32, n)
    p.run(ta.size(), {n: 0})
    p.run(ta.size(), {n: 7})


@case
def read_before_write(p):
    ta = tf.TensorArray(tf.float32, 2, infer_shape=False)
    p.run(ta.read(0), error="InvalidArgument")


@case
def read_before_write_with_shape_is_zero(p):
    ta = tf.TensorArray(tf.float32, 2, element_shape=[2])
    ta = ta.write(1, [1.0, 2.0])
    p.run([ta.read(0)])
    p.run(ta.stack())


@case
def read_outside(p):
    ta = tf.TensorArray(tf.float32, 2, element_shape=[])
    i = tf.placeholder(tf.int32, [])
    p.run(ta.read(i), {i: 5}, error="InvalidArgument")


@case
def write_twice(p):
    ta = tf.TensorArray(tf.float32, 2).write(0, 1.0)
    p.run(ta.write(0, 2.0).flow, error="InvalidArgument")


@case
def read_twice_clears(p):
    ta = tf.TensorArray(tf.float32, 2, clear_after_read=True).write(0, 1.0)
    first = ta.read(0)
    with tf.control_dependencies([first]):
        second = raw.TensorArrayReadV3(handle=ta.handle, index=0, flow_in=ta.flow, dtype=tf.float32)
    p.run(first)
    p.run(second, error="InvalidArgument")


@case
def read_twice_is_kept(p):
    ta = tf.TensorArray(tf.float32, 2, clear_after_read=False).write(0, 1.0)
    first = ta.read(0)
    with tf.control_dependencies([first]):
        second = ta.read(0)
    p.run([first, second])


@case
def write_of_other_type(p):
    ta = tf.TensorArray(tf.float32, 2)
    out = raw.TensorArrayWriteV3(handle=ta.handle, index=0, value=tf.constant(1), flow_in=ta.flow)
    p.run(out, error="InvalidArgument")


@case
def write_of_other_shape(p):
    x = tf.placeholder(tf.float32)
    ta = tf.TensorArray(tf.float32, 2, element_shape=[2], infer_shape=True)
    out = ta.write(0, x).flow
    p.run(ta.write(0, x).read(0), {x: [1, 2]})
    p.run(out, {x: [1, 2, 3]}, error="InvalidArgument")


@case
def stack_of_unequal_shapes(p):
    x = tf.placeholder(tf.float32)
    ta = tf.TensorArray(tf.float32, 2, infer_shape=False).write(0, [1.0]).write(1, x)
    p.run(ta.stack(), {x: [3.0]})
    p.run(ta.stack(), {x: [3.0, 4.0]}, error="InvalidArgument")


@case
def close_then_use(p):
    ta = tf.TensorArray(tf.float32, 2).write(0, 1.0)
    with tf.control_dependencies([ta.close()]):
        late = raw.TensorArrayReadV3(handle=ta.handle, index=0, flow_in=tf.identity(ta.flow), dtype=tf.float32)
    p.run(late, error="InvalidArgument")


@case
def filled_by_a_loop(p):
    n = tf.placeholder(tf.int32, [])
    ta = tf.TensorArray(tf.int32, n)
    _, ta = tf.while_loop(lambda i, t: i < n, lambda i, t: (i + 1, t.write(i, i * 3)), [0, ta])
    out = ta.stack()
    p.run(out, {n: 5})
    p.run(out, {n: 1})


@case
def read_by_a_loop(p):
    x = tf.placeholder(tf.float32, [None, 2])
    ta = tf.TensorArray(tf.float32, tf.shape(x)[0]).unstack(x)
    out = tf.while_loop(lambda i, s: i < tf.shape(x)[0], lambda i, s: (i + 1, s * 0.5 + ta.read(i)), [0, tf.zeros([2])])
    p.run(out[1], {x: [[1, 2], [3, 4], [5, 6]]})


@case
def two_arrays_in_a_loop(p):
    a = tf.TensorArray(tf.float32, 4).unstack([1.0, 2.0, 3.0, 4.0])
    b = tf.TensorArray(tf.float32, 4)
    _, b = tf.while_loop(lambda i, t: i < 4, lambda i, t: (i + 1, t.write(3 - i, a.read(i) * 2.0)), [0, b])
    p.run(b.stack())


@case
def dynamic_array_in_a_loop(p):
    ta = tf.TensorArray(tf.int32, 1, dynamic_size=True)
    x, _, ta = tf.while_loop(lambda x, i, t: x > 0, lambda x, i, t: (x // 2, i + 1, t.write(i, x)), [tf.placeholder_with_default(100, []), 0, ta])
    p.run(ta.stack())


@case
def written_in_branches(p):
    ta = tf.TensorArray(tf.int32, 4)

    def step(i, flow):
        array = tf.TensorArray(tf.int32, handle=ta.handle, flow=flow)
        return i + 1, tf.cond(tf.equal(i % 2, 0), lambda: array.write(i, i).flow, lambda: array.write(i, -i).flow)

    _, flow = tf.while_loop(lambda i, f: i < 4, step, [0, ta.flow])
    p.run(tf.TensorArray(tf.int32, handle=ta.handle, flow=flow).stack())


@case
def nested_loops_write_one_array(p):
    def outer(i, t):
        return i + 1, tf.while_loop(lambda j, u: j < 3, lambda j, u: (j + 1, u.write(i * 3 + j, i * 10 + j)), [0, t])[1]

    _, ta = tf.while_loop(lambda i, t: i < 2, outer, [0, tf.TensorArray(tf.int32, 6)])
    p.run(ta.stack())


@case
def of_each_step(p):
    # Each run of the step begins with an array of its own.
    ta = tf.TensorArray(tf.int32, 2).write(0, 1).write(1, 2)
    p.run(ta.stack())
    p.run(ta.stack())


@case
def gradient_of_unstack_and_stack(p):
    x = tf.placeholder(tf.float32, [3, 2])
    ta = tf.TensorArray(tf.float32, 3, clear_after_read=False).unstack(x * 2.0)
    y = ta.stack() * [[1.0, 2.0]]
    p.run(tf.gradients(y, x), {x: [[1, 2], [3, 4], [5, 6]]})


@case
def gradient_of_writes_and_reads(p):
    x = tf.placeholder(tf.float32, [])
    ta = tf.TensorArray(tf.float32, 3, clear_after_read=False).write(0, x).write(1, x * x).write(2, x * 3.0)
    y = ta.read(0) * ta.read(1) + ta.read(2)
    p.run([y] + tf.gradients(y, x), {x: 2.0})


@case
def gradient_read_twice_adds_up(p):
    x = tf.placeholder(tf.float32, [2])
    ta = tf.TensorArray(tf.float32, 1, clear_after_read=False).write(0, x)
    y = ta.read(0) * 3.0 + ta.read(0) * 4.0
    p.run(tf.gradients(y, x), {x: [1, 2]})


@case
def gradient_of_split_and_concat(p):
    x = tf.placeholder(tf.float32, [4])
    ta = tf.TensorArray(tf.float32, 2, infer_shape=False, clear_after_read=False).split(x * x, [1, 3])
    y = ta.concat() * [1.0, 10.0, 100.0, 1000.0]
    p.run(tf.gradients(y, x), {x: [1, 2, 3, 4]})


@case
def gradient_through_a_loop(p):
    x = tf.placeholder(tf.float32, [3])
    ta = tf.TensorArray(tf.float32, 3).unstack(x)
    out = tf.TensorArray(tf.float32, 3)
    _, total, out = tf.while_loop(lambda i, s, t: i < 3, lambda i, s, t: (i + 1, s * 2.0 + ta.read(i), t.write(i, s)), [0, 0.0, out])
    y = tf.reduce_sum(out.stack() * [1.0, 2.0, 3.0]) + total
    p.run([y] + tf.gradients(y, x), {x: [1, 2, 3]}, tolerance=1e-5)


@case
def gradient_of_gather_and_scatter(p):
    x = tf.placeholder(tf.float32, [2, 2])
    ta = tf.TensorArray(tf.float32, 4, clear_after_read=False, element_shape=[2]).scatter([0, 3], x)
    y = ta.gather([3, 0]) * [[1.0, 2.0], [3.0, 4.0]]
    p.run(tf.gradients(y, x), {x: [[1, 2], [3, 4]]})

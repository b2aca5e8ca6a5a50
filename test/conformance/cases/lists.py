# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lists of tensors, optionals, and the gradients that are made of them."""

from cases.functions import functional
from plan import case, np, raw, tf


def empty(shape, dtype=tf.float32):
    return raw.EmptyTensorList(element_shape=tf.constant(shape, tf.int32), max_num_elements=-1, element_dtype=dtype)


def push(l, x):
    return raw.TensorListPushBack(input_handle=l, tensor=x)


def stack(l, shape, dtype=tf.float32, count=-1):
    return raw.TensorListStack(input_handle=l, element_shape=tf.constant(shape, tf.int32), element_dtype=dtype, num_elements=count)


def get(l, i, shape, dtype=tf.float32):
    return raw.TensorListGetItem(input_handle=l, index=i, element_shape=tf.constant(shape, tf.int32), element_dtype=dtype)


@case
def are_values(p):
    x = tf.placeholder(tf.float32, [2])
    a = push(empty([2]), x)
    b, c = push(a, x * 2.0), push(a, x * 3.0)
    d = raw.TensorListSetItem(input_handle=b, index=0, item=x * 4.0)
    shorter, last = raw.TensorListPopBack(input_handle=b, element_shape=tf.constant([2]), element_dtype=tf.float32)
    p.run([stack(a, [2]), stack(b, [2]), stack(c, [2]), stack(d, [2]), stack(shorter, [2]), last], {x: [1, 2]})
    p.run([raw.TensorListLength(input_handle=l) for l in (a, b, shorter)], {x: [1, 2]})


@case
def reserved(p):
    n, i = tf.placeholder(tf.int32, []), tf.placeholder(tf.int32, [])
    l = raw.TensorListReserve(element_shape=tf.constant([2]), num_elements=n, element_dtype=tf.float32)
    l = raw.TensorListSetItem(input_handle=l, index=i, item=tf.constant([1.0, 2.0]))
    p.run([stack(l, [2]), get(l, 0, [2])], {n: 3, i: 1})
    for index in (3, -1):
        p.run(stack(l, [2]), {n: 3, i: index}, error="InvalidArgument")


@case
def of_slices(p):
    x, i = tf.placeholder(tf.int32, [None, 2]), tf.placeholder(tf.int32, [None])
    l = raw.TensorListFromTensor(tensor=x, element_shape=tf.constant([2]))
    gathered = raw.TensorListGather(input_handle=l, indices=i, element_shape=tf.constant([2]), element_dtype=tf.int32)
    scattered = raw.TensorListScatterV2(tensor=x, indices=i, element_shape=tf.constant([2]), num_elements=-1)
    value = [[1, 2], [3, 4], [5, 6]]
    p.run([stack(l, [2], tf.int32), gathered, stack(scattered, [2], tf.int32)], {x: value, i: [2, 0, 1]})
    p.run(gathered, {x: value, i: [3]}, error="InvalidArgument")


@case
def of_pieces(p):
    x, n = tf.placeholder(tf.float32, [None, 2]), tf.placeholder(tf.int64, [None])
    l = raw.TensorListSplit(tensor=x, element_shape=tf.constant([-1, 2]), lengths=n)
    joined = raw.TensorListConcatV2(input_handle=l, element_shape=tf.constant([-1, 2]), leading_dims=tf.constant([], tf.int64), element_dtype=tf.float32)
    p.run([joined.tensor, joined.lengths, get(l, 1, [-1, 2])], {x: [[1, 2], [3, 4], [5, 6]], n: [1, 2]})
    p.run(joined.tensor, {x: [[1, 2]], n: [2]}, error="InvalidArgument")


@case
def resized(p):
    n = tf.placeholder(tf.int32, [])
    l = raw.TensorListResize(input_handle=push(push(empty([]), 1.0), 2.0), size=n)
    for size in (1, 2, 4):
        p.run([stack(l, []), raw.TensorListLength(input_handle=l)], {n: size})


@case
def taken_from_nothing(p):
    popped = raw.TensorListPopBack(input_handle=empty([]), element_shape=tf.constant([], tf.int32), element_dtype=tf.float32)
    p.run(popped.tensor, error="InvalidArgument")


@case
def of_other_elements(p):
    x = tf.placeholder(tf.float32, [None])
    p.run(stack(push(empty([2]), x), [2]), {x: [1, 2]})
    p.run(stack(push(empty([2]), x), [2]), {x: [1, 2, 3]}, error="InvalidArgument")
    p.run(stack(push(push(empty(-1), x), tf.constant([1.0])), -1), {x: [1, 2]}, error="InvalidArgument")


@case
def of_strings(p):
    x = tf.placeholder(tf.string, [2])
    p.run(stack(push(push(empty([2], tf.string), x), tf.constant(["p", "q"])), [2], tf.string), {x: ["a", ""]})


@case
def of_lists(p):
    x = tf.placeholder(tf.float32, [])
    inner = push(push(empty([]), x), x * 2.0)
    outer = raw.TensorListPushBack(input_handle=empty([], tf.variant), tensor=inner)
    back = raw.TensorListGetItem(input_handle=outer, index=0, element_shape=tf.constant([], tf.int32), element_dtype=tf.variant)
    p.run(stack(back, []), {x: 3})


@case
def sums_and_zeros(p):
    x = tf.placeholder(tf.float32, [2])
    a, b = push(empty([2]), x), push(empty([2]), x * 10.0)
    p.run([stack(raw.AddN(inputs=[a, b, a]), [2]), stack(raw.ZerosLike(x=a), [2])], {x: [1, 2]})


@case
def filled_by_a_loop(p):
    n = tf.placeholder(tf.int32, [])
    l = raw.TensorListReserve(element_shape=tf.constant([], tf.int32), num_elements=n, element_dtype=tf.int32)
    _, l = tf.while_loop(lambda i, l: i < n, lambda i, l: (i + 1, raw.TensorListSetItem(input_handle=l, index=i, item=i * i)), [0, l])
    p.run(stack(l, [], tf.int32), {n: 4})


@case
def chosen_by_a_branch(p):
    which, x = tf.placeholder(tf.bool, []), tf.placeholder(tf.float32, [])
    l = tf.cond(which, lambda: push(empty([]), x), lambda: push(push(empty([]), x), x))
    p.run(stack(l, []), {which: True, x: 2})
    p.run(stack(l, []), {which: False, x: 2})


@case
def optionals(p):
    x = tf.placeholder(tf.float32, [2])
    some, none = raw.OptionalFromValue(components=[x, tf.constant("s")]), raw.OptionalNone()
    p.run([raw.OptionalHasValue(optional=some), raw.OptionalHasValue(optional=none)], {x: [1, 2]})
    kinds = {"output_types": [tf.float32, tf.string], "output_shapes": [[2], []]}
    p.run(list(raw.OptionalGetValue(optional=some, **kinds)), {x: [1, 2]})
    p.run(raw.OptionalGetValue(optional=none, **kinds)[0], error="InvalidArgument")


@case(params=[1, 3])
def gradient_of_nested_functional_loops(p, inner):
    x = tf.placeholder(tf.float32, [])
    with functional():
        body = lambda i, v: (i + 1, tf.while_loop(lambda j, w: j < inner, lambda j, w: (j + 1, w * x + 1.0), [0, v], maximum_iterations=4)[1])
        y = tf.while_loop(lambda i, v: i < 2, body, [0, x], maximum_iterations=3)[1]
        out = tf.gradients(y, x)
    p.run([y] + out, {x: 1.25}, tolerance=1e-5)


@case
def gradient_of_a_functional_loop_over_vectors(p):
    x, n = tf.placeholder(tf.float32, [3]), tf.placeholder(tf.int32, [])
    with functional():
        y = tf.while_loop(lambda i, v: i < n, lambda i, v: (i + 1, tf.tanh(v * x)), [0, x], maximum_iterations=10)[1]
        out = tf.gradients(tf.reduce_sum(y), x)
    for count in (0, 1, 4):
        p.run([y] + out, {x: [0.5, -1, 2], n: count}, tolerance=1e-5)


@case
def gradient_of_a_functional_branch_in_a_loop(p):
    x = tf.placeholder(tf.float32, [])
    with functional():
        step = lambda i, v: (i + 1, tf.cond(tf.equal(i % 2, 0), lambda: v * x, lambda: v + x * x))
        y = tf.while_loop(lambda i, v: i < 3, step, [0, x], maximum_iterations=5)[1]
        out = tf.gradients(y, x)
    p.run([y] + out, {x: 1.5}, tolerance=1e-5)

# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops with effects: variables and queues in bodies, control edges into and
out of them, fetches of what is inside."""

from cases.loops import loop
from plan import case, tf


@case(params=[True, False])
def assign_in_body(p, resource):
    v = tf.Variable(0, use_resource=resource)

    def body(i):
        with tf.control_dependencies([tf.assign_add(v, i)]):
            return i + 1

    out = loop(lambda i: i < 5, body, [0], parallel_iterations=1)
    p.run(v.initializer)
    p.run(out)
    p.run(v)
    p.run(out)
    p.run(v)


@case
def read_in_body_after_assign(p):
    v = tf.Variable(1, use_resource=True)

    def body(i, s):
        with tf.control_dependencies([v.assign_add(i)]):
            now = v.read_value()
        with tf.control_dependencies([now]):
            return i + 1, s + now

    out = loop(lambda i, s: i < 6, body, [0, 0], parallel_iterations=1)
    p.run(v.initializer)
    p.run(out)
    p.run(v)


@case
def variable_in_condition(p):
    v = tf.Variable(0, use_resource=True)

    def body(i):
        with tf.control_dependencies([v.assign_add(2)]):
            return i + 1

    def cond(i):
        with tf.control_dependencies([i]):
            return v.read_value() < 9

    out = loop(cond, body, [0], parallel_iterations=1)
    p.run(v.initializer)
    p.run(out)
    p.run(v)


@case
def reference_variable_as_loop_input(p):
    v = tf.Variable([1.0, 2.0], use_resource=False)
    out = loop(lambda i, x: i < 3, lambda i, x: (i + 1, x + v), [0, tf.zeros([2])])
    p.run(v.initializer)
    p.run(out)


@case
def uninitialized_variable_in_body(p):
    v = tf.Variable(2.0, use_resource=True)
    n = tf.placeholder(tf.int32, [])
    out = loop(lambda i, x: i < n, lambda i, x: (i + 1, x + v.read_value()), [0, 0.0])
    p.run(out, {n: 2}, error="FailedPrecondition")
    p.run(v.initializer)
    p.run(out, {n: 2})


@case
def queue_filled_by_a_loop(p):
    q = tf.FIFOQueue(100, [tf.int32], shapes=[[]])

    def body(i):
        with tf.control_dependencies([q.enqueue([i * i])]):
            return i + 1

    p.run(loop(lambda i: i < 6, body, [0], parallel_iterations=1))
    p.run(q.size())
    p.run(q.dequeue_many(6))


@case
def queue_drained_by_a_loop(p):
    q = tf.FIFOQueue(100, [tf.int32], shapes=[[]])
    fill = q.enqueue_many([[3, 1, 4, 1, 5]])

    def body(i, s):
        item = q.dequeue()
        with tf.control_dependencies([item]):
            return i + 1, s * 10 + item

    p.run([], targets=[fill])
    p.run(loop(lambda i, s: i < 5, body, [0, 0], parallel_iterations=1))
    p.run(q.size())


@case
def control_dependency_into_body(p):
    v = tf.Variable(5, use_resource=True)
    before = v.assign(50)

    def body(i, s):
        with tf.control_dependencies([before]):
            return i + 1, s + 1

    out = loop(lambda i, s: i < 3, body, [0, 0])
    p.run(v.initializer)
    p.run(out)
    p.run(v)


@case
def control_dependency_on_the_loop(p):
    v = tf.Variable(1, use_resource=True)
    out = loop(lambda i: i < 3, lambda i: i + 1, [0])
    with tf.control_dependencies([out]):
        later = v.assign_add(10)
    p.run(v.initializer)
    p.run(later)


@case
def loop_for_its_effects(p):
    v = tf.Variable([0, 0], use_resource=True)

    def body(i):
        with tf.control_dependencies([v.assign_add([1, 2])]):
            return i + 1

    out = loop(lambda i: i < 4, body, [0], parallel_iterations=1)
    p.run(v.initializer)
    p.run([], targets=[out])
    p.run(v)


@case
def fetch_of_an_invariant_feed(p):
    x = tf.placeholder(tf.int32, [])
    y = x * 2
    out = loop(lambda i: i < y, lambda i: i + x, [0])
    p.run([y, out], {x: 3})
    p.run(out, {y: 7, x: 2})


@case
def fetch_inside_the_body(p):
    inner = []

    def body(i):
        inner.append(i * 2)
        return i + 1

    out = loop(lambda i: i < 3, body, [0])
    p.run(inner[0], error="Internal", weir="InvalidArgument")
    p.run(out)


@case
def fetch_of_the_condition(p):
    inner = []

    def cond(i):
        inner.append(i < 3)
        return inner[0]

    p.run([loop(cond, lambda i: i + 1, [0])])
    p.run(inner[0], error="Internal", weir="InvalidArgument")

# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Partial execution: feeds and fetches of inner tensors, targets, pruning,
partial runs."""

from plan import case, np, raw, tf


@case
def feed_an_inner_tensor(p):
    x = tf.placeholder(tf.float32, [2])
    y = x * 2.0
    z = y + 1.0
    p.run(z, {x: [1, 2]})
    p.run(z, {y: [10, 20]})
    p.run([y, z], {y: [10, 20]})


@case
def feed_a_constant(p):
    c = tf.constant([1.0, 2.0])
    out = c * 3.0
    p.run(out)
    p.run(out, {c: [7, 8]})


@case
def feed_and_fetch_the_same(p):
    x = tf.placeholder(tf.int32, [2])
    p.run(x, {x: [4, 5]})


@case
def feed_what_is_not_needed(p):
    x, y = tf.placeholder(tf.int32, []), tf.placeholder(tf.int32, [])
    p.run(x + 1, {x: 1, y: 2})


@case
def fetch_the_same_twice(p):
    x = tf.placeholder(tf.int32, [])
    y = x * 2
    p.run([y, y, x], {x: 4})


@case
def fetch_many(p):
    x = tf.placeholder(tf.float32, [])
    values = [x]
    for _ in range(6):
        values.append(values[-1] * 2.0 + 1.0)
    p.run(values[::-1], {x: 1})


@case
def fetch_second_output(p):
    x = tf.placeholder(tf.float32, [4])
    values, indices = tf.nn.top_k(x, 2)
    p.run(indices, {x: [3, 9, 1, 5]})
    p.run([values, indices], {x: [3, 9, 1, 5]})


@case
def feed_second_output(p):
    x = tf.placeholder(tf.float32, [4])
    a, b = tf.split(x, 2)
    out = a + b
    p.run(out, {x: [1, 2, 3, 4]})
    p.run(out, {b: [100, 200], x: [1, 2, 3, 4]})
    p.run(out, {a: [100, 200], b: [1, 1]})


@case
def only_what_is_needed_runs(p):
    v = tf.Variable(0, use_resource=True)
    x = tf.placeholder(tf.int32, [])
    add = v.assign_add(1)
    bad = tf.constant(1) // x
    p.run([], targets=[v.initializer])
    p.run(x + 1, {x: 0})
    p.run(v)
    p.run([], targets=[add.op])
    p.run(v)
    p.run(bad, {x: 0}, error="InvalidArgument")


@case
def feed_cuts_effects_off(p):
    v = tf.Variable(0, use_resource=True)
    with tf.control_dependencies([v.assign_add(1)]):
        y = tf.constant(5) + 0
    out = y * 2
    p.run([], targets=[v.initializer])
    p.run(out, {y: 50})
    p.run(v)
    p.run(out)
    p.run(v)


@case
def placeholder_without_a_feed(p):
    x = tf.placeholder(tf.float32, [2])
    p.run(x * 2.0, error="InvalidArgument")


@case
def placeholder_with_default(p):
    x = tf.placeholder_with_default([1.0, 2.0], [None])
    out = x * 2.0
    p.run(out)
    p.run(out, {x: [5, 6, 7]})


@case
def feeds_of_several_extents(p):
    x = tf.placeholder(tf.float32, [None, 2])
    out = tf.reduce_sum(x, axis=0)
    for n in (1, 3, 0):
        p.run(out, {x: np.ones((n, 2))})


@case
def feeds_of_several_ranks(p):
    x = tf.placeholder(tf.int32)
    out = x * 2 + 1
    p.run(out, {x: 3})
    p.run(out, {x: [1, 2]})
    p.run(out, {x: [[1, 2], [3, 4]]})


@case
def feed_of_wrong_shape(p):
    x = tf.placeholder(tf.float32, [2, 3])
    out = x + 1.0
    p.run(out, {x: np.zeros((3, 2))}, error="InvalidArgument")
    p.run(out, {x: np.zeros((2, 3))})


@case
def feed_of_wrong_rank(p):
    x = tf.placeholder(tf.float32, [None, 3])
    p.run(x + 1.0, {x: np.zeros(3)}, error="InvalidArgument")


@case
def feed_that_nobody_has(p):
    x = tf.placeholder(tf.float32, [])
    p.run(x + 1.0, {x: 1, "nobody:0": np.float32(1)}, error="InvalidArgument")


@case
def fetch_that_nobody_has(p):
    x = tf.placeholder(tf.float32, [])
    p.run(["nobody:0"], {x: 1}, error="InvalidArgument")


@case
def fetch_of_a_missing_output(p):
    x = tf.placeholder(tf.float32, [])
    y = x * 2.0
    p.run([y.op.name + ":1"], {x: 1}, error="InvalidArgument")


@case
def target_that_nobody_has(p):
    p.run([], targets=["nobody"], error="InvalidArgument")


@case
def target_with_an_output(p):
    v = tf.Variable(1, use_resource=True)
    out = v.assign_add(5)
    p.run([], targets=[v.initializer])
    p.run([], targets=[out])
    p.run(v)


@case
def fetch_and_target_together(p):
    v = tf.Variable(1, use_resource=False)
    x = tf.placeholder(tf.int32, [])
    p.run([], targets=[v.initializer])
    p.run(x * 2, {x: 5}, targets=[tf.assign(v, 9).op])
    p.run(v)


@case
def grouped_targets(p):
    v, w = tf.Variable(1, use_resource=True), tf.Variable(2, use_resource=True)
    both = tf.group(v.assign_add(1), w.assign_add(1))
    p.run([], targets=[tf.group(v.initializer, w.initializer)])
    p.run([], targets=[both])
    p.run([v, w])


@case
def tuple_waits_for_all(p):
    v = tf.Variable(1, use_resource=True)
    x = tf.constant(10) + 0
    a, b = tf.tuple([x, v.assign_add(5)])
    p.run([], targets=[v.initializer])
    p.run(a)
    p.run(v)


@case
def with_dependencies_orders(p):
    v = tf.Variable(1, use_resource=True)
    with tf.control_dependencies([v.assign(7)]):
        out = tf.identity(v.read_value())
    p.run([], targets=[v.initializer])
    p.run(out)


@case
def control_dependency_on_a_constant(p):
    c = tf.constant(3)
    with tf.control_dependencies([c.op]):
        out = tf.constant(4) + 0
    p.run(out)
    p.run(out, {c: 9})


@case
def control_dependency_on_a_fed_node(p):
    v = tf.Variable(1, use_resource=True)
    y = v.assign_add(1) + 0
    with tf.control_dependencies([y]):
        out = tf.constant(4) + 0
    p.run([], targets=[v.initializer])
    p.run(out, {y: 0})
    p.run(v)


@case
def constant_with_control_inputs(p):
    v = tf.Variable(1, use_resource=True)
    with tf.control_dependencies([v.assign_add(41)]):
        c = tf.constant(5)
    p.run([], targets=[v.initializer])
    p.run(c)
    p.run(v)


@case
def feed_inside_a_branch(p):
    x = tf.placeholder(tf.int32, [])
    inner = []

    def taken():
        inner.append(x * 2)
        return inner[0] + 1

    out = tf.cond(x > 0, taken, lambda: x)
    p.run(out, {x: 3})
    p.run(inner[0] + 0, {x: 3, inner[0]: 100})


@case
def feed_result_of_a_cond(p):
    x = tf.placeholder(tf.int32, [])
    y = tf.cond(x > 0, lambda: x * 2, lambda: x)
    p.run(y + 1, {y: 10})


@case
def feed_predicate_of_a_cond(p):
    x = tf.placeholder(tf.int32, [])
    which = x > 0
    out = tf.cond(which, lambda: x * 2, lambda: x - 1)
    p.run(out, {x: -5, which: True})


@case
def feed_result_of_a_loop(p):
    n = tf.placeholder(tf.int32, [])
    y = tf.while_loop(lambda i: i < n, lambda i: i + 1, [0])
    p.run(y * 2, {y: 30})
    p.run(y * 2, {n: 4})


@case
def feed_initial_value_of_a_loop(p):
    start = tf.constant(0)
    y = tf.while_loop(lambda i: i < 10, lambda i: i + 3, [start])
    p.run(y)
    p.run(y, {start: 8})


@case
def feed_strings(p):
    x = tf.placeholder(tf.string, [None])
    p.run(tf.string_join([x, x]), {x: ["a", b"\x00", "c d"]})
    p.run(x, {x: np.array([], dtype=object)})


@case(params=[tf.float32, tf.float64, tf.int8, tf.int16, tf.int32, tf.int64, tf.uint8, tf.bool, tf.float16, tf.uint16, tf.uint32, tf.uint64])
def types_through_identity(p, dtype):
    x = tf.placeholder(dtype, [3])
    p.run(tf.identity(x), {x: [0, 1, 1 if dtype == tf.bool else 77]})


@case
def big_feed(p):
    x = tf.placeholder(tf.float32, [None])
    p.run(x + 1.0, {x: p.floats(20000)})


@case
def shared_variable_between_fetch_sets(p):
    v = tf.Variable([1.0, 2.0], use_resource=True)
    x = tf.placeholder(tf.float32, [2])
    train, evaluate = v.assign_sub(x * 0.5), tf.reduce_sum(v * x)
    p.run([], targets=[v.initializer])
    for k in range(3):
        p.run([], {x: [k, 1]}, targets=[train.op])
        p.run(evaluate, {x: [1, k]})


@case
def concurrent_steps_of_different_fetches(p):
    x = tf.placeholder(tf.int32, [])
    outs = [x * k + k for k in range(4)]
    with p.together():
        for k, out in enumerate(outs):
            p.run(out, {x: k})


@case
def ensure_shape(p):
    x = tf.placeholder(tf.float32)
    out = tf.ensure_shape(x, [None, 2]) * 2.0
    p.run(out, {x: [[1, 2]]})
    p.run(out, {x: [1, 2]}, error="InvalidArgument")


@case
def assertion(p):
    x = tf.placeholder(tf.int32, [])
    with tf.control_dependencies([raw.Assert(condition=x > 0, data=[x, tf.constant("too small")], summarize=3)]):
        out = x * 2
    p.run(out, {x: 2})
    p.run(out, {x: 0}, error="InvalidArgument")


@case
def check_numerics(p):
    x = tf.placeholder(tf.float32, [2])
    out = tf.check_numerics(x, "x is bad") + 1.0
    p.run(out, {x: [1, 2]})
    p.run(out, {x: [1, np.nan]}, error="InvalidArgument")
    p.run(out, {x: [np.inf, 2]}, error="InvalidArgument")


@case
def partial_run(p):
    a, b, c = (tf.placeholder(tf.float32, []) for _ in range(3))
    first = a + b
    second = first * c
    key = p.partial([first, second], [a, b, c])
    p.run(first, {a: 1, b: 2}, partial=key)
    p.run(second, {c: 10}, partial=key)


@case
def partial_run_with_state(p):
    v = tf.Variable(1.0, use_resource=True)
    a, b = tf.placeholder(tf.float32, []), tf.placeholder(tf.float32, [])
    first = v.assign_add(a) + 0.0
    with tf.control_dependencies([first]):
        second = v.read_value() * b
    p.run([], targets=[v.initializer])
    key = p.partial([first, second], [a, b])
    p.run(first, {a: 4}, partial=key)
    p.run(v)
    p.run(second, {b: 10}, partial=key)


@case
def partial_run_twice(p):
    a, b = tf.placeholder(tf.int32, []), tf.placeholder(tf.int32, [])
    first, second = a * 2, a + b
    for k in range(2):
        key = p.partial([first, second], [a, b])
        p.run(first, {a: k}, partial=key)
        p.run(second, {b: 7}, partial=key)


@case
def partial_run_fetch_before_feed(p):
    a, b = tf.placeholder(tf.int32, []), tf.placeholder(tf.int32, [])
    first, second = a * 2, a + b
    key = p.partial([first, second], [a, b])
    p.run([second], {a: 1}, partial=key, error="InvalidArgument", weir="FailedPrecondition")


@case
def partial_run_with_cond(p):
    a, b = tf.placeholder(tf.int32, []), tf.placeholder(tf.int32, [])
    first = tf.cond(a > 0, lambda: a * 10, lambda: a - 1)
    second = first + b
    key = p.partial([first, second], [a, b])
    p.run(first, {a: 3}, partial=key)
    p.run(second, {b: 1}, partial=key)


@case
def unknown_op_is_harmless_unless_run(p):
    x = tf.placeholder(tf.float32, [2])
    odd = raw.LogMatrixDeterminant(input=tf.constant([[2.0, 0.0], [0.0, 3.0]]))
    p.run(x * 2.0, {x: [1, 2]})
    p.run(odd.sign * 0.0 + 1.0, {odd.sign: 5.0})

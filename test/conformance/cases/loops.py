# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops that `while_loop` makes: frames, iterations, state, nesting."""

from plan import case, raw, tf


def loop(cond, body, variables, **more):
    return tf.while_loop(cond, body, variables, **more)


@case(params=[1, 10])
def count(p, parallel):
    limit = tf.placeholder(tf.int32, [])
    out = loop(lambda i: i < limit, lambda i: i + 1, [tf.constant(0)], parallel_iterations=parallel)
    for value in (10, 0, 1, 100):
        p.run(out, {limit: value})


@case(params=[tf.int32, tf.int64, tf.float32, tf.float64])
def sum_in_types(p, dtype):
    n = tf.placeholder(tf.int32, [])
    _, total = loop(lambda i, s: i < n, lambda i, s: (i + 1, s + tf.cast(i, dtype)), [tf.constant(0), tf.constant(0, dtype)])
    p.run(total, {n: 12})


@case
def constant_bounds(p):
    out = loop(lambda i, x: i < 5, lambda i, x: (i + 1, x * 2.0), [0, tf.constant([1.0, 3.0])])
    p.run(out)


@case
def zero_trips(p):
    x = tf.placeholder(tf.float32, [2])
    out = loop(lambda i, v: i < 0, lambda i, v: (i + 1, v * 100.0), [tf.constant(0), x])
    p.run(out, {x: [1, 2]})


@case
def factorial(p):
    n = tf.placeholder(tf.int64, [])
    _, product = loop(lambda i, f: i <= n, lambda i, f: (i + 1, f * i), [tf.constant(1, tf.int64), tf.constant(1, tf.int64)])
    for value in (0, 1, 5, 20):
        p.run(product, {n: value})


@case
def fibonacci(p):
    n = tf.placeholder(tf.int32, [])
    out = loop(lambda i, a, b: i < n, lambda i, a, b: (i + 1, b, a + b), [0, 0, 1])
    for value in (0, 1, 2, 30):
        p.run(out, {n: value})


@case
def swap_two(p):
    n = tf.placeholder(tf.int32, [])
    out = loop(lambda i, a, b: i < n, lambda i, a, b: (i + 1, b, a), [tf.constant(0), tf.constant([1, 2]), tf.constant([3, 4])])
    for value in (0, 1, 2, 3):
        p.run(out, {n: value})


@case
def rotate_four(p):
    out = loop(lambda i, *v: i < 7, lambda i, a, b, c, d: (i + 1, b, c, d, a + 1), [0, 1, 10, 100, 1000])
    p.run(out)


@case
def collatz(p):
    n = tf.placeholder(tf.int32, [])
    steps = loop(
        lambda x, s: x > 1,
        lambda x, s: (tf.cond(tf.equal(x % 2, 0), lambda: x // 2, lambda: 3 * x + 1), s + 1),
        [n, tf.constant(0)],
    )
    for value in (1, 6, 27):
        p.run(steps, {n: value})


@case
def greatest_common_divisor(p):
    a, b = tf.placeholder(tf.int32, []), tf.placeholder(tf.int32, [])
    out = loop(lambda x, y: y > 0, lambda x, y: (y, x % y), [a, b])
    p.run(out[0], {a: 1071, b: 462})
    p.run(out[0], {a: 17, b: 5})


@case
def newton_square_root(p):
    x = tf.placeholder(tf.float64, [])
    out = loop(lambda g: tf.abs(g * g - x) > 1e-9, lambda g: 0.5 * (g + x / g), [x])
    p.run(out, {x: 2.0}, tolerance=1e-12)
    p.run(out, {x: 1e4}, tolerance=1e-12)


@case
def vector_state(p):
    x = tf.placeholder(tf.float32, [4])
    out = loop(lambda i, v: tf.reduce_max(v) < 100.0, lambda i, v: (i + 1, v + tf.abs(v) + 0.25), [0, x])
    p.run(out, {x: [0.5, -1, 2, 0]}, tolerance=1e-5)


@case
def matrix_power(p):
    m = tf.constant([[1, 1], [1, 0]], tf.int32)
    n = tf.placeholder(tf.int32, [])
    out = loop(lambda i, a: i < n, lambda i, a: (i + 1, tf.matmul(a, m)), [0, tf.constant([[1, 0], [0, 1]])])
    p.run(out[1], {n: 10})
    p.run(out[1], {n: 0})


@case
def invariant_tensor(p):
    w = tf.placeholder(tf.float32, [2, 2])
    x = tf.placeholder(tf.float32, [1, 2])
    out = loop(lambda i, v: i < 4, lambda i, v: (i + 1, tf.tanh(tf.matmul(v, w))), [tf.constant(0), x])
    p.run(out[1], {w: [[0.5, -1], [1, 0.25]], x: [[1, 2]]}, tolerance=1e-5)


@case
def invariant_used_in_condition_and_body(p):
    step = tf.placeholder(tf.int32, [])
    limit = tf.placeholder(tf.int32, [])
    out = loop(lambda i, s: i + step < limit, lambda i, s: (i + step, s + limit), [0, 0])
    p.run(out, {step: 3, limit: 20})
    p.run(out, {step: 30, limit: 20})


@case
def condition_of_two_parts(p):
    a, b = tf.placeholder(tf.int32, []), tf.placeholder(tf.int32, [])
    out = loop(lambda i, x: tf.logical_and(i < a, x < b), lambda i, x: (i + 1, x * 2), [0, 1])
    p.run(out, {a: 5, b: 1000})
    p.run(out, {a: 50, b: 1000})


@case
def cond_inside_body(p):
    n = tf.placeholder(tf.int32, [])
    out = loop(
        lambda i, s: i < n,
        lambda i, s: (i + 1, tf.cond(tf.equal(i % 3, 0), lambda: s + i * 10, lambda: s - 1)),
        [0, 0],
    )
    for value in (0, 1, 10):
        p.run(out, {n: value})


@case
def nested_cond_inside_body(p):
    def body(i, s):
        s = tf.cond(i > 2, lambda: tf.cond(i > 5, lambda: s * 2, lambda: s + 100), lambda: s - i)
        return i + 1, s

    p.run(loop(lambda i, s: i < 9, body, [0, 1]))


@case
def loop_inside_cond(p):
    x = tf.placeholder(tf.int32, [])
    out = tf.cond(
        x > 0,
        lambda: loop(lambda i, s: i < x, lambda i, s: (i + 1, s + i), [0, 0])[1],
        lambda: loop(lambda i: i < 3, lambda i: i - x, [x]),
    )
    for value in (5, 1, -1, -4):
        p.run(out, {x: value})


@case
def loop_in_untaken_branch_never_ends(p):
    x = tf.placeholder(tf.int32, [])
    out = tf.cond(x > 0, lambda: loop(lambda i: i >= x, lambda i: i + 0, [x]), lambda: tf.constant(-1))
    p.run(out, {x: 0})


@case
def nested(p):
    n, m = tf.placeholder(tf.int32, []), tf.placeholder(tf.int32, [])

    def body(i, s):
        _, inner = loop(lambda j, t: j < m, lambda j, t: (j + 1, t + i * j), [0, s])
        return i + 1, inner

    out = loop(lambda i, s: i < n, body, [0, 0])
    p.run(out, {n: 4, m: 5})
    p.run(out, {n: 0, m: 5})
    p.run(out, {n: 4, m: 0})


@case(params=[(1, 1), (1, 10), (10, 1), (4, 4)])
def nested_parallel(p, outer, inner):
    def body(i, s):
        _, t = loop(lambda j, t: j < i, lambda j, t: (j + 1, t * 2 + j), [0, s], parallel_iterations=inner)
        return i + 1, t % 1000

    p.run(loop(lambda i, s: i < 7, body, [0, 1], parallel_iterations=outer))


@case
def nested_three_deep(p):
    def third(i, j, s):
        return loop(lambda k, u: k < 2, lambda k, u: (k + 1, u + i * 100 + j * 10 + k), [0, s])[1]

    def second(i, s):
        return loop(lambda j, t: j < 3, lambda j, t: (j + 1, third(i, j, t)), [0, s])[1]

    p.run(loop(lambda i, s: i < 4, lambda i, s: (i + 1, second(i, s)), [0, 0]))


@case
def nested_with_trip_count_from_outer(p):
    def body(i, s):
        return i + 1, loop(lambda j, t: j < i * i, lambda j, t: (j + 1, t + 1), [0, s])[1]

    p.run(loop(lambda i, s: i < 6, body, [0, 0]))


@case
def two_inner_loops(p):
    def body(i, s):
        a = loop(lambda j, t: j < i, lambda j, t: (j + 1, t + j), [0, s])[1]
        b = loop(lambda j, t: j < 3, lambda j, t: (j + 1, t * 2), [0, a])[1]
        return i + 1, b - a

    p.run(loop(lambda i, s: i < 5, body, [0, 3]))


@case
def inner_loop_in_condition(p):
    def cond(i, s):
        return loop(lambda j, t: j < 3, lambda j, t: (j + 1, t + j), [0, s])[1] < 60

    p.run(loop(cond, lambda i, s: (i + 1, s + 7), [0, 0]))


@case
def inner_loop_in_branch_of_body(p):
    def body(i, s):
        s = tf.cond(tf.equal(i % 2, 0), lambda: loop(lambda j, t: j < i, lambda j, t: (j + 1, t + j), [0, s])[1], lambda: s - 1)
        return i + 1, s

    p.run(loop(lambda i, s: i < 8, body, [0, 10]))


@case
def one_loop_after_another(p):
    n = tf.placeholder(tf.int32, [])
    a = loop(lambda i, s: i < n, lambda i, s: (i + 1, s + i), [0, 0])[1]
    b = loop(lambda i, s: i < a, lambda i, s: (i + 1, s + 2), [0, a])[1]
    p.run([a, b], {n: 5})


@case
def two_independent_loops(p):
    n = tf.placeholder(tf.int32, [])
    a = loop(lambda i, s: i < n, lambda i, s: (i + 1, s + i), [0, 0])[1]
    b = loop(lambda i, s: i < 2 * n, lambda i, s: (i + 1, s + 1.5), [0, 0.0])[1]
    p.run([a, b], {n: 6})


@case
def shape_grows(p):
    out = loop(
        lambda i, v: i < 4,
        lambda i, v: (i + 1, tf.concat([v, tf.expand_dims(i, 0)], 0)),
        [tf.constant(0), tf.constant([7])],
        shape_invariants=[tf.TensorShape([]), tf.TensorShape([None])],
    )
    p.run(out)


@case
def shape_shrinks(p):
    x = tf.placeholder(tf.float32, [None])
    out = loop(lambda v: tf.shape(v)[0] > 2, lambda v: v[1:] + v[:-1], [x], shape_invariants=[tf.TensorShape([None])])
    p.run(out, {x: [1, 2, 3, 4, 5]})
    p.run(out, {x: [1, 2]})


@case
def rows_are_stacked(p):
    out = loop(
        lambda i, v: i < 3,
        lambda i, v: (i + 1, tf.concat([v, v * 2], axis=0)),
        [0, tf.constant([[1.0, 2.0]])],
        shape_invariants=[tf.TensorShape([]), tf.TensorShape([None, 2])],
    )
    p.run(out[1])


@case
def string_state(p):
    n = tf.placeholder(tf.int32, [])
    out = loop(lambda i, s: i < n, lambda i, s: (i + 1, tf.string_join([s, tf.as_string(i)])), [0, tf.constant(">")])
    p.run(out[1], {n: 5})


@case
def boolean_state(p):
    out = loop(lambda i, f: i < 5, lambda i, f: (i + 1, tf.logical_not(f)), [0, tf.constant(True)])
    p.run(out)


@case
def error_in_an_iteration(p):
    x = tf.placeholder(tf.int32, [])
    out = loop(lambda i, s: i < 5, lambda i, s: (i + 1, s + 10 // (x - i)), [0, 0])
    p.run(out, {x: 9})
    p.run(out, {x: 3}, error="InvalidArgument")
    p.run(out, {x: 5})


@case
def condition_not_a_scalar(p):
    x = tf.placeholder(tf.int32)
    c = tf.placeholder(tf.bool)
    out = loop(lambda i: tf.logical_and(c, i < 3), lambda i: i + 1, [x], shape_invariants=[tf.TensorShape(None)])
    p.run(out, {x: 0, c: True})
    p.run(out, {x: 0, c: [True, True]}, error="InvalidArgument")


@case
def endless_loop_meets_its_deadline(p):
    out = loop(lambda i: i >= 0, lambda i: i * 0, [tf.constant(0)])
    p.run(out, error="DeadlineExceeded", timeout_ms=150)


@case
def many_iterations(p):
    n = tf.placeholder(tf.int32, [])
    out = loop(lambda i, s: i < n, lambda i, s: (i + 1, s + i % 7), [0, 0])
    p.run(out, {n: 3000})


@case
def maximum_iterations(p):
    n = tf.placeholder(tf.int32, [])
    out = loop(lambda i: i < n, lambda i: i + 2, [tf.constant(0)], maximum_iterations=4)
    p.run(out, {n: 3})
    p.run(out, {n: 100})


@case
def loop_variable_that_never_changes(p):
    x = tf.placeholder(tf.float32, [2])
    out = loop(lambda i, c: i < 3, lambda i, c: (i + 1, c), [0, x])
    p.run(out, {x: [1, 2]})


@case
def same_value_in_two_variables(p):
    x = tf.placeholder(tf.int32, [])
    out = loop(lambda a, b: a < 10, lambda a, b: (a + b, b), [x, x])
    p.run(out, {x: 3})


@case
def result_unused(p):
    out = loop(lambda i, s: i < 3, lambda i, s: (i + 1, s * 2), [0, 1])
    p.run(out[0])
    p.run(out[1])


@case
def nested_structure(p):
    out = loop(lambda i, ab: i < 3, lambda i, ab: (i + 1, (ab[1], ab[0] + i)), (tf.constant(0), (tf.constant(1), tf.constant(2))))
    p.run([out[0], out[1][0], out[1][1]])


@case
def swap_memory_changes_nothing(p):
    p.run(loop(lambda i, x: i < 4, lambda i, x: (i + 1, tf.sin(x)), [0, tf.constant([1.0, 2.0])], swap_memory=True), tolerance=2e-6)


@case
def do_while_by_flag(p):
    x = tf.placeholder(tf.int32, [])
    out = loop(lambda go, v: go, lambda go, v: (v * 2 < 50, v * 2), [tf.constant(True), x])
    p.run(out, {x: 3})
    p.run(out, {x: 100})


@case
def bubble_sort_pass(p):
    x = tf.placeholder(tf.int32, [5])

    def body(i, v):
        a, b = v[i], v[i + 1]
        return i + 1, tf.concat([v[:i], [tf.minimum(a, b), tf.maximum(a, b)], v[i + 2 :]], 0)

    out = loop(lambda i, v: i < 4, body, [0, x], shape_invariants=[tf.TensorShape([]), tf.TensorShape([None])])
    p.run(out[1], {x: [5, 3, 4, 1, 2]})


@case
def recurrent_cell(p):
    x = tf.constant(p.floats(5, 2, 3))
    w = tf.constant(p.floats(3, 4))
    u = tf.constant(p.floats(4, 4))
    out = loop(lambda t, h: t < 5, lambda t, h: (t + 1, tf.tanh(tf.matmul(x[t], w) + tf.matmul(h, u))), [0, tf.zeros([2, 4])])
    p.run(out[1], tolerance=2e-5)


@case
def gather_by_the_counter(p):
    x = tf.placeholder(tf.float32, [4])
    out = loop(lambda i, s: i < 4, lambda i, s: (i + 1, s + tf.gather(x, i) * tf.cast(i, tf.float32)), [0, 0.0])
    p.run(out[1], {x: [1, 2, 3, 4]})


@case
def gather_outside_in_a_loop(p):
    x = tf.placeholder(tf.float32, [4])
    out = loop(lambda i, s: i < 6, lambda i, s: (i + 1, s + tf.gather(x, i)), [0, 0.0])
    p.run(out[1], {x: [1, 2, 3, 4]}, error="InvalidArgument")


@case
def switch_case_in_body(p):
    def body(i, s):
        return i + 1, tf.switch_case(i % 3, [lambda: s + 1, lambda: s * 2, lambda: s - 3])

    p.run(loop(lambda i, s: i < 9, body, [0, 5]))


@case
def frames_with_one_name_in_two_loops(p):
    with tf.name_scope("a"):
        first = loop(lambda i: i < 3, lambda i: i + 1, [0], name="same")
    with tf.name_scope("b"):
        second = loop(lambda i: i < 5, lambda i: i + 2, [first], name="same")
    p.run([first, second])


@case
def dead_input_kills_the_loop(p):
    which = tf.placeholder(tf.bool, [])
    off, on = raw.Switch(data=tf.constant(2), pred=which)
    out = loop(lambda i: i < 10, lambda i: i + 3, [on])
    merged = raw.Merge(inputs=[off, out])
    p.run(list(merged), {which: True})
    p.run(list(merged), {which: False})

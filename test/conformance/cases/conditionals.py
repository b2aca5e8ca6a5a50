# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Conditionals: Switch and Merge as `cond` makes them and as no front end does,
dead values through data and control edges, side effects in branches."""

from plan import case, raw, tf


@case(params=[tf.int32, tf.int64, tf.float32, tf.float64, tf.string, tf.bool])
def both_ways(p, dtype):
    values = {tf.string: ["yes", b"\xff no"], tf.bool: [True, False]}.get(dtype, [3, -7])
    which = tf.placeholder(tf.bool, [])
    a, b = tf.constant(values[0], dtype), tf.constant(values[1], dtype)
    out = tf.cond(which, lambda: tf.identity(a), lambda: tf.identity(b))
    p.run(out, {which: True})
    p.run(out, {which: False})


@case
def constant_predicate(p):
    out = [tf.cond(tf.constant(c), lambda: tf.constant(1), lambda: tf.constant(2)) for c in (True, False)]
    p.run(out)


@case
def arithmetic_in_branches(p):
    x = tf.placeholder(tf.float32, [3])
    out = tf.cond(tf.reduce_sum(x) > 0, lambda: tf.exp(x) * 2.0, lambda: tf.square(x) - 1.0)
    p.run(out, {x: [1, 2, -1]})
    p.run(out, {x: [-1, -2, 1]})


@case
def several_results(p):
    x = tf.placeholder(tf.int32, [])
    out = tf.cond(x < 10, lambda: (x + 1, tf.constant([1.5, 2.5]), tf.constant("few")), lambda: (x - 1, tf.constant([0.0, 0.0]), tf.constant("many")))
    p.run(list(out), {x: 4})
    p.run(list(out), {x: 40})


@case
def shapes_that_differ(p):
    x = tf.placeholder(tf.int32, [])
    out = tf.cond(x > 0, lambda: tf.constant([1, 2, 3]), lambda: tf.constant([[7], [8]]))
    p.run(out, {x: 1})
    p.run(out, {x: -1})


@case
def value_taken_from_outside(p):
    x = tf.placeholder(tf.float32, [2, 2])
    y = tf.placeholder(tf.float32, [2, 2])
    out = tf.cond(x[0, 0] < y[0, 0], lambda: x + y, lambda: tf.matmul(x, y))
    p.run(out, {x: [[1, 2], [3, 4]], y: [[5, 6], [7, 8]]})
    p.run(out, {x: [[9, 2], [3, 4]], y: [[5, 6], [7, 8]]})


@case
def branch_that_is_only_an_input(p):
    x = tf.placeholder(tf.int32, [2])
    which = tf.placeholder(tf.bool, [])
    out = tf.cond(which, lambda: x, lambda: x * 3)
    p.run(out, {which: True, x: [1, 2]})
    p.run(out, {which: False, x: [1, 2]})


@case
def nested_two_deep(p):
    x = tf.placeholder(tf.int32, [])
    out = tf.cond(
        x > 0,
        lambda: tf.cond(x > 10, lambda: x * 100, lambda: x * 10),
        lambda: tf.cond(x < -10, lambda: x - 1000, lambda: x - 1),
    )
    for value in (20, 5, -3, -30):
        p.run(out, {x: value})


@case
def nested_three_deep(p):
    x = tf.placeholder(tf.int32, [3])

    def branch(depth, value):
        if depth == 3:
            return value
        return tf.cond(x[depth] > 0, lambda: branch(depth + 1, value + (1 << depth)), lambda: branch(depth + 1, value * 3))

    out = branch(0, tf.constant(1))
    for bits in range(8):
        p.run(out, {x: [bits & 1, bits >> 1 & 1, bits >> 2 & 1]})


@case
def nested_same_predicate(p):
    which = tf.placeholder(tf.bool, [])
    x = tf.placeholder(tf.int32, [])
    out = tf.cond(which, lambda: tf.cond(which, lambda: x + 1, lambda: x + 2), lambda: tf.cond(which, lambda: x + 3, lambda: x + 4))
    p.run(out, {which: True, x: 10})
    p.run(out, {which: False, x: 10})


@case
def inner_predicate_computed_in_branch(p):
    x = tf.placeholder(tf.int32, [])

    def inside():
        y = x * x
        return tf.cond(y > 50, lambda: y - 50, lambda: y + 50)

    out = tf.cond(x > 0, inside, lambda: tf.constant(-1))
    for value in (3, 9, -9):
        p.run(out, {x: value})


@case
def one_after_another(p):
    x = tf.placeholder(tf.int32, [])
    a = tf.cond(x > 0, lambda: x + 1, lambda: x - 1)
    b = tf.cond(a > 5, lambda: a * 2, lambda: a * 3)
    c = tf.cond(b > a, lambda: a - b, lambda: b - a)
    for value in (1, 7, -4):
        p.run([a, b, c], {x: value})


@case
def same_predicate_twice(p):
    which = tf.placeholder(tf.bool, [])
    x = tf.placeholder(tf.float32, [2])
    a = tf.cond(which, lambda: x + 1, lambda: x - 1)
    b = tf.cond(which, lambda: a * 2, lambda: a * 4)
    p.run([a, b], {which: True, x: [1, 2]})
    p.run([a, b], {which: False, x: [1, 2]})


@case
def fetch_inside_taken_branch(p):
    x = tf.placeholder(tf.int32, [])
    inner = []

    def taken():
        inner.append(x + 1)
        return inner[0] * 2

    out = tf.cond(x > 0, taken, lambda: x - 5)
    p.run([inner[0], out], {x: 2})


@case
def fetch_inside_dead_branch(p):
    x = tf.placeholder(tf.int32, [])
    inner = []

    def taken():
        inner.append(x + 1)
        return inner[0] * 2

    out = tf.cond(x > 0, taken, lambda: x - 5)
    p.run([inner[0]], {x: -2}, error="InvalidArgument")
    p.run([out], {x: -2})


@case
def target_inside_dead_branch_does_nothing(p):
    x = tf.placeholder(tf.int32, [])
    v = tf.Variable(5, use_resource=True)
    inner = []

    def taken():
        inner.append(tf.assign_add(v, 1).op)
        with tf.control_dependencies([inner[0]]):
            return tf.identity(x)

    tf.cond(x > 0, taken, lambda: x)
    p.run(v.initializer)
    p.run([], {x: -1}, targets=[inner[0]])
    p.run(v)
    p.run([], {x: 1}, targets=[inner[0]])
    p.run(v)


@case(params=[True, False])
def side_effects_in_branches(p, resource):
    x = tf.placeholder(tf.int32, [])
    v = tf.Variable(10, use_resource=resource)
    out = tf.cond(x > 0, lambda: tf.assign_add(v, x), lambda: tf.assign_sub(v, 100))
    p.run(v.initializer)
    for value in (3, -1, 4):
        p.run(out, {x: value})
        p.run(v)


@case
def assign_in_one_branch_only(p):
    which = tf.placeholder(tf.bool, [])
    v = tf.Variable([1.0, 2.0], use_resource=True)
    out = tf.cond(which, lambda: tf.group(v.assign([7.0, 8.0])), lambda: tf.no_op())
    p.run(v.initializer)
    p.run([], {which: False}, targets=[out])
    p.run(v)
    p.run([], {which: True}, targets=[out])
    p.run(v)


@case
def branches_without_results(p):
    which = tf.placeholder(tf.bool, [])
    v, w = tf.Variable(0, use_resource=True), tf.Variable(0, use_resource=True)
    op = tf.cond(which, lambda: tf.group(v.assign_add(1)), lambda: tf.group(w.assign_add(1)))
    p.run([], targets=[v.initializer, w.initializer])
    for value in (True, True, False):
        p.run([], {which: value}, targets=[op])
    p.run([v, w])


@case
def cond_in_control_dependency(p):
    which = tf.placeholder(tf.bool, [])
    v = tf.Variable(1, use_resource=True)
    done = tf.cond(which, lambda: v.assign(50), lambda: v.assign(60))
    with tf.control_dependencies([done]):
        out = v.read_value() + 1
    p.run(v.initializer)
    p.run(out, {which: True})
    p.run(out, {which: False})


@case
def control_dependency_on_dead_op(p):
    which = tf.placeholder(tf.bool, [])
    off, on = raw.Switch(data=tf.constant(4), pred=which)
    dead = tf.identity(on)
    with tf.control_dependencies([dead]):
        out = tf.constant(9) + 0
    with tf.control_dependencies([tf.identity(off)]):
        other = tf.constant(8) + 0
    p.run(out, {which: True})
    p.run(out, {which: False}, error="InvalidArgument")
    p.run(other, {which: False})


@case
def dead_through_chain(p):
    which = tf.placeholder(tf.bool, [])
    off, on = raw.Switch(data=tf.constant([1.0, 2.0]), pred=which)
    a = tf.exp(on) + 1.0
    b = tf.reduce_sum(a * a)
    merged = raw.Merge(inputs=[b, tf.reduce_sum(off)])
    p.run(list(merged), {which: True})
    p.run(list(merged), {which: False})
    p.run(b, {which: False}, error="InvalidArgument")


@case
def merge_value_index(p):
    which = tf.placeholder(tf.bool, [])
    x = tf.placeholder(tf.int32, [2])
    off, on = raw.Switch(data=x, pred=which)
    merged = raw.Merge(inputs=[off * 2, on * 3])
    for value in (True, False):
        p.run([merged.output, merged.value_index], {which: value, x: [1, 2]})


@case
def merge_of_one(p):
    which = tf.placeholder(tf.bool, [])
    _, on = raw.Switch(data=tf.constant(5), pred=which)
    merged = raw.Merge(inputs=[on])
    p.run(list(merged), {which: True})
    p.run(merged.output, {which: False}, error="InvalidArgument")


@case
def merge_of_four(p):
    x = tf.placeholder(tf.bool, [2])
    off, on = raw.Switch(data=tf.constant(10), pred=x[0])
    a, b = raw.Switch(data=off + 1, pred=x[1])
    c, d = raw.Switch(data=on + 2, pred=x[1])
    merged = raw.Merge(inputs=[a * 1, b * 2, c * 3, d * 4])
    for bits in range(4):
        p.run(list(merged), {x: [bool(bits & 1), bool(bits & 2)]})


@case
def merge_index_is_used(p):
    which = tf.placeholder(tf.bool, [])
    off, on = raw.Switch(data=tf.constant(7), pred=which)
    merged = raw.Merge(inputs=[off, on])
    out = merged.value_index * 100 + merged.output
    p.run(out, {which: True})
    p.run(out, {which: False})


@case
def merge_with_all_dead(p):
    which = tf.placeholder(tf.bool, [])
    _, a = raw.Switch(data=tf.constant(1), pred=which)
    _, b = raw.Switch(data=tf.constant(2), pred=which)
    merged = raw.Merge(inputs=[a, b])
    p.run(merged.output, {which: False}, error="InvalidArgument")


@case
def merges_with_different_predicates(p):
    a, b = tf.placeholder(tf.bool, []), tf.placeholder(tf.bool, [])
    x = tf.constant(3)
    a_off, a_on = raw.Switch(data=x, pred=a)
    b_off, b_on = raw.Switch(data=x + 10, pred=b)
    first = raw.Merge(inputs=[a_on, b_on * 2])  # both may be live: only where one is
    p.run(list(first), {a: True, b: False})
    p.run(list(first), {a: False, b: True})
    p.run(first.output, {a: False, b: False}, error="InvalidArgument")
    second = raw.Merge(inputs=[a_off, b_off])
    p.run(list(second), {a: False, b: True})
    p.run(list(second), {a: True, b: False})


@case
def switch_feeds_both_sides_of_an_add(p):
    which = tf.placeholder(tf.bool, [])
    off, on = raw.Switch(data=tf.constant(1), pred=which)
    never = off + on
    p.run(never, {which: True}, error="InvalidArgument")
    p.run(never, {which: False}, error="InvalidArgument")


@case
def several_merges_on_one_predicate(p):
    which = tf.placeholder(tf.bool, [])
    x = tf.placeholder(tf.float32, [2])
    off, on = raw.Switch(data=x, pred=which)
    first = raw.Merge(inputs=[off + 1, on + 2]).output
    second = raw.Merge(inputs=[on * 10, off * 20])
    third = raw.Merge(inputs=[off - 1, tf.sqrt(on)]).output
    out = [first, second.output, second.value_index, third]
    p.run(out, {which: True, x: [1, 4]})
    p.run(out, {which: False, x: [1, 4]})


@case
def value_used_in_branch_and_after(p):
    which = tf.placeholder(tf.bool, [])
    x = tf.placeholder(tf.int32, [])
    off, on = raw.Switch(data=x, pred=which)
    doubled = on * 2
    merged = raw.Merge(inputs=[off, doubled]).output
    again = raw.Merge(inputs=[off * 5, doubled + merged]).output
    p.run([merged, again], {which: True, x: 3})
    p.run([merged, again], {which: False, x: 3})


@case
def switch_by_fed_data(p):
    which = tf.placeholder(tf.bool, [])
    x = tf.placeholder(tf.string, [None])
    off, on = raw.Switch(data=x, pred=which)
    p.run(on, {which: True, x: ["a", "bc"]})
    p.run(off, {which: False, x: []})
    p.run(off, {which: True, x: ["a"]}, error="InvalidArgument")


@case(params=[0, 1, 2, 3, -1, 99])
def switch_case_of_four(p, index):
    branch = tf.placeholder(tf.int32, [])
    x = tf.placeholder(tf.float32, [2])
    out = tf.switch_case(branch, [lambda: x, lambda: x * 2, lambda: x * x, lambda: -x])
    p.run(out, {branch: index, x: [1.5, -2]})


@case
def switch_case_with_effects(p):
    branch = tf.placeholder(tf.int32, [])
    v = tf.Variable(0, use_resource=True)
    out = tf.switch_case(branch, [lambda: v.assign_add(1), lambda: v.assign_add(10), lambda: v.assign(5)])
    p.run(v.initializer)
    for index in (1, 0, 2, 1):
        p.run(out, {branch: index})
    p.run(v)


@case
def switch_n(p):
    index = tf.placeholder(tf.int32, [])
    attributes = {"num_outs": tf.AttrValue(i=3), "T": tf.AttrValue(type=tf.int32.as_datatype_enum)}
    data = tf.constant([4, 5])
    outs = tf.get_default_graph().create_op("_SwitchN", [data, index], [tf.int32] * 3, attrs=attributes, name="switch").outputs
    merged = raw.Merge(inputs=[outs[0] + 1, outs[1] * 2, -outs[2]])
    for value in (0, 1, 2, 7):
        p.run(list(merged), {index: value})


@case
def case_first_true(p):
    x = tf.placeholder(tf.int32, [])
    out = tf.case([(x < 0, lambda: tf.constant("negative")), (x < 10, lambda: tf.constant("small")), (x < 100, lambda: tf.constant("large"))], default=lambda: tf.constant("huge"))
    for value in (-5, 5, 50, 500):
        p.run(out, {x: value})


@case
def case_exclusive(p):
    x = tf.placeholder(tf.int32, [])
    out = tf.case([(tf.equal(x, 1), lambda: x * 10), (tf.equal(x, 2), lambda: x * 20)], default=lambda: x, exclusive=True)
    for value in (1, 2, 3):
        p.run(out, {x: value})


@case
def case_without_match(p):
    x = tf.placeholder(tf.int32, [])
    out = tf.case([(x > 0, lambda: x * 10), (x > 5, lambda: x * 20)])
    p.run(out, {x: 1})
    p.run(out, {x: -1}, error="InvalidArgument")

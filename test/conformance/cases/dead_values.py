# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Switches on references and resources, errors in branches, dead values and
control edges."""

from plan import case, np, raw, tf


@case
def ref_switch(p):
    which = tf.placeholder(tf.bool, [])
    v = tf.Variable([1, 2], use_resource=False)
    off, on = raw.RefSwitch(data=v._ref(), pred=which)
    add = tf.assign_add(on, [10, 10])
    sub = tf.assign_sub(off, [1, 1])
    merged = raw.RefMerge(inputs=[sub, add])
    p.run(v.initializer)
    p.run(list(merged), {which: True})
    p.run(v)
    p.run(list(merged), {which: False})
    p.run(v)


@case
def ref_select(p):
    index = tf.placeholder(tf.int32, [])
    v, w = tf.Variable(1, use_resource=False), tf.Variable(2, use_resource=False)
    chosen = raw.RefSelect(index=index, inputs=[v._ref(), w._ref()])
    out = tf.identity(chosen) * 10
    p.run([], targets=[v.initializer, w.initializer])
    p.run(out, {index: 0})
    p.run(out, {index: 1})


@case
def ref_identity_in_branch(p):
    v = tf.Variable(3, use_resource=False)
    which = tf.placeholder(tf.bool, [])
    out = tf.cond(which, lambda: tf.identity(v) + 1, lambda: tf.constant(0))
    p.run(v.initializer)
    p.run(out, {which: True})
    p.run(out, {which: False})


@case
def error_in_untaken_branch_is_none(p):
    x = tf.placeholder(tf.int32, [])
    out = tf.cond(x > 0, lambda: 100 // x, lambda: tf.constant(0))
    p.run(out, {x: 7})
    p.run(out, {x: 0})


@case
def error_in_taken_branch(p):
    x = tf.placeholder(tf.int32, [])
    y = tf.placeholder(tf.int32, [])
    out = tf.cond(x > 0, lambda: x // y, lambda: tf.constant(0))
    p.run(out, {x: 7, y: 0}, error="InvalidArgument")
    p.run(out, {x: 7, y: 2})
    p.run(out, {x: -7, y: 0})


@case
def predicate_of_rank_one(p):
    which = tf.placeholder(tf.bool)
    out = tf.cond(which, lambda: tf.constant(1), lambda: tf.constant(2))
    p.run(out, {which: True})
    p.run(out, {which: [True, False]}, error="InvalidArgument")


@case
def uninitialized_in_branch(p):
    which = tf.placeholder(tf.bool, [])
    v = tf.Variable(3, use_resource=True)
    out = tf.cond(which, lambda: v.read_value() + 1, lambda: tf.constant(0))
    p.run(out, {which: False})
    p.run(out, {which: True}, error="FailedPrecondition")


@case
def control_trigger_runs_on_dead(p):
    which = tf.placeholder(tf.bool, [])
    v = tf.Variable(0, use_resource=True)
    _, on = raw.Switch(data=tf.constant(1), pred=which)
    with tf.control_dependencies([tf.identity(on)]):
        trigger = raw.ControlTrigger()
    with tf.control_dependencies([trigger]):
        add = v.assign_add(1).op
    p.run(v.initializer)
    p.run([], {which: False}, targets=[add])
    p.run([], {which: True}, targets=[add])
    p.run(v)


@case
def no_op_hands_deadness_on(p):
    which = tf.placeholder(tf.bool, [])
    v = tf.Variable(0, use_resource=True)
    _, on = raw.Switch(data=tf.constant(1), pred=which)
    with tf.control_dependencies([tf.identity(on)]):
        nothing = tf.no_op()
    with tf.control_dependencies([nothing]):
        add = v.assign_add(1).op
    p.run(v.initializer)
    p.run([], {which: False}, targets=[add])
    p.run(v)
    p.run([], {which: True}, targets=[add])
    p.run(v)


@case
def merge_waits_for_controls(p):
    which = tf.placeholder(tf.bool, [])
    v = tf.Variable(1, use_resource=True)
    assigned = v.assign(42).op
    off, on = raw.Switch(data=tf.constant(1), pred=which)
    with tf.control_dependencies([assigned]):
        merged = raw.Merge(inputs=[off, on])
    with tf.control_dependencies([merged.output]):
        out = v.read_value()
    p.run(v.initializer)
    p.run(out, {which: True})


@case
def switch_control_means_the_op_itself(p):
    # A control edge from a Switch comes whatever side is taken.
    which = tf.placeholder(tf.bool, [])
    off, _ = raw.Switch(data=tf.constant(1), pred=which)
    with tf.control_dependencies([off.op]):
        out = tf.constant(6) + 0
    p.run(out, {which: True})
    p.run(out, {which: False})


@case
def resource_through_switch(p):
    which = tf.placeholder(tf.bool, [])
    v = tf.Variable([1, 2, 3], use_resource=True)
    off, on = raw.Switch(data=v.handle, pred=which)
    plus = raw.AssignAddVariableOp(resource=on, value=tf.constant([1, 1, 1]))
    minus = raw.AssignSubVariableOp(resource=off, value=tf.constant([1, 1, 1]))
    p.run(v.initializer)
    p.run([], {which: True}, targets=[plus])
    p.run(v)
    p.run([], {which: False}, targets=[plus, minus])
    p.run(v)


@case
def resource_through_merge(p):
    which = tf.placeholder(tf.bool, [])
    v, w = tf.Variable(1, use_resource=True), tf.Variable(2, use_resource=True)
    v_off, _ = raw.Switch(data=v.handle, pred=which)
    _, w_on = raw.Switch(data=w.handle, pred=which)
    handle = raw.Merge(inputs=[v_off, w_on]).output
    out = raw.ReadVariableOp(resource=handle, dtype=tf.int32) * 10
    p.run([], targets=[v.initializer, w.initializer])
    p.run(out, {which: False})
    p.run(out, {which: True})


@case
def queue_in_a_branch(p):
    which = tf.placeholder(tf.bool, [])
    q = tf.FIFOQueue(10, [tf.int32], shapes=[[]])
    op = tf.cond(which, lambda: tf.group(q.enqueue(5)), lambda: tf.group(q.enqueue([6])))
    p.run([], {which: True}, targets=[op])
    p.run([], {which: False}, targets=[op])
    p.run(q.dequeue_many(2))
    p.run(q.size())


@case
def smart_mixture_with_strings(p):
    x = tf.placeholder(tf.string, [])
    out = tf.cond(tf.equal(x, "left"), lambda: tf.string_join([x, tf.constant("hand")], "-"), lambda: tf.string_join([tf.constant("not"), x], " "))
    p.run(out, {x: "left"})
    p.run(out, {x: "right"})


@case
def big_tensors_in_branches(p):
    x = tf.constant(p.floats(64, 32))
    which = tf.placeholder(tf.bool, [])
    out = tf.cond(which, lambda: tf.reduce_max(x, axis=0), lambda: tf.reduce_min(x, axis=0))
    p.run(out, {which: True})
    p.run(out, {which: False})


@case
def where_not_cond(p):
    x = tf.placeholder(tf.float32, [4])
    p.run(tf.where(x > 0, x, -x * 2), {x: [1, -1, 0, 3]})
    p.run(tf.where_v2(x > 0, x, tf.constant(9.0)), {x: np.array([1, -1, 0, 3])})

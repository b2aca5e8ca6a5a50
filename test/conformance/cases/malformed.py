# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Switch, Merge, Enter, Exit and NextIteration written by hand: graphs that no
front end makes, right ones and wrong ones."""

from plan import case, raw, tf


def node(definition, name, op, inputs, **attributes):
    new = definition.node.add(name=name, op=op)
    new.input.extend(inputs)
    for key, value in attributes.items():
        if isinstance(value, tf.DType):
            new.attr[key].type = value.as_datatype_enum
        elif isinstance(value, bool):
            new.attr[key].b = value
        elif isinstance(value, int):
            new.attr[key].i = value
        elif isinstance(value, str):
            new.attr[key].s = value.encode()
    return new


def enter(d, name, value, frame="loop", constant=False, parallel=10, dtype=tf.int32):
    return node(d, name, "Enter", [value], T=dtype, frame_name=frame, is_constant=constant, parallel_iterations=parallel)


def count_loop(d, start="zero", limit="ten", step="one", frame="loop", prefix="", parallel=10):
    """i = start; while (i < limit) i += step, as nodes; `prefix`exit is the result."""
    n = lambda name: prefix + name  # noqa: E731
    enter(d, n("enter"), start, frame, parallel=parallel)
    enter(d, n("limit"), limit, frame, constant=True, parallel=parallel)
    enter(d, n("step"), step, frame, constant=True, parallel=parallel)
    node(d, n("merge"), "Merge", [n("enter"), n("next")], T=tf.int32, N=2)
    node(d, n("less"), "Less", [n("merge"), n("limit")], T=tf.int32)
    node(d, n("cond"), "LoopCond", [n("less")])
    node(d, n("switch"), "Switch", [n("merge"), n("cond")], T=tf.int32)
    node(d, n("add"), "AddV2", [n("switch:1"), n("step")], T=tf.int32)
    node(d, n("next"), "NextIteration", [n("add")], T=tf.int32)
    node(d, n("exit"), "Exit", [n("switch")], T=tf.int32)


def constants():
    tf.constant(0, name="zero")
    tf.constant(1, name="one")
    tf.constant(10, name="ten")


@case(params=[1, 10])
def loop_by_hand(p, parallel):
    constants()
    p.edit(lambda d: count_loop(d, parallel=parallel))
    p.run(["exit:0"])


@case
def loop_with_fed_bounds(p):
    x = tf.placeholder(tf.int32, [], name="ten")
    tf.placeholder(tf.int32, [], name="zero")
    tf.constant(3, name="one")
    p.edit(count_loop)
    for start, limit in ((0, 10), (5, 5), (-7, 2)):
        p.run(["exit:0"], {x: limit, "zero:0": tf.constant(start).dtype.as_numpy_dtype(start)})


@case
def loop_without_loop_cond(p):
    # A Switch by a plain comparison is a loop too.
    constants()

    def edit(d):
        count_loop(d)
        for n in list(d.node):
            if n.name == "cond":
                n.op = "Identity"
                n.attr["T"].type = tf.bool.as_datatype_enum

    p.edit(edit)
    p.run(["exit:0"])


@case
def loop_where_everything_is_used_outside(p):
    constants()

    def edit(d):
        count_loop(d)
        node(d, "double", "Mul", ["exit", "exit"], T=tf.int32)

    p.edit(edit)
    p.run(["double:0", "exit:0"])


@case
def invariant_that_is_not_constant(p):
    # The limit is there in iteration 0 only, so iteration 1 never compares.
    constants()

    def edit(d):
        count_loop(d)
        for n in d.node:
            if n.name == "limit":
                n.attr["is_constant"].b = False

    p.edit(edit)
    p.run(["exit:0"], error="InvalidArgument", weir="FailedPrecondition")


@case
def two_loops_with_one_frame_name(p):
    constants()
    p.edit(lambda d: (count_loop(d, prefix="a_", frame="a"), count_loop(d, start="a_exit", prefix="b_", frame="b", step="ten")))
    p.run(["b_exit:0", "a_exit:0"])


@case
def exit_that_never_is(p):
    # A loop that ends at once: the second Exit hangs on the taken side.
    constants()

    def edit(d):
        count_loop(d, start="ten")
        node(d, "never", "Exit", ["switch:1"], T=tf.int32)

    p.edit(edit)
    p.run(["exit:0"])
    p.run(["never:0"], error="InvalidArgument")


@case
def dead_exit_meets_a_merge(p):
    constants()
    x = tf.placeholder(tf.bool, [], name="x")

    def edit(d):
        node(d, "gate", "Switch", ["zero", "x"], T=tf.int32)
        count_loop(d, start="gate:1")
        node(d, "out", "Merge", ["gate", "exit"], T=tf.int32, N=2)

    p.edit(edit)
    p.run(["out:0", "out:1"], {x: True})
    p.run(["out:0", "out:1"], {x: False})


@case
def next_iteration_without_enter(p):
    constants()

    def edit(d):
        node(d, "next", "NextIteration", ["one"], T=tf.int32)
        node(d, "sum", "AddV2", ["next", "one"], T=tf.int32)

    p.edit(edit)
    p.run(["sum:0"], error="Internal", weir="InvalidArgument", judged=False)


@case
def exit_without_enter(p):
    constants()
    p.edit(lambda d: node(d, "out", "Exit", ["one"], T=tf.int32))
    p.run(["out:0"], error="InvalidArgument")


@case
def frames_that_cross(p):
    constants()

    def edit(d):
        count_loop(d, prefix="a_", frame="a")
        count_loop(d, prefix="b_", frame="b")
        node(d, "both", "AddV2", ["a_merge", "b_merge"], T=tf.int32)
        node(d, "out", "Exit", ["both"], T=tf.int32)

    p.edit(edit)
    p.run(["out:0"], error="InvalidArgument")


@case
def value_from_outside_without_enter(p):
    constants()
    tf.placeholder(tf.int32, [], name="x")

    def edit(d):
        count_loop(d)
        for n in d.node:
            if n.name == "add":
                n.input[1] = "x"

    p.edit(edit)
    p.run(["exit:0"], {"x:0": tf.int32.as_numpy_dtype(3)}, error="InvalidArgument")


@case
def value_from_inside_without_exit(p):
    constants()

    def edit(d):
        count_loop(d)
        node(d, "out", "AddV2", ["switch", "ten"], T=tf.int32)

    p.edit(edit)
    p.run(["out:0"], error="InvalidArgument")


@case
def two_loop_conditions_in_a_frame(p):
    constants()

    def edit(d):
        count_loop(d)
        node(d, "again", "LoopCond", ["less"])
        node(d, "other", "Switch", ["merge", "again"], T=tf.int32)
        node(d, "out", "Exit", ["other"], T=tf.int32)

    p.edit(edit)
    p.run(["out:0", "exit:0"], error="InvalidArgument")


@case
def enter_without_a_frame_name(p):
    constants()

    def edit(d):
        node(d, "in", "Enter", ["one"], T=tf.int32, frame_name="", is_constant=False, parallel_iterations=10)
        node(d, "out", "Exit", ["in"], T=tf.int32)

    p.edit(edit)
    p.run(["out:0"], error="InvalidArgument")


@case
def enter_and_exit_alone(p):
    # A frame of one iteration: a value goes through.
    constants()

    def edit(d):
        enter(d, "in", "ten")
        node(d, "square", "Mul", ["in", "in"], T=tf.int32)
        node(d, "out", "Exit", ["square"], T=tf.int32)

    p.edit(edit)
    p.run(["out:0"])


@case
def frame_in_a_frame(p):
    constants()

    def edit(d):
        enter(d, "outer", "ten", frame="outer")
        enter(d, "inner", "outer", frame="inner")
        node(d, "square", "Mul", ["inner", "inner"], T=tf.int32)
        node(d, "leave", "Exit", ["square"], T=tf.int32)
        node(d, "again", "Mul", ["leave", "outer"], T=tf.int32)
        node(d, "out", "Exit", ["again"], T=tf.int32)

    p.edit(edit)
    p.run(["out:0"])


@case
def loop_nested_by_hand(p):
    # for (i = 0; i < 10; i += 1) for (j = 0; j < 10; j += 10): the inner result is the step.
    constants()

    def edit(d):
        count_loop(d, prefix="o_", frame="outer")
        enter(d, "o_ten", "ten", frame="outer", constant=True)
        enter(d, "o_one", "one", frame="outer", constant=True)
        # The inner loop counts from the outer counter up to ten.
        count_loop(d, start="o_switch:1", limit="o_ten", step="o_one", prefix="i_", frame="inner")
        for n in d.node:
            if n.name == "o_add":
                n.input[0] = "i_exit"

    p.edit(edit)
    p.run(["o_exit:0"])


@case
def cycle_without_next_iteration(p):
    constants()

    def edit(d):
        node(d, "a", "AddV2", ["b", "one"], T=tf.int32)
        node(d, "b", "AddV2", ["a", "one"], T=tf.int32)

    p.edit(edit)
    p.run(["a:0"], error="InvalidArgument")


@case
def merge_of_two_live_inputs(p):
    # Either may win; here they are equal.
    x = tf.placeholder(tf.int32, [])
    merged = raw.Merge(inputs=[x + 1, 1 + x])
    p.run(merged.output, {x: 4})


@case
def merge_of_a_live_and_a_dead_constant_input(p):
    which = tf.placeholder(tf.bool, [])
    _, on = raw.Switch(data=tf.constant(3), pred=which)
    merged = raw.Merge(inputs=[on, on * 2])
    p.run([merged.value_index * 0], {which: True})
    p.run(merged.output, {which: False}, error="InvalidArgument")


@case
def merge_of_types_that_differ(p):
    constants()
    tf.constant(1.5, name="half")
    p.edit(lambda d: node(d, "out", "Merge", ["one", "half"], T=tf.int32, N=2))
    p.run(["out:0"], error="InvalidArgument")


@case
def switch_on_a_number(p):
    constants()
    p.edit(lambda d: node(d, "out", "Switch", ["one", "ten"], T=tf.int32))
    p.run(["out:0"], error="InvalidArgument")


@case
def switch_on_a_vector(p):
    which = tf.placeholder(tf.bool, name="which")
    constants()
    p.edit(lambda d: node(d, "out", "Switch", ["one", "which"], T=tf.int32))
    p.run(["out:1"], {which: True})
    p.run(["out:1"], {which: [True]}, error="InvalidArgument")


@case
def loop_condition_that_is_dead(p):
    constants()
    tf.placeholder(tf.bool, [], name="x")

    def edit(d):
        node(d, "gate", "Switch", ["ten", "x"], T=tf.int32)
        count_loop(d, limit="gate:1")
        for n in d.node:
            if n.name == "step":
                n.input[0] = "one"

    p.edit(edit)
    p.run(["exit:0"], {"x:0": tf.bool.as_numpy_dtype(True)})
    p.run(["exit:0"], {"x:0": tf.bool.as_numpy_dtype(False)}, error="InvalidArgument")


@case
def input_that_does_not_exist(p):
    constants()
    p.edit(lambda d: node(d, "out", "AddV2", ["one", "nobody"], T=tf.int32))
    p.run(["out:0"], error="InvalidArgument")


@case
def output_that_does_not_exist(p):
    constants()
    p.edit(lambda d: node(d, "out", "AddV2", ["one", "one:3"], T=tf.int32))
    p.run(["out:0"], error="InvalidArgument")


@case
def two_nodes_of_one_name(p):
    constants()
    p.edit(lambda d: node(d, "one", "Identity", ["ten"], T=tf.int32))
    p.run(["one:0"], error="InvalidArgument")


@case
def types_that_disagree(p):
    constants()
    tf.constant(1.5, name="half")
    p.edit(lambda d: node(d, "out", "AddV2", ["one", "half"], T=tf.int32))
    p.run(["out:0"], error="InvalidArgument")


@case
def too_few_inputs(p):
    constants()
    p.edit(lambda d: node(d, "out", "AddV2", ["one"], T=tf.int32))
    p.run(["out:0"], error="InvalidArgument")


@case
def function_that_does_not_exist(p):
    constants()

    def edit(d):
        call = node(d, "out", "PartitionedCall", ["one"])
        call.attr["f"].func.name = "nobody"
        call.attr["Tin"].list.type.append(tf.int32.as_datatype_enum)
        call.attr["Tout"].list.type.append(tf.int32.as_datatype_enum)

    p.edit(edit)
    p.run(["out:0"], error="InvalidArgument")


@case
def two_merges_one_live_switch(p):
    which = tf.placeholder(tf.bool, [])
    other = tf.placeholder(tf.bool, [])
    off, on = raw.Switch(data=tf.constant(1), pred=which)
    deep_off, deep_on = raw.Switch(data=on * 10, pred=other)
    inner = raw.Merge(inputs=[deep_off + 1, deep_on + 2])
    outer = raw.Merge(inputs=[inner.output, off])
    for a in (True, False):
        for b in (True, False):
            p.run([outer.output, outer.value_index], {which: a, other: b})


@case
def diamond_through_control_edges_only(p):
    which = tf.placeholder(tf.bool, [])
    v = tf.Variable(0, use_resource=True)
    off, on = raw.Switch(data=tf.constant(1), pred=which)
    with tf.control_dependencies([tf.identity(on)]):
        a = v.assign_add(10).op
    with tf.control_dependencies([tf.identity(off)]):
        b = v.assign_add(1).op
    p.run([], targets=[v.initializer])
    p.run([], {which: True}, targets=[a, b])
    p.run([], {which: False}, targets=[a, b])
    p.run([], {which: False}, targets=[a, b])
    p.run(v)


@case
def merge_reached_by_a_longer_dead_path(p):
    which = tf.placeholder(tf.bool, [])
    off, on = raw.Switch(data=tf.constant([1.0, 4.0]), pred=which)
    long = on
    for _ in range(20):
        long = tf.sqrt(long) + 1.0
    merged = raw.Merge(inputs=[long, off])
    p.run(list(merged), {which: True}, tolerance=1e-5)
    p.run(list(merged), {which: False})


@case
def switch_of_a_merge_of_a_switch(p):
    a, b = tf.placeholder(tf.bool, []), tf.placeholder(tf.bool, [])
    off, on = raw.Switch(data=tf.constant(2), pred=a)
    m = raw.Merge(inputs=[off * 3, on * 5]).output
    off2, on2 = raw.Switch(data=m, pred=b)
    out = raw.Merge(inputs=[off2 + 100, on2 + 200]).output
    for x in (True, False):
        for y in (True, False):
            p.run(out, {a: x, b: y})


@case
def dead_value_into_a_switch(p):
    a, b = tf.placeholder(tf.bool, []), tf.placeholder(tf.bool, [])
    _, on = raw.Switch(data=tf.constant(2), pred=a)
    off2, on2 = raw.Switch(data=on, pred=b)
    m = raw.Merge(inputs=[off2, on2 * 7])
    p.run(list(m), {a: True, b: False})
    p.run(list(m), {a: True, b: True})
    p.run(m.output, {a: False, b: True}, error="InvalidArgument")


@case
def dead_predicate(p):
    a = tf.placeholder(tf.bool, [])
    _, on = raw.Switch(data=tf.constant(True), pred=a)
    off2, on2 = raw.Switch(data=tf.constant(3), pred=on)
    m = raw.Merge(inputs=[off2, on2])
    p.run(list(m), {a: True})
    p.run(m.output, {a: False}, error="InvalidArgument")


@case
def conditional_through_different_merges_of_one_switch(p):
    # One Switch, two Merges that pair it with another value each.
    a = tf.placeholder(tf.bool, [])
    off, on = raw.Switch(data=tf.constant(1), pred=a)
    off2, on2 = raw.Switch(data=tf.constant(50), pred=a)
    m = raw.Merge(inputs=[off, on2])
    n = raw.Merge(inputs=[on, off2])
    p.run([m.output, m.value_index, n.output, n.value_index], {a: True})
    p.run([m.output, m.value_index, n.output, n.value_index], {a: False})

# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Variables of both kinds: references (VariableV2) and resources (VarHandleOp)."""

from plan import case, np, raw, tf

KINDS = [False, True]


def variable(value, resource, **more):
    return tf.Variable(value, use_resource=resource, **more)


@case(params=[(kind, dtype) for kind in KINDS for dtype in (tf.int32, tf.int64, tf.float32, tf.float64, tf.bool)])
def initialize_and_read(p, resource, dtype):
    v = variable(tf.constant([1, 0, 1], dtype) if dtype != tf.bool else tf.constant([True, False, True]), resource)
    p.run([], targets=[v.initializer])
    p.run(v)


@case(params=KINDS)
def uninitialized_read(p, resource):
    v = variable([1.0, 2.0], resource)
    p.run(v.read_value(), error="FailedPrecondition")
    p.run([], targets=[v.initializer])
    p.run(v.read_value())


@case(params=KINDS)
def is_initialized(p, resource):
    v = variable([1.0, 2.0], resource)
    state = tf.is_variable_initialized(v)
    p.run(state)
    p.run([], targets=[v.initializer])
    p.run(state)


@case(params=KINDS)
def assign_add_sub(p, resource):
    v = variable([1.0, 2.0], resource)
    x = tf.placeholder(tf.float32, [2])
    ops = [tf.assign(v, x), tf.assign_add(v, x), tf.assign_sub(v, x * 3.0)]
    p.run([], targets=[v.initializer])
    for op, value in ((1, [10, 20]), (2, [1, 1]), (0, [5, 6]), (1, [0.5, 0.25])):
        p.run(ops[op], {x: value})
        p.run(v)


@case(params=[(kind, dtype) for kind in KINDS for dtype in (tf.int32, tf.int64, tf.float64)])
def updates_in_types(p, resource, dtype):
    v = variable(tf.constant([4, 5], dtype), resource)
    p.run([], targets=[v.initializer])
    p.run(tf.assign_add(v, tf.constant([1, 2], dtype)))
    p.run(tf.assign_sub(v, tf.constant([7, 7], dtype)))


@case(params=KINDS)
def result_of_an_update_is_the_new_value(p, resource):
    v = variable(5, resource)
    out = tf.assign_add(v, 3) * 10
    p.run([], targets=[v.initializer])
    p.runs(2, out)


@case(params=KINDS)
def counter(p, resource):
    v = variable(0, resource)
    step = tf.assign_add(v, 1)
    p.run([], targets=[v.initializer])
    p.runs(4, step)


@case(params=KINDS)
def order_by_control_edges(p, resource):
    v = variable(1, resource)
    with tf.control_dependencies([v.initializer]):
        a = tf.assign_add(v, 10)
    with tf.control_dependencies([a]):
        b = tf.assign(v, v.read_value() * 2)
    with tf.control_dependencies([b]):
        out = v.read_value()
    p.run(out)
    p.run(out)


@case(params=KINDS)
def read_before_and_after(p, resource):
    v = variable([1, 2], resource)
    before = v.read_value() + 0
    with tf.control_dependencies([before]):
        update = tf.assign(v, [9, 9])
    with tf.control_dependencies([update]):
        after = v.read_value() + 0
    p.run([], targets=[v.initializer])
    p.run([before, after])


@case(params=KINDS)
def swap_two(p, resource):
    v, w = variable(1, resource), variable(2, resource)
    a, b = v.read_value() + 0, w.read_value() + 0
    with tf.control_dependencies([a, b]):
        ops = [tf.assign(v, b), tf.assign(w, a)]
    p.run([], targets=[v.initializer, w.initializer])
    for _ in range(2):
        p.run([], targets=ops)
        p.run([v, w])


@case(params=KINDS)
def initialized_from_another(p, resource):
    v = variable([2.0, 3.0], resource)
    w = variable(v.read_value() * 2.0, resource)
    p.run([], targets=[v.initializer])
    p.run([], targets=[w.initializer])
    p.run([v, w])


@case(params=KINDS)
def all_at_once(p, resource):
    v, w = variable(1.5, resource), variable([[1, 2], [3, 4]], resource)
    p.run([], targets=[tf.global_variables_initializer()])
    p.run([v, w])


@case(params=KINDS)
def fed_initial_value(p, resource):
    x = tf.placeholder(tf.float32, [3])
    v = variable(x, resource)
    p.run([], {x: [1, 2, 3]}, targets=[v.initializer])
    p.run(v)
    p.run([], {x: [4, 5, 6]}, targets=[v.initializer])
    p.run(v)


@case(params=[(kind, lock) for kind in KINDS for lock in (False, True)])
def use_locking(p, resource, lock):
    v = variable([1, 1], resource)
    op = tf.assign_add(v, [2, 3], use_locking=lock)
    p.run([], targets=[v.initializer])
    p.runs(2, op)


@case
def validate_shape_off(p):
    v = tf.Variable([1.0, 2.0], use_resource=False, validate_shape=False)
    x = tf.placeholder(tf.float32)
    op = tf.assign(v, x, validate_shape=False)
    p.run([], targets=[v.initializer])
    p.run(v)
    p.run(op, {x: [[3.0]]})
    p.run(v)


@case(params=KINDS)
def wrong_shape(p, resource):
    v = variable([1.0, 2.0], resource)
    x = tf.placeholder(tf.float32)
    if resource:
        op = raw.AssignVariableOp(resource=v.handle, value=x, validate_shape=True)
    else:
        op = raw.Assign(ref=v._ref(), value=x).op
    p.run([], targets=[v.initializer])
    p.run([], {x: [1, 2, 3]}, targets=[op], error="InvalidArgument")
    p.run([], {x: [8, 9]}, targets=[op])
    p.run(v)


@case
def add_of_wrong_shape(p):
    v = tf.Variable([1.0, 2.0], use_resource=True)
    x = tf.placeholder(tf.float32)
    op = raw.AssignAddVariableOp(resource=v.handle, value=x)
    p.run([], targets=[v.initializer])
    p.run([], {x: [1, 2, 3]}, targets=[op], error="InvalidArgument")
    p.run(v)


@case(params=KINDS)
def update_before_initialization(p, resource):
    v = variable([1.0, 2.0], resource)
    p.run(tf.assign_add(v, [1.0, 1.0]), error="NotFound" if resource else "FailedPrecondition", weir="FailedPrecondition")
    p.run(tf.assign(v, [3.0, 4.0]))
    p.run(v)


@case
def handle_shared_by_name(p):
    a = raw.VarHandleOp(dtype=tf.int32, shape=[2], shared_name="common", container="")
    b = raw.VarHandleOp(dtype=tf.int32, shape=[2], shared_name="common", container="")
    p.run([], targets=[raw.AssignVariableOp(resource=a, value=tf.constant([3, 4]))])
    p.run(raw.ReadVariableOp(resource=b, dtype=tf.int32))


@case
def handle_by_container(p):
    a = raw.VarHandleOp(dtype=tf.int32, shape=[], shared_name="common", container="left")
    b = raw.VarHandleOp(dtype=tf.int32, shape=[], shared_name="common", container="right")
    p.run([], targets=[raw.AssignVariableOp(resource=a, value=tf.constant(3))])
    p.run(raw.VarIsInitializedOp(resource=a))
    p.run(raw.VarIsInitializedOp(resource=b))


@case
def reference_shared_by_name(p):
    a = raw.VariableV2(shape=[2], dtype=tf.float32, shared_name="common", container="")
    b = raw.VariableV2(shape=[2], dtype=tf.float32, shared_name="common", container="")
    p.run(raw.Assign(ref=a, value=tf.constant([1.0, 2.0])))
    p.run(tf.identity(b))


@case
def first_version_of_variable(p):
    v = raw.Variable(shape=[2], dtype=tf.float32)
    with tf.control_dependencies([raw.Assign(ref=v, value=tf.constant([1.0, 2.0]))]):
        out = raw.AssignAdd(ref=v, value=tf.constant([1.0, 1.0]))
    p.run(out)
    p.run(tf.identity(v))


@case
def temporary_variable(p):
    t = raw.TemporaryVariable(shape=[2], dtype=tf.float32, var_name="scratch")
    a = raw.Assign(ref=t, value=tf.constant([1.0, 2.0]))
    b = raw.AssignAdd(ref=a, value=tf.constant([10.0, 10.0]))
    p.run(raw.DestroyTemporaryVariable(ref=b, var_name="scratch"))


@case(params=KINDS)
def get_variable_and_reuse(p, resource):
    with tf.variable_scope("layer", use_resource=resource):
        v = tf.get_variable("w", initializer=tf.constant([1.0, 2.0]))
    with tf.variable_scope("layer", reuse=True, use_resource=resource):
        w = tf.get_variable("w", shape=[2])
    p.run([], targets=[v.initializer])
    p.run(tf.assign_add(w, [1.0, 1.0]))
    p.run(v)


@case(params=KINDS)
def initializers_without_chance(p, resource):
    with tf.variable_scope("s", use_resource=resource):
        a = tf.get_variable("a", [2, 3], initializer=tf.zeros_initializer())
        b = tf.get_variable("b", [3], initializer=tf.ones_initializer(), dtype=tf.float64)
        c = tf.get_variable("c", [2], initializer=tf.constant_initializer(7), dtype=tf.int32)
    p.run([], targets=[tf.global_variables_initializer()])
    p.run([a, b, c])


def scatter_ops(resource):
    v = variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], resource)
    index = tf.placeholder(tf.int32, [None])
    x = tf.placeholder(tf.float32, [None, 2])
    return v, index, x


SCATTERS = ["update", "add", "sub", "mul", "div", "min", "max"]


@case(params=[(kind, how) for kind in KINDS for how in SCATTERS])
def scatter(p, resource, how):
    v, index, x = scatter_ops(resource)
    op = getattr(tf, f"scatter_{how}")(v, index, x)
    p.run([], targets=[v.initializer])
    p.run([], {index: [2, 0], x: [[10, 0.5], [2, 4]]}, targets=[op.op])
    p.run(v)


@case(params=[(kind, how) for kind in KINDS for how in ("add", "sub", "min", "max")])
def scatter_same_row_twice(p, resource, how):
    v, index, x = scatter_ops(resource)
    op = getattr(tf, f"scatter_{how}")(v, index, x)
    p.run([], targets=[v.initializer])
    p.run([], {index: [1, 1, 1], x: [[1, 2], [3, 4], [0.5, 9]]}, targets=[op.op])
    p.run(v)


@case(params=KINDS)
def scatter_of_nothing(p, resource):
    v, index, x = scatter_ops(resource)
    op = tf.scatter_add(v, index, x)
    p.run([], targets=[v.initializer])
    p.run([], {index: [], x: np.zeros((0, 2))}, targets=[op.op])
    p.run(v)


@case(params=[(kind, bad) for kind in KINDS for bad in (3, -1)])
def scatter_outside(p, resource, bad):
    v, index, x = scatter_ops(resource)
    op = tf.scatter_add(v, index, x)
    p.run([], targets=[v.initializer])
    p.run([], {index: [bad], x: [[1, 1]]}, targets=[op.op], error="InvalidArgument")
    p.run(v)


@case(params=KINDS)
def scatter_wrong_shape(p, resource):
    v, index, x = scatter_ops(resource)
    y = tf.placeholder(tf.float32)
    op = tf.scatter_update(v, index, y)
    p.run([], targets=[v.initializer])
    p.run([], {index: [0, 1], y: [[1, 1]]}, targets=[op.op], error="InvalidArgument")
    p.run(v)


@case(params=KINDS)
def scatter_scalar_updates(p, resource):
    v, index, _ = scatter_ops(resource)
    op = tf.scatter_add(v, index, tf.constant(100.0))
    p.run([], targets=[v.initializer])
    p.run([], {index: [0, 2]}, targets=[op.op])
    p.run(v)


@case(params=KINDS)
def scatter_scalar_index(p, resource):
    v = variable([1, 2, 3], resource)
    op = tf.scatter_update(v, tf.constant(1), tf.constant(50))
    p.run([], targets=[v.initializer])
    p.run([], targets=[op.op])
    p.run(v)


@case(params=KINDS)
def scatter_long_indices(p, resource):
    v = variable(tf.zeros([4, 2], tf.int64), resource)
    op = tf.scatter_add(v, tf.constant([[0, 1], [3, 1]], tf.int64), tf.ones([2, 2, 2], tf.int64))
    p.run([], targets=[v.initializer])
    p.run([], targets=[op.op])
    p.run(v)


@case
def scatter_before_initialization(p):
    v = tf.Variable([1, 2, 3], use_resource=True)
    p.run([], targets=[tf.scatter_add(v, [0], [1]).op], error="NotFound", weir="FailedPrecondition")


@case
def gather_from_a_resource(p):
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], use_resource=True)
    index = tf.placeholder(tf.int32, [None])
    out = v.sparse_read(index)
    p.run([], targets=[v.initializer])
    p.run(out, {index: [2, 0, 2]})
    p.run(out, {index: [7]}, error="InvalidArgument")


@case
def strided_slice_of_a_variable(p):
    v = tf.Variable([[1, 2, 3], [4, 5, 6]], use_resource=True)
    p.run([], targets=[v.initializer])
    p.run([v[1], v[:, 1:], v[0, ::-1], v[..., tf.newaxis, 2]])


@case(params=KINDS)
def count_up_to(p, resource):
    v = variable(0, resource)
    op = v.count_up_to(2)
    p.run([], targets=[v.initializer])
    p.runs(2, op)
    p.run(op, error="OutOfRange")


@case
def destroy_then_read(p):
    v = tf.Variable(1, use_resource=True)
    p.run([], targets=[v.initializer])
    p.run([], targets=[raw.DestroyResourceOp(resource=v.handle, ignore_lookup_error=False)])
    p.run(v.read_value(), error="FailedPrecondition")


@case
def shape_of_a_variable(p):
    v = tf.Variable(tf.zeros([3, 4]), use_resource=True)
    p.run([], targets=[v.initializer])
    p.run(raw.VariableShape(input=v.handle))


@case(params=KINDS)
def string_variable(p, resource):
    v = variable(["a", "bc"], resource)
    p.run([], targets=[v.initializer])
    p.run(v)
    p.run([], targets=[tf.assign(v, ["", "zz"]).op])
    p.run(v)


@case(params=KINDS)
def failed_step_keeps_what_ran_before(p, resource):
    v = variable(1, resource)
    x = tf.placeholder(tf.int32, [])
    add = tf.assign_add(v, 5)
    with tf.control_dependencies([add]):
        bad = tf.constant(1) // x
    p.run([], targets=[v.initializer])
    p.run(bad, {x: 0}, error="InvalidArgument")
    p.run(v)


@case(params=KINDS)
def fed_variable(p, resource):
    v = variable([1.0, 2.0], resource)
    value = v.read_value()
    out = value * 2.0
    p.run(out, {value: [5, 6]})


@case(params=KINDS)
def moving_average(p, resource):
    v = variable([1.0, 2.0], resource)
    average = variable([0.0, 0.0], resource)
    update = tf.assign_sub(average, (average - v) * 0.25)
    p.run([], targets=[tf.global_variables_initializer()])
    p.runs(3, update)


@case
def exponential_moving_average(p):
    v = tf.Variable([1.0, 2.0], use_resource=True)
    ema = tf.train.ExponentialMovingAverage(0.9)
    apply = ema.apply([v])
    with tf.control_dependencies([apply]):
        out = ema.average(v).read_value() if hasattr(ema.average(v), "read_value") else tf.identity(ema.average(v))
    p.run([], targets=[tf.global_variables_initializer()])
    p.runs(2, out)


@case(params=KINDS)
def concurrent_adds(p, resource):
    v = variable(0, resource)
    step = tf.assign_add(v, 1, use_locking=True)
    p.run([], targets=[v.initializer])
    with p.together():
        for _ in range(4):
            p.run([], targets=[step.op])
    p.run(v)


@case(params=KINDS)
def branch_of_updates(p, resource):
    v = variable([0, 0, 0], resource)
    ops = []
    for i in range(3):
        with tf.control_dependencies(ops[-1:]):
            ops.append(tf.scatter_update(v, [i], [i + 7]))
    p.run([], targets=[v.initializer])
    p.run([], targets=[ops[1].op])
    p.run(v)
    p.run([], targets=[ops[2].op])
    p.run(v)


@case
def assign_of_a_reference_by_another(p):
    v, w = tf.Variable([1, 2], use_resource=False), tf.Variable([0, 0], use_resource=False)
    p.run([], targets=[v.initializer, w.initializer])
    p.run(tf.assign(w, v))
    p.run(tf.assign_add(v, [1, 1]))
    p.run([v, w])


@case
def chain_of_references(p):
    v = tf.Variable([1, 2], use_resource=False)
    a = raw.AssignAdd(ref=v._ref(), value=tf.constant([1, 1]))
    b = raw.AssignSub(ref=a, value=tf.constant([5, 5]))
    c = raw.RefIdentity(input=b)
    d = raw.Assign(ref=c, value=c * 10)
    p.run([], targets=[v.initializer])
    p.run(d)
    p.run(v)

# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs with the gradients that TensorFlow's front end writes into them: math,
conditionals, loops (with their stacks), gathers, optimizers."""

from plan import case, np, tf


def check(p, y, xs, feeds, tolerance=1e-5):
    p.run([y] + [tf.convert_to_tensor(g) for g in tf.gradients(y, xs)], feeds, tolerance=tolerance)


UNARY = [
    tf.negative, tf.exp, tf.log, tf.sqrt, tf.rsqrt, tf.square, tf.tanh, tf.sigmoid, tf.nn.relu, tf.abs,
    tf.sin, tf.cos, tf.reciprocal, tf.log1p, tf.expm1, tf.erf, tf.nn.softplus, tf.nn.elu, tf.nn.softmax, tf.nn.log_softmax,
]  # fmt: skip


@case(params=UNARY)
def unary(p, function):
    x = tf.placeholder(tf.float32, [2, 3])
    check(p, tf.reduce_sum(function(x) * [1.0, 2.0, 3.0]), [x], {x: [[0.5, 1.25, 2.0], [0.1, 3.0, 0.75]]})


@case(params=[tf.add, tf.subtract, tf.multiply, tf.div, tf.maximum, tf.minimum, tf.pow, tf.squared_difference])
def binary_with_broadcast(p, function):
    x, y = tf.placeholder(tf.float32, [2, 3]), tf.placeholder(tf.float32, [3])
    check(p, tf.reduce_sum(function(x, y) * [[1.0, 2.0, 3.0]]), [x, y], {x: [[0.5, 1.25, 2.0], [1.5, 3.0, 0.75]], y: [1.0, 2.0, 0.5]})


@case(params=[(False, False), (True, False), (False, True), (True, True)])
def matmul(p, ta, tb):
    a = tf.constant(p.floats(*((3, 2) if ta else (2, 3))))
    b = tf.constant(p.floats(*((4, 3) if tb else (3, 4))))
    check(p, tf.reduce_sum(tf.square(tf.matmul(a, b, transpose_a=ta, transpose_b=tb))), [a, b], {})


@case(params=[tf.reduce_sum, tf.reduce_mean, tf.reduce_max, tf.reduce_min, tf.reduce_prod])
def reduction(p, function):
    x = tf.placeholder(tf.float32, [2, 3])
    check(p, tf.reduce_sum(function(x, axis=1) * [1.0, 2.0]), [x], {x: [[0.5, 1.25, 2.0], [1.5, 3.0, 0.75]]})


@case
def shapes(p):
    x = tf.placeholder(tf.float32, [2, 3])
    y = tf.concat([tf.reshape(tf.transpose(x), [6]), tf.reshape(x[:, 1:], [4]), tf.reshape(tf.pad(x, [[1, 0], [0, 1]]), [12])], 0)
    check(p, tf.reduce_sum(y * y), [x], {x: [[1, 2, 3], [4, 5, 6]]})


@case
def stack_and_split(p):
    x = tf.placeholder(tf.float32, [2, 4])
    a, b = tf.split(x, 2, axis=1)
    y = tf.stack([a, b * 2.0]) * tf.stack([b, a])
    check(p, tf.reduce_sum(y), [x], {x: [[1, 2, 3, 4], [5, 6, 7, 8]]})


@case
def tile_and_expand(p):
    x = tf.placeholder(tf.float32, [3])
    y = tf.tile(tf.expand_dims(x, 1), [2, 2]) * tf.reshape(tf.range(12.0), [6, 2])
    check(p, tf.reduce_sum(y), [x], {x: [1, 2, 3]})


@case
def select(p):
    x = tf.placeholder(tf.float32, [4])
    check(p, tf.reduce_sum(tf.where(x > 0, x * x, -3.0 * x)), [x], {x: [1, -1, 2, -2]})


@case
def softmax_cross_entropy(p):
    logits = tf.placeholder(tf.float32, [2, 3])
    loss = tf.nn.softmax_cross_entropy_with_logits(labels=[[0.0, 1.0, 0.0], [0.5, 0.25, 0.25]], logits=logits)
    check(p, tf.reduce_sum(loss), [logits], {logits: [[1, 2, 3], [0.5, -1, 2]]})


@case
def sparse_cross_entropy(p):
    logits = tf.placeholder(tf.float32, [2, 3])
    loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[2, 0], logits=logits)
    check(p, tf.reduce_mean(loss), [logits], {logits: [[1, 2, 3], [0.5, -1, 2]]})


@case
def sigmoid_cross_entropy(p):
    logits = tf.placeholder(tf.float32, [4])
    loss = tf.nn.sigmoid_cross_entropy_with_logits(labels=tf.constant([0.0, 1.0, 1.0, 0.0]), logits=logits)
    check(p, tf.reduce_mean(loss), [logits], {logits: [1, 2, -3, -0.5]})


@case
def convolution(p):
    x, w = tf.constant(p.floats(1, 5, 5, 2)), tf.constant(p.floats(3, 3, 2, 3))
    y = tf.nn.max_pool2d(tf.nn.relu(tf.nn.conv2d(x, w, strides=1, padding="SAME")), 2, 2, "VALID")
    check(p, tf.reduce_sum(y * y), [x, w], {}, tolerance=2e-5)


@case
def average_pool_and_bias(p):
    x, b = tf.constant(p.floats(1, 4, 4, 2)), tf.constant(p.floats(2))
    y = tf.nn.avg_pool2d(tf.nn.bias_add(x, b), 2, 2, "SAME")
    check(p, tf.reduce_sum(y * y), [x, b], {}, tolerance=2e-5)


@case
def gather_as_dense(p):
    x = tf.placeholder(tf.float32, [4, 2])
    y = tf.gather(x, [1, 3, 1])
    check(p, tf.reduce_sum(y * y), [x], {x: [[1, 2], [3, 4], [5, 6], [7, 8]]})


@case
def embedding_update(p):
    table = tf.Variable(np.arange(8, dtype=np.float32).reshape(4, 2), use_resource=False)
    index = tf.placeholder(tf.int32, [None])
    loss = tf.reduce_sum(tf.square(tf.nn.embedding_lookup(table, index)))
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    p.run([], targets=[table.initializer])
    p.run([], {index: [1, 3, 1]}, targets=[train])
    p.run(table)


@case
def stop_gradient(p):
    x = tf.placeholder(tf.float32, [2])
    check(p, tf.reduce_sum(tf.stop_gradient(x * x) * x), [x], {x: [2, 3]})


@case
def unconnected_and_given(p):
    x, y = tf.placeholder(tf.float32, [2]), tf.placeholder(tf.float32, [2])
    z = x * 3.0
    p.run(tf.gradients([z], [x, y], grad_ys=[tf.constant([1.0, 10.0])], unconnected_gradients=tf.UnconnectedGradients.ZERO), {x: [1, 2], y: [0, 0]})


@case
def second_order(p):
    x = tf.placeholder(tf.float32, [3])
    first = tf.gradients(tf.reduce_sum(x * x * x), x)[0]
    p.run(tf.gradients(tf.reduce_sum(first), x), {x: [1, 2, 3]})


@case
def clip_by_global_norm(p):
    x = tf.placeholder(tf.float32, [3])
    grads, norm = tf.clip_by_global_norm([x, x * 2.0], 1.0)
    p.run(grads + [norm], {x: [3, 4, 0]}, tolerance=1e-5)


@case
def through_cond(p):
    x = tf.placeholder(tf.float32, [2])
    y = tf.cond(tf.reduce_sum(x) > 0, lambda: tf.reduce_sum(x * x * x), lambda: tf.reduce_sum(x * 5.0))
    for value in ([1, 2], [-1, -2]):
        check(p, y, [x], {x: value})


@case
def through_nested_cond(p):
    x = tf.placeholder(tf.float32, [])
    y = tf.cond(x > 0, lambda: tf.cond(x > 2, lambda: x * x, lambda: x * 3.0), lambda: tf.exp(x))
    for value in (3, 1, -1):
        check(p, y, [x], {x: value})


@case
def through_cond_of_two_inputs(p):
    x, w = tf.placeholder(tf.float32, []), tf.placeholder(tf.float32, [])
    y = tf.cond(x < w, lambda: x * w, lambda: x - w)
    check(p, y, [x, w], {x: 1, w: 3})
    check(p, y, [x, w], {x: 3, w: 1})


@case(params=[1, 10])
def through_a_loop(p, parallel):
    x = tf.placeholder(tf.float32, [])
    n = tf.placeholder(tf.int32, [])
    y = tf.while_loop(lambda i, v: i < n, lambda i, v: (i + 1, v * v * 0.75), [0, x], parallel_iterations=parallel)[1]
    for trips in (0, 1, 4):
        check(p, y, [x], {x: 1.25, n: trips})


@case
def through_a_loop_with_invariant(p):
    x, w = tf.placeholder(tf.float32, [2]), tf.placeholder(tf.float32, [2])
    y = tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, tf.sin(v) * w), [0, x])[1]
    check(p, tf.reduce_sum(y), [x, w], {x: [1, 2], w: [0.5, -1.5]})


@case
def through_a_loop_of_matrices(p):
    x, w = tf.constant(p.floats(2, 3)), tf.constant(p.floats(3, 3))
    y = tf.while_loop(lambda i, v: i < 4, lambda i, v: (i + 1, tf.tanh(tf.matmul(v, w))), [0, x])[1]
    check(p, tf.reduce_sum(y * y), [x, w], {}, tolerance=3e-5)


@case
def through_a_loop_with_several_variables(p):
    x = tf.placeholder(tf.float32, [])
    y = tf.while_loop(lambda i, a, b: i < 4, lambda i, a, b: (i + 1, b * x, a + b), [0, x, x * 2.0])
    check(p, y[1] + y[2], [x], {x: 0.75})


@case
def through_a_nested_loop(p):
    x = tf.placeholder(tf.float32, [])

    def outer(i, v):
        return i + 1, tf.while_loop(lambda j, u: j < 2, lambda j, u: (j + 1, u * x + 0.5), [0, v])[1]

    y = tf.while_loop(lambda i, v: i < 3, outer, [0, x])[1]
    check(p, y, [x], {x: 0.75})


@case
def through_a_nested_loop_of_varying_length(p):
    x = tf.placeholder(tf.float32, [])

    def outer(i, v):
        return i + 1, tf.while_loop(lambda j, u: j <= i, lambda j, u: (j + 1, tf.tanh(u * x)), [0, v])[1]

    y = tf.while_loop(lambda i, v: i < 3, outer, [0, x])[1]
    check(p, y, [x], {x: 1.5})


@case
def through_cond_in_a_loop(p):
    x = tf.placeholder(tf.float32, [])
    body = lambda i, v: (i + 1, tf.cond(tf.equal(i % 2, 0), lambda: v * x, lambda: v + x * x))  # noqa: E731
    y = tf.while_loop(lambda i, v: i < 5, body, [0, x])[1]
    check(p, y, [x], {x: 0.75})


@case
def through_a_loop_in_cond(p):
    x = tf.placeholder(tf.float32, [])
    y = tf.cond(x > 0, lambda: tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, v * v), [0, x])[1], lambda: x * 7.0)
    check(p, y, [x], {x: 1.1})
    check(p, y, [x], {x: -2})


@case
def through_two_loops(p):
    x = tf.placeholder(tf.float32, [])
    a = tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, v * x), [0, x])[1]
    b = tf.while_loop(lambda i, v: i < 2, lambda i, v: (i + 1, tf.sin(v) + a), [0, a])[1]
    check(p, b, [x], {x: 0.75})


@case
def through_a_loop_with_a_variable(p):
    v = tf.Variable([1.5, -0.5], use_resource=True)
    y = tf.while_loop(lambda i, u: i < 3, lambda i, u: (i + 1, u * v), [0, tf.constant([1.0, 2.0])])[1]
    p.run([], targets=[v.initializer])
    check(p, tf.reduce_sum(y), [v], {})


@case
def second_order_of_cond(p):
    x = tf.placeholder(tf.float32, [])
    y = tf.cond(x > 0, lambda: x * x * x, lambda: x * x)
    first = tf.gradients(y, x)[0]
    p.run(tf.gradients(first, x), {x: 2})
    p.run(tf.gradients(first, x), {x: -2})


@case
def through_map_fn(p):
    x = tf.placeholder(tf.float32, [3])
    y = tf.map_fn(lambda v: v * v * v, x)
    check(p, tf.reduce_sum(y * [1.0, 2.0, 3.0]), [x], {x: [1, 2, 3]})


@case
def through_scan(p):
    x = tf.placeholder(tf.float32, [4])
    y = tf.scan(lambda a, v: a * 0.5 + v * v, x)
    check(p, tf.reduce_sum(y), [x], {x: [1, 2, 3, 4]})


@case
def through_foldl(p):
    x = tf.placeholder(tf.float32, [4])
    check(p, tf.foldl(lambda a, v: a * v, x), [x], {x: [1, 2, 3, 4]})


@case
def through_time_of_a_recurrent_cell(p):
    x, w, u = tf.constant(p.floats(3, 2, 3)), tf.constant(p.floats(3, 2)), tf.constant(p.floats(2, 2))
    ta = tf.TensorArray(tf.float32, 3).unstack(x)
    body = lambda t, h: (t + 1, tf.tanh(tf.matmul(ta.read(t), w) + tf.matmul(h, u)))  # noqa: E731
    h = tf.while_loop(lambda t, h: t < 3, body, [0, tf.zeros([2, 2])])[1]
    check(p, tf.reduce_sum(h * h), [x, w, u], {}, tolerance=3e-5)


@case
def function_gradient(p):
    x = tf.placeholder(tf.float32, [])

    @tf.custom_gradient
    def clipped(v):
        return v * v, lambda dy: tf.clip_by_value(dy * 2.0 * v, -1.0, 1.0)

    check(p, clipped(x), [x], {x: 3})


@case
def dynamic_partition_and_stitch(p):
    x = tf.placeholder(tf.float32, [4])
    parts = tf.dynamic_partition(x, [0, 1, 0, 1], 2)
    y = tf.dynamic_stitch([[0, 2], [1, 3]], [parts[0] * 2.0, parts[1] * 3.0])
    check(p, tf.reduce_sum(y * [1.0, 2.0, 3.0, 4.0]), [x], {x: [1, 2, 3, 4]})


@case
def segment_sum(p):
    x = tf.placeholder(tf.float32, [4, 2])
    y = tf.unsorted_segment_sum(x, [1, 0, 1, 2], 3)
    check(p, tf.reduce_sum(y * y), [x], {x: [[1, 2], [3, 4], [5, 6], [7, 8]]})


OPTIMIZERS = {
    "sgd": lambda: tf.train.GradientDescentOptimizer(0.1),
    "momentum": lambda: tf.train.MomentumOptimizer(0.1, 0.9),
    "nesterov": lambda: tf.train.MomentumOptimizer(0.1, 0.9, use_nesterov=True),
    "adagrad": lambda: tf.train.AdagradOptimizer(0.1),
    "adadelta": lambda: tf.train.AdadeltaOptimizer(0.5),
    "rmsprop": lambda: tf.train.RMSPropOptimizer(0.05),
    "centered_rmsprop": lambda: tf.train.RMSPropOptimizer(0.05, momentum=0.5, centered=True),
    "adam": lambda: tf.train.AdamOptimizer(0.05),
    "ftrl": lambda: tf.train.FtrlOptimizer(0.1, l1_regularization_strength=0.01),
    "proximal": lambda: tf.train.ProximalGradientDescentOptimizer(0.1, l2_regularization_strength=0.1),
}


@case(params=[(name, kind) for name in OPTIMIZERS for kind in (False, True)])
def optimizer(p, name, resource):
    x = tf.placeholder(tf.float32, [None, 3])
    w = tf.Variable([[0.5], [-1.0], [2.0]], use_resource=resource)
    b = tf.Variable([0.25], use_resource=resource)
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w) + b - 1.0))
    train = OPTIMIZERS[name]().minimize(loss)
    p.run([], targets=[tf.global_variables_initializer()])
    for k in range(3):
        p.run([], {x: [[1, 2, 3], [k, -1, 0.5]]}, targets=[train])
    p.run([w, b, loss], {x: [[1, 0, 1]]}, tolerance=1e-5)


@case(params=[True, False])
def optimizer_with_global_step_and_decay(p, resource):
    w = tf.Variable([1.0, 2.0], use_resource=resource)
    step = tf.Variable(0, trainable=False, use_resource=resource, dtype=tf.int64)
    rate = tf.train.exponential_decay(0.5, step, 2, 0.5, staircase=True)
    train = tf.train.GradientDescentOptimizer(rate).minimize(tf.reduce_sum(w * w), global_step=step)
    p.run([], targets=[tf.global_variables_initializer()])
    for _ in range(4):
        p.run([], targets=[train])
    p.run([w, step])


@case(params=["adam", "momentum", "adagrad"])
def optimizer_on_rows(p, name):
    table = tf.Variable(np.arange(8, dtype=np.float32).reshape(4, 2), use_resource=True)
    index = tf.placeholder(tf.int32, [None])
    loss = tf.reduce_sum(tf.square(tf.nn.embedding_lookup(table, index)))
    train = OPTIMIZERS[name]().minimize(loss)
    p.run([], targets=[tf.global_variables_initializer()])
    for rows in ([1, 3, 1], [0]):
        p.run([], {index: rows}, targets=[train])
    p.run(table, tolerance=1e-5)


@case
def two_layers_to_convergence(p):
    x = tf.constant([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    y = tf.constant([[0.0], [1.0], [1.0], [0.0]])
    w1 = tf.Variable(p.floats(2, 4), use_resource=True)
    w2 = tf.Variable(p.floats(4, 1), use_resource=True)
    loss = tf.reduce_mean(tf.square(tf.matmul(tf.tanh(tf.matmul(x, w1)), w2) - y))
    train = tf.train.GradientDescentOptimizer(0.2).minimize(loss)
    p.run([], targets=[w1.initializer, w2.initializer])
    for _ in range(20):
        p.run([], targets=[train])
    p.run(loss, tolerance=1e-4)

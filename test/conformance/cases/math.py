# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The ops that fill such graphs: arithmetic, comparisons, shapes, products."""

from plan import case, np, tf

FLOATS = [tf.negative, tf.abs, tf.sign, tf.square, tf.reciprocal, tf.floor, tf.ceil, tf.rint, tf.exp, tf.sqrt, tf.rsqrt, tf.log, tf.sigmoid, tf.tanh, tf.sin, tf.cos]


@case(params=[(function, dtype) for function in FLOATS for dtype in (tf.float32, tf.float64)])
def unary(p, function, dtype):
    x = tf.placeholder(dtype, [5])
    p.run(function(x), {x: [0.5, 1.0, 2.5, 3.75, 0.001]}, tolerance=2e-6 if dtype == tf.float32 else 1e-13)


@case(params=[tf.add, tf.subtract, tf.multiply, tf.maximum, tf.minimum, tf.floordiv, tf.floormod, tf.truncatediv, tf.truncatemod, tf.squared_difference])
def integer(p, function):
    x, y = tf.placeholder(tf.int32, [None]), tf.placeholder(tf.int32, [None])
    p.run(function(x, y), {x: [7, -7, 7, -7, 0], y: [2, 2, -2, -2, 5]})


@case(params=[tf.floordiv, tf.floormod, tf.truncatediv])
def integer_by_zero(p, function):
    x, y = tf.placeholder(tf.int32, [None]), tf.placeholder(tf.int32, [None])
    p.run(function(x, y), {x: [7], y: [0]}, error="Internal" if function is tf.truncatediv else "InvalidArgument", weir="InvalidArgument")


@case(params=[tf.less, tf.less_equal, tf.greater, tf.greater_equal, tf.equal, tf.not_equal])
def comparison(p, function):
    x, y = tf.placeholder(tf.float32, [3]), tf.placeholder(tf.float32, [3])
    p.run(function(x, y), {x: [1, 2, np.nan], y: [2, 2, np.nan]})


@case(params=[tf.logical_and, tf.logical_or, tf.logical_xor])
def logical(p, function):
    x, y = tf.placeholder(tf.bool, [4]), tf.placeholder(tf.bool, [4])
    p.run(function(x, y), {x: [True, True, False, False], y: [True, False, True, False]})


@case(params=[tf.add, tf.multiply, tf.div, tf.pow, tf.maximum])
def broadcast(p, function):
    x, y = tf.placeholder(tf.float32, [2, 1, 3]), tf.placeholder(tf.float32, [4, 1])
    p.run(function(x, y), {x: p.floats(2, 1, 3, low=0.5), y: p.floats(4, 1, low=0.5)}, tolerance=2e-6)


@case
def shapes_that_do_not_broadcast(p):
    x, y = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    p.run(x + y, {x: [1, 2], y: [1, 2, 3]}, error="InvalidArgument")
    p.run(x + y, {x: [1, 2], y: [[1], [2]]})


@case(params=[(a, b) for a in (tf.float32, tf.int32, tf.int64, tf.bool, tf.uint8, tf.float64) for b in (tf.float32, tf.int32, tf.bool, tf.float64) if a != b])
def cast(p, source, target):
    x = tf.placeholder(source, [3])
    p.run(tf.cast(x, target), {x: [0, 1, 1 if source == tf.bool else 2.75 if source.is_floating else 3]})


@case(params=[tf.reduce_sum, tf.reduce_mean, tf.reduce_max, tf.reduce_min, tf.reduce_prod])
def reduction(p, function):
    x = tf.placeholder(tf.float32, [2, 3, 2])
    value = p.floats(2, 3, 2)
    p.run([function(x), function(x, axis=1), function(x, axis=[0, 2], keepdims=True), function(x, axis=-1)], {x: value}, tolerance=3e-6)


@case(params=[tf.reduce_any, tf.reduce_all])
def logical_reduction(p, function):
    x = tf.placeholder(tf.bool, [2, 2])
    p.run([function(x), function(x, axis=0)], {x: [[True, False], [True, True]]})


@case(params=[tf.argmax, tf.argmin])
def arg_reduction(p, function):
    x = tf.placeholder(tf.float32, [2, 3])
    p.run([function(x, 1), function(x, 0, output_type=tf.int32)], {x: [[1, 3, 3], [0, -1, -1]]})


@case
def reduction_over_fed_axes(p):
    x, axis = tf.placeholder(tf.int32, [2, 3]), tf.constant([1])
    p.run(tf.reduce_sum(x, axis), {x: [[1, 2, 3], [4, 5, 6]]})


@case
def matmul(p):
    a, b = tf.placeholder(tf.float32, [None, 3]), tf.placeholder(tf.float32, [3, None])
    p.run(tf.matmul(a, b), {a: p.floats(2, 3), b: p.floats(3, 4)}, tolerance=3e-6)
    p.run(tf.matmul(a, b), {a: p.floats(0, 3), b: p.floats(3, 4)})


@case
def matmul_of_wrong_extents(p):
    a, b = tf.placeholder(tf.float32, [None, None]), tf.placeholder(tf.float32, [None, None])
    p.run(tf.matmul(a, b), {a: p.floats(2, 3), b: p.floats(4, 2)}, error="InvalidArgument")


@case
def batch_matmul(p):
    a, b = tf.placeholder(tf.float32, [2, 2, 3]), tf.placeholder(tf.float32, [2, 3, 2])
    p.run(tf.matmul(a, b), {a: p.floats(2, 2, 3), b: p.floats(2, 3, 2)}, tolerance=3e-6)


@case
def reshape_and_friends(p):
    x = tf.placeholder(tf.int32, [2, 3])
    p.run([tf.reshape(x, [3, -1]), tf.transpose(x), tf.expand_dims(x, 1), tf.squeeze(tf.reshape(x, [1, 6, 1])), tf.shape(x), tf.size(x), tf.rank(x)], {x: [[1, 2, 3], [4, 5, 6]]})


@case
def reshape_to_a_fed_shape(p):
    x, shape = tf.placeholder(tf.int32, [None]), tf.placeholder(tf.int32, [2])
    p.run(tf.reshape(x, shape), {x: [1, 2, 3, 4], shape: [2, -1]})
    p.run(tf.reshape(x, shape), {x: [1, 2, 3, 4], shape: [3, -1]}, error="InvalidArgument")


@case
def slices(p):
    x = tf.placeholder(tf.int32, [3, 4])
    p.run([x[1], x[:, 2], x[1:, ::2], x[::-1, -1], tf.slice(x, [0, 1], [2, -1]), x[-1, 1:3]], {x: np.arange(12).reshape(3, 4)})


@case
def slice_at_a_fed_place(p):
    x, i = tf.placeholder(tf.int32, [4]), tf.placeholder(tf.int32, [])
    p.run([x[i], x[i:], x[: i + 1]], {x: [1, 2, 3, 4], i: 2})
    p.run(x[i], {x: [1, 2, 3, 4], i: 4}, error="InvalidArgument")


@case
def concat_stack_split(p):
    x, y = tf.placeholder(tf.int32, [2, 2]), tf.placeholder(tf.int32, [2, 2])
    parts = tf.unstack(x, axis=1) + tf.split(y, [1, 1], axis=0)
    p.run([tf.concat([x, y], 1), tf.stack([x, y], axis=2)] + parts, {x: [[1, 2], [3, 4]], y: [[5, 6], [7, 8]]})


@case
def concat_of_wrong_extents(p):
    x, y = tf.placeholder(tf.int32), tf.placeholder(tf.int32)
    p.run(tf.concat([x, y], 0), {x: [[1, 2]], y: [[1, 2, 3]]}, error="InvalidArgument")


@case
def gather(p):
    x, i = tf.placeholder(tf.float32, [3, 2]), tf.placeholder(tf.int32, [None])
    p.run([tf.gather(x, i), tf.gather(x, [1, 0], axis=1)], {x: [[1, 2], [3, 4], [5, 6]], i: [2, 0, 2]})
    p.run(tf.gather(x, i), {x: [[1, 2], [3, 4], [5, 6]], i: [3]}, error="InvalidArgument")


@case
def gather_and_scatter_nd(p):
    x = tf.placeholder(tf.int32, [2, 3])
    p.run([tf.gather_nd(x, [[0, 1], [1, 2]]), tf.scatter_nd([[1], [3], [1]], [10, 20, 30], [5])], {x: [[1, 2, 3], [4, 5, 6]]})


@case
def ranges_and_fills(p):
    n = tf.placeholder(tf.int32, [])
    p.run([tf.range(n), tf.range(2, n, 3), tf.fill([n], 7), tf.zeros([n, 2]), tf.ones_like(tf.range(n)), tf.linspace(0.0, 1.0, 5)], {n: 6})


@case
def one_hot_and_pad(p):
    x = tf.placeholder(tf.int32, [3])
    p.run([tf.one_hot(x, 4), tf.one_hot(x, 3, on_value=5, off_value=-1, dtype=tf.int32), tf.pad(x, [[1, 2]]), tf.tile(x, [2]), tf.reverse(x, [0])], {x: [0, 2, 9]})


@case
def cumulative(p):
    x = tf.placeholder(tf.int32, [2, 3])
    p.run([tf.cumsum(x, axis=1), tf.cumsum(x, exclusive=True), tf.cumprod(x, axis=1, reverse=True)], {x: [[1, 2, 3], [4, 5, 6]]})


@case
def top_k(p):
    x = tf.placeholder(tf.float32, [2, 4])
    p.run(list(tf.nn.top_k(x, 3)), {x: [[1, 4, 2, 4], [0, -1, -5, 3]]})


@case
def addn_and_accumulate(p):
    x = tf.placeholder(tf.float32, [2])
    p.run(tf.add_n([x, x * 2.0, x * x]), {x: [1, 2]})


@case
def clip(p):
    x = tf.placeholder(tf.float32, [3])
    p.run([tf.clip_by_value(x, -1.0, 1.0), tf.clip_by_norm(x, 2.0)], {x: [-3, 0.5, 4]}, tolerance=2e-6)


@case
def softmaxes(p):
    x = tf.placeholder(tf.float32, [2, 3])
    p.run([tf.nn.softmax(x), tf.nn.log_softmax(x), tf.reduce_logsumexp(x, axis=1)], {x: [[1, 2, 3], [-1, 0, 1000]]}, tolerance=2e-6)


@case
def dropout_with_fed_mask(p):
    x, mask = tf.placeholder(tf.float32, [4]), tf.placeholder(tf.float32, [4])
    p.run(x * mask / 0.5, {x: [1, 2, 3, 4], mask: [1, 0, 1, 0]})


@case
def batch_normalization_by_hand(p):
    x = tf.placeholder(tf.float32, [4, 2])
    mean, variance = tf.nn.moments(x, axes=[0])
    p.run([mean, variance, tf.nn.batch_normalization(x, mean, variance, 1.0, 2.0, 1e-3)], {x: p.floats(4, 2)}, tolerance=5e-6)


@case
def dynamic_partition_and_stitch(p):
    x, where = tf.placeholder(tf.float32, [4]), tf.placeholder(tf.int32, [4])
    parts = tf.dynamic_partition(x, where, 2)
    places = tf.dynamic_partition(tf.range(4), where, 2)
    p.run([parts[0] + 0.0, parts[1] + 0.0, tf.dynamic_stitch(places, parts)], {x: [1, 2, 3, 4], where: [1, 0, 1, 1]})


@case
def saturation_and_wrap(p):
    x = tf.placeholder(tf.int32, [2])
    p.run([x + 1, x * 2, x - 5], {x: [2147483647, -2147483648]})

# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shapes, bounds, counts and places that are fed; values whose extents depend on
elements; strings that move."""

from plan import case, np, raw, tf


@case(params=[tf.int32, tf.int64, tf.float32, tf.float64])
def ranges(p, dtype):
    a, b, d = (tf.placeholder(dtype, []) for _ in range(3))
    out = tf.range(a, b, d)
    for bounds in [(0, 5, 1), (2, 12, 3), (5, 0, -2), (3, 3, 1), (1, 2, 10)]:
        p.run(out, dict(zip((a, b, d), bounds)))
    for bounds in [(0, 5, 0), (5, 0, 1), (0, 5, -1)]:
        p.run(out, dict(zip((a, b, d), bounds)), error="InvalidArgument")


@case
def fills(p):
    shape, value = tf.placeholder(tf.int32, [2]), tf.placeholder(tf.float32, [])
    out = tf.fill(shape, value)
    for extents in [(2, 3), (0, 3), (1, 1)]:
        p.run(out, {shape: extents, value: 1.5})
    p.run(out, {shape: (-1, 3), value: 1.5}, error="InvalidArgument")


@case
def broadcasts(p):
    x, shape = tf.placeholder(tf.int32, [1, 3]), tf.placeholder(tf.int32, [3])
    p.run(tf.broadcast_to(x, shape), {x: [[1, 2, 3]], shape: (2, 4, 3)})
    p.run(tf.broadcast_to(x, shape), {x: [[1, 2, 3]], shape: (2, 4, 2)}, error="InvalidArgument")


@case
def reshapes(p):
    x, shape = tf.placeholder(tf.int32, [None, 2]), tf.placeholder(tf.int64, [3])
    out = tf.reshape(x, shape)
    value = np.arange(12).reshape(6, 2)
    for extents in [(1, 3, 4), (-1, 2, 3), (2, -1, 1), (12, 1, 1)]:
        p.run(out, {x: value, shape: extents})
    p.run(out, {x: value[:0], shape: (0, 3, 4)})
    for extents in [(5, 2, 1), (-1, 5, 1), (-1, -1, 2), (-2, 3, -2)]:
        p.run(out, {x: value, shape: extents}, error="InvalidArgument")


@case(params=[(1, 1), (2, 1), (-1, 2), (-2, -1)])
def strided_slices(p, first, second):
    x = tf.placeholder(tf.int32, [5, 6])
    a, b, c, d = (tf.placeholder(tf.int32, []) for _ in range(4))
    out = [x[a:b:first, c:d:second], x[a::first, :d:second], x[a:b, c], x[c, tf.newaxis, ..., a:], x[..., c]]
    value = np.arange(30).reshape(5, 6)
    for bounds in [(0, 5, 0, 6), (1, 3, 2, 5), (4, 0, 5, 1), (-3, -1, -2, 100), (-100, 100, 1, -1)]:
        feeds = {x: value, **dict(zip((a, b, c, d), bounds))}
        p.run(out[:2], feeds)
        if -5 <= bounds[2] < 5:
            p.run(out[2:], feeds)
        else:
            p.run(out[3], feeds, error="InvalidArgument")


@case
def slices(p):
    x, begin, size = tf.placeholder(tf.int32, [3, 4]), tf.placeholder(tf.int32, [2]), tf.placeholder(tf.int32, [2])
    out = tf.slice(x, begin, size)
    value = np.arange(12).reshape(3, 4)
    for at, extents in [((0, 1), (2, 2)), ((1, 0), (-1, -1)), ((3, 4), (0, 0)), ((2, 3), (1, 1))]:
        p.run(out, {x: value, begin: at, size: extents})
    for at, extents in [((0, 3), (1, 2)), ((-1, 0), (1, 1)), ((0, 0), (4, 1))]:
        p.run(out, {x: value, begin: at, size: extents}, error="InvalidArgument")


@case(params=[1, 2, -1])
def gradients_of_slices(p, stride):
    x = tf.placeholder(tf.float32, [5, 3])
    a, b = tf.placeholder(tf.int32, []), tf.placeholder(tf.int32, [])
    y = x[a:b:stride, 1] if stride > 0 else x[b:a:stride, 1]
    out = tf.gradients(tf.reduce_sum(y * y), x)
    for bounds in [(0, 5), (1, 4), (2, 2)]:
        p.run(out, {x: np.arange(15).reshape(5, 3), a: bounds[0], b: bounds[1]})


@case
def gradient_of_a_range_of_rows(p):
    x, n = tf.placeholder(tf.float32, [None, 2]), tf.placeholder(tf.int32, [])
    y = tf.gather(x, tf.range(n))
    p.run(tf.gradients(tf.reduce_sum(y * y), x)[0].values, {x: [[1, 2], [3, 4], [5, 6]], n: 2})


@case
def places(p):
    x, i = tf.placeholder(tf.float32, [3, 4, 2]), tf.placeholder(tf.int32, [None, 2])
    value = np.arange(24).reshape(3, 4, 2)
    p.run(tf.gather_nd(x, i), {x: value, i: [[0, 1], [2, 3], [0, 1]]})
    p.run(tf.gather_nd(x, i), {x: value, i: [[0, 4]]}, error="InvalidArgument")
    p.run(tf.gather_nd(x, i), {x: value, i: np.zeros((0, 2))})
    p.run(tf.gradients(tf.reduce_sum(tf.gather_nd(x, i) ** 2), x), {x: value, i: [[0, 1], [2, 3], [0, 1]]})


@case
def scatters_into_a_fed_shape(p):
    i, v, shape = tf.placeholder(tf.int32, [None, 1]), tf.placeholder(tf.float32, [None, 2]), tf.placeholder(tf.int32, [2])
    out = tf.scatter_nd(i, v, shape)
    p.run(out, {i: [[1], [3], [1]], v: [[1, 2], [3, 4], [5, 6]], shape: [4, 2]})
    p.run(out, {i: [[4]], v: [[1, 2]], shape: [4, 2]}, error="InvalidArgument")


@case(params=[tf.tensor_scatter_nd_update, tf.tensor_scatter_nd_add, tf.tensor_scatter_nd_sub, tf.tensor_scatter_nd_max, tf.tensor_scatter_nd_min])
def tensor_scatters(p, function):
    x, i, v = tf.placeholder(tf.int32, [2, 3]), tf.placeholder(tf.int32, [None, 2]), tf.placeholder(tf.int32, [None])
    out = function(x, i, v)
    p.run(out, {x: [[1, 2, 3], [4, 5, 6]], i: [[0, 1], [1, 2]], v: [5, 5]})
    p.run(out, {x: [[1, 2, 3], [4, 5, 6]], i: [[2, 0]], v: [5]}, error="InvalidArgument")


@case
def segments_of_a_fed_count(p):
    x, s, n = tf.placeholder(tf.float32, [None, 2]), tf.placeholder(tf.int32, [None]), tf.placeholder(tf.int32, [])
    p.run(tf.unsorted_segment_sum(x, s, n), {x: [[1, 2], [3, 4], [5, 6]], s: [2, 0, 2], n: 4})


@case(params=[tf.int32, tf.int64, tf.float32, tf.string])
def distinct(p, dtype):
    x, y = tf.placeholder(dtype, [None]), tf.placeholder(dtype, [None])
    values, index, counts = tf.unique_with_counts(x)
    left, places = tf.setdiff1d(x, y)
    convert = (lambda v: [f"w{e}" for e in v]) if dtype == tf.string else list
    feeds = {x: convert([3, 1, 3, 2, 1, 3]), y: convert([1, 7])}
    p.run([values, index, counts], feeds)
    p.run([left, places], feeds)
    p.run(list(tf.unique(x, out_idx=tf.int64)), {x: convert([5, 5])})


@case
def where(p):
    x = tf.placeholder(tf.float32, [None, 2])
    p.run([tf.where(x > 1), tf.boolean_mask(x[:, 0], x[:, 1] > 2)], {x: [[0, 1], [2, 3], [4, 1]]})
    p.run(tf.where(x > 9), {x: [[0, 1]]})


@case
def partitions(p):
    x, which = tf.placeholder(tf.float32, [None, 2]), tf.placeholder(tf.int32, [None])
    parts = tf.dynamic_partition(x, which, 3)
    feeds = {x: [[1, 2], [3, 4], [5, 6]], which: [2, 0, 2]}
    p.run(parts, feeds)
    p.run(tf.gradients([parts[0] * 2.0, parts[2] * 3.0], x), feeds)
    p.run(parts, {x: [[1, 2]], which: [3]}, error="InvalidArgument")
    p.run(parts, {x: [[1, 2]], which: [0, 1]}, error="InvalidArgument")


@case
def stitches(p):
    i, j = tf.placeholder(tf.int32, [None]), tf.placeholder(tf.int32, [])
    x, y = tf.placeholder(tf.float32, [None, 2]), tf.placeholder(tf.float32, [2])
    out = tf.dynamic_stitch([i, j], [x, y])
    p.run(out, {i: [2, 0], j: 1, x: [[1, 2], [3, 4]], y: [5, 6]})
    p.run(out, {i: [1, 0], j: 1, x: [[1, 2], [3, 4]], y: [5, 6]})


@case(params=[tf.float32, tf.int32, tf.int64, tf.float64])
def largest(p, dtype):
    x, k = tf.placeholder(dtype, [2, None]), tf.placeholder(tf.int32, [])
    out = list(tf.nn.top_k(x, k))
    value = [[1, 4, 2, 4, 0], [0, -1, -5, 3, 3]]
    for count in (0, 1, 3, 5):
        p.run(out, {x: value, k: count})
    p.run(out, {x: value, k: 6}, error="InvalidArgument")


@case(params=[(tf.cumsum, e, r) for e in (False, True) for r in (False, True)] + [(tf.math.cumprod, e, r) for e in (False, True) for r in (False, True)])
def cumulative(p, function, exclusive, reverse):
    x = tf.placeholder(tf.float32, [None, 3])
    y = function(x, axis=0, exclusive=exclusive, reverse=reverse)
    p.run([y] + tf.gradients(tf.reduce_sum(y * y), x), {x: [[1, 2, 3], [-1, 0.5, 2], [2, 2, -1]]}, tolerance=1e-5)


@case
def strings_move(p):
    x, y, i = tf.placeholder(tf.string, [None, 2]), tf.placeholder(tf.string, [2]), tf.placeholder(tf.int32, [])
    flag = tf.placeholder(tf.bool, [2])
    feeds = {x: [["a", "b"], ["", "d"], ["e", "f"]], y: ["x", "y"], i: 1, flag: [True, False]}
    p.run([x[i], x[i:, 0], x[::-1], tf.slice(x, [1, 0], [-1, 1]), tf.expand_dims(y, 0), tf.squeeze(x[:1], [0])], feeds)
    p.run([tf.concat([x, [y]], 0), tf.stack([y, y], 1), tf.tile(y, [2]), tf.reverse(x, [1]), tf.fill([i + 1], y[0])], feeds)
    p.run(tf.unstack(y) + tf.split(x, 2, axis=1), feeds)
    p.run([tf.gather(x, [2, 0]), tf.gather_nd(x, [[1, 1]]), tf.where(flag, y, tf.constant(["p", "q"])), tf.transpose(x)], feeds)
    p.run([tf.shape(x), tf.size(x), tf.reshape(x, [-1])], feeds)
    p.run(x[i], {x: [["a", "b"]], i: 1}, error="InvalidArgument")


@case
def strings_compare(p):
    x, y = tf.placeholder(tf.string, [None, 1]), tf.placeholder(tf.string, [2])
    p.run([tf.equal(x, y), tf.not_equal(x, "b"), tf.equal(x, x)], {x: [["a"], ["b"], [""]], y: ["a", ""]})


@case
def strings_in_loops_and_branches(p):
    n = tf.placeholder(tf.int32, [])
    out = tf.while_loop(lambda i, s: i < n, lambda i, s: (i + 1, tf.concat([s, [tf.as_string(i)]], 0)), [0, tf.constant(["go"])],
                        shape_invariants=[tf.TensorShape([]), tf.TensorShape([None])])
    p.run(out[1], {n: 3})
    p.run(tf.cond(tf.equal(out[1][-1], "2"), lambda: tf.constant("two"), lambda: out[1][0]), {n: 3})


@case
def one_variable_selected(p):
    i = tf.placeholder(tf.int32, [])
    v, w = tf.Variable([1.0, 2.0], use_resource=False), tf.Variable([3.0, 4.0], use_resource=False)
    chosen = raw.RefSelect(index=i, inputs=[v._ref(), w._ref()])
    p.run([], targets=[v.initializer, w.initializer])
    p.run(raw.AssignAdd(ref=chosen, value=[10.0, 10.0]), {i: 1})
    p.run([v, w])
    p.run(tf.identity(chosen), {i: 2}, error="InvalidArgument")

# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops behind map, fold and scan."""

from plan import case, np, tf


@case
def map_fn_squares(p):
    x = tf.placeholder(tf.float32, [None])
    p.run(tf.map_fn(lambda v: v * v + 1.0, x), {x: [1, 2, 3]})
    p.run(tf.map_fn(lambda v: v * v + 1.0, tf.constant([4.0])))


@case
def map_fn_rows(p):
    x = tf.constant(p.floats(3, 4))
    p.run(tf.map_fn(lambda row: tf.reduce_sum(row) * row, x), tolerance=1e-5)


@case
def map_fn_of_two(p):
    x, y = tf.constant([1, 2, 3]), tf.constant([10, 20, 30])
    p.run(list(tf.map_fn(lambda ab: (ab[0] + ab[1], ab[0] * ab[1]), (x, y))))


@case
def map_fn_other_type(p):
    p.run(tf.map_fn(lambda v: tf.cast(v, tf.float32) / 2.0, tf.constant([1, 2, 3]), dtype=tf.float32))


@case
def foldl_and_foldr(p):
    x = tf.constant([1, 2, 3, 4])
    p.run([tf.foldl(lambda a, v: a * 10 + v, x), tf.foldr(lambda a, v: a * 10 + v, x), tf.foldl(lambda a, v: a - v, x, initializer=tf.constant(100))])


@case
def scan_sums(p):
    x = tf.constant([1.0, 2.0, 3.0, 4.0])
    p.run([tf.scan(lambda a, v: a + v, x), tf.scan(lambda a, v: a * v, x, initializer=tf.constant(1.0)), tf.scan(lambda a, v: a + v, x, reverse=True)])


@case
def scan_of_pairs(p):
    out = tf.scan(lambda a, v: (a[1], a[0] + a[1]), tf.zeros([8]), initializer=(tf.constant(0), tf.constant(1)))
    p.run(list(out))


@case
def map_fn_with_cond(p):
    x = tf.constant([-2, 5, 0, 7])
    p.run(tf.map_fn(lambda v: tf.cond(v > 0, lambda: v * 2, lambda: v - 1), x))


@case
def map_fn_nested(p):
    x = tf.constant([[1, 2], [3, 4]])
    p.run(tf.map_fn(lambda row: tf.map_fn(lambda v: v * v, row), x))


@case
def map_fn_empty(p):
    x = tf.placeholder(tf.float32, [None, 2])
    p.run(tf.map_fn(lambda v: v + 1.0, x), {x: np.zeros((0, 2))})

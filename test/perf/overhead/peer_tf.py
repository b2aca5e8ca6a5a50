# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""TensorFlow: null step of a session and of tf.function; executor rate on no-op grids; while loops; queues."""
import os
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import tensorflow as tf
from timing import per_call

n = len(os.sched_getaffinity(0))
f = tf.function(lambda x: x + 1.0)
x = tf.constant(1.0)
per_call("tf", "null step, tf.function", lambda: f(x))
v1 = tf.compat.v1
v1.disable_eager_execution()
conf = v1.ConfigProto(intra_op_parallelism_threads=n, inter_op_parallelism_threads=n,
                      graph_options=v1.GraphOptions(optimizer_options=v1.OptimizerOptions(opt_level=-1),
                                                    rewrite_options={"disable_meta_optimizer": True}))


def session(graph):
    return v1.Session(graph=graph, config=conf)


with tf.Graph().as_default() as g:
    no = tf.no_op()
    with session(g) as s:
        run = s.make_callable(no)
        per_call("tf", "null step, session callable", run)

# A no-op needs no kernel call, so the executor's own cost shows; an add of two scalars that nobody may fold shows a kernel's.
for width, depth in ((16, 1024), (1024, 64)):
    with tf.Graph().as_default() as g:
        one = v1.placeholder_with_default(1.0, [])
        layer = [one + float(k) for k in range(width)]
        for _ in range(depth - 1):
            layer = [tf.add(o, one) for o in layer]
        last = tf.group(*layer)
        with session(g) as s:
            run = s.make_callable(last)
            per_call("tf", f"scalar-add chains {width} wide {depth} deep", run, batch=1, ops=width * depth)
    with tf.Graph().as_default() as g:
        layer = [tf.no_op() for _ in range(width)]
        for _ in range(depth - 1):
            nxt = []
            for o in layer:
                with tf.control_dependencies([o]):
                    nxt.append(tf.no_op())
            layer = nxt
        last = tf.group(*layer)
        with session(g) as s:
            run = s.make_callable(last)
            per_call("tf", f"no-op chains {width} wide {depth} deep", run, batch=1, ops=width * depth)

with tf.Graph().as_default() as g:
    i = v1.while_loop(lambda i, a: i < 10000, lambda i, a: (i + 1, a * 0.999 + 1.0), (tf.constant(0), tf.constant(1.0)), parallel_iterations=10)
    with session(g) as s:
        run = s.make_callable(i[1].op)
        per_call("tf", "while, 10,000 iterations of a*0.999+1 (per iteration: divide by 10,000)", run, batch=1)

v1.disable_control_flow_v2()
with tf.Graph().as_default() as g:
    i = v1.while_loop(lambda i, a: i < 10000, lambda i, a: (i + 1, a * 0.999 + 1.0), (tf.constant(0), tf.constant(1.0)), parallel_iterations=10)
    with session(g) as s:
        run = s.make_callable(i[1].op)
        per_call("tf", "V1 while (Switch/Merge), 10,000 iterations", run, batch=1)

with tf.Graph().as_default() as g:
    q = v1.FIFOQueue(100, [tf.float32], shapes=[()])
    e = q.enqueue([1.0])
    with tf.control_dependencies([e]):
        d = q.dequeue().op
    with session(g) as s:
        run = s.make_callable(d)
        per_call("tf", "queue enqueue+dequeue in one step", run)

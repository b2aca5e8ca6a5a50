# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions: calls, functional If, Case and While, effects and control outputs."""

from tensorflow.python.framework import function as defun_module
from tensorflow.python.ops import control_flow_util

from plan import case, tf

Defun = defun_module.Defun


class functional:
    """`with functional():` makes cond and while_loop If and While nodes."""

    def __enter__(self):
        self.before = control_flow_util.ENABLE_CONTROL_FLOW_V2
        control_flow_util.ENABLE_CONTROL_FLOW_V2 = True

    def __exit__(self, *_):
        control_flow_util.ENABLE_CONTROL_FLOW_V2 = self.before


@case
def call(p):
    @tf.function
    def f(a, b):
        return a * 2.0 + b

    x = tf.placeholder(tf.float32, [2])
    p.run(f(x, tf.constant([1.0, 1.0])), {x: [1, 2]})


@case
def called_twice(p):
    @tf.function
    def f(a):
        return a * a + 1

    x = tf.placeholder(tf.int32, [])
    p.run([f(x), f(f(x))], {x: 3})


@case
def several_results(p):
    @tf.function
    def f(a):
        return a + 1, tf.cast(a, tf.float32) / 4.0, tf.as_string(a)

    x = tf.placeholder(tf.int32, [])
    p.run(list(f(x)), {x: 3})


@case
def calls_another(p):
    @tf.function
    def inner(a):
        return a - 1

    @tf.function
    def outer(a):
        return inner(a) * inner(a + 5)

    x = tf.placeholder(tf.int32, [])
    p.run(outer(x), {x: 10})


@case
def defun(p):
    @Defun(tf.float32, tf.float32)
    def f(a, b):
        return a * b, a - b

    x = tf.placeholder(tf.float32, [2])
    p.run(list(f(x, x * 3.0)), {x: [1, 2]})


@case
def defun_with_noinline(p):
    @Defun(tf.int32, noinline=True)
    def f(a):
        return a * 7

    x = tf.placeholder(tf.int32, [])
    p.run(f(f(x)), {x: 2})


@case
def defun_unused_argument(p):
    @Defun(tf.int32, tf.int32)
    def f(a, b):
        return a + 1

    p.run(f(tf.constant(1), tf.constant(2)))


@case
def defun_returns_its_argument(p):
    @Defun(tf.int32, tf.int32)
    def f(a, b):
        return b, a

    p.run(list(f(tf.constant(1), tf.constant(2))))


@case
def captured_value(p):
    x = tf.placeholder(tf.float32, [2])
    y = x * 10.0

    @tf.function
    def f(a):
        return a + y

    p.run(f(tf.constant([1.0, 2.0])), {x: [1, 2]})


@case
def variable_in_function(p):
    v = tf.Variable([1.0, 2.0], use_resource=True)

    @tf.function
    def f(a):
        v.assign_add(a)
        return v * 10.0

    x = tf.placeholder(tf.float32, [2])
    out = f(x)
    p.run([], targets=[v.initializer])
    p.run(out, {x: [1, 1]})
    p.run(v)


@case
def effects_without_results(p):
    v = tf.Variable(1, use_resource=True)

    @tf.function
    def f():
        v.assign_add(10)
        v.assign(v * 2)

    f()
    call = [op for op in tf.get_default_graph().get_operations() if "PartitionedCall" in op.type][-1]
    p.run([], targets=[v.initializer])
    p.run([], targets=[call])
    p.run(v)


@case
def effects_in_order(p):
    v = tf.Variable(1, use_resource=True)

    @tf.function
    def f():
        a = v.read_value()
        v.assign_add(5)
        b = v.read_value()
        v.assign_sub(2)
        return a, b, v.read_value()

    out = f()
    p.run([], targets=[v.initializer])
    p.run(list(out))
    p.run(list(out))


@case
def gradient_of_a_call(p):
    @tf.function
    def f(a):
        return a * a * 3.0

    x = tf.placeholder(tf.float32, [2])
    p.run(tf.gradients(f(x), x), {x: [1, 2]})


@case
def functional_cond(p):
    x = tf.placeholder(tf.int32, [])
    with functional():
        out = tf.cond(x > 0, lambda: x * 2, lambda: x - 1)
    p.run(out, {x: 3})
    p.run(out, {x: -3})


@case
def functional_cond_nested(p):
    x = tf.placeholder(tf.float32, [2])
    with functional():
        out = tf.cond(x[0] > 0, lambda: tf.cond(x[1] > 0, lambda: x + 1, lambda: x + 2), lambda: x + 3)
    for value in ([1, 1], [1, -1], [-1, 1]):
        p.run(out, {x: value})


@case
def functional_cond_with_effects(p):
    v = tf.Variable(1, use_resource=True)
    which = tf.placeholder(tf.bool, [])
    with functional():
        out = tf.cond(which, lambda: v.assign_add(10), lambda: v.read_value())
    p.run([], targets=[v.initializer])
    p.run(out, {which: False})
    p.run(out, {which: True})
    p.run(v)


@case(params=[0, 1, 2, 5])
def functional_case(p, index):
    branch = tf.placeholder(tf.int32, [])
    x = tf.placeholder(tf.float32, [2])
    with functional():
        out = tf.switch_case(branch, [lambda: x, lambda: x * 2, lambda: -x])
    p.run(out, {branch: index, x: [1.5, -2]})


@case
def functional_while(p):
    n = tf.placeholder(tf.int32, [])
    with functional():
        out = tf.while_loop(lambda i, s: i < n, lambda i, s: (i + 1, s + i * i), [0, 0])
    for trips in (0, 1, 6):
        p.run(out, {n: trips})


@case
def functional_while_with_tensor_array(p):
    x = tf.placeholder(tf.float32, [3])
    with functional():
        out = tf.while_loop(lambda i, s: i < 3, lambda i, s: (i + 1, s * 2.0 + x[i]), [0, 0.0])
    p.run(out[1], {x: [1, 2, 3]})


@case
def functional_while_nested(p):
    n = tf.placeholder(tf.int32, [])
    with functional():
        body = lambda i, s: (i + 1, tf.while_loop(lambda j, t: j < i, lambda j, t: (j + 1, t + j), [0, s])[1])  # noqa: E731
        out = tf.while_loop(lambda i, s: i < n, body, [0, 0])
    p.run(out, {n: 5})


@case
def functional_cond_in_while(p):
    with functional():
        body = lambda i, s: (i + 1, tf.cond(tf.equal(i % 2, 0), lambda: s + i, lambda: s * 2))  # noqa: E731
        out = tf.while_loop(lambda i, s: i < 7, body, [0, 1])
    p.run(out)


@case
def functional_while_with_a_variable(p):
    v = tf.Variable(0, use_resource=True)

    @tf.function
    def f(n):
        for i in tf.range(n):
            v.assign_add(i)
        return v.read_value()

    n = tf.placeholder(tf.int32, [])
    out = f(n)
    p.run([], targets=[v.initializer])
    p.run(out, {n: 4})
    p.run(v)


@case
def traced_python_control_flow(p):
    @tf.function
    def collatz(n):
        steps = tf.constant(0)
        while n > 1:
            if tf.equal(n % 2, 0):
                n = n // 2
            else:
                n = 3 * n + 1
            steps += 1
        return steps

    x = tf.placeholder(tf.int32, [])
    out = collatz(x)
    for value in (1, 6, 7):
        p.run(out, {x: value})


@case
def stateless_if_node(p):
    @Defun(tf.int32)
    def then(a):
        return a * 2

    @Defun(tf.int32)
    def other(a):
        return a - 1

    from tensorflow.python.ops import functional_ops

    x = tf.placeholder(tf.int32, [])
    out = functional_ops.If(x > 5, [x], then, other)
    p.run(out, {x: 9})
    p.run(out, {x: 2})


@case
def if_with_an_integer_predicate(p):
    @Defun(tf.float32)
    def then(a):
        return a * 2

    @Defun(tf.float32)
    def other(a):
        return a - 1

    from tensorflow.python.ops import functional_ops

    c = tf.placeholder(tf.int32, [])
    out = functional_ops.If(c, [tf.constant(3.0)], then, other)
    p.run(out, {c: 0})
    p.run(out, {c: -4})


@case
def while_node(p):
    @Defun(tf.int32, tf.int32)
    def cond(i, s):
        return i < 5

    @Defun(tf.int32, tf.int32)
    def body(i, s):
        return i + 1, s + 10 * i

    from tensorflow.python.ops import functional_ops

    p.run(list(functional_ops.While([tf.constant(0), tf.constant(1)], cond, body)))


@case
def for_node(p):
    @Defun(tf.int32, tf.float32)
    def body(i, s):
        return s * 2.0 + tf.cast(i, tf.float32)

    from tensorflow.python.ops import functional_ops

    p.run(functional_ops.For(0, 4, 1, [tf.constant(1.0)], body, rewrite_with_while=True))


@case
def error_in_a_function(p):
    @tf.function
    def f(a, b):
        return a // b

    x = tf.placeholder(tf.int32, [])
    out = f(tf.constant(10), x)
    p.run(out, {x: 3})
    p.run(out, {x: 0}, error="InvalidArgument")


@case
def queue_in_a_function(p):
    q = tf.FIFOQueue(10, [tf.int32], shapes=[[]])

    @tf.function
    def f(a):
        q.enqueue([a])
        q.enqueue([a * 2])
        return q.size()

    x = tf.placeholder(tf.int32, [])
    p.run(f(x), {x: 4})
    p.run(q.dequeue_many(2))


@case
def control_outputs_run(p):
    v = tf.Variable(0, use_resource=True)

    @tf.function
    def f(a):
        v.assign_add(a)
        return a * 100

    x = tf.placeholder(tf.int32, [])
    out = f(x)
    with tf.control_dependencies([out]):
        after = v.read_value() + 0
    p.run([], targets=[v.initializer])
    p.run([out, after], {x: 3})


@case
def unused_results(p):
    @tf.function
    def f(a):
        return a + 1, 10 // a

    x = tf.placeholder(tf.int32, [])
    p.run(f(x)[0], {x: 2})


@case
def gradient_of_functional_while(p):
    x = tf.placeholder(tf.float32, [])
    with functional():
        y = tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, v * x), [0, x], maximum_iterations=5)[1]
        out = tf.gradients(y, x)
    p.run([y] + out, {x: 1.5}, tolerance=1e-5)


@case
def gradient_of_functional_cond(p):
    x = tf.placeholder(tf.float32, [])
    with functional():
        y = tf.cond(x > 0, lambda: x * x * x, lambda: x * 2.0)
        out = tf.gradients(y, x)
    p.run([y] + out, {x: 2})
    p.run([y] + out, {x: -2})

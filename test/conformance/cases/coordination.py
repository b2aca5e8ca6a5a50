# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Conditional accumulators, barriers and staging areas."""

from plan import case, raw, tf


def accumulator(**more):
    return tf.ConditionalAccumulator(tf.float32, shape=[2], **more)


def step(value):
    return tf.constant(value, tf.int64)


@case
def mean_of_gradients(p):
    acc = accumulator()
    for value in ([1.0, 2.0], [3.0, 6.0]):
        p.run([], targets=[acc.apply_grad(tf.constant(value))])
    p.run(acc.num_accumulated())
    p.run(acc.take_grad(2))
    p.run(acc.num_accumulated())


@case
def sum_of_gradients(p):
    acc = accumulator(reduction_type="SUM")
    for value in ([1.0, 2.0], [3.0, 6.0]):
        p.run([], targets=[acc.apply_grad(tf.constant(value))])
    p.run(acc.take_grad(2))


@case(params=[tf.float32, tf.float64])
def accumulator_types(p, dtype):
    acc = tf.ConditionalAccumulator(dtype, shape=[])
    for value in (1.0, 4.0, 5.0):
        p.run([], targets=[acc.apply_grad(tf.constant(value, dtype))])
    p.run(acc.take_grad(1))


@case
def take_more_than_asked_for(p):
    acc = accumulator()
    for value in ([1.0, 2.0], [3.0, 6.0], [5.0, 1.0]):
        p.run([], targets=[acc.apply_grad(tf.constant(value))])
    p.run(acc.take_grad(1))
    p.run(acc.num_accumulated())


@case
def stale_gradients_are_dropped(p):
    acc = accumulator()
    value, at = tf.placeholder(tf.float32, [2]), tf.placeholder(tf.int64, [])
    apply = acc.apply_grad(value, local_step=at)
    p.run([], targets=[acc.set_global_step(step(2))])
    p.run([], {value: [100, 100], at: 1}, targets=[apply])
    p.run(acc.num_accumulated())
    p.run([], {value: [1, 2], at: 2}, targets=[apply])
    p.run([], {value: [3, 4], at: 9}, targets=[apply])
    p.run(acc.take_grad(2))


@case
def taking_advances_the_step(p):
    acc = accumulator()
    value, at = tf.placeholder(tf.float32, [2]), tf.placeholder(tf.int64, [])
    apply = acc.apply_grad(value, local_step=at)
    p.run([], {value: [1, 1], at: 0}, targets=[apply])
    p.run(acc.take_grad(1))
    p.run([], {value: [2, 2], at: 0}, targets=[apply])
    p.run(acc.num_accumulated())
    p.run([], {value: [3, 3], at: 1}, targets=[apply])
    p.run(acc.num_accumulated())


@case
def step_that_goes_back(p):
    acc = accumulator()
    p.run([], targets=[acc.set_global_step(step(5))])
    p.run([], targets=[acc.set_global_step(step(3))])
    p.run([], targets=[acc.apply_grad([1.0, 1.0], local_step=step(3))])
    p.run(acc.num_accumulated())


@case
def gradient_of_wrong_shape(p):
    acc = accumulator()
    value = tf.placeholder(tf.float32)
    op = raw.ResourceAccumulatorApplyGradient(handle=acc.accumulator_ref, local_step=step(0), gradient=value)
    p.run([], {value: [1, 2]}, targets=[op])
    p.run([], {value: [1, 2, 3]}, targets=[op], error="InvalidArgument")


@case
def take_with_deadline(p):
    acc = accumulator()
    p.run(acc.take_grad(1), error="DeadlineExceeded", timeout_ms=80)
    p.run([], targets=[acc.apply_grad([1.0, 2.0])])
    p.run(acc.take_grad(1))


@case
def take_waits_for_gradients(p):
    acc = accumulator()
    with p.together(waits=True):
        p.run(acc.take_grad(2))
        p.run([], targets=[acc.apply_grad([1.0, 2.0])])
        p.run([], targets=[acc.apply_grad([3.0, 2.0])])


@case
def take_of_zero(p):
    acc = accumulator()
    p.run(acc.take_grad(0), error="InvalidArgument")


@case
def backup_worker_by_hand(p):
    # Three workers, the first two of a step count.
    acc = accumulator()
    value, at = tf.placeholder(tf.float32, [2]), tf.placeholder(tf.int64, [])
    apply, take = acc.apply_grad(value, local_step=at), acc.take_grad(2)
    for now in range(2):
        p.run([], {value: [1 + now, 2], at: now}, targets=[apply])
        p.run([], {value: [3, 4 + now], at: now}, targets=[apply])
        p.run(take)
        p.run([], {value: [50, 50], at: now}, targets=[apply])
    p.run(acc.num_accumulated())


# ---- Barriers.


class Barrier:
    def __init__(self, types=(tf.float32,), shapes=((),)):
        self.types = list(types)
        self.ref = raw.Barrier(component_types=self.types, shapes=[list(s) for s in shapes])

    def insert(self, component, keys, values):
        return raw.BarrierInsertMany(handle=self.ref, keys=keys, values=values, component_index=component)

    def take(self, n, **more):
        return raw.BarrierTakeMany(handle=self.ref, num_elements=n, component_types=self.types, **more)

    def ready(self):
        return raw.BarrierReadySize(handle=self.ref)

    def incomplete(self):
        return raw.BarrierIncompleteSize(handle=self.ref)

    def close(self, cancel=False):
        return raw.BarrierClose(handle=self.ref, cancel_pending_enqueues=cancel)


@case
def barrier_one_component(p):
    b = Barrier()
    p.run([], targets=[b.insert(0, ["a", "b"], [1.0, 2.0])])
    p.run([b.ready(), b.incomplete()])
    out = b.take(2)
    p.run([out.indices, out.keys, out.values[0]])


@case
def barrier_two_components(p):
    b = Barrier((tf.float32, tf.int32), ((), (2,)))
    p.run([], targets=[b.insert(0, ["a", "b", "c"], [1.0, 2.0, 3.0])])
    p.run([b.ready(), b.incomplete()])
    p.run([], targets=[b.insert(1, ["b", "c"], [[1, 2], [3, 4]])])
    p.run([b.ready(), b.incomplete()])
    out = b.take(2)
    p.run([out.indices, out.keys] + list(out.values))
    p.run([b.ready(), b.incomplete()])


@case
def barrier_close(p):
    b = Barrier((tf.float32, tf.int32), ((), ()))
    p.run([], targets=[b.insert(0, ["a", "b"], [1.0, 2.0])])
    p.run([], targets=[b.close()])
    p.run([], targets=[b.insert(1, ["a"], [5])])
    p.run([b.ready(), b.incomplete()])
    p.run([], targets=[b.insert(0, ["new"], [5.0])], error="Cancelled")
    out = b.take(1)
    p.run([out.keys] + list(out.values))


@case
def barrier_close_with_cancel(p):
    b = Barrier((tf.float32, tf.int32), ((), ()))
    p.run([], targets=[b.insert(0, ["a", "b"], [1.0, 2.0])])
    p.run([], targets=[b.close(cancel=True)])
    p.run([], targets=[b.insert(1, ["a"], [5])], error="Cancelled")


@case
def barrier_take_after_close(p):
    b = Barrier()
    p.run([], targets=[b.insert(0, ["a"], [1.0])])
    p.run([], targets=[b.close()])
    p.run(b.take(2).keys, error="OutOfRange")
    out = b.take(2, allow_small_batch=True)
    p.run([out.keys, out.values[0]])
    p.run(out.keys, error="OutOfRange")


@case
def barrier_same_key_twice(p):
    b = Barrier((tf.float32, tf.int32), ((), ()))
    p.run([], targets=[b.insert(0, ["a"], [1.0])])
    p.run([], targets=[b.insert(0, ["a"], [2.0])], error="InvalidArgument")


@case
def barrier_wrong_shape(p):
    b = Barrier((tf.float32,), ((2,),))
    x = tf.placeholder(tf.float32)
    p.run([], {x: [[1, 2, 3]]}, targets=[b.insert(0, ["a"], x)], error="InvalidArgument")


@case
def barrier_take_with_deadline(p):
    b = Barrier()
    p.run(b.take(1).keys, error="DeadlineExceeded", timeout_ms=80)


# ---- Staging areas.


@case
def stage_and_unstage(p):
    put = raw.Stage(values=[tf.constant([1, 2]), tf.constant("x")], shared_name="area")
    got = raw.Unstage(dtypes=[tf.int32, tf.string], shared_name="area")
    size = raw.StageSize(dtypes=[tf.int32, tf.string], shared_name="area")
    p.run([], targets=[put])
    p.run(size)
    p.run(list(got))
    p.run(size)


@case
def stage_in_order(p):
    x = tf.placeholder(tf.int32, [])
    put = raw.Stage(values=[x], shared_name="area")
    got = raw.Unstage(dtypes=[tf.int32], shared_name="area")
    for value in (3, 1, 2):
        p.run([], {x: value}, targets=[put])
    p.runs(3, got[0])


@case
def stage_clear(p):
    put = raw.Stage(values=[tf.constant(1)], shared_name="area")
    clear = raw.StageClear(dtypes=[tf.int32], shared_name="area")
    p.run([], targets=[put])
    p.run([], targets=[clear])
    p.run(raw.StageSize(dtypes=[tf.int32], shared_name="area"))


@case
def stage_through_a_small_area(p):
    x = tf.placeholder(tf.int32, [])
    put = raw.Stage(values=[x], shared_name="area", capacity=1)
    got = raw.Unstage(dtypes=[tf.int32], shared_name="area")
    p.run([], {x: 1}, targets=[put])
    with p.together(waits=True):
        p.run([], {x: 2}, targets=[put])
        p.run(got[0])
    p.run(got[0])

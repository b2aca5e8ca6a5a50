# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Device scopes, and programs over several devices."""
import numpy as np
import pytest

import weir


@pytest.fixture(autouse=True)
def one_cpu_afterwards():
    yield
    weir.set_devices()


def traced_text(function, *arguments):
    return weir.jit(function).trace(*arguments).as_text("trace")


def test_scopes_nest_and_replace_parts():
    def f(x):
        with weir.device("/job:worker"):
            with weir.device("/gpu:0"):
                y = weir.numpy.exp(x)
            return weir.numpy.sin(y)

    text = traced_text(f, np.ones(3, np.float32))
    assert 'weir.exp %arg0 {weir.device = "/job:worker/device:GPU:0"}' in text
    assert 'weir.device = "/job:worker"}' in text


def test_none_leaves_all_scopes():
    def f(x):
        with weir.device("GPU:0"):
            with weir.device(None):
                y = weir.numpy.exp(x)
            return weir.numpy.sin(y)

    text = traced_text(f, np.ones(3, np.float32))
    assert 'weir.sin %0 {weir.device = "/device:GPU:0"}' in text
    assert "weir.exp %arg0 :" in text


def test_tf32_rounds_and_is_asked_for():
    def f(x):
        with weir.device("/gpu:0"):
            return x @ x

    x = np.random.default_rng(2).standard_normal((32, 32)).astype(np.float32)
    exact = x.astype(np.float64) @ x
    weir.set_devices(["GPU:0", "CPU:0"], emulate_gpu=True)
    whole = np.abs(weir.jit(f)(x) - exact).max()
    weir.set_devices(["GPU:0", "CPU:0"], emulate_gpu=True, tf32=True)
    rounded = np.abs(weir.jit(f)(x) - exact).max()
    # 24 bits against 11.
    assert whole < 1e-4 < rounded < 0.1


def test_a_function_is_compiled_for_the_devices_of_its_calls():
    def f(x):
        with weir.device("/cpu:1"):
            return weir.numpy.exp(x)

    jitted, x = weir.jit(f), np.ones(3, np.float32)
    weir.set_devices(["CPU:0", "CPU:1"])
    first = jitted(x)
    np.testing.assert_array_equal(jitted(x), first)
    weir.set_devices()
    with pytest.raises(weir.WeirError, match="WEIR0104.*device:CPU:1"):
        jitted(x)
    weir.set_devices(["CPU:0", "CPU:1"])
    np.testing.assert_array_equal(jitted(x), first)
    assert len(jitted._compiled) == 1
    weir.set_devices(soft_placement=True)
    np.testing.assert_array_equal(jitted(x), first)
    assert len(jitted._compiled) == 2
    assert jitted._misses[-1].endswith("is compiled again: the devices are others")


def test_what_is_no_name():
    with pytest.raises(TypeError, match="not int"):
        weir.device(3)
    with pytest.raises(weir.WeirError, match="WEIR0106.*no kind of device 'TPU'; there are CPU, GPU and MXU"):
        weir.set_devices(["CPU:0", "TPU:0"])


def test_a_name_that_is_none():
    with pytest.raises(weir.WeirError, match="WEIR0106.*'/gpu:x'"):
        with weir.device("/gpu:x"):
            pass
    # The scope did not begin.
    assert "weir.device" not in traced_text(lambda x: weir.numpy.exp(x), np.ones(3, np.float32))


def test_two_cpus_give_what_one_gives():
    def f(x):
        with weir.device("/cpu:0"):
            y = x @ x
        with weir.device("/cpu:1"):
            z = weir.numpy.exp(-y * y)
        with weir.device("/cpu:0"):
            return z.sum() + y

    x = np.random.default_rng(1).standard_normal((8, 8)).astype(np.float32)
    with pytest.raises(weir.WeirError, match="WEIR0104.*device:CPU:1"):
        weir.jit(f)(x)
    weir.set_devices(soft_placement=True)
    one = weir.jit(f)(x)
    weir.set_devices(["CPU:0", "CPU:1"])
    two = weir.jit(f)(x)
    np.testing.assert_array_equal(one, two)


def test_a_variable_is_on_the_device_of_its_scope():
    weir.set_devices(["CPU:0", "CPU:1"])
    with weir.device("/cpu:1"):
        w = weir.Variable(np.full(4, 2.0, np.float32), name="w")

    @weir.jit
    def step(x):
        w.assign_sub(x)
        return w.read().sum()

    assert step(np.ones(4, np.float32)) == 4.0
    assert step(np.ones(4, np.float32)) == 0.0
    np.testing.assert_array_equal(w.numpy(), np.zeros(4, np.float32))


def test_names_of_devices_that_are_none():
    with pytest.raises(weir.WeirError, match="WEIR0106.*'GPU:x'"):
        weir.set_devices(["GPU:x"])

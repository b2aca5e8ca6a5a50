# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays in and out without copies, signatures and recompilation, threads."""
import logging
import threading

import numpy as np
import pytest

import weir
from conftest import close, fails

F = np.float32


def test_results_are_views_of_what_the_step_wrote(rng):
    f = weir.jit(lambda x: x * 2)
    x = rng.standard_normal((64, 64)).astype(F)
    y = f(x)
    assert not y.flags.owndata and y.flags.writeable and y.flags.c_contiguous
    assert y.ctypes.data % 64 == 0
    z = f(x)
    assert not np.shares_memory(y, z)
    y[:] = 0
    close(z, x * 2)


def test_memory_of_results_lives_as_long_as_they(rng):
    f = weir.jit(lambda x: x + 1)
    x = rng.standard_normal(1000).astype(F)
    kept = [f(x)[10:20] for _ in range(100)]
    del f
    for part in kept:
        close(part, x[10:20] + 1)


def test_arguments_in_c_order_are_not_copied():
    """A copy of an argument this large would need memory that the limit does not leave."""
    resource = pytest.importorskip("resource")
    f = weir.jit(lambda x: x[0, 0] + x[-1, -1])
    x = np.zeros((1 << 14, 1 << 14), F)  # 1 GiB
    f(x)
    with open("/proc/self/statm") as file:
        used = int(file.read().split()[0]) * resource.getpagesize()
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (used + (1 << 29), before[1]))
    try:
        assert f(x) == 0
        with pytest.raises(MemoryError):
            f(x[::-1])
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


@pytest.mark.parametrize("view", [lambda x: x.T, lambda x: x[::2], lambda x: x[:, 1:], lambda x: x[::-1],
                                  lambda x: np.asfortranarray(x), lambda x: x.astype(">f4"),
                                  lambda x: np.frombuffer(b"\0" + x.tobytes(), np.uint8)[1:].view(F).reshape(x.shape)])
def test_any_layout_can_be_fed(view, rng):
    x = view(rng.standard_normal((6, 6)).astype(F))
    f = weir.jit(lambda x: x + 1)
    for _ in range(2):
        close(f(x), (x + 1).astype(F))


def test_empty_arrays():
    f = weir.jit(lambda x: x + 1)
    assert f(np.zeros((0, 3), F)).shape == (0, 3)


def test_numbers_as_arguments():
    f = weir.jit(lambda x, a: x * a)
    x = np.ones(3, F)
    close(f(x, 2), np.full(3, 2, F))
    close(f(x, 2.5), np.full(3, 2.5, F))
    close(f(x, F(3)), np.full(3, 3, F))
    close(f(x, True), np.ones(3, F))
    assert len(f._compiled) == 4
    g = weir.jit(lambda a: a + 1)
    assert g(1).dtype == np.int32 and g(1.0).dtype == F
    with pytest.raises((OverflowError, weir.WeirError)):
        g(2 ** 40)


def test_other_libraries_come_over_dlpack():
    class Foreign:
        def __init__(self, array):
            self.array = array

        def __dlpack__(self, **kwargs):
            return self.array.__dlpack__(**kwargs)

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    close(weir.jit(lambda x: x + 1)(Foreign(np.zeros(3, F))), np.ones(3, F))


def test_structures_and_keywords():
    f = weir.jit(lambda a, *, b, c=1.0: {"sum": a["x"] + b[0], "parts": (a["x"], [b[1] * c])})
    result = f({"x": np.ones(2, F)}, b=(np.zeros(2, F), np.full(2, 3, F)))
    close(result["sum"], np.ones(2, F))
    close(result["parts"][1][0], np.full(2, 3, F))
    assert isinstance(result["parts"], tuple)


def test_results_of_all_kinds():
    x = np.ones(2, F)
    assert weir.jit(lambda x: None)(x) is None
    one, = weir.jit(lambda x: (x,))(x)
    close(one, x)
    a, b = weir.jit(lambda x: (x, x + 1))(x)
    close(b, x + 1)
    close(weir.jit(lambda x: [x, 1.5])(x)[1], F(1.5))
    close(weir.jit(lambda x: np.arange(3))(x), np.arange(3))


def test_static_arguments():
    @weir.jit(static_argnames=["n", "mode"])
    def f(x, n, mode="up"):
        for _ in range(n):
            x = x + 1 if mode == "up" else x - 1
        return x

    x = np.zeros(2, F)
    close(f(x, 3), x + 3)
    close(f(x, 2, mode="down"), x - 2)
    with fails(507, "cannot be hashed"):
        f(x, [1])


# ---- Recompilation


def test_recompiles_are_explained(caplog):
    f = weir.jit(lambda x, y: (x.sum(), y.sum()), name="f")
    y = np.ones(2, F)
    f(np.ones((3, 4), F), y)
    f(np.ones((3, 4), F), y)
    assert f.recompiles == []
    weir.explain_recompiles()
    try:
        with caplog.at_level(logging.WARNING, logger="weir"):
            f(np.ones((5, 4), F), y)
    finally:
        weir.explain_recompiles(False)
    (message,) = f.recompiles
    assert message == caplog.messages[0]
    assert message == ("f is compiled again: argument 'x' is float32[5,4] instead of float32[3,4] "
                       "(for all sizes at once, declare it: weir.spec((None, 4), 'float32'))")
    f(np.ones((5, 4)), y)
    assert "argument 'x' is float64[5,4] instead of float32[" in f.recompiles[1]


def test_one_compilation_serves_a_dynamic_extent():
    f = weir.jit(lambda x: x.sum(), specs=[weir.spec((None,))])
    for n in range(1, 50):
        assert f(np.ones(n, F)) == n
    assert len(f._compiled) == 1 and f.recompiles == []


def test_many_signatures():
    f = weir.jit(lambda x: x + 1)
    for _ in range(2):
        for n in range(1, 13):
            close(f(np.zeros(n, F)), np.ones(n, F))
    assert len(f._compiled) == 12


# ---- Threads


def in_threads(count, work):
    errors = []

    def run(i):
        try:
            work(i)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors, errors[0]


def test_one_function_in_many_threads():
    f = weir.jit(lambda x: (x * 2).sum())

    def work(i):
        x = np.full(100 + i % 2, i, F)
        for _ in range(200):
            assert f(x) == 2 * x.sum()

    in_threads(8, work)
    assert len(f._compiled) == 2


def test_tracing_in_many_threads():
    in_threads(6, lambda i: close(weir.jit(lambda x: x + i)(np.zeros(3, F)), np.full(3, i, F)))


def test_variables_move_between_functions_in_many_threads():
    """Steps that meet in a variable lose nothing when each runs alone; here a lock makes them."""
    v = weir.Variable(np.zeros(4, np.int32), name="v")
    up, down = weir.jit(lambda: v.assign_add(3)), weir.jit(lambda: v.assign_sub(2))
    lock = threading.Lock()

    def work(i):
        for _ in range(100):
            with lock:
                (up if i % 2 else down)()

    in_threads(4, work)
    close(v.numpy(), np.full(4, 200, np.int32))

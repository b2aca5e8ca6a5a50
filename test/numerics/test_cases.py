# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""All cases of this folder under pytest, each a test of its own: interpreted,
and compiled to native code."""

import concurrent.futures
import functools
import os

import pytest

import harness

pytest.importorskip("jax", reason="needs the oracles: see test/requirements-oracles.txt")
RUNNER = harness.find_runner()
if RUNNER is None:
    pytest.skip("weir-run-cases is not built", allow_module_level=True)

import computed  # noqa: E402
import control_flow  # noqa: E402
import elementwise  # noqa: E402
import gradients  # noqa: E402
import neural_network  # noqa: E402
import quantized  # noqa: E402
import structure  # noqa: E402

SUITES = [suite for module in (elementwise, control_flow, structure, computed, neural_network, quantized, gradients) for suite in module.suites()]
ENGINES = {"interpreted": (), "compiled": ("--compiled",), "gpu": ("--gpu",)}
# What runs on the emulated GPU, too: its code is made anew for each case.
ON_GPU = {"shapes", "reductions", "gathers", "scatters", "matmuls", "convolutions", "pools", "losses", "randoms", "loops", "state"}


def engines(suite):
    return [engine for engine in ENGINES if engine != "gpu" or suite.name in ON_GPU]


# A process for each suite and engine, as many at a time as there are cores.
POOL = concurrent.futures.ThreadPoolExecutor(os.cpu_count())


@functools.cache
def started():
    """What is wrong with the cases of a suite, by the number of the case, when
    its process is done; the longest first."""
    runs = [(engine, index) for index, suite in enumerate(SUITES) for engine in engines(suite)]
    runs.sort(key=lambda run: -len(SUITES[run[1]].names()))
    return {(engine, index): POOL.submit(SUITES[index].faults, RUNNER, *ENGINES[engine]) for engine, index in runs}


def cases():
    for engine in ENGINES:
        for index, suite in enumerate(SUITES):
            if engine not in engines(suite):
                continue
            for number, name in enumerate(suite.names()):
                yield pytest.param(engine, index, number, id=f"{engine}-{suite.name}-{number}-{name}")


@pytest.mark.parametrize("engine, index, number", list(cases()))
def test_case(engine, index, number):
    why = started()[engine, index].result().get(number)
    assert why is None, why

# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""All cases of this folder under pytest, each a test of its own."""

import functools

import pytest

import harness

pytest.importorskip("jax", reason="needs the oracles: see test/requirements-oracles.txt")
RUNNER = harness.find_runner()
if RUNNER is None:
    pytest.skip("weir-run-cases is not built", allow_module_level=True)

import elementwise  # noqa: E402
import gradients  # noqa: E402
import neural_network  # noqa: E402
import structure  # noqa: E402

SUITES = [suite for module in (elementwise, structure, neural_network, gradients) for suite in module.suites()]


@functools.cache
def failures(index):
    """What is wrong with the cases of a suite, by the number of the case."""
    return SUITES[index].faults(RUNNER)


def cases():
    for index, suite in enumerate(SUITES):
        for number, name in enumerate(suite.names()):
            yield pytest.param(index, number, id=f"{suite.name}-{number}-{name}")


@pytest.mark.parametrize("index, number", list(cases()))
def test_case(index, number):
    why = failures(index).get(number)
    assert why is None, why

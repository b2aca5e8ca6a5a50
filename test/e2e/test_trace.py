# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`--profile` writes a trace that Perfetto and chrome://tracing open."""
import json

import pytest

from conftest import DIGITS, run


@pytest.fixture(scope="module")
def events(programs, data, tmp_path_factory):
    path = tmp_path_factory.mktemp("trace") / "trace.json"
    run(programs(DIGITS / "mlp.mlir"), "train", "--data", f"x={data}/x_train.npy,y={data}/y_train.npy", "--batch", 64,
        "--profile", path)
    document = json.loads(path.read_text())
    assert document["otherData"]["dropped_events"] == 0
    return document["traceEvents"]


def test_events_are_complete(events):
    spans = [event for event in events if event["ph"] == "X"]
    assert spans
    for event in spans:
        assert event["name"] and event["cat"] in ("step", "kernel")
        assert event["ts"] >= 0 and event["dur"] >= 0
        assert isinstance(event["pid"], int) and isinstance(event["tid"], int)
    assert {event["ph"] for event in events} <= {"X", "M"}


def test_there_is_a_span_for_each_step(events):
    steps = [event for event in events if event.get("cat") == "step"]
    # 1,438 examples in batches of 64.
    assert [event["name"] for event in steps].count("train") == 23
    ends = [(event["ts"], event["ts"] + event["dur"]) for event in sorted(steps, key=lambda event: event["ts"])]
    for (_, end), (begin, _) in zip(ends, ends[1:]):
        assert begin >= end - 1e-3


def test_kernels_lie_in_their_steps(events):
    steps = [event for event in events if event.get("cat") == "step"]
    kernels = [event for event in events if event.get("cat") == "kernel"]
    assert len(kernels) >= len(steps)
    assert any("matmul" in event["name"] for event in kernels)
    for kernel in kernels:
        assert any(step["ts"] - 2e-3 <= kernel["ts"] and
                   kernel["ts"] + kernel["dur"] <= step["ts"] + step["dur"] + 2e-3 for step in steps), kernel


def test_a_trace_that_cannot_be_written_is_an_error(programs, tmp_path):
    result = run(programs(DIGITS / "mlp.mlir"), "run", "init", "--profile", tmp_path / "no" / "trace.json", code=1)
    assert "WEIR0320" in result.stderr and str(tmp_path / "no" / "trace.json") in result.stderr

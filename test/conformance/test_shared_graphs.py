# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs of public repositories: each imports or is an error, and what runs
gives TensorFlow's values.

The graphs lie beside the repository, in ../shared/graphs, or where WEIR_GRAPHS
says; without them there is nothing to do.
"""

import collections
import os
import pathlib
import re
import subprocess
import sys

import pytest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

ROOT = pathlib.Path(__file__).resolve().parents[2]
GRAPHS = pathlib.Path(os.environ.get("WEIR_GRAPHS", ROOT.parent / "shared" / "graphs"))
FILES = sorted(
    path
    for path in GRAPHS.rglob("*")
    if path.suffix in (".pbtxt", ".pb", ".meta") and path.name not in ("ops.pbtxt", "fingerprint.pb")
)
# Files that are no graph, or are wrong by intention.
WRONG = re.compile(r"graph-malformed|invalid_(edge_name|empty_attr_key|missing_.*input|missing_two_inputs|named_edge_index)")
# At least so many graphs hold nothing but what is converted.
CONVERTED = 120


def tool(name):
    builds = [os.environ.get("WEIR_BUILD", "")] + [str(ROOT / "build" / preset) for preset in ("release", "dev")]
    for build in filter(None, builds):
        path = pathlib.Path(build) / "bin" / name
        if os.access(path, os.X_OK):
            return path
    pytest.skip(f"{name} is not built")


def translate(data, *flags):
    """Imports bytes; the exit code and what was said."""
    command = [tool("weir-translate"), "--import-graphdef", "-", "-o", os.devnull, *flags]
    result = subprocess.run(command, input=data, capture_output=True, timeout=600)
    return result.returncode, result.stderr.decode(errors="replace")


needs_graphs = pytest.mark.skipif(not FILES, reason=f"{GRAPHS} is not there")


@needs_graphs
@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(GRAPHS)))
def test_imports(path):
    code, said = translate(path.read_bytes())
    if WRONG.search(str(path)):
        assert code == 1 and "[WEIR02" in said
    else:
        assert code == 0, said


@needs_graphs
def test_most_graphs_are_converted_whole():
    counts = collections.Counter()
    for path in FILES:
        code, said = translate(path.read_bytes(), "--remarks")
        counts["error" if code else "foreign" if "WEIR0230" in said else "converted"] += 1
    print(dict(counts))
    assert counts["converted"] >= CONVERTED, counts


def damaged(data):
    """Each 37th byte turned around; the file cut off at twelve places."""
    for place in range(0, len(data), 37):
        yield data[:place] + bytes([data[place] ^ 0xFF]) + data[place + 1 :]
    for place in range(0, len(data), len(data) // 12 + 1):
        yield data[:place]


DAMAGED = [path for path in FILES if path.stat().st_size < 4000][::24]


@needs_graphs
@pytest.mark.parametrize("path", DAMAGED, ids=lambda path: str(path.relative_to(GRAPHS)))
def test_damaged_files_are_errors_at_most(path):
    for data in damaged(path.read_bytes()):
        code, said = translate(data)
        assert code in (0, 1), said
        assert code == 0 or "[WEIR02" in said
        assert "WEIR0227" not in said, said


def runnable(tf, definition, milliseconds):
    """Names of tensors that TensorFlow can compute without feeds in that time, and values."""
    values = {}
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(definition, name="")
        with tf.Session(graph=graph) as session:
            for operation in graph.get_operations():
                if operation.type in ("Placeholder", "Const", "NoOp") or not operation.outputs:
                    continue
                for tensor in operation.outputs:
                    try:
                        options = tf.RunOptions(timeout_in_ms=milliseconds)
                        value = session.run(tensor, options=options)
                    except Exception:
                        continue
                    if getattr(value, "dtype", None) is not None and value.dtype.kind in "fiub":
                        values[tensor.name] = value
    return values


# Others have ops (of TPUs, for instance) that end TensorFlow's process.
RUN_NAMES = ("while_loop", "merge_without_loops", "loops_and_queues", "loops_and_resource_vars", "graph-while-loop", "switch_n", "case_op", "const-values")
RUN = [path for path in FILES if path.stem in RUN_NAMES]


@needs_graphs
def test_what_runs_gives_the_values_of_tensorflow():
    pytest.importorskip("tensorflow")
    import numpy as np
    from google.protobuf import text_format
    from plan import Run, tf
    from weir_process import Weir, find_runner

    runner = find_runner()
    if not runner:
        pytest.skip("weir-run-graphs is not built")

    class Plan:
        pass

    weir = Weir([runner])

    def compare(milliseconds):
        compared, unconverted = 0, []
        for path in RUN:
            definition = tf.GraphDef()
            try:
                text_format.Parse(path.read_text(), definition)
                values = runnable(tf, definition, milliseconds)
            except Exception:
                continue
            for name, expected in values.items():
                plan = Plan()
                plan.groups = [[Run([name], {}, [])]]
                outcome = weir.run(str(path), "interpret", plan)[0][0]
                if outcome[0] != "values":
                    unconverted.append((path.name, name, outcome))
                    continue
                np.testing.assert_allclose(outcome[1][0], expected, rtol=1e-6, err_msg=f"{path.name} {name}")
                compared += 1
        return compared, unconverted

    # Some wait in vain, for as long as they may; a slow machine takes longer for the others, too.
    for milliseconds in (300, 3000, 30000):
        compared, unconverted = compare(milliseconds)
        if compared >= 20:
            break
    weir.close()
    print(compared, "values are equal; not run:", *unconverted, sep="\n  ")
    assert compared >= 20

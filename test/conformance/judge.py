# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""TensorFlow as the judge: what it makes of a plan, and whether Weir's outcome
is the same.

An outcome is ("values", [arrays in the order of the fetches]) or ("error", code
number, message).
"""

import concurrent.futures

import numpy as np

from plan import CODE_NAMES, CODES, tf

# |difference| <= bound * max(1, largest magnitude of the array).
BOUNDS = {np.dtype(np.float32): 1e-6, np.dtype(np.float64): 1e-13, np.dtype(np.float16): 1e-3}
BFLOAT16 = 8e-3

# A run that takes so long is a case that hangs.
NEVER_MS = 300000


def session_config():
    """No rewriting of the graph: what runs is what it says."""
    config = tf.ConfigProto(allow_soft_placement=True, inter_op_parallelism_threads=4)
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    config.graph_options.optimizer_options.opt_level = tf.OptimizerOptions.L0
    return config


def run_tensorflow(plan, definition):
    """The outcome of each run, a list for each group. A graph that cannot be
    loaded gives its error for every run."""
    with tf.Graph().as_default() as graph:
        try:
            tf.import_graph_def(definition, name="")
        except (ValueError, TypeError, tf.errors.OpError) as error:
            outcome = _error(error)
            return [[outcome for _ in group] for group in plan.groups]
        with tf.Session(graph=graph, config=session_config()) as session:
            handles, found = {}, []
            for group in plan.groups:
                if len(group) == 1:
                    found.append([_run(session, group[0], handles)])
                    continue
                with concurrent.futures.ThreadPoolExecutor(len(group)) as pool:
                    found.append(list(pool.map(lambda run: _run(session, run, handles), group)))
            return found


def _run(session, run, handles):
    if not run.judged:
        return ("error", CODES[run.error], "not run")
    try:
        if run.partial:
            what, key = run.partial
            if what == "setup":
                operations = [session.graph.get_operation_by_name(name) for name in run.targets]
                handles[key] = session.partial_run_setup(run.fetches + operations, list(run.feeds))
                return ("values", [])
            operations = [session.graph.get_operation_by_name(name) for name in run.targets]
            values = session.partial_run(handles[key], run.fetches + operations, run.feeds)
            return ("values", [np.asarray(value) for value in values[: len(run.fetches)]])
        options = tf.RunOptions(timeout_in_ms=run.timeout_ms or NEVER_MS)
        operations = [session.graph.get_operation_by_name(name) for name in run.targets]
        values = session.run(run.fetches + operations, run.feeds, options=options)
        return ("values", [np.asarray(value) for value in values[: len(run.fetches)]])
    except (ValueError, TypeError, KeyError, RuntimeError, tf.errors.OpError) as error:
        return _error(error)


def _error(error):
    code = getattr(error, "error_code", None) or CODES["InvalidArgument"]
    lines = [line for line in str(error).split("\n") if line.strip() and not line.startswith(("\t [[", "Graph execution", "Detected at"))]
    return ("error", code, lines[0][:300] if lines else "")


def show(outcome):
    if outcome[0] == "died":
        return outcome[2]
    if outcome[0] == "error":
        return f"error {CODE_NAMES.get(outcome[1], outcome[1])}: {outcome[2]}"
    return "values " + ", ".join(f"{value.dtype}{list(value.shape)} {_short(value)}" for value in outcome[1])


def _short(value):
    text = np.array2string(value, threshold=40, precision=9, separator=",").replace("\n", "")
    return text if len(text) < 400 else text[:400] + "…"


def difference(run, expected, actual):
    """None, or what is wrong with Weir's outcome `actual` of a run."""
    if actual[0] != expected[0]:
        return f"TensorFlow: {show(expected)}\n      Weir: {show(actual)}"
    if expected[0] == "error":
        if CODE_NAMES.get(actual[1]) == run.weir:
            return None
        return f"TensorFlow: {show(expected)}\n      Weir: {show(actual)}"
    if len(expected[1]) != len(actual[1]):
        return f"{len(expected[1])} fetches were asked for, Weir gave {len(actual[1])}"
    for name, right, value in zip(run.fetches, expected[1], actual[1]):
        why = _differ(right, value, run)
        if why:
            return f"fetch {name}: {why}\n      TensorFlow: {show(('values', [right]))}\n      Weir: {show(('values', [value]))}"
    return None


def _differ(right, value, run):
    if right.dtype.kind in "OSU":
        right = right.astype(object)
    if right.shape != value.shape:
        return f"shapes {list(right.shape)} and {list(value.shape)}"
    if right.dtype != value.dtype:
        return f"types {right.dtype} and {value.dtype}"
    if run.unordered and right.ndim:
        right, value = _sorted(right), _sorted(value)
    is_float = right.dtype.kind == "f" or right.dtype.name == "bfloat16"
    if not is_float:
        return None if np.array_equal(right, value) else "values differ"
    bound = run.tolerance or BOUNDS.get(right.dtype, BFLOAT16)
    a, b = right.astype(np.float64), value.astype(np.float64)
    finite = np.isfinite(a)
    if not np.array_equal(finite, np.isfinite(b)) or not np.array_equal(a[~finite], b[~finite], equal_nan=True):
        return "other places are infinite or no number"
    if not finite.any():
        return None
    error = np.max(np.abs(a[finite] - b[finite]))
    allowed = bound * max(1.0, np.max(np.abs(a[finite])))
    return None if error <= allowed else f"they differ by {error:.3g}, {allowed:.3g} is allowed"


def _sorted(array):
    rows = sorted(array.tolist(), key=repr)
    return np.array(rows, dtype=array.dtype).reshape(array.shape)

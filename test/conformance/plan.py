# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a conformance case is: a graph, and the runs that are made of it.

A case is a function that builds a graph of TensorFlow 1 and says what to run:

    @case
    def branch_taken(p):
        x = tf.placeholder(tf.int32, [])
        y = tf.cond(x > 0, lambda: x * 2, lambda: x - 1)
        p.run(y, {x: 3})
        p.run(y, {x: -3})

The runs happen in order in one session, so that variables and queues keep what
earlier runs left. `p.run(..., error="OutOfRange")` says that the run is an
error of that code. `@case(params=[...])` makes a case of each parameter.
"""

import os
import zlib

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")

import numpy as np  # noqa: E402
import tensorflow.compat.v1 as tf  # noqa: E402

tf.get_logger().setLevel("ERROR")
tf.disable_v2_behavior()
raw = tf.raw_ops

# Codes of errors: the numbers of TensorFlow, gRPC and Weir.
CODES = {
    "Cancelled": 1,
    "Unknown": 2,
    "InvalidArgument": 3,
    "DeadlineExceeded": 4,
    "NotFound": 5,
    "AlreadyExists": 6,
    "ResourceExhausted": 8,
    "FailedPrecondition": 9,
    "Aborted": 10,
    "OutOfRange": 11,
    "Unimplemented": 12,
    "Internal": 13,
    "DataLoss": 15,
}
CODE_NAMES = {number: name for name, number in CODES.items()}


class Run:
    """One call of a session: tensors by name, feeds as arrays.

    `error`: the code's name, or None for values. `weir`: the code that Weir has
    instead, where TensorFlow's says nothing of the cause. `judged`: False where
    TensorFlow's process would end over the run. `unordered`: the rows of each
    fetch may come in any order. `partial`: None, or ("setup", key), ("run",
    key) of a partial run.
    """

    def __init__(self, fetches, feeds, targets, error=None, unordered=False, tolerance=None, timeout_ms=0, partial=None, weir=None, judged=True):
        self.fetches, self.feeds, self.targets = fetches, feeds, targets
        self.error, self.unordered, self.tolerance = error, unordered, tolerance
        self.timeout_ms, self.partial, self.weir = timeout_ms, partial, weir or error
        self.judged = judged


def feed_array(tensor, value):
    if tensor.dtype.base_dtype == tf.string:
        return np.array(value, dtype=object)
    return np.array(value, dtype=tensor.dtype.base_dtype.as_numpy_dtype)


class Plan:
    """The graph under construction and the runs so far.

    `groups`: a list of lists of runs; the runs of one list are made at the same
    time, from a thread each.
    """

    def __init__(self, name, folder):
        self.name, self.folder = name, folder
        self.rng = np.random.default_rng(zlib.crc32(name.encode()))
        self.groups = []
        self.edits = []
        self.waits = False
        self._together = None
        self._partials = 0

    def _names(self, fetches):
        """(tensor names, operation names) of whatever a session can fetch."""
        graph = tf.get_default_graph()
        if not isinstance(fetches, (list, tuple)):
            fetches = [fetches]
        tensors, operations = [], []
        for fetch in fetches:
            if isinstance(fetch, str):
                (tensors if ":" in fetch else operations).append(fetch)
                continue
            element = graph.as_graph_element(fetch, allow_tensor=True, allow_operation=True)
            (tensors if isinstance(element, tf.Tensor) else operations).append(element.name)
        return tensors, operations

    def _operations(self, targets):
        tensors, operations = self._names(list(targets))
        return operations + [name.split(":")[0] for name in tensors]

    def _feeds(self, feeds):
        return {(t if isinstance(t, str) else t.name): v if isinstance(t, str) else feed_array(t, v) for t, v in (feeds or {}).items()}

    def run(self, fetches, feeds=None, targets=(), **more):
        tensors, operations = self._names(fetches)
        operations += self._operations(targets)
        run = Run(tensors, self._feeds(feeds), operations, **more)
        if self._together is None:
            self.groups.append([run])
        else:
            self._together.append(run)

    def runs(self, times, fetches, **more):
        for _ in range(times):
            self.run(fetches, **more)

    def together(self, waits=False):
        """`with p.together():` makes the runs inside at the same time. `waits`:
        one waits for another, which the interpreter, a step at a time, cannot."""
        self.waits = self.waits or waits
        return _Together(self)

    def partial(self, fetches, feeds, targets=()):
        """Sets up a partial run; its parts: `p.run(..., partial=key)`."""
        self._partials += 1
        key = self._partials
        tensors, operations = self._names(fetches)
        names = {tensor.name: None for tensor in feeds}
        self.groups.append([Run(tensors, names, operations, partial=("setup", key))])
        return ("run", key)

    def edit(self, function):
        """`function(graph_def)` changes the GraphDef once it is built: for
        graphs that TensorFlow's front end would not make."""
        self.edits.append(function)

    def file(self, name, data=b""):
        """The path of a file of this case with these bytes."""
        path = os.path.join(self.folder, name)
        with open(path, "wb") as out:
            out.write(data)
        return path

    def floats(self, *shape, dtype=np.float32, low=-2.0, high=2.0):
        return self.rng.uniform(low, high, shape).astype(dtype)

    def ints(self, *shape, dtype=np.int32, low=-9, high=9):
        return self.rng.integers(low, high, shape).astype(dtype)


class _Together:
    def __init__(self, plan):
        self.plan = plan

    def __enter__(self):
        self.plan._together = []

    def __exit__(self, *_):
        self.plan.groups.append(self.plan._together)
        self.plan._together = None


class Case:
    def __init__(self, family, name, build, arguments):
        self.family, self.name = family, f"{family}/{name}"
        self.build, self.arguments = build, arguments

    def plan(self, folder):
        """The plan and its GraphDef."""
        plan = Plan(self.name, folder)
        with tf.Graph().as_default() as graph:
            tf.set_random_seed(1)
            self.build(plan, *self.arguments)
            definition = graph.as_graph_def(add_shapes=False)
        for edit in plan.edits:
            edit(definition)
        return plan, definition


CASES = {}


def _label(parameter):
    if isinstance(parameter, (list, tuple)):
        return "-".join(_label(part) for part in parameter)
    return getattr(parameter, "name", None) or getattr(parameter, "__name__", None) or str(parameter)


def case(function=None, params=None):
    """Registers a function as a case, or as a case for each parameter."""
    if function is None:
        return lambda f: case(f, params)
    family = function.__module__.split(".")[-1]
    found = [(function.__name__, ())]
    if params is not None:
        found = [(f"{function.__name__}-{_label(p)}".replace(" ", ""), p if isinstance(p, tuple) else (p,)) for p in params]
    for name, arguments in found:
        new = Case(family, name, function, arguments)
        if new.name in CASES:
            raise ValueError(f"there are two cases {new.name}")
        CASES[new.name] = new
    return function

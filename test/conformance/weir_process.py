# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The client of weir-run-graphs: one process that runs many graphs.

The protocol is a line of JSON for each graph and a line as the answer; see
runner/Protocol.h. A process that ends or does not answer in time is an outcome
like any other: the case at hand gets it, and the next one gets a new process.
"""

import base64
import json
import os
import select
import subprocess
import tempfile
import time

import numpy as np

try:
    import ml_dtypes

    BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
except ImportError:
    BFLOAT16 = None

# NumPy types by the number of WeirDType.
DTYPES = {
    1: np.dtype(np.float32),
    2: np.dtype(np.float64),
    3: np.dtype(np.int32),
    4: np.dtype(np.uint8),
    5: np.dtype(np.int16),
    6: np.dtype(np.int8),
    9: np.dtype(np.int64),
    10: np.dtype(np.bool_),
    14: BFLOAT16,
    17: np.dtype(np.uint16),
    19: np.dtype(np.float16),
    22: np.dtype(np.uint32),
    23: np.dtype(np.uint64),
}
STRING = 7
NUMBERS = {dtype: number for number, dtype in DTYPES.items() if dtype is not None}


def encode(array):
    array = np.asarray(array)
    if array.dtype.kind in "OSU":
        items = [item.encode() if isinstance(item, str) else item for item in array.reshape(-1).tolist()]
        return {
            "dtype": STRING,
            "shape": list(array.shape),
            "strings": [base64.b64encode(item).decode() for item in items],
        }
    data = np.ascontiguousarray(array).tobytes()
    return {"dtype": NUMBERS[array.dtype], "shape": list(array.shape), "data": base64.b64encode(data).decode()}


def decode(value):
    shape = value["shape"]
    if value["dtype"] == STRING:
        array = np.empty(len(value["strings"]), dtype=object)
        array[:] = [base64.b64decode(item) for item in value["strings"]]
        return array.reshape(shape)
    data = base64.b64decode(value["data"])
    return np.frombuffer(data, dtype=DTYPES[value["dtype"]]).reshape(shape)


def request(graph, mode, groups):
    """The request for the GraphDef in file `graph`."""

    def one(run):
        found = {
            "fetches": run.fetches,
            "targets": run.targets,
            "feeds": {name: None if value is None else encode(value) for name, value in run.feeds.items()},
        }
        if run.timeout_ms:
            found["timeout_ms"] = run.timeout_ms
        if run.partial:
            found["partial"] = {"what": run.partial[0], "key": run.partial[1]}
        return found

    return {"graph": graph, "mode": mode, "groups": [[one(run) for run in group] for group in groups]}


class Weir:
    """A process of the runner, started when it is needed. One thread at a time."""

    def __init__(self, command, seconds=900):
        self.command, self.seconds = command, seconds
        self.process = self.said = None
        self.buffer = b""

    def close(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process.stdin.close()
            self.process.stdout.close()
            self.said.close()
        self.process, self.buffer = None, b""

    def ask(self, message):
        """The answer to a request, or {"died": why}."""
        if self.process is None:
            self.said = tempfile.TemporaryFile()
            self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.said)
        try:
            self.process.stdin.write(json.dumps(message).encode() + b"\n")
            self.process.stdin.flush()
            line = self._line()
        except BrokenPipeError:
            line = None
        if line:
            return json.loads(line)
        ended = self.process.poll() is not None or line is None
        if ended:
            self.process.wait()
        self.said.seek(0)
        said = self.said.read().decode(errors="replace").strip().split("\n")
        why = f"the process ended with {self.process.returncode}" if ended else f"no answer in {self.seconds} s"
        self.close()
        return {"died": ": ".join([why] + said[-3:])}

    def _line(self):
        """A line; None at the end of the file, b"" when time is over."""
        end = time.monotonic() + self.seconds
        while b"\n" not in self.buffer:
            wait = end - time.monotonic()
            ready, _, _ = select.select([self.process.stdout], [], [], max(0, wait))
            if not ready:
                return b""
            data = os.read(self.process.stdout.fileno(), 1 << 20)
            if not data:
                return None
            self.buffer += data
        line, self.buffer = self.buffer.split(b"\n", 1)
        return line

    def run(self, graph, mode, plan):
        """The outcomes of a plan, a list for each group."""
        answer = self.ask(request(graph, mode, plan.groups))
        if "died" in answer:
            return [[("died", 0, answer["died"]) for _ in group] for group in plan.groups]
        if "error" in answer:
            outcome = ("error", answer["code"], answer["error"])
            return [[outcome for _ in group] for group in plan.groups]
        return [[_outcome(run) for run in group] for group in answer["groups"]]


def _outcome(run):
    if "error" in run:
        return ("error", run["code"], run["error"])
    return ("values", [decode(value) for value in run["values"]])


def find_runner():
    """The runner in $WEIR_BUILD/bin, else in the first build folder that has it."""
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    builds = [os.environ.get("WEIR_BUILD", "")] + [os.path.join(root, "build", preset) for preset in ("release", "dev")]
    for build in filter(None, builds):
        path = os.path.join(build, "bin", "weir-run-graphs")
        if os.access(path, os.X_OK):
            return path
    return None

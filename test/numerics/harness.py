# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares what Weir computes with what NumPy, JAX and TensorFlow compute.

A case is one graph with feeds and what its fetches should be. All cases of a
suite go into one module, which one process runs.
"""

import dataclasses
import os
import pathlib
import subprocess
import sys
import tempfile

import ml_dtypes
import numpy as np

# Element type: name in a graph, NumPy type, number of WeirDType.
DTYPES = {
    "f32": (np.float32, 1),
    "f64": (np.float64, 2),
    "i32": (np.int32, 3),
    "ui8": (np.uint8, 4),
    "i16": (np.int16, 5),
    "i8": (np.int8, 6),
    "i64": (np.int64, 9),
    "i1": (np.bool_, 10),
    "bf16": (ml_dtypes.bfloat16, 14),
    "ui16": (np.uint16, 17),
    "f16": (np.float16, 19),
    "ui32": (np.uint32, 22),
    "ui64": (np.uint64, 23),
}
FLOATS = ["f32", "f64", "f16", "bf16"]
SIGNED = ["i8", "i16", "i32", "i64"]
INTEGERS = SIGNED + ["ui8", "ui16", "ui32", "ui64"]
NUMBERS = FLOATS + INTEGERS
NUMPY = {name: np.dtype(kind) for name, (kind, _) in DTYPES.items()}
NAMES = {dtype: name for name, dtype in NUMPY.items()}
BY_NUMBER = {number: np.dtype(kind) for kind, number in DTYPES.values()}

# What compiled code may differ by beyond a case's bounds in suites of sums: it
# sums in the element type where the bounds are those of f64, as the interpreter
# has it. In roundings of the largest element. Everything else is held to the
# bounds as they are.
ROUNDINGS = 16

# Half the distance between 1 and the next number: the error of one rounding.
UNIT = {"f32": 2.0**-24, "f64": 2.0**-53, "f16": 2.0**-11, "bf16": 2.0**-8}


def name_of(array):
    return NAMES[np.asarray(array).dtype]


def tensor(array, dynamic=()):
    """The type of an array in a graph; extents of `dynamic` axes are open."""
    array = np.asarray(array)
    extents = ["?" if i in dynamic else str(n) for i, n in enumerate(array.shape)]
    return f"tensor<{'x'.join(extents + [name_of(array)])}>"


@dataclasses.dataclass
class Case:
    name: str
    text: str
    feeds: list
    expected: list
    rtol: float
    atol: float
    error: str = ""
    entry: str = ""


class Suite:
    """Cases by name; `check` runs them and reports."""

    def __init__(self, name, sums=False):
        self.name = name
        self.sums = sums
        self.cases = []
        self.declarations = []

    def graph(self, name, body, feeds, expected, rtol=0.0, atol=0.0, dynamic=None, results=None):
        """A case out of the text of its body.

        The body uses the feeds %x0, %x1, ... and defines %y0, %y1, ...
        `expected` is a list of arrays, or the code of an error. `dynamic` has
        the open axes of each feed; `results` are the types of the results where
        they are not those of `expected`.
        """
        feeds = [np.asarray(feed) for feed in feeds]
        dynamic = dynamic or [()] * len(feeds)
        entry = f"c{len(self.cases)}"
        arguments = ", ".join(f"%x{i}: {tensor(x, d)}" for i, (x, d) in enumerate(zip(feeds, dynamic)))
        if results is None:
            results = [tensor(y) for y in expected]
        names = ", ".join(f"%y{i}" for i in range(len(results)))
        text = (
            f"  weir.graph @{entry}({arguments}) -> ({', '.join(results)}) {{\n    {body}\n"
            f"    weir.fetch {names} : {', '.join(results)}\n  }}\n"
        )
        failing = isinstance(expected, str)
        self.cases.append(
            Case(name, text, feeds, [] if failing else expected, rtol, atol, expected if failing else "", entry)
        )
        return self.cases[-1]

    def again(self, case, feeds, expected=None):
        """Another run of the graph of `case`."""
        self.cases.append(dataclasses.replace(case, text="", feeds=[np.asarray(x) for x in feeds], expected=expected))
        return self.cases[-1]

    def op(self, op, feeds, expected, attributes="", rtol=0.0, atol=0.0, dynamic=None, result=None, name=None):
        """A case of one node with one result."""
        feeds = [np.asarray(feed) for feed in feeds]
        given = dynamic or [()] * len(feeds)
        result = result or tensor(expected)
        operands = ", ".join(f"%x{i}" for i in range(len(feeds)))
        types = ", ".join(tensor(x, d) for x, d in zip(feeds, given))
        attributes = f" {{{attributes}}}" if attributes else ""
        body = f"%y0 = weir.{op} {operands}{attributes} : ({types}) -> {result}"
        label = name or f"{op}{attributes} ({types})"
        self.graph(label, body, feeds, expected if isinstance(expected, str) else [np.asarray(expected)], rtol, atol,
                   dynamic, [result])

    def module(self):
        return "module {\n" + "".join(self.declarations) + "".join(case.text for case in self.cases) + "}\n"

    def run(self, runner, *flags):
        """What each case gives: a list of arrays, or the text of an error."""
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            data, lines = bytearray(), []
            for case in self.cases:
                lines.append(f"run {case.entry}")
                for feed in case.feeds:
                    extents = "".join(f" {n}" for n in feed.shape)
                    lines.append(f"{DTYPES[name_of(feed)][1]} {len(data)}{extents}")
                    data += feed.tobytes()
            (folder / "module.mlir").write_text(self.module())
            (folder / "cases").write_text("\n".join(lines) + "\n")
            (folder / "data").write_bytes(data)
            files = [str(folder / name) for name in ("module.mlir", "cases", "data", "results")]
            done = subprocess.run([runner, *files, *flags], capture_output=True, text=True)
            if done.returncode:
                raise RuntimeError(f"{self.name}: {done.stderr[-4000:]}")
            results = (folder / "results").read_bytes()
        outcomes = []
        for line in done.stdout.splitlines():
            if line.startswith("error "):
                outcomes.append(line[6:])
            elif line == "ok":
                outcomes.append([])
            else:
                number, offset, *shape = map(int, line.split())
                dtype = BY_NUMBER[number]
                count = int(np.prod(shape, dtype=np.int64))
                outcomes[-1].append(np.frombuffer(results, dtype, count, offset).reshape(shape))
        return outcomes

    def names(self):
        return [case.name for case in self.cases]

    def faults(self, runner, *flags):
        """Why cases failed, by their number."""
        whys = {}
        roundings = ROUNDINGS if self.sums and {"--compiled", "--gpu"} & set(flags) else 0
        for number, (case, outcome) in enumerate(zip(self.cases, self.run(runner, *flags), strict=True)):
            why = compare(case, outcome, roundings)
            if why:
                whys[number] = why
        return whys


def compare(case, outcome, roundings=0):
    """Empty when the outcome is right, else why it is not."""
    if isinstance(outcome, str):
        return "" if case.error and case.error in outcome else outcome
    if case.error:
        return f"expected {case.error}, but it ran"
    if len(outcome) != len(case.expected):
        return f"{len(outcome)} fetches, expected {len(case.expected)}"
    for got, expected in zip(outcome, case.expected):
        expected = np.asarray(expected)
        if got.dtype != expected.dtype or got.shape != expected.shape:
            return f"got {got.dtype}{got.shape}, expected {expected.dtype}{expected.shape}"
        if expected.dtype.kind in "iub":
            same = got == expected
        else:
            wide, want = got.astype(np.float64), expected.astype(np.float64)
            with np.errstate(all="ignore"):
                finite = np.abs(want[np.isfinite(want)])
                slack = roundings * UNIT[name_of(expected)] * max(1.0, finite.max(initial=0.0))
                near = np.abs(wide - want) <= case.atol + slack + case.rtol * np.abs(want)
            same = (wide == want) | (np.isnan(wide) & np.isnan(want)) | near
        if not np.all(same):
            place = tuple(int(i) for i in np.argwhere(~same)[0])
            return f"{np.sum(~same)} of {same.size} elements differ, at {place}: got {got[place]!r}, expected {expected[place]!r}"
    return ""


def find_runner():
    """The program that runs the cases, or None."""
    build = os.environ.get("WEIR_BUILD", str(pathlib.Path(__file__).parents[2] / "build" / "dev"))
    runner = pathlib.Path(build) / "test" / "numerics" / "weir-run-cases"
    return str(runner) if runner.exists() else None


def main(suites):
    """Checks suites and prints `N passed, N failed, N skipped`."""
    runner = find_runner()
    if runner is None:
        print("weir-run-cases is not built; build it with ninja weir-run-cases")
        print("0 passed, 0 failed, 1 skipped")
        return 0
    flags = sys.argv[1:]
    passed, failures = 0, []
    for suite in suites:
        names, faults = suite.names(), suite.faults(runner, *flags)
        passed += len(names) - len(faults)
        failures += [f"{suite.name}: {names[number]}: {why}" for number, why in faults.items()]
        print(f"{suite.name}: {len(names) - len(faults)} passed, {len(faults)} failed", flush=True)
    for failure in failures[:40]:
        print("FAILED", failure)
    print(f"{passed} passed, {len(failures)} failed, 0 skipped")
    return 1 if failures else 0

#!/usr/bin/env python3
# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs graphs in TensorFlow and, from their GraphDef, in Weir.

    tf_dataflow.py [options] [PATTERN...]

PATTERN picks cases by name (`loops/*`). Each case runs interpreted, compiled,
and compiled without raising control flow (so that the executor runs it); it
passes where all of them give TensorFlow's values, or its errors. A case of
open_cases.py, which says what Weir lacks, counts as skipped while it differs,
and as failed once it does not. The last line is `N passed, N failed, N
skipped`; the exit code is 1 if one failed.

Runs under the oracles' Python (test/requirements-oracles.txt).
"""

import argparse
import collections
import concurrent.futures
import fnmatch
import importlib
import os
import pkgutil
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import cases  # noqa: E402
import judge  # noqa: E402
from open_cases import OPEN  # noqa: E402
from plan import CASES, CODE_NAMES  # noqa: E402
from weir_process import Weir, find_runner  # noqa: E402

MODES = ("interpret", "compile", "dataflow")


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("patterns", nargs="*", metavar="PATTERN", help="names of cases, with * and ?")
    parser.add_argument("--case", action="append", default=[], metavar="NAME", help="the same as PATTERN")
    parser.add_argument("--keep", metavar="DIR", help="keep each case's GraphDef, as CASE.pb and CASE.pbtxt, and its files")
    parser.add_argument("--mode", action="append", choices=MODES, help="run Weir in this way only; may be repeated")
    parser.add_argument("--list", action="store_true", help="print the names of the cases and stop")
    parser.add_argument("--judge-only", action="store_true", help="run TensorFlow only: are the cases what they say?")
    parser.add_argument("--show", action="store_true", help="print what TensorFlow gives")
    parser.add_argument("--runner", metavar="FILE", help="weir-run-graphs (default: in $WEIR_BUILD/bin)")
    parser.add_argument("--junit", metavar="FILE", help="write the outcomes as JUnit XML too")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N", help="so many processes of Weir (default: cores)")
    return parser.parse_args()


def chosen(patterns):
    for module in pkgutil.iter_modules(cases.__path__):
        importlib.import_module(f"cases.{module.name}")
    if not patterns:
        return list(CASES.values())
    found = [case for case in CASES.values() if any(fnmatch.fnmatchcase(case.name, pattern) for pattern in patterns)]
    if not found:
        sys.exit(f"error: no case is named {' or '.join(patterns)} (--list shows them)")
    return found


def unexpected(plan, expected):
    """None, or how TensorFlow's outcomes are not those that the case states."""
    for runs, outcomes in zip(plan.groups, expected):
        for run, outcome in zip(runs, outcomes):
            code = CODE_NAMES.get(outcome[1], outcome[1]) if outcome[0] == "error" else None
            if code != run.error:
                said = f"an error {run.error}" if run.error else "values"
                return f"the case says {said}; TensorFlow: {judge.show(outcome)}"
    return None


def differences(plan, expected, actual):
    for number, (runs, rights, values) in enumerate(zip(plan.groups, expected, actual)):
        for run, right, value in zip(runs, rights, values):
            why = judge.difference(run, right, value)
            if why:
                yield f"run {number}: {why}"
                return


class Suite:
    """Runs cases: TensorFlow in this thread, Weir in processes beside it."""

    def __init__(self, arguments, folder):
        self.arguments, self.folder = arguments, folder
        self.modes = arguments.mode or MODES
        self.pool = concurrent.futures.ThreadPoolExecutor(max(1, arguments.jobs))
        self.idle = collections.deque()

    def judge(self, case):
        """Begins a case; its faults come from the future."""
        folder = os.path.join(self.folder, case.name.replace("/", "_"))
        os.makedirs(folder, exist_ok=True)
        plan, definition = case.plan(folder)
        expected = judge.run_tensorflow(plan, definition)
        if self.arguments.show:
            for outcomes in expected:
                for outcome in outcomes:
                    print(f"  {case.name}: {judge.show(outcome)}")
        graph = folder + ".pb"
        with open(graph, "wb") as file:
            file.write(definition.SerializeToString(deterministic=True))
        if self.arguments.keep:
            with open(folder + ".pbtxt", "w") as file:
                file.write(str(definition))
        fault = unexpected(plan, expected)
        if fault or self.arguments.judge_only:
            return self.pool.submit(lambda: [fault] if fault else [])
        return self.pool.submit(self._weir, graph, plan, expected)

    def _weir(self, graph, plan, expected):
        weir = self.idle.pop() if self.idle else Weir([self.arguments.runner])
        try:
            faults = []
            for mode in self.modes:
                if mode == "interpret" and plan.waits:
                    continue
                faults += [f"{mode}: {why}" for why in differences(plan, expected, weir.run(graph, mode, plan))]
            return faults
        finally:
            self.idle.append(weir)

    def close(self):
        self.pool.shutdown()
        for weir in self.idle:
            weir.close()


def begin(suite, case):
    try:
        return suite.judge(case)
    except Exception as error:  # A case that cannot be built is a failed case.
        why = f"cannot be built: {type(error).__name__}: {error}"
        return suite.pool.submit(lambda: [why])


def write_junit(path, found, closed):
    root = ElementTree.Element("testsuite", name="tf_dataflow", tests=str(len(found)))
    for name, faults in found.items():
        family, short = name.split("/", 1)
        element = ElementTree.SubElement(root, "testcase", classname=f"tf_dataflow.{family}", name=short)
        if faults and name in OPEN and name not in closed:
            ElementTree.SubElement(element, "skipped", message=OPEN[name])
        elif faults:
            ElementTree.SubElement(element, "failure", message=faults[0].split("\n")[0]).text = "\n".join(faults)
    ElementTree.ElementTree(root).write(path, encoding="utf-8", xml_declaration=True)


def run_all(suite, picked, closed):
    """The faults of each case by name; `closed` gets those that are open no more."""
    futures = {}
    for case in picked:
        if suite.arguments.show:
            print(case.name, flush=True)
        futures[case.name] = begin(suite, case)
    found = {}
    for name, future in futures.items():
        found[name] = future.result()
        if name in OPEN and not found[name] and not suite.arguments.mode:
            found[name] = ["agrees with TensorFlow: take it out of open_cases.py"]
            closed.add(name)
        if found[name] and (name not in OPEN or name in closed or suite.arguments.patterns or suite.arguments.case):
            print(f"FAILED {name}")
            for fault in found[name]:
                print(f"    {fault}")
            print(f"    again: {os.path.relpath(__file__)} --case '{name}' --keep DIR", flush=True)
    return found


def main():
    arguments = options()
    picked = chosen(arguments.patterns + arguments.case)
    if arguments.list:
        print("\n".join(case.name for case in picked))
        return 0
    if not arguments.judge_only:
        arguments.runner = arguments.runner or find_runner()
        if not arguments.runner:
            sys.exit("error: weir-run-graphs is not built (set WEIR_BUILD, or give --runner)")
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as temporary:
        if arguments.keep:
            os.makedirs(arguments.keep, exist_ok=True)
        suite = Suite(arguments, os.path.abspath(arguments.keep or temporary))
        closed = set()
        found = run_all(suite, picked, closed)
        suite.close()
    if arguments.junit:
        write_junit(arguments.junit, found, closed)
    families = collections.Counter(name.split("/")[0] for name in found)
    skipped = {name for name, faults in found.items() if faults and name in OPEN and name not in closed}
    failed = collections.Counter(name.split("/")[0] for name, faults in found.items() if faults and name not in skipped)
    for family in families:
        open_here = sum(name.split("/")[0] == family for name in skipped)
        print(f"{family:<16}{families[family] - failed[family] - open_here} of {families[family]}")
    total = sum(failed.values())
    print(f"{time.monotonic() - start:.0f} s")
    print(f"{len(found) - total - len(skipped)} passed, {total} failed, {len(skipped)} skipped")
    return 1 if total else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random dataflow graphs: what the interpreter, the executor and compiled code
make of them is what the program says that they are made from.

    random_dataflow.py [options]

In the mode `devices` their nodes are spread over two CPUs, a GPU and
the accelerator by chance.

Graphs have variables, queues, stacks, tensor arrays, conditionals and loops in
each other; each makes three steps. One that fails is made smaller and printed
with its seed. The last line is `N passed, N failed, N skipped`.
"""

import argparse
import collections
import concurrent.futures
import os
import pprint
import random
import sys
import time
import xml.etree.ElementTree as ElementTree

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from randomgraph import generate, program, text  # noqa: E402
from weir_process import Weir, decode, encode, find_runner  # noqa: E402

MODES = ("interpret", "compile", "dataflow", "devices")
STEPS = 3


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=300, metavar="N", help="so many graphs (default: 300)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="the seed of the first; the next has the next one")
    parser.add_argument("--devices", type=int, default=200, metavar="N", help="so many of them are spread over devices, too (default: 200)")
    parser.add_argument("--mode", action="append", choices=(*MODES, "tasks"), help="run in this way only; may be repeated")
    parser.add_argument("--print", action="store_true", help="print the graphs and stop")
    parser.add_argument("--no-reduce", action="store_true", help="print failing graphs as they are")
    parser.add_argument("--most", type=int, default=5, metavar="N", help="reduce so many failing graphs (default: 5)")
    parser.add_argument("--runner", metavar="FILE", help="weir-run-graphs (default: in $WEIR_BUILD/bin)")
    parser.add_argument("--junit", metavar="FILE", help="write the outcomes as JUnit XML too")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N", help="so many processes (default: cores)")
    return parser.parse_args()


def feeds_of(seed):
    """The feeds of each step."""
    numbers = np.random.default_rng(seed)
    return [
        [
            np.int32(numbers.integers(-6, 7)),
            np.float32(numbers.integers(-6, 7)),
            numbers.integers(-6, 7, 3).astype(np.int32),
        ]
        for _ in range(STEPS)
    ]


def request(graph, mode, seed):
    fetches = [f"r{i}" for i in range(len(graph.fetches) + len(graph.queues) + len(graph.stacks) + len(graph.variables))]
    runs = [[{"targets": [f"init_{name}" for name in graph.variables]}]] if graph.variables else [[]]
    for feeds in feeds_of(seed):
        runs.append([{"feeds": {f"x{i}": encode(value) for i, value in enumerate(feeds)}, "fetches": fetches}])
    devices = random.Random(seed) if mode == "devices" else None
    return {"mlir": text.write(graph, devices), "entry": "main", "mode": mode, "groups": runs}


def fault(weir, graph, mode, seed):
    """None, or what is wrong with a graph in a mode."""
    machine = program.Machine(graph)
    expected = [machine.step(feeds) for feeds in feeds_of(seed)]
    answer = weir.ask(request(graph, mode, seed))
    if "died" in answer or "error" in answer:
        return answer.get("died") or answer["error"]
    for number, runs in enumerate(answer["groups"]):
        if not runs:
            continue
        run = runs[0]
        if "error" in run:
            return f"step {number}: {run['error']}"
        if number == 0:
            continue
        for place, (right, value) in enumerate(zip(expected[number - 1], map(decode, run["values"]))):
            right = np.asarray(right)
            if right.dtype != value.dtype or right.shape != value.shape or not np.array_equal(right, value):
                return f"step {number}: r{place} is {right.tolist()}, {mode} gave {value.tolist()}"
    return None


class Suite:
    def __init__(self, arguments):
        self.arguments = arguments
        self.modes = arguments.mode or MODES
        self.spread = arguments.seed + arguments.devices
        self.idle = collections.deque()

    def run(self, seed):
        """The faults of a graph, by mode."""
        graph = generate.Generator(seed).program()
        weir = self.idle.pop() if self.idle else Weir([self.arguments.runner])
        try:
            found = {mode: fault(weir, graph, mode, seed) for mode in self.modes if mode != "devices" or seed < self.spread}
            return {mode: why for mode, why in found.items() if why}
        finally:
            self.idle.append(weir)

    def report(self, seed, faults):
        for mode, why in faults.items():
            print(f"FAILED seed {seed}, {mode}: {why}")
        print(f"    again: {os.path.relpath(__file__)} --seed {seed} --count 1", flush=True)
        self.arguments.most -= 1
        if self.arguments.no_reduce or self.arguments.most < 0:
            return
        mode, why = next(iter(faults.items()))
        weir = Weir([self.arguments.runner], seconds=10)
        kind = kind_of(why)
        graph = generate.Generator(seed).program()
        graph = generate.reduce(graph, lambda less: kind_of(fault(weir, less, mode, seed)) == kind)
        print(f"  made smaller, {mode}: {fault(weir, graph, mode, seed)}")
        weir.close()
        print("  " + pprint.pformat(graph, width=120).replace("\n", "\n  "))
        print(request(graph, mode, seed)["mlir"], flush=True)

    def close(self):
        for weir in self.idle:
            weir.close()


def kind_of(why):
    """What a fault has in common with the same one of a smaller graph."""
    if why is None:
        return None
    if "[WEIR" in why:
        return why[why.index("[WEIR") :][:10]
    return "value" if " gave " in why else why.split(":")[0]


def write_junit(path, found):
    root = ElementTree.Element("testsuite", name="random_dataflow", tests=str(len(found)))
    for seed, faults in found.items():
        element = ElementTree.SubElement(root, "testcase", classname="random_dataflow", name=f"seed-{seed}")
        if faults:
            ElementTree.SubElement(element, "failure", message=str(faults)[:300])
    ElementTree.ElementTree(root).write(path, encoding="utf-8", xml_declaration=True)


def main():
    arguments = options()
    seeds = range(arguments.seed, arguments.seed + arguments.count)
    if arguments.print:
        for seed in seeds:
            print(f"// seed {seed}\n{text.write(generate.Generator(seed).program())}")
        return 0
    arguments.runner = arguments.runner or find_runner()
    if not arguments.runner:
        sys.exit("error: weir-run-graphs is not built (set WEIR_BUILD, or give --runner)")
    start = time.monotonic()
    suite = Suite(arguments)
    found = {}
    with concurrent.futures.ThreadPoolExecutor(max(1, arguments.jobs)) as pool:
        for seed, faults in zip(seeds, pool.map(suite.run, seeds)):
            found[seed] = faults
            if faults:
                suite.report(seed, faults)
    suite.close()
    if arguments.junit:
        write_junit(arguments.junit, found)
    failed = sum(bool(faults) for faults in found.values())
    print(f"seeds {seeds[0]} to {seeds[-1]}: {time.monotonic() - start:.0f} s")
    print(f"{len(found) - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

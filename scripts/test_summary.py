#!/usr/bin/env python3
# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Adds up what the test suites found.

    test_summary.py RESULTS SUITE...

RESULTS has a folder for each suite, with JUnit XML files (ctest, gtest, lit and
pytest write them) or `*.count` files of three numbers: passed, failed, skipped.
Prints a line for each suite and a last line `N passed, N failed, N skipped`.
A suite without any count has failed. Exit code 1 if anything failed.

ctest runs each gtest program as one test, and the program itself writes a file
of the same name with its cases: then the cases count, and the program only if
it failed without any of them failing (a crash, say).
"""
import glob
import os
import sys
import xml.etree.ElementTree as ElementTree


def outcome(case):
    """One of 'passed', 'failed', 'skipped', for a <testcase>."""
    tags = {child.tag for child in case}
    if "failure" in tags or "error" in tags or case.get("status") in ("fail", "failed"):
        return "failed"
    if "skipped" in tags or case.get("status") in ("notrun", "disabled") or case.get("result") == "skipped":
        return "skipped"
    return "passed"


def read_cases(path):
    """(name, outcome) of each case; a file that cannot be read is a failure."""
    try:
        root = ElementTree.parse(path).getroot()
    except (ElementTree.ParseError, OSError) as error:
        return [(f"{os.path.basename(path)}: {error}", "failed")]
    return [(f"{case.get('classname', '')}::{case.get('name', '')}".removeprefix("::"), outcome(case))
            for case in root.iter("testcase")]


def read_counts(path):
    with open(path) as file:
        numbers = [int(word) for word in file.read().split()]
    return [(os.path.basename(path).removesuffix(".count"), kind)
            for kind, number in zip(("passed", "failed", "skipped"), numbers) for _ in range(number)]


def read_suite(folder):
    files = {os.path.basename(path)[:-4]: read_cases(path) for path in sorted(glob.glob(os.path.join(folder, "*.xml")))}
    programs = files.pop("ctest", [])
    cases = [case for name in files for case in files[name]]
    for name, result in programs:
        name = name.split("::")[-1]
        if name not in files or (result == "failed" and all(kind != "failed" for _, kind in files[name])):
            cases.append((name, result))
    for path in sorted(glob.glob(os.path.join(folder, "*.count"))):
        cases += read_counts(path)
    return cases


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    total = {"passed": 0, "failed": 0, "skipped": 0}
    for suite in sys.argv[2:]:
        cases = read_suite(os.path.join(sys.argv[1], suite))
        if not cases:
            cases = [("the suite gave no count", "failed")]
        for name, kind in cases:
            total[kind] += 1
            if kind == "failed":
                print(f"failed: {suite}: {name}")
        print(f"{suite:<13}" + ", ".join(f"{sum(kind == k for _, kind in cases)} {k}" for k in total))
    print(", ".join(f"{number} {kind}" for kind, number in total.items()))
    sys.exit(1 if total["failed"] else 0)


if __name__ == "__main__":
    main()

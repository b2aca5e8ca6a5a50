#!/usr/bin/env python3
# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fills in what the compiler makes of the graph in docs/tutorial/the-way-of-a-graph.md.

    way_of_a_graph.py --compile WEIR_COMPILE [--check]

The first ```mlir block of the page is the graph. A line `<!-- phase NAME -->`
says that the block after it is what phase NAME leaves of it; with
`<!-- phase NAME, FUNCTION -->`, only what it leaves of that function. `--check`
changes nothing and ends with 1 where the page is not up to date.
"""

import argparse
import difflib
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = os.path.join(ROOT, "docs", "tutorial", "the-way-of-a-graph.md")
# A processor that all have, so that the page is the same everywhere.
OPTIONS = ["--devices=CPU:0,CPU:1", "--entries=step", "--target-cpu=x86-64", "--threads=1"]
BLOCK = re.compile(r"(?P<head><!-- phase (?P<phase>\w+)(, (?P<function>[\w.@]+))? -->\n```mlir\n)(?P<body>.*?)(?P<tail>^```$)",
                   re.M | re.S)


def dumps(compiler, graph):
    """The module after each phase, by the name of the phase."""
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "way.mlir"), "w", encoding="utf-8") as file:
            file.write(graph)
        dump = os.path.join(folder, "dump")
        # Places in the text are those of a file beside.
        subprocess.run([os.path.abspath(compiler), "way.mlir", "--emit=obj", "-o", "way.o", "--dump-dir=dump", *OPTIONS],
                       check=True, cwd=folder)
        texts = {}
        for name in os.listdir(dump):
            with open(os.path.join(dump, name), encoding="utf-8") as file:
                texts[name.split(".")[1]] = file.read()
    return texts


def pick(text, function):
    """The operation that begins with a line that names the function."""
    lines = text.splitlines(keepends=True)
    for begin, line in enumerate(lines):
        if re.search(r"\bfunc\b.*" + re.escape(function) + r"\(", line):
            indent = re.match(r" *", line).group()
            for end in range(begin + 1, len(lines)):
                if lines[end].startswith(indent + "}"):
                    return "".join(part.removeprefix(indent) for part in lines[begin:end + 1])
    sys.exit(f"error: there is no function {function}")


def shorten(text):
    text = text.replace("/job:localhost/replica:0/task:0/device:", "")
    text = re.sub(r"rt.target = {[^}]*}", "rt.target = {...}", text)
    return "".join(line.rstrip() + "\n" for line in text.splitlines() if line.strip())


def filled(page, texts):
    def fill(match):
        text = texts.get(match["phase"])
        if text is None:
            sys.exit(f"error: there is no phase {match['phase']}")
        body = pick(text, match["function"]) if match["function"] else text
        return match["head"] + shorten(body) + match["tail"]

    return BLOCK.sub(fill, page)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compile", required=True, help="the program weir-compile")
    parser.add_argument("--check", action="store_true", help="only compare")
    arguments = parser.parse_args()
    with open(PAGE, encoding="utf-8") as file:
        page = file.read()
    graph = re.search(r"^```mlir\n(.*?)^```$", page, re.M | re.S).group(1)
    new = filled(page, dumps(arguments.compile, graph))
    if new == page:
        return 0
    if not arguments.check:
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(new)
        return 0
    sys.stdout.writelines(difflib.unified_diff(page.splitlines(True), new.splitlines(True), "the page", "the compiler"))
    print("the page is not up to date; run scripts/way_of_a_graph.py")
    return 1


if __name__ == "__main__":
    sys.exit(main())

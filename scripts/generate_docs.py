#!/usr/bin/env python3
# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the reference pages of the dialects out of their .td files.

    generate_docs.py --tblgen MLIR-TBLGEN --include DIR [--check]

The pages are docs/spec/weir.md, docs/spec/rt.md and docs/spec/kernels.md, the
table of which devices can run which node. With --check nothing is
written; the exit code is 1 when a page is not up to date.
"""

import argparse
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGES = {"weir": "dialects/Weir/Weir.td", "rt": "dialects/Rt/Rt.td"}


def page(tblgen, include, dialect, td):
    command = [tblgen, "-gen-dialect-doc", f"-dialect={dialect}", "-I", ROOT, "-I", include, os.path.join(ROOT, td)]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    text = re.sub(r"\A<!--.*?-->\s*", "", text)
    text = text.replace("[TOC]\n\n", f"This page is made by `scripts/generate_docs.py` out of `{td}`.\n\n")
    # Traits, interfaces and C++ names are for who reads the .td anyway.
    text = re.sub(r"^(Traits|Interfaces|Effects): .*\n\n", "", text, flags=re.M)
    text = re.sub(r"^(### `[\w.]+`) \(::[\w:]+\)$", r"\1", text, flags=re.M)
    return re.sub(r"\n{3,}", "\n\n", text).rstrip() + "\n"


def kernels(tblgen, include):
    """The table of kernels: `deviceTypes` of the ops of the graph dialect."""
    command = [tblgen, "--print-records", "-I", ROOT, "-I", include, os.path.join(ROOT, PAGES["weir"])]
    records = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    rows = {}
    for record in re.findall(r"^def Weir_\w+Op \{.*?^\}", records, flags=re.M | re.S):
        name = re.search(r'^  string opName = "(\w+)";', record, flags=re.M)
        types = re.search(r"^  list<string> deviceTypes = \[(.*)\];", record, flags=re.M)
        if name and types:
            rows[name.group(1)] = re.findall(r'"(\w+)"', types.group(1))
    columns = sorted({device for devices in rows.values() for device in devices}, key=lambda device: (device != "CPU", device))
    lines = [
        "# Kernels",
        "",
        "Which types of devices have a kernel for a node. This page is made by `scripts/generate_docs.py` out of `deviceTypes` in",
        "`dialects/Weir/*.td`; [placement](placement.md) says how it is used. Strings, handles and values of unknown rank are of CPUs,",
        "whatever the node.",
        "",
        "| node | " + " | ".join(columns) + " |",
        "|---|" + "---|" * len(columns),
    ]
    for name, devices in sorted(rows.items()):
        lines.append(f"| `weir.{name}` | " + " | ".join("yes" if column in devices else "" for column in columns) + " |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tblgen", required=True)
    parser.add_argument("--include", required=True, help="where mlir/IR/OpBase.td is found")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    stale = []
    pages = {dialect: page(options.tblgen, options.include, dialect, td) for dialect, td in PAGES.items()}
    pages["kernels"] = kernels(options.tblgen, options.include)
    for dialect, text in pages.items():
        path = os.path.join(ROOT, f"docs/spec/{dialect}.md")
        if os.path.exists(path) and open(path, encoding="utf-8").read() == text:
            continue
        stale.append(f"docs/spec/{dialect}.md")
        if not options.check:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
    for path in stale:
        print(f"{path}: " + ("is not up to date; build the target `docs`" if options.check else "written"))
    return 1 if stale and options.check else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Assembles PTX for each architecture and prints registers and spills.

    gpu_registers.py [--architectures sm_80,sm_90a,sm_100] [--all] FILE.ptx...

`weir-gpu-compile-kernels{ptx-file=...}` writes such files. Prints a line for
each architecture, and for each kernel that spills (with --all: for every
kernel). Ends with 1 where ptxas refuses a file.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys

ENTRY = re.compile(r"Compiling entry function '(\S+)' for")
SPILLS = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
USED = re.compile(r"Used (\d+) registers")


def find_ptxas():
    usual = "/usr/local/cuda/bin/ptxas"
    return shutil.which("ptxas") or (usual if os.access(usual, os.X_OK) else None)


def measure(ptxas, path, architecture):
    """(kernel, registers, stack, spilled bytes) for each kernel of a file."""
    done = subprocess.run([ptxas, f"-arch={architecture}", "-v", path, "-o", os.devnull], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{path}: ptxas -arch={architecture}: {done.stderr.strip()[-2000:]}")
    rows, kernel, stack, spilled = [], None, 0, 0
    for line in done.stderr.splitlines():
        if match := ENTRY.search(line):
            kernel = match[1]
        elif match := SPILLS.search(line):
            stack, spilled = int(match[1]), int(match[2]) + int(match[3])
        elif (match := USED.search(line)) and kernel:
            rows.append((kernel, int(match[1]), stack, spilled))
            kernel, stack, spilled = None, 0, 0
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+")
    parser.add_argument("--architectures", default="sm_80,sm_90a,sm_100")
    parser.add_argument("--all", action="store_true")
    options = parser.parse_args()
    ptxas = find_ptxas()
    if not ptxas:
        sys.exit("there is no ptxas here")
    print(f"{'architecture':<14}{'kernels':>8}{'most registers':>16}{'spilling':>10}")
    refused = False
    for architecture in options.architectures.split(","):
        rows = []
        for path in options.files:
            try:
                rows += [(path, *row) for row in measure(ptxas, path, architecture)]
            except RuntimeError as error:
                print(error, file=sys.stderr)
                refused = True
        most = max((row[2] for row in rows), default=0)
        print(f"{architecture:<14}{len(rows):>8}{most:>16}{sum(row[4] > 0 for row in rows):>10}")
        for path, kernel, registers, stack, spilled in rows:
            if options.all or spilled:
                print(f"  {path} {kernel}: {registers} registers, {stack} bytes of stack, {spilled} bytes spilled")
    return int(refused)


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs SCALE-Sim on matrix products, and compares with the closed form of docs/spec/mxu.md.

    scalesim.py [--python PYTHON]

PYTHON is an interpreter that has the PyPI packages `scalesim` (3.0.0) and `numpy<2`. Its numbers are those of
test/unit/runtime/device/mxu/CycleModelTest.cpp, where the cycle model itself is held to them. Ends
with 1 where the two differ.
"""

import argparse
import glob
import os
import re
import subprocess
import sys
import tempfile

GEMMS = [(128, 64, 256), (256, 256, 2048), (100, 100, 100), (64, 128, 512), (512, 512, 512)]
ARRAYS = [32, 128]

CONFIG = """[general]
run_name = weir
[architecture_presets]
ArrayHeight = {array}
ArrayWidth = {array}
IfmapSramSzkB = 8192
FilterSramSzkB = 8192
OfmapSramSzkB = 8192
IfmapOffset = 0
FilterOffset = 10000000
OfmapOffset = 20000000
Bandwidth = 10
Dataflow = ws
MemoryBanks = 1
ReadRequestBuffer = 32
WriteRequestBuffer = 32
[layout]
IfmapCustomLayout = False
IfmapSRAMBankBandwidth = 10
IfmapSRAMBankNum = 10
IfmapSRAMBankPort = 2
FilterCustomLayout = False
FilterSRAMBankBandwidth = 10
FilterSRAMBankNum = 10
FilterSRAMBankPort = 2
[sparsity]
SparsitySupport = false
[run_presets]
InterfaceBandwidth = CALC
UseRamulatorTrace = False
"""
LAYOUT = "Layer name,{}\n".format(",".join(f"c{i}" for i in range(12)))


def closed_form(m, n, k, array):
    return -(-k // array) * -(-n // array) * (3 * array + m - 2) - 1


def simulate(python, array):
    """Cycles of each product, in order."""
    with tempfile.TemporaryDirectory() as folder:

        def write(name, text):
            path = os.path.join(folder, name)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            return path

        config = write("weir.cfg", CONFIG.format(array=array))
        rows = "".join(f"gemm{i},{m},{n},{k},\n" for i, (m, n, k) in enumerate(GEMMS))
        products = write("products.csv", "Layer,M,N,K,\n" + rows)
        layout = write("layout.csv", LAYOUT + "".join(f"gemm{i}," + "1," * 12 + "\n" for i in range(len(GEMMS))))
        out = os.path.join(folder, "out")
        command = [python, "-m", "scalesim.scale", "-t", products, "-l", layout, "-c", config, "-p", out]
        run = subprocess.run(command + ["-i", "gemm", "-s", "N"], cwd=folder, capture_output=True, text=True)
        reports = glob.glob(os.path.join(out, "**", "COMPUTE_REPORT.csv"), recursive=True)
        if run.returncode or not reports:
            sys.exit(f"scalesim failed:\n{run.stdout[-2000:]}\n{run.stderr[-2000:]}")
        lines = open(reports[0], encoding="utf-8").read().splitlines()
        names = [name.strip() for name in lines[0].split(",")]
        # Version 3 also counts the loading of the first operands.
        column = next(i for i, name in enumerate(names) if re.fullmatch(r"Total Cycles", name))
        return [int(float(line.split(",")[column])) for line in lines[1:] if line.strip()]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--python", default=sys.executable)
    options = parser.parse_args()
    differ = False
    for array in ARRAYS:
        for (m, n, k), cycles in zip(GEMMS, simulate(options.python, array)):
            expected = closed_form(m, n, k, array)
            differ |= cycles != expected
            print(f"{array}x{array}: M {m}, N {n}, K {k}: SCALE-Sim {cycles}, closed form {expected}")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())

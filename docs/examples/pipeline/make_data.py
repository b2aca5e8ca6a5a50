#!/usr/bin/env python3
# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the examples of pipeline.mlir: four CSV files of y = 3 x + 2, with noise.

    make_data.py DIRECTORY
"""

import os
import random
import sys

generator = random.Random(1)
os.makedirs(sys.argv[1], exist_ok=True)
for number in range(4):
    with open(os.path.join(sys.argv[1], f"part{number}.csv"), "w", encoding="utf-8") as file:
        file.write("x,y\n")
        for _ in range(500):
            x = generator.uniform(-1, 1)
            file.write(f"{x:.6f},{3 * x + 2 + generator.gauss(0, 0.05):.6f}\n")

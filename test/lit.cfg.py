# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How lit runs the tests of Weir.

A test is a `.mlir` or `.test` file with RUN lines. Run a folder, or one file,
through the build tree, which mirrors this folder:

    lit -v build/dev/test/passes/Place
    lit -v build/dev/test --filter matmul

A RUN line may name Weir's tools and LLVM's test helpers as they are. A tool
that was not built is no feature: `REQUIRES: weir-run` skips a test then.
"""

import os
import re
import shutil

import lit.formats

config.name = "Weir"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "CMakeLists.txt", "unit", "numerics", "python", "e2e", "perf", "failing"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = config.weir_test_dir

# A command that hangs is killed, and killed hard: `not` counts death by a
# signal as a failure, so that no test passes by hanging. The slowest take a few
# seconds; a loaded machine may need many times that.
SECONDS_PER_COMMAND = int(os.environ.get("WEIR_TEST_TIMEOUT", "900"))

WEIR_TOOLS = [
    "weir-opt",
    "weir-translate",
    "weir-compile",
    "weir-run",
    "weir-lsp-server",
    "weir-reduce",
    "weir-worker",
]

for tool in WEIR_TOOLS:
    path = os.path.join(config.weir_bin_dir, tool)
    if not os.access(path, os.X_OK):
        continue
    config.available_features.add(tool)
    # The name as a word of its own, not as a part of a path or of another name.
    pattern = r"(?<![\w./-])" + re.escape(tool) + r"(?![\w.-])"
    config.substitutions.append((pattern, f"timeout -s KILL {SECONDS_PER_COMMAND} {path}"))

config.substitutions += [
    ("%python", config.python),
    ("%cc", config.cc),
    ("%weir_bin", config.weir_bin_dir),
    ("%weir_lib", config.weir_lib_dir),
    ("%weir_src", config.weir_src_dir),
    # What a program needs beside its object: see docs/how-to.
    ("%weir_include", os.path.join(config.weir_src_dir, "include")),
]

# FileCheck, not, count, split-file, mlir-translate and the rest.
config.environment["PATH"] = os.pathsep.join([config.llvm_tools_dir, os.environ.get("PATH", "")])
for name in ("HOME", "TMPDIR", "OMP_NUM_THREADS", "ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "LSAN_OPTIONS"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

if config.sanitizer:
    config.available_features.add("sanitizer")
    for kind in config.sanitizer.split(","):
        config.available_features.add(kind)

# The assembler of CUDA, where it is looked for when a program is compiled.
if shutil.which("ptxas") or os.access("/usr/local/cuda/bin/ptxas", os.X_OK):
    config.available_features.add("ptxas")

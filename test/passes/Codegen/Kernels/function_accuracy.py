#!/usr/bin/env python3
#===- function_accuracy.py - Elementary functions against the C library -----===#
#
# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===#
"""Runs each expanded function over bit patterns of f32 from end to end, special
values included, and compares with the C library's double-precision function.

Usage: function_accuracy.py --weir-opt PATH [--llvm-bin DIR] [--step N]
       [--bound ULPS] [--target avx2|sse]
"""

import argparse
import pathlib
import shutil
import subprocess
import sys
import tempfile

FUNCTIONS = ["exp", "exp2", "expm1", "log", "log2", "log1p", "tanh", "erf", "rsqrt", "sin", "cos"]
TARGETS = {"avx2": ('{features = "+avx2,+fma", vector_bytes = 32}', "x86-64-v3"),
           "sse": ('{features = "+sse2", vector_bytes = 16}', "x86-64")}
PASSES = "builtin.module(func.func(weir-codegen-lower-kernels,weir-codegen-expand-math))"
TO_LLVM = ["--convert-vector-to-scf", "--convert-scf-to-cf", "--convert-vector-to-llvm", "--convert-math-to-llvm",
           "--convert-math-to-libm", "--convert-arith-to-llvm", "--finalize-memref-to-llvm", "--convert-func-to-llvm",
           "--convert-cf-to-llvm", "--reconcile-unrealized-casts"]

HARNESS = """#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
static double rsqrt(double x) { return 1 / sqrt(x); }
static int failures;
static void check(const char *name, void (*ours)(void *, void *), double (*exact)(double), long step, double bound) {
  enum { N = 4096 };
  static float x[N], y[N];
  struct { float *a, *b; int64_t o, s, t; } in = {x, x, 0, N, 1}, out = {y, y, 0, N, 1};
  double worst = 0, where = 0;
  long wrong = 0;
  static const float specials[] = {0.0f, -0.0f, INFINITY, -INFINITY, NAN, 1.0f, -1.0f, 0.5f, 2.0f, 1e-45f, -1e-45f, 3.4e38f, -3.4e38f};
  uint64_t bits = 0;
  for (int first = 1; bits < (1ull << 32); first = 0) {
    int n = 0;
    if (first)
      for (; n < (int)(sizeof specials / sizeof *specials); ++n) x[n] = specials[n];
    for (; n < N && bits < (1ull << 32); ++n, bits += step) { uint32_t u = bits; memcpy(&x[n], &u, 4); }
    for (int i = n; i < N; ++i) x[i] = 1;
    ours(&in, &out);
    for (int i = 0; i < n; ++i) {
      double want = exact(x[i]);
      float rounded = want;
      if (isnan(want) || isinf(rounded) || isinf(y[i]) || isnan(y[i])) {
        /* At the edge of overflow the neighbour may be infinite. */
        int edge = fabs(want) > 3.4028e38 && fabs(y[i]) > 3.4028e38f && (want > 0) == (y[i] > 0);
        if (isnan(want) ? !isnan(y[i]) : rounded != y[i] && !(edge && !isinf(want))) { wrong++; where = x[i]; }
        continue;
      }
      if (want == 0 && (y[i] != 0 || signbit(want) != signbit(y[i]))) { wrong++; where = x[i]; continue; }
      int e;
      frexp(want, &e);
      double unit = ldexp(1, e - 24 < -149 ? -149 : e - 24);
      double error = fabs(y[i] - want) / unit;
      if (error > worst) { worst = error; where = x[i]; }
    }
  }
  printf("%-6s at most %.2f ulp off, %ld wrong special values (at %.9g)\\n", name, worst, wrong, where);
  failures += wrong != 0 || !(worst <= bound);
}
"""


def run(command):
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(" ".join(map(str, command)) + "\n" + result.stdout[-4000:] + result.stderr[-4000:])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--weir-opt", required=True)
    parser.add_argument("--llvm-bin", type=pathlib.Path)
    parser.add_argument("--step", type=int, default=4999)
    parser.add_argument("--bound", type=float, default=3.0)
    parser.add_argument("--target", default="sse", choices=sorted(TARGETS))
    options = parser.parse_args()
    if not options.llvm_bin:
        found = shutil.which("mlir-translate")
        if not found:
            sys.exit("mlir-translate is not on the path: give --llvm-bin")
        options.llvm_bin = pathlib.Path(found).resolve().parent
    attribute, cpu = TARGETS[options.target]
    buffer = "memref<?xf32>"
    text = "module attributes {rt.target = %s} {\n" % attribute
    for f in FUNCTIONS:
        text += ("func.func @f_%s(%%x: %s, %%y: %s) attributes {llvm.emit_c_interface} {\n"
                 "  linalg.map { math.%s } ins(%%x : %s) outs(%%y : %s)\n  return\n}\n" % (f, buffer, buffer, f, buffer, buffer))
    code = HARNESS + "".join("void _mlir_ciface_f_%s(void *, void *);\n" % f for f in FUNCTIONS)
    code += "int main(void) {\n" + "".join(
        '  check("%s", _mlir_ciface_f_%s, %s, %d, %g);\n' % (f, f, f, options.step, options.bound) for f in FUNCTIONS)
    code += "  return failures != 0;\n}\n"
    with tempfile.TemporaryDirectory() as temporary:
        work = pathlib.Path(temporary)
        (work / "f.mlir").write_text(text + "}\n")
        (work / "main.c").write_text(code)
        run([options.weir_opt, work / "f.mlir", "--pass-pipeline=" + PASSES, "-o", work / "f.scf.mlir"])
        run([options.llvm_bin / "mlir-opt", work / "f.scf.mlir", *TO_LLVM, "-o", work / "f.llvm.mlir"])
        run([options.llvm_bin / "mlir-translate", work / "f.llvm.mlir", "--mlir-to-llvmir", "-o", work / "f.ll"])
        clang = options.llvm_bin / "clang"
        run([clang, "-O2", "-Wno-override-module", "-march=" + cpu, "-c", work / "f.ll", "-o", work / "f.o"])
        run([clang, "-O1", "-fno-builtin", work / "main.c", work / "f.o", "-lm", "-o", work / "test"])
        result = subprocess.run([work / "test"], capture_output=True, text=True)
        print(result.stdout, end="")
        if result.returncode != 0:
            sys.exit("failed: exit status %d" % result.returncode)


main()

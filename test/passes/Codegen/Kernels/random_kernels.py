#!/usr/bin/env python3
#===- random_kernels.py - Kernels against plain loops on random ops ---------===#
#
# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===#
"""Makes random linalg ops on buffers, compiles each twice, through the kernels
and through upstream's plain loops, runs both on the same random values, and
compares: integers exactly, floats within a bound that the number of summands
gives.

Usage: random_kernels.py --weir-opt PATH [--llvm-bin DIR] [--seed N] [--count N]
       [--target avx2|avx512|sse|threads] [--kind NAME] [--work DIR]

Code for a CPU that this machine is not is compiled and not run.
"""

import argparse
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

TARGETS = {
    "avx2": '{cpu = "x86-64-v3", features = "+avx2,+fma", vector_bytes = 32, vector_registers = 16, threads = 1}',
    "threads": '{cpu = "x86-64-v3", features = "+avx2,+fma", vector_bytes = 32, vector_registers = 16, threads = 3}',
    "avx512": '{cpu = "x86-64-v4", features = "+avx512f,+fma", vector_bytes = 64, vector_registers = 32, threads = 1}',
    "sse": '{cpu = "x86-64", features = "+sse2", vector_bytes = 16, vector_registers = 16, threads = 1}',
}
CTYPES = {"f32": "float", "f64": "double", "i8": "int8_t", "i16": "int16_t",
          "i32": "int32_t", "i64": "int64_t", "f16": "_Float16", "bf16": "uint16_t"}


class Buffer:
    """One operand: extents, element type, and how the type shows them."""

    def __init__(self, rng, sizes, element, dynamic=(), strided=False):
        self.sizes = list(sizes)
        self.element = element
        self.dynamic = set(dynamic)
        self.pad = [rng.randint(0, 3) for _ in sizes] if strided and sizes else None
        self.offset = rng.randint(0, 5) if self.pad else 0
        strides, running = [], 1
        for i in reversed(range(len(sizes))):
            strides.insert(0, running)
            running *= sizes[i] + (self.pad[i] if self.pad else 0)
        self.strides = strides
        self.elements = max(1, running) + self.offset
        self.dynamicStrides = self.pad is not None and rng.random() < 0.5

    def type(self):
        shape = "".join(("?" if i in self.dynamic else str(s)) + "x"
                        for i, s in enumerate(self.sizes))
        layout = ""
        if self.pad:
            known = not self.dynamicStrides
            strides = [str(s) if known else "?" for s in self.strides]
            strides[-1] = "1"
            layout = ", strided<[%s], offset: %s>" % (
                ", ".join(strides), self.offset if known else "?")
        return "memref<%s%s%s>" % (shape, self.element, layout)


class Case:
    def __init__(self, name, buffers, body, outputs, summands=1, small=False):
        self.name = name
        self.buffers = buffers
        self.body = body
        self.outputs = outputs
        self.summands = summands
        self.small = small

    def mlir(self, prefix):
        args = ", ".join("%%a%d: %s" % (i, b.type()) for i, b in enumerate(self.buffers))
        # Upstream's memref.copy calls a library; its linalg.copy does not.
        body = self.body
        if prefix == "plain":
            body = re.sub(r"memref.copy (\S+), (\S+) : (.*) to (.*)", r"linalg.copy ins(\1 : \3) outs(\2 : \4)", body)
        return "func.func @%s_%s(%s) attributes {llvm.emit_c_interface} {\n%s  return\n}\n" % (
            prefix, self.name, args, body)


def is_float(element):
    return "f" in element


def affine_map(dims, results):
    return "affine_map<(%s) -> (%s)>" % (
        ", ".join("d%d" % i for i in range(dims)), ", ".join(results))


def generic(buffers, numInputs, maps, iterators, block):
    ins = ", ".join("%%a%d" % i for i in range(numInputs))
    outs = ", ".join("%%a%d" % i for i in range(numInputs, len(buffers)))
    inTypes = ", ".join(b.type() for b in buffers[:numInputs])
    outTypes = ", ".join(b.type() for b in buffers[numInputs:])
    text = "  linalg.generic {indexing_maps = [%s], iterator_types = [%s]}" % (
        ", ".join(maps), ", ".join('"%s"' % i for i in iterators))
    if numInputs:
        text += " ins(%s : %s)" % (ins, inTypes)
    args = ", ".join("%%b%d: %s" % (i, b.element) for i, b in enumerate(buffers))
    return text + " outs(%s : %s) {\n  ^bb0(%s):\n%s  }\n" % (outs, outTypes, args, block)


def extents(rng, count, top=20):
    return [rng.choice([1, 2, 3, rng.randint(1, top), rng.randint(1, top), 8, 16]) for _ in range(count)]


def some_dynamic(rng, count):
    mode = rng.random()
    if mode < 0.4:
        return []
    if mode < 0.7:
        return [0]
    return [i for i in range(count) if rng.random() < 0.5]


def random_elementwise(rng, name):
    """Any number of inputs with permuted and broadcast maps, one or two outputs."""
    dims = rng.randint(1, 4)
    size = extents(rng, dims, 40 if dims < 3 else 12)
    dynamic = some_dynamic(rng, dims)
    element = rng.choice(["f32", "f32", "f64", "i32", "i64", "i8", "i16"])
    strided = rng.random() < 0.3
    numInputs = rng.randint(0, 3)
    numOutputs = rng.choice([1, 1, 2])
    buffers, maps = [], []
    for i in range(numInputs + numOutputs):
        order = list(range(dims))
        if rng.random() < 0.4:
            rng.shuffle(order)
        results = ["d%d" % d for d in order]
        sizes = [size[d] for d in order]
        dyn = [k for k, d in enumerate(order) if d in dynamic]
        if i < numInputs and rng.random() < 0.4:
            keep = [k for k in range(dims) if rng.random() < 0.6]
            if rng.random() < 0.5:
                results = [results[k] for k in keep]
                sizes = [sizes[k] for k in keep]
                dyn = [j for j, k in enumerate(keep) if k in dyn]
            else:
                results = [r if k in keep else "0" for k, r in enumerate(results)]
                sizes = [s if k in keep else 1 for k, s in enumerate(sizes)]
                dyn = [k for k in dyn if k in keep]
        maps.append(affine_map(dims, results))
        buffers.append(Buffer(rng, sizes, element, dyn, strided))
    block, values = "", ["%%b%d" % i for i in range(numInputs + numOutputs)]
    if rng.random() < 0.3:
        d = rng.randrange(dims)
        block += "    %%ix = linalg.index %d : index\n    %%ic = arith.index_cast %%ix : index to i32\n" % d
        if element == "i32":
            values.append("%ic")
        elif is_float(element):
            block += "    %%if = arith.sitofp %%ic : i32 to %s\n" % element
            values.append("%if")
        else:
            op = {"i64": "extsi", "i8": "trunci", "i16": "trunci"}[element]
            block += "    %%if = arith.%s %%ic : i32 to %s\n" % (op, element)
            values.append("%if")
    ops = ["addf", "mulf", "subf", "maximumf"] if is_float(element) else ["addi", "muli", "subi", "maxsi", "andi"]
    for i in range(rng.randint(1, 4)):
        a, b = rng.choice(values), rng.choice(values)
        if rng.random() < 0.2:
            cmp = ("cmpf ogt" if is_float(element) else "cmpi sgt")
            block += "    %%c%d = arith.%s, %s, %s : %s\n" % (i, cmp, a, b, element)
            block += "    %%v%d = arith.select %%c%d, %s, %s : %s\n" % (i, i, b, a, element)
        else:
            block += "    %%v%d = arith.%s %s, %s : %s\n" % (i, rng.choice(ops), a, b, element)
        values.append("%%v%d" % i)
    yields = ", ".join(rng.choice(values) for _ in range(numOutputs))
    block += "    linalg.yield %s : %s\n" % (yields, ", ".join([element] * numOutputs))
    body = generic(buffers, numInputs, maps, ["parallel"] * dims, block)
    return Case(name, buffers, body, range(numInputs, len(buffers)))


def random_copy(rng, name):
    dims = rng.randint(1, 3)
    size = extents(rng, dims, 40)
    element = rng.choice(["f32", "f64", "i8", "i32"])
    dynamic = some_dynamic(rng, dims)
    buffers = [Buffer(rng, size, element, dynamic, rng.random() < 0.5) for _ in range(2)]
    body = "  memref.copy %%a0, %%a1 : %s to %s\n" % tuple(b.type() for b in buffers)
    return Case(name, buffers, body, [1])


def random_reduction(rng, name):
    dims = rng.randint(1, 4)
    size = extents(rng, dims, 70 if dims < 3 else 12)
    dynamic = some_dynamic(rng, dims)
    element = rng.choice(["f32", "f32", "f64", "i32", "i8", "i64"])
    reduced = [d for d in range(dims) if rng.random() < 0.5] or [rng.randrange(dims)]
    kept = [d for d in range(dims) if d not in reduced]
    order = list(range(dims))
    if rng.random() < 0.3:
        rng.shuffle(order)
    strided = rng.random() < 0.3
    source = Buffer(rng, [size[d] for d in order], element,
                    [k for k, d in enumerate(order) if d in dynamic], strided)
    target = Buffer(rng, [size[d] for d in kept], element,
                    [k for k, d in enumerate(kept) if d in dynamic], strided)
    maps = [affine_map(dims, ["d%d" % d for d in order]), affine_map(dims, ["d%d" % d for d in kept])]
    iterators = ["reduction" if d in reduced else "parallel" for d in range(dims)]
    summands = 1
    for d in reduced:
        summands *= size[d]
    kind = rng.random()
    if kind < 0.25 and len(reduced) == 1:
        index = Buffer(rng, target.sizes, "i32", target.dynamic)
        cmp = "cmpf ogt" if is_float(element) else "cmpi sgt"
        block = ("    %%x = linalg.index %d : index\n    %%i = arith.index_cast %%x : index to i32\n"
                 "    %%c = arith.%s, %%b0, %%b1 : %s\n    %%v = arith.select %%c, %%b0, %%b1 : %s\n"
                 "    %%w = arith.select %%c, %%i, %%b2 : i32\n    linalg.yield %%v, %%w : %s, i32\n"
                 % (reduced[0], cmp, element, element, element))
        buffers = [source, target, index]
        return Case(name, buffers, generic(buffers, 1, maps + [maps[1]], iterators, block), [1, 2], summands)
    if is_float(element):
        op, first = rng.choice([("addf", "mulf"), ("maximumf", "addf"), ("minimumf", "mulf"), ("addf", "subf")])
    else:
        op, first = rng.choice([("addi", "muli"), ("maxsi", "addi"), ("xori", "muli"), ("muli", "addi")])
    block = "    %%s = arith.%s %%b0, %%b0 : %s\n    %%r = arith.%s %s : %s\n    linalg.yield %%r : %s\n" % (
        first, element, op, rng.choice(["%s, %b1", "%b1, %s"]), element, element)
    buffers = [source, target]
    return Case(name, buffers, generic(buffers, 1, maps, iterators, block), [1], summands)


def random_matmul(rng, name):
    """c[batch.., m, n] from operands in any order of their dims."""
    batch = rng.choice([[], [], [rng.randint(1, 4)]])
    m, n, k = (rng.choice([rng.randint(1, 70), rng.randint(1, 20), 16, 32]) for _ in range(3))
    if rng.random() < 0.15:
        # More than one block of the reduction.
        m, n, k = rng.randint(1, 30), rng.randint(1, 40), rng.randint(400, 1300)
    nb = len(batch)
    size = batch + [m, n, k]
    dM, dN, dK = nb, nb + 1, nb + 2
    aDims = list(range(nb)) + rng.choice([[dM, dK], [dK, dM]])
    bDims = list(range(nb)) + rng.choice([[dK, dN], [dN, dK]])
    cDims = list(range(nb)) + rng.choice([[dM, dN], [dM, dN], [dN, dM]])
    if rng.random() < 0.2:
        bDims = bDims[nb:]
    dynamic = [d for d in range(nb + 3) if rng.random() < rng.choice([0, 0.3])]
    if rng.random() < 0.3:
        dynamic.append(dM)
    element, result = rng.choice([("f32", "f32")] * 4 + [("f64", "f64"), ("i32", "i32"), ("i8", "i32"), ("i64", "i64"),
                                                          ("f16", "f32"), ("bf16", "f32"), ("bf16", "bf16")])
    strided = rng.random() < 0.3
    buffers = [Buffer(rng, [size[d] for d in dims], e, [i for i, d in enumerate(dims) if d in dynamic], strided)
               for dims, e in ((aDims, element), (bDims, element), (cDims, result))]
    maps = [affine_map(nb + 3, ["d%d" % d for d in dims]) for dims in (aDims, bDims, cDims)]
    if element != result:
        cast = "extf" if is_float(element) else "extsi"
        block = ("    %%x = arith.%s %%b0 : %s to %s\n    %%y = arith.%s %%b1 : %s to %s\n"
                 % (cast, element, result, cast, element, result))
        x, y = "%x", "%y"
    else:
        block, x, y = "", "%b0", "%b1"
    if rng.random() < 0.3:
        x, y = y, x
    mul, add = ("mulf", "addf") if is_float(result) else ("muli", "addi")
    block += "    %%p = arith.%s %s, %s : %s\n    %%q = arith.%s %s : %s\n    linalg.yield %%q : %s\n" % (
        mul, x, y, result, add, rng.choice(["%b2, %p", "%p, %b2"]), result, result)
    body = ""
    if rng.random() < 0.5:
        zero = "0.0" if is_float(result) else "0"
        body += "  %%z = arith.constant %s : %s\n  linalg.fill ins(%%z : %s) outs(%%a2 : %s)\n" % (
            zero, result, result, buffers[2].type())
    body += generic(buffers, 2, maps, ["parallel"] * (nb + 2) + ["reduction"], block)
    return Case(name, buffers, body, [2], k)


def with_epilogues(rng, name, case):
    """The contraction of `case` into memory of its own, followed by elementwise
    ops that a kernel may take along or may not."""
    output = case.buffers[2]
    element, rank = output.element, len(output.sizes)
    buffers = case.buffers[:2] + [Buffer(rng, output.sizes, element, output.dynamic)]
    buffers.append(Buffer(rng, output.sizes[-1:], element, [0] if rank - 1 in output.dynamic else []))
    flag = "i8" if rng.random() < 0.3 else element
    buffers += [Buffer(rng, output.sizes, t, output.dynamic) for t in (element, flag)]
    ops = ("addf", "maximumf", "mulf", "cmpf ogt") if is_float(element) else ("addi", "maxsi", "muli", "cmpi sgt")
    body = ""
    for i in (2, 4, 5):
        sizes = []
        for d in sorted(buffers[i].dynamic):
            body += "  %%k%d_%d = arith.constant %d : index\n  %%s%d_%d = memref.dim %%a%d, %%k%d_%d : %s\n" % (
                i, d, d, i, d, i, i, d, buffers[i].type())
            sizes.append("%%s%d_%d" % (i, d))
        if i == 2 or rng.random() < 0.7:
            body += "  %%l%d = memref.alloc(%s) : %s\n" % (i, ", ".join(sizes), buffers[i].type())
            body += "  memref.copy %%a%d, %%l%d : %s to %s\n" % (i, i, buffers[i].type(), buffers[i].type())
    local = {i: ("%%l%d" % i if "%%l%d = memref.alloc" % i in body else "%%a%d" % i) for i in (2, 4, 5)}
    contraction = case.body.replace("%a2", local[2]).replace(output.type(), buffers[2].type())
    identity = affine_map(rank, ["d%d" % d for d in range(rank)])
    column = affine_map(rank, ["d%d" % (rank - 1)])
    body += contraction

    def step(ins, outs, maps, block):
        names = ["%a3" if i == 3 else local[i] for i in ins], [local[i] for i in outs]
        types = [buffers[i].type() for i in ins], [buffers[i].type() for i in outs]
        args = ", ".join("%%b%d: %s" % (k, buffers[i].element) for k, i in enumerate(ins + outs))
        return ("  linalg.generic {indexing_maps = [%s], iterator_types = [%s]} ins(%s : %s) outs(%s : %s) {\n  ^bb0(%s):\n%s  }\n"
                % (", ".join(maps), ", ".join(['"parallel"'] * rank), ", ".join(names[0]), ", ".join(types[0]),
                   ", ".join(names[1]), ", ".join(types[1]), args, block))

    steps = []
    # d = max(c + bias, bias)
    steps.append(step([2, 3], [4], [identity, column, identity],
                      "    %%u = arith.%s %%b0, %%b1 : %s\n    %%v = arith.%s %%u, %%b1 : %s\n    linalg.yield %%v : %s\n"
                      % (ops[0], element, ops[1], element, element)))
    # e = c > bias, as a flag or as one of the two
    if flag == "i8" and element != "i8":
        pick = "    %w = arith.extui %c : i1 to i8\n    linalg.yield %w : i8\n"
    else:
        pick = "    %%w = arith.select %%c, %%b1, %%b0 : %s\n    linalg.yield %%w : %s\n" % (element, element)
    steps.append(step([2, 3], [5], [identity, column, identity],
                      "    %%c = arith.%s, %%b0, %%b1 : %s\n" % (ops[3], element) + pick))
    # c = c * bias in place, or d = d + c: not to be run before others have read
    if rng.random() < 0.5:
        steps.append(step([3], [2], [column, identity],
                          "    %%u = arith.%s %%b0, %%b1 : %s\n    linalg.yield %%u : %s\n" % (ops[2], element, element)))
    else:
        steps.append(step([2], [4], [identity, identity],
                          "    %%u = arith.%s %%b0, %%b1 : %s\n    linalg.yield %%u : %s\n" % (ops[0], element, element)))
    rng.shuffle(steps)
    body += "".join(steps[:rng.randint(1, 3)])
    for i in (2, 4, 5):
        if local[i][1] == "l":
            body += "  memref.copy %%l%d, %%a%d : %s to %s\n  memref.dealloc %%l%d : %s\n" % (
                i, i, buffers[i].type(), buffers[i].type(), i, buffers[i].type())
    return Case(name, buffers, body, [2, 4, 5], case.summands)


def random_epilogue(rng, name):
    while True:
        case = rng.choice([random_matmul, random_convolution])(rng, name)
        # Flags of sums that were rounded otherwise may differ.
        if case.buffers[2].element in ("f64", "i32", "i64", "f32") and not case.buffers[2].pad:
            return with_epilogues(rng, name, case)


def random_convolution(rng, name):
    """Forward, or the gradient of the filter, NHWC."""
    b, h, w = rng.randint(1, 3), rng.randint(1, 9), rng.randint(1, 9)
    kh, kw = rng.randint(1, 3), rng.randint(1, 3)
    ic, oc = rng.choice([1, 3, 4, 8, rng.randint(1, 20)]), rng.choice([1, 8, 16, 32, rng.randint(1, 40)])
    s, d = rng.randint(1, 2), rng.randint(1, 2)
    ih, iw = (h - 1) * s + (kh - 1) * d + 1, (w - 1) * s + (kw - 1) * d + 1
    dyn = [0] if rng.random() < 0.5 else []
    image = Buffer(rng, [b, ih, iw, ic], "f32", dyn)
    window = "d0, d1 * %d + d4 * %d, d2 * %d + d5 * %d, d6" % (s, d, s, d)
    kernel = "d4, d5, d6, d3"
    out = "d0, d1, d2, d3"
    result = Buffer(rng, [b, h, w, oc], "f32", dyn)
    weights = Buffer(rng, [kh, kw, ic, oc], "f32")
    block = "    %p = arith.mulf %b0, %b1 : f32\n    %q = arith.addf %b2, %p : f32\n    linalg.yield %q : f32\n"
    if rng.random() < 0.5:
        buffers, texts, par = [image, weights, result], [window, kernel, out], [0, 1, 2, 3]
        summands = kh * kw * ic
    else:
        buffers, texts, par = [image, result, weights], [window, out, kernel], [3, 4, 5, 6]
        summands = b * h * w
    maps = [affine_map(7, [t]) for t in texts]
    iterators = ["parallel" if i in par else "reduction" for i in range(7)]
    body = ""
    if rng.random() < 0.5:
        body += "  %%z = arith.constant 0.0 : f32\n  linalg.fill ins(%%z : f32) outs(%%a2 : %s)\n" % buffers[2].type()
    body += generic(buffers, 2, maps, iterators, block)
    return Case(name, buffers, body, [2], summands)


def harness(cases):
    """A C program that runs both forms of each case and compares."""
    text = """#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static uint64_t state;
static uint64_t draw(void) { state += 0x9E3779B97F4A7C15ull; uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull; z = (z ^ (z >> 27)) * 0x94D049BB133111EBull; return z ^ (z >> 31); }
static int failures;
/* Not in every libgcc; what LLVM calls to round to bf16. */
__bf16 __truncsfbf2(float f) { uint32_t u; memcpy(&u, &f, 4); u += 0x7FFF + ((u >> 16) & 1); uint16_t h = u >> 16; __bf16 r; memcpy(&r, &h, 2); return r; }
static uint16_t to_bf16(double x) { float f = x; uint32_t u; memcpy(&u, &f, 4); return u >> 16; }
static double from_bf16(uint16_t x) { uint32_t u = (uint32_t)x << 16; float f; memcpy(&f, &u, 4); return f; }
"""
    main = ""
    for case in cases:
        for prefix in ("ours", "plain"):
            text += "void _mlir_ciface_%s_%s(%s);\n" % (prefix, case.name, ", ".join(["void *"] * len(case.buffers)))
        main += "  { state = %d; int bad = 0;\n" % (1000 + len(main))
        for i, b in enumerate(case.buffers):
            c = CTYPES[b.element]
            rank = max(1, len(b.sizes))
            if b.element == "bf16":
                c = "to_bf16"
            value = ("(%s)((double)(draw() %% 2001) / 1000.0 - 1.0)" if is_float(b.element) else "(%s)(draw() %% 17 - 8)") % c
            c = CTYPES[b.element]
            for prefix in ("p", "q"):
                main += "    %s *%s%d = aligned_alloc(64, (%d * sizeof(%s) + 127) / 64 * 64);\n" % (
                    c, prefix, i, b.elements, c)
            main += "    for (long j = 0; j < %d; ++j) p%d[j] = q%d[j] = %s;\n" % (b.elements, i, i, value)
            for prefix in ("p", "q"):
                main += ("    struct { void *a, *b; int64_t o, s[%d], t[%d]; } d%s%d = {%s%d, %s%d, %d, {%s}, {%s}};\n" % (
                    rank, rank, prefix, i, prefix, i, prefix, i, b.offset,
                    ", ".join(map(str, b.sizes or [0])), ", ".join(map(str, b.strides or [0]))))
        for fn, prefix in (("ours", "p"), ("plain", "q")):
            main += "    _mlir_ciface_%s_%s(%s);\n" % (fn, case.name, ", ".join("&d%s%d" % (prefix, i) for i in range(len(case.buffers))))
        # Every element is compared, those between rows too: nothing may touch them.
        for i, b in enumerate(case.buffers):
            if is_float(b.element):
                unit = {"f64": 1e-15, "f32": 1e-6, "f16": 2e-3, "bf16": 1.6e-2}[b.element]
                bound = unit * (4 + case.summands)
                if b.element == "bf16":
                    # The plain form rounds each sum to 8 bits; ours once.
                    bound = 0.01 * (4 + case.summands)
                read = "from_bf16" if b.element == "bf16" else "(double)"
                test = "!(fabs(%s(p%d[j]) - %s(q%d[j])) <= %g * (1 + fabs(%s(q%d[j]))))" % (read, i, read, i, bound, read, i)
            else:
                test = "p%d[j] != q%d[j]" % (i, i)
            main += ("    for (long j = 0; j < %d && !bad; ++j) if (%s) { bad = 1; printf(\"%s: operand %d element %%ld: %%g, should be %%g\\n\", j, (double)p%d[j], (double)q%d[j]); }\n"
                     % (b.elements, test, case.name, i, i, i))
        for i in range(len(case.buffers)):
            main += "    free(p%d); free(q%d);\n" % (i, i)
        main += "    failures += bad; }\n"
    # Split so that no function grows too long for the C compiler.
    return text + "int main(void) {\n%s  printf(\"%d cases, %%d failures\\n\", failures);\n  return failures != 0;\n}\n" % (main, len(cases))


TO_LLVM = ["--convert-vector-to-scf", "--expand-strided-metadata", "--lower-affine", "--convert-scf-to-cf",
           "--convert-vector-to-llvm", "--convert-math-to-llvm", "--convert-math-to-libm", "--arith-expand=include-bf16=true",
           "--convert-arith-to-llvm", "--convert-index-to-llvm", "--finalize-memref-to-llvm",
           "--convert-func-to-llvm", "--convert-cf-to-llvm", "--reconcile-unrealized-casts"]


def run(command, **kwargs):
    result = subprocess.run(command, capture_output=True, text=True, **kwargs)
    if result.returncode != 0:
        sys.stderr.write(" ".join(map(str, command)) + "\n" + result.stdout[-4000:] + result.stderr[-4000:])
        sys.exit(1)
    return result.stdout


def runs_here(target):
    """Whether this machine has the instructions that `target` uses."""
    needed = {"avx2": ["avx2", "fma"], "threads": ["avx2", "fma"], "avx512": ["avx512f", "avx512vl"], "sse": ["sse2"]}
    try:
        words = pathlib.Path("/proc/cpuinfo").read_text().split()
    except OSError:
        return False
    return all(word in words for word in needed[target])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--weir-opt", required=True)
    parser.add_argument("--llvm-bin", type=pathlib.Path, help="where LLVM's tools are; default: on the path")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--kind", default="")
    parser.add_argument("--target", default="avx2", choices=sorted(TARGETS))
    parser.add_argument("--work", type=pathlib.Path)
    options = parser.parse_args()
    if not options.llvm_bin:
        found = shutil.which("mlir-translate")
        if not found:
            sys.exit("mlir-translate is not on the path: give --llvm-bin")
        options.llvm_bin = pathlib.Path(found).resolve().parent
    rng = random.Random(options.seed)
    makers = [random_elementwise, random_copy, random_reduction, random_matmul, random_epilogue, random_convolution]
    if options.kind:
        makers = [m for m in makers if options.kind in m.__name__]
    cases = [makers[i % len(makers)](rng, "case%d" % i) for i in range(options.count)]
    with tempfile.TemporaryDirectory() as temporary:
        work = options.work or pathlib.Path(temporary)
        work.mkdir(parents=True, exist_ok=True)
        mlirOpt = options.llvm_bin / "mlir-opt"
        attribute = "attributes {rt.target = %s}" % TARGETS[options.target]
        (work / "ours.mlir").write_text("module %s {\n%s}\n" % (attribute, "".join(c.mlir("ours") for c in cases)))
        (work / "plain.mlir").write_text("module {\n%s}\n" % "".join(c.mlir("plain") for c in cases))
        run([options.weir_opt, work / "ours.mlir", "--pass-pipeline=builtin.module(func.func(weir-codegen-lower-kernels))", "-o", work / "ours.scf.mlir"])
        lowered = (work / "ours.scf.mlir").read_text()
        if "linalg." in lowered or "affine.apply" in lowered:
            sys.exit("a linalg op is left")
        toOpenmp = ["--convert-scf-to-openmp", "--canonicalize"] if options.target == "threads" else []
        ompLLVM = ["--convert-openmp-to-llvm"] if toOpenmp else []
        run([mlirOpt, work / "ours.scf.mlir", *toOpenmp, *TO_LLVM[:-1], *ompLLVM, TO_LLVM[-1], "-o", work / "ours.llvm.mlir"])
        run([mlirOpt, work / "plain.mlir", "--convert-linalg-to-loops", *TO_LLVM, "-o", work / "plain.llvm.mlir"])
        cpu = {"avx2": "x86-64-v3", "threads": "x86-64-v3", "sse": "x86-64", "avx512": "x86-64-v4"}[options.target]
        for name, flags in (("ours", ["-march=" + cpu]), ("plain", [])):
            run([options.llvm_bin / "mlir-translate", work / (name + ".llvm.mlir"), "--mlir-to-llvmir", "-o", work / (name + ".ll")])
            run([options.llvm_bin / "clang", "-O1", "-Wno-override-module", *flags, "-c", work / (name + ".ll"), "-o", work / (name + ".o")])
        if not runs_here(options.target):
            print("compiled; this machine cannot run it")
            return
        (work / "main.c").write_text(harness(cases))
        libraries = ["-lm"] + (["-L%s/../lib" % options.llvm_bin, "-lomp", "-Wl,-rpath,%s/../lib" % options.llvm_bin] if toOpenmp else [])
        run([options.llvm_bin / "clang", "-O0", work / "main.c", work / "ours.o", work / "plain.o", *libraries, "-o", work / "test"])
        result = subprocess.run([work / "test"], capture_output=True, text=True)
        print(result.stdout, end="")
        if result.returncode != 0:
            sys.exit("failed: exit status %d" % result.returncode)


main()

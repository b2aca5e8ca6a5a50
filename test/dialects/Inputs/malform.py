# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes damaged variants of the ops in a module, one module for each.

    weir-opt ops.mlir --mlir-print-op-generic | malform.py DIALECT [STEP] > damaged.mlir

Each op without regions is put alone into a graph (or a function) and damaged
in one place: an attribute is dropped or replaced, operands are dropped, added
or given another type, results likewise. What a tool does with the outcome is
up to the test; the variants include some that are valid. With STEP n, only
every n-th is written.
"""

import re
import sys

ATTRIBUTES = [
    '"text"', '""', "unit", "-1 : i64", "0 : i64", "9223372036854775807 : i64", "-9223372036854775808 : i64",
    "1 : i32", "7 : index", "1.5 : f32", "0x7FF8000000000000 : f64", "f32", "i1", "i7", "ui8", "index", "none", "!weir.string", "!weir.control",
    "f8E4M3FN", "tf32", "tensor<4xf32>", "tensor<*xf32>", "tensor<?xi1>", "tensor<9223372036854775807x8xf32>", "tensor<4xindex>",
    "array<i64>", "array<i64: 0>", "array<i64: 0, 1>", "array<i64: 1, 0>", "array<i64: 0, 0>", "array<i64: -1, -1>",
    "array<i64: 9223372036854775807, 9223372036854775807>", "array<i64: -9223372036854775808>",
    "array<i64: -9223372036854775808, 3>", "array<i64: -1, 0>", "array<i64: 1, 1, 1, 1>", "array<i64: 9223372036854775807, 1, 1>",
    "array<i32: 1, 1>", "array<i32: -1, 2>", "array<i32: 100, -99, 1>", "array<i32>",
    "[]", '["a", "a"]', '["a", ""]', "[1, 2]", "{}", "@w", "@nowhere", "@a::@b", "dense<1.0> : tensor<2x2xf32>", "dense<> : tensor<0xi8>",
    "dense<0> : tensor<9223372036854775807xi32>", "dense_resource<nothing> : tensor<4xf32>", "sparse<0, 1.0> : tensor<4xf32>",
    "#weir.padding<EXPLICIT>", "#weir.padding<VALID>", "#weir.compare<lt>", "affine_map<(d0) -> (d0)>", "loc(unknown)",
]  # fmt: skip

TYPES = [
    "tensor<*xf32>", "tensor<*xi1>", "tensor<f32>", "tensor<0xf32>", "tensor<0x0x0x0xf32>", "tensor<?x?x?x?xf32>", "tensor<?xf32>", "tensor<?x?xf32>",
    "tensor<9223372036854775807xf32>", "tensor<9223372036854775807x9223372036854775807xf32>",
    "tensor<9223372036854775807x3x3x9223372036854775807xf32>", "tensor<0x9223372036854775807x9223372036854775807xi8>",
    "tensor<4xi1>", "tensor<4xui64>", "tensor<4xindex>", "tensor<4xf8E4M3FN>", "tensor<4xcomplex<f32>>", "tensor<4xi7>", "tensor<4xsi32>",
    "tensor<4x!weir.string>", "tensor<4xf32, 1 : i64>", "vector<4xf32>", "memref<4xf32>", "f32", "i1", "index", "none",
    "!weir.control", "!weir.string", "tuple<f32>", "() -> ()",
]  # fmt: skip

OP = re.compile(r'^\s*(?:%[\w#:, %]+ = )?"(?P<name>[\w.]+)"\((?P<operands>[^)]*)\)\s*(?:<\{(?P<properties>.*?)\}>)?\s*(?:\{(?P<attributes>.*?)\})? : \((?P<inputs>.*?)\) -> (?P<results>.*)$')


def split(text):
    """Splits at the commas that are not inside brackets or strings."""
    parts, depth, start, quoted = [], 0, 0, False
    for i, c in enumerate(text):
        if c == '"' and text[i - 1] != "\\":
            quoted = not quoted
        if quoted:
            continue
        depth += (c in "<([{") - (c in ">)]}" and text[i - 1] != "-")
        if c == "," and depth == 0:
            parts.append(text[start:i].strip())
            start = i + 1
    if text[start:].strip():
        parts.append(text[start:].strip())
    return parts


def op_text(name, properties, inputs, results):
    operands = ", ".join(f"%a{i}" for i in range(len(inputs)))
    lefts = ", ".join(f"%r{i}" for i in range(len(results)))
    inherent = f' <{{{", ".join(properties)}}}>' if properties else ""
    text = f'"{name}"({operands}){inherent} : ({", ".join(inputs)}) -> ({", ".join(results)})'
    # The results are used, so that folding and dead code reach them.
    use = f'"use"({lefts}) : ({", ".join(results)}) -> ()' if lefts else ""
    return f"{lefts} = {text}\n  {use}" if lefts else text


def in_function(name, properties, inputs, results):
    arguments = ", ".join(f"%a{i}: {t}" for i, t in enumerate(inputs))
    return f"func.func @f({arguments}) {{\n  {op_text(name, properties, inputs, results)}\n  return\n}}\n"


def in_graph(name, properties, inputs, results):
    makers = "".join(f'  %a{i} = "make"() : () -> {t}\n' for i, t in enumerate(inputs))
    end = "" if name in ("weir.fetch", "weir.yield") else "  weir.fetch\n"
    op = op_text(name, properties, inputs, results)
    return f"weir.variable @w : tensor<2x3xf32>\nweir.graph @g() {{\n{makers}  {op}\n{end}}}\n"


def variants(name, properties, inputs, results):
    yield properties, inputs, results
    for i, item in enumerate(properties):
        key = item.split("=")[0].strip()
        yield properties[:i] + properties[i + 1 :], inputs, results
        for value in ATTRIBUTES:
            yield properties[:i] + [f"{key} = {value}"] + properties[i + 1 :], inputs, results
    yield properties + ["operandSegmentSizes = array<i32: 7, 7>"], inputs, results
    yield properties, [], results
    yield properties, inputs, []
    for i in range(len(inputs)):
        yield properties, inputs[:i] + inputs[i + 1 :], results
        for t in TYPES:
            yield properties, inputs[:i] + [t] + inputs[i + 1 :], results
            yield properties, inputs[:i] + [t] + inputs[i + 1 :], [t] * len(results)
    for t in TYPES:
        # All operands and results at once, so that inference is reached.
        yield properties, [t] * len(inputs), [t] * len(results)
        yield properties, inputs + [t], results
        yield properties, inputs, results + [t]
        for i in range(len(results)):
            yield properties, inputs, results[:i] + [t] + results[i + 1 :]
    # Two attributes damaged at once.
    numbers = [a for a in ATTRIBUTES if "array<i64" in a]
    arrays = [i for i, item in enumerate(properties) if "array<i64" in item]
    for i in arrays:
        for j in arrays:
            for value in numbers:
                if i < j:
                    changed = list(properties)
                    for k in (i, j):
                        changed[k] = properties[k].split("=")[0] + "= " + value
                    yield changed, inputs, results


def main():
    dialect = sys.argv[1]
    step = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    write = in_graph if dialect == "weir" else in_function
    seen, names, out = set(), set(), {}
    for line in sys.stdin:
        match = OP.match(line)
        if not match or not match["name"].startswith(dialect + ".") or "({" in line:
            continue
        name = match["name"]
        properties = split(match["properties"] or "")
        inputs = split(match["inputs"])
        results = match["results"].strip()
        results = split(results[1:-1]) if results.startswith("(") else [results]
        # Each op once with and once without attributes and control operands.
        key = (name, len(properties), len(inputs))
        if key in seen:
            continue
        seen.add(key)
        names.add(name)
        for p, i, r in variants(name, properties, inputs, results):
            out[write(name, p, i, r)] = None
    texts = list(out)[::step]
    sys.stdout.write("\n// -----\n\n".join(texts))
    print(f"{len(texts)} of {len(out)} modules out of {len(names)} ops", file=sys.stderr)


main()

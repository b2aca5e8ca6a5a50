#!/usr/bin/env python3
# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that documentation and sources agree.

    check_docs.py [--root DIR] [--write-index]

- Each error code [WEIRnnnn] in the sources has a page in docs/errors, and each
  page a code; docs/errors/README.md lists them all. `--write-index` writes it.
- Each op of a dialect's spec page is in a round-trip test (*ops.mlir) of the dialect.
- Each numbered constraint cited in a test (`// matmul_c2`) is in the spec.
- Links from one page of docs to another lead somewhere.
"""

import argparse
import os
import re
import sys

CODE = re.compile(r"\bWEIR(\d{4})\b")
CODE_FOLDERS = ["dialects", "passes", "lib", "runtime", "tools", "python_bindings", "include"]
RANGES = [
    (0, 99, "Graphs and their nodes"),
    (100, 199, "Passes"),
    (200, 299, "Tools and the driver"),
    (300, 369, "Running: feeds, fetches, variables, queues, input"),
    (370, 399, "Devices, rendezvous, clusters"),
    (400, 429, "Checkpoints"),
    (430, 449, "GPUs and the accelerator"),
    (450, 499, "Values of nodes"),
    (500, 599, "Python"),
]


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def walk(root, folder, endings):
    for base, _, names in os.walk(os.path.join(root, folder)):
        for name in sorted(names):
            if name.endswith(endings):
                path = os.path.join(base, name)
                yield os.path.relpath(path, root), read(path)


def used_codes(root):
    used = {}
    for folder in CODE_FOLDERS:
        for path, text in walk(root, folder, (".cpp", ".h", ".td", ".def", ".py")):
            for code in CODE.findall(text):
                used.setdefault(code, path)
    return used


def pages(root):
    folder = os.path.join(root, "docs/errors")
    names = os.listdir(folder) if os.path.isdir(folder) else []
    return {m[1]: read(os.path.join(folder, n)) for n in sorted(names) if (m := re.fullmatch(r"WEIR(\d{4})\.md", n))}


def title_of(code, text):
    first = text.splitlines()[0] if text else ""
    match = re.match(r"#\s*(?:\[?WEIR\d{4}\]?)?[\s:.,—–-]*(.*)", first)
    return match[1].strip() if match else ""


def index_text(found):
    out = [
        "# Errors",
        "",
        "Every error that Weir reports about a program, a command or a file carries a",
        "code. Its page shows a program that fails, why, and the program put right.",
        "",
        "This list is made by `scripts/check_docs.py --write-index`.",
    ]
    for low, high, what in RANGES:
        rows = [(c, t) for c, t in found.items() if low <= int(c) <= high]
        if rows:
            out += ["", f"## {what}", "", "| code | |", "|---|---|"]
            out += [f"| [WEIR{c}](WEIR{c}.md) | {title_of(c, t)} |" for c, t in rows]
    return "\n".join(out) + "\n"


def check_errors(root):
    used, found = used_codes(root), pages(root)
    for code, path in sorted(used.items()):
        if code not in found:
            yield f"{path}: error WEIR{code} has no page docs/errors/WEIR{code}.md"
    for code, text in found.items():
        if code not in used:
            yield f"docs/errors/WEIR{code}.md: no source reports this error"
        if not title_of(code, text):
            yield f"docs/errors/WEIR{code}.md: the first line is no title '# WEIR{code}: ...'"
    index = os.path.join(root, "docs/errors/README.md")
    if found and (not os.path.exists(index) or read(index) != index_text(found)):
        yield "docs/errors/README.md: is not up to date; run scripts/check_docs.py --write-index"


def check_spec(root):
    for dialect in ("Weir", "Rt"):
        page = os.path.join(root, f"docs/spec/{dialect.lower()}.md")
        tests = [text for _, text in walk(root, f"test/dialects/{dialect}", ("ops.mlir",))]
        if not os.path.exists(page) or not tests:
            continue
        spec, tested = read(page), "".join(tests)
        constraints, op = set(), None
        for line in spec.splitlines():
            heading = re.match(r"### `(\w+\.(\w+))`", line)
            if heading:
                op = heading[2]
                if not re.search(r"CHECK.*\b" + re.escape(heading[1]) + r"\b", tested):
                    yield f"test/dialects/{dialect}/*ops.mlir: op {heading[1]} is not checked"
            rule = re.match(r"\s*[-*] \(C(\d+)\)", line)
            if rule and op:
                constraints.add(f"{op}_c{rule[1]}")
        for path, text in walk(root, f"test/dialects/{dialect}", (".mlir",)):
            for number, line in enumerate(text.splitlines(), 1):
                cited = re.match(r"\s*// (\w+_c\d+)$", line)
                if cited and cited[1] not in constraints:
                    yield f"{path}:{number}: constraint {cited[1]} is not in docs/spec/{dialect.lower()}.md"


def check_links(root):
    for path, text in walk(root, "docs", (".md",)):
        text = re.sub(r"(?s)```.*?```", "", text)
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text):
            if "://" in target or target.startswith("mailto:"):
                continue
            if not os.path.exists(os.path.join(root, os.path.dirname(path), target)):
                yield f"{path}: the link to '{target}' leads nowhere"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", default=os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    parser.add_argument("--write-index", action="store_true")
    options = parser.parse_args()
    root = options.root
    if options.write_index:
        with open(os.path.join(root, "docs/errors/README.md"), "w", encoding="utf-8") as file:
            file.write(index_text(pages(root)))
    problems = [*check_errors(root), *check_spec(root), *check_links(root)]
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

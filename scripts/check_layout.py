#!/usr/bin/env python3
# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that the tree keeps to its layout.

    check_layout.py [--root DIR]

- Dependencies go one way (ALLOWED below), judged by #include.
- The runtime and the public headers include nothing of MLIR or LLVM.
- Each pass of passes/<Phase>/Passes.td is run by a test in
  test/passes/<Phase>/.
- Main files of tools stay short; long files are pointed out.
- No path of somebody's machine is in the repository.

Prints one line for each violation and exits with 1 when there is one; a
warning alone is no failure.
"""

import argparse
import os
import re
import subprocess
import sys

# What each part may include besides itself; "include" are the public headers.
ALLOWED = {
    "include": [],
    "runtime": ["include"],
    "dialects": ["include"],
    "lib/Support": ["runtime"],
    "lib/Analysis": ["dialects", "lib/Support", "include"],
    "lib/Target": ["dialects", "lib/Support", "include"],
    "lib/Interpreter": ["dialects", "runtime", "include"],
    "passes": ["dialects", "lib/Analysis", "lib/Support", "lib/Target", "lib/Interpreter", "include"],
    "lib/Pipeline": ["dialects", "lib/Analysis", "lib/Support", "lib/Target", "passes", "runtime", "include"],
    "lib/Driver": ["dialects", "lib/Analysis", "lib/Support", "lib/Target", "lib/Interpreter", "lib/Pipeline", "passes", "runtime", "include"],
    "lib/Frontend": ["dialects", "lib/Support", "lib/Interpreter", "lib/Driver", "runtime", "include"],
    "tools": ["dialects", "lib/Support", "lib/Frontend", "lib/Target", "lib/Interpreter", "lib/Pipeline", "lib/Driver", "passes", "runtime", "include"],
    "python_bindings": ["dialects", "lib/Support", "lib/Frontend", "lib/Interpreter", "lib/Pipeline", "lib/Driver", "runtime", "include"],
}  # fmt: skip

SOURCES = (".cpp", ".h", ".td", ".inc", ".def")
INCLUDE = re.compile(r'^\s*#?\s*include\s+["<]([^">]+)[">]')
LINES = {".cpp": 600, ".h": 250, ".td": 500, ".mlir": 400, ".py": 600}
TOOL_LINES = 150
# Folders of particular machines, and home folders.
MACHINE_PATH = re.compile(r"(?<![\w.$}/-])/(?:home|root|work|Users|tmp/[a-z]+)/[\w.-]+")


def part_of(path):
    """The part of ALLOWED that a repository path belongs to, or None."""
    if path.startswith("weir-c/") or path.startswith("weir/"):
        return "include"
    names = path.split("/")
    for part in ("/".join(names[:2]), names[0]):
        if part in ALLOWED:
            return part
    return None


def files_of(root):
    """Files that git knows or would add; all of them outside a checkout."""
    git = subprocess.run(["git", "-C", root, "ls-files", "--cached", "--others", "--exclude-standard"], capture_output=True, text=True)
    if git.returncode == 0 and os.path.exists(os.path.join(root, ".git")):
        return sorted(set(git.stdout.splitlines()))
    return sorted(
        os.path.relpath(os.path.join(folder, name), root) for folder, _, names in os.walk(root) for name in names
    )


def check_includes(path, lines):
    part = part_of(path)
    if part is None or not path.endswith(SOURCES):
        return
    for number, line in enumerate(lines, 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        included = match[1]
        if part in ("runtime", "include") and included.startswith(("mlir/", "llvm/", "mlir-c/", "llvm-c/")):
            yield f"{path}:{number}: {part} includes '{included}': it is made without MLIR and LLVM"
        other = part_of(included)
        if other and other != part and other not in ALLOWED[part]:
            allowed = ", ".join(ALLOWED[part]) or "nothing else"
            yield f"{path}:{number}: {part} includes '{included}' of {other}; it may include {allowed}"


def pass_flags(lines):
    """The flags of the passes that a Passes.td defines, by class name."""
    for line in lines:
        match = re.match(r'\s*def\s+(\w+)\s*:\s*Pass<"([\w-]+)"', line)
        if match:
            yield match[1], match[2]


def check_pass_tests(path, lines, texts):
    match = re.match(r"passes/(.+)/Passes\.td$", path)
    if not match:
        return
    tests = f"test/passes/{match[1]}/"
    written = "".join(text for name, text in texts.items() if name.startswith(tests) and name.endswith((".mlir", ".test")))
    for name, flag in pass_flags(lines):
        if not re.search(r"(?:^|[^\w-]|--)" + re.escape(flag) + r"(?![\w-])", written):
            yield f"{path}: pass {flag} has no test that runs it in {tests}"


def check_file(path, text, texts):
    lines = text.splitlines()
    yield from check_includes(path, lines)
    yield from check_pass_tests(path, lines, texts)
    if path.startswith("tools/") and path.endswith(".cpp") and len(lines) > TOOL_LINES:
        yield f"{path}: {len(lines)} lines; the main of a tool has at most {TOOL_LINES}"
    if path == "scripts/check_layout.py" or path.startswith("test/scripts/check-layout"):
        return
    for number, line in enumerate(lines, 1):
        match = MACHINE_PATH.search(line)
        if match:
            yield f"{path}:{number}: '{match[0]}' is a path of one machine"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", default=os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    root = parser.parse_args().root
    texts = {}
    for path in files_of(root):
        try:
            with open(os.path.join(root, path), encoding="utf-8") as file:
                texts[path] = file.read()
        except (UnicodeDecodeError, FileNotFoundError, IsADirectoryError):
            continue  # no text, or deleted but not yet committed
    problems = [problem for path, text in texts.items() for problem in check_file(path, text, texts)]
    for path, text in texts.items():
        limit = LINES.get(os.path.splitext(path)[1])
        if limit and text.count("\n") > limit:
            print(f"warning: {path}: {text.count(chr(10))} lines, more than {limit}", file=sys.stderr)
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The commands in the documents run, in order, from the root of the repository.

A fenced block that begins with ```sh is run; use ```text for what is only shown.
Commands that install or build everything are left to those who call them.
"""
import os
import re
import subprocess

import pytest

from conftest import ROOT, build_tree

DOCUMENTS = ["README.md", "docs/tutorial/first-program.md", "docs/tutorial/several-machines.md",
             "docs/tutorial/the-way-of-a-graph.md", "docs/how-to/partial-execution.md", "docs/how-to/quantize.md",
             "docs/examples/digits/README.md"]
NOT_HERE = re.compile(r"^(\./quickstart\.sh|\./test\.sh|cmake )")


def commands(path):
    """The commands of the ```sh blocks; a line that ends in a backslash goes on."""
    text = (ROOT / path).read_text()
    blocks = re.findall(r"^```sh\n(.*?)^```", text, re.M | re.S)
    lines = [line for block in blocks for line in block.replace("\\\n", " ").splitlines()]
    return [line for line in lines if line.strip() and not line.startswith("#") and not NOT_HERE.match(line)]


def files(path):
    """The files that a document shows, as ```mlir or ```python after a line `name.mlir`:"""
    text = (ROOT / path).read_text()
    return re.findall(r"^`(\w+\.\w+)`[^\n]*:\n+```\w+\n(.*?)^```", text, re.M | re.S)


@pytest.fixture
def checkout(tmp_path):
    """A folder that looks like the root of the repository, where commands may write."""
    (tmp_path / "build").mkdir()
    for name in os.listdir(ROOT):
        if name not in ("build", ".git"):
            (tmp_path / name).symlink_to(ROOT / name)
    (tmp_path / "build" / "release").symlink_to(build_tree())
    for name in ("python", "oracles"):
        (tmp_path / "build" / name).symlink_to(ROOT / "build" / name)
    return tmp_path


@pytest.mark.parametrize("document", DOCUMENTS)
def test_commands_run(document, checkout):
    shown = commands(document)
    assert shown, f"{document} shows no command"
    for name, text in files(document):
        (checkout / name).write_text(text)
    output = ""
    for command in shown:
        result = subprocess.run(["bash", "-euo", "pipefail", "-c", command], cwd=checkout, capture_output=True, text=True,
                                timeout=1200, env=dict(os.environ, PYTHONPATH="build/release/python"))
        assert result.returncode == 0, f"{document}: {command}\n{result.stdout}\n{result.stderr}"
        output += result.stdout
    text = re.sub(r"prints\s+(`[^`]+`) and (`[^`]+`)", r"prints \1, prints \2", (ROOT / document).read_text())
    for promised in re.findall(r"prints\s+`([^`]+)`", text):
        assert promised in output, f"{document} promises {promised}"


def test_scripts_have_help():
    for script in ("quickstart.sh", "test.sh"):
        text = subprocess.run([ROOT / script, "--help"], capture_output=True, text=True, check=True, timeout=300).stdout
        assert f"./{script}" in text
        wrong = subprocess.run([ROOT / script, "--nonsense"], capture_output=True, text=True, timeout=300)
        assert wrong.returncode == 1 and "--nonsense" in wrong.stderr

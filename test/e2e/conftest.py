# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the tests of whole programs share: the tools, the data, compiled programs.

Set WEIR_BUILD to the build tree (default: build/release, else build/dev) and
WEIR_ORACLES to a Python that has TensorFlow (default: build/oracles).
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
DIGITS = ROOT / "docs" / "examples" / "digits"
INPUTS = pathlib.Path(__file__).parent / "Inputs"


def build_tree():
    if "WEIR_BUILD" in os.environ:
        return pathlib.Path(os.environ["WEIR_BUILD"])
    release = ROOT / "build" / "release"
    return release if (release / "bin" / "weir-compile").exists() else ROOT / "build" / "dev"


def run(*command, code=0, seconds=1200, **options):
    """Runs a command, checks its exit code (None: any), returns what it printed.

    `seconds`: where it hangs; far more than it takes on any machine.
    """
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=seconds, **options)
    assert code is None or result.returncode == code, f"{command} gave {result.returncode}\n{result.stdout}\n{result.stderr}"
    return result


def fails(*command, says=(), **options):
    """Runs a command that must end with one error line and exit code 1."""
    result = run(*command, code=1, **options)
    errors = [line for line in result.stderr.splitlines() if "error: " in line]
    assert len(errors) == 1, result.stderr
    for words in says:
        assert words in errors[0], errors[0]
    return errors[0]


@pytest.fixture(scope="session")
def tools():
    """The folder of weir-compile and the others."""
    return build_tree() / "bin"


@pytest.fixture(scope="session")
def data(tmp_path_factory):
    """The folder with the digits as .npy files."""
    folder = tmp_path_factory.mktemp("data")
    run(sys.executable, DIGITS / "make_data.py", folder)
    return folder


@pytest.fixture(scope="session")
def programs(tools, tmp_path_factory):
    """Compiles a module to an executable, once: programs(path, entries...)."""
    folder = tmp_path_factory.mktemp("programs")
    made = {}

    def program(path, *entries):
        if (path, entries) not in made:
            output = folder / "-".join([path.stem, *entries])
            run(tools / "weir-compile", path, "-o", output, *([f"--entries={','.join(entries)}"] if entries else []))
            made[path, entries] = output
        return made[path, entries]

    return program


@pytest.fixture(scope="session", params=["mlp", "cnn"])
def digits(request):
    """The path of one of the two networks."""
    return DIGITS / f"{request.param}.mlir"


@pytest.fixture(scope="session")
def oracle():
    """Runs a script in the Python that has TensorFlow: oracle(script, arguments...)."""
    python = os.environ.get("WEIR_ORACLES", ROOT / "build" / "oracles" / "bin" / "python")

    def call(script, *arguments):
        environment = dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="")
        return run(python, "-c", script, *arguments, env=environment)

    return call


@pytest.fixture
def open_folder():
    """A folder that every user can reach and write, unlike pytest's own."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="weir-"))
    folder.chmod(0o777)
    yield folder
    folder.chmod(0o777)
    shutil.rmtree(folder)

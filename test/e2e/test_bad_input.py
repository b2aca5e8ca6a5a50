# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What goes wrong when an executable is used wrongly: a clear error, exit code 1, nothing lost."""
import os
import shutil

import numpy as np
import pytest

from conftest import DIGITS, INPUTS, fails, run
from test_checkpoint import as_nobody


@pytest.fixture(scope="module")
def mlp(programs):
    return programs(DIGITS / "mlp.mlir")


@pytest.fixture(scope="module")
def arrays(tmp_path_factory):
    folder = tmp_path_factory.mktemp("arrays")
    np.save(folder / "x.npy", np.zeros((4, 64), np.float32))
    np.save(folder / "y.npy", np.zeros(4, np.int32))
    np.save(folder / "wide.npy", np.zeros((4, 65), np.float32))
    np.save(folder / "flat.npy", np.zeros(64, np.float32))
    np.save(folder / "double.npy", np.zeros((4, 64), np.float64))
    np.save(folder / "three.npy", np.zeros(3, np.int32))
    np.save(folder / "eleven.npy", np.full(4, 11, np.int32))
    np.save(folder / "nan.npy", np.full((4, 64), np.nan, np.float32))
    (folder / "text.npy").write_text("not an array")
    (folder / "cut.npy").write_bytes((folder / "x.npy").read_bytes()[:-9])
    return folder


def eval_with(mlp, arrays, x="x", y="y"):
    return [mlp, "run", "eval", "--init", "--feed", f"x={arrays}/{x}.npy", "--feed", f"y={arrays}/{y}.npy"]


def test_good_input_works(mlp, arrays):
    assert "accuracy" in run(*eval_with(mlp, arrays)).stdout


@pytest.mark.parametrize("x, y, says", [
    ("wide", "y", ["WEIR0302", "x", "65", "64"]),
    ("flat", "y", ["WEIR0302", "x"]),
    ("double", "y", ["WEIR0302", "x", "f64", "f32"]),
    ("x", "three", ["WEIR0331", "4", "3"]),
    ("x", "eleven", ["WEIR0330", "10"]),
    ("text", "y", ["WEIR0316", "text.npy"]),
    ("cut", "y", ["WEIR0316", "cut.npy"]),
    ("missing", "y", ["WEIR0316", "missing.npy"]),
])
def test_feeds_that_do_not_fit(mlp, arrays, x, y, says):
    fails(*eval_with(mlp, arrays, x, y), says=says)


def test_a_missing_feed(mlp, arrays):
    fails(mlp, "run", "eval", "--init", "--feed", f"x={arrays}/x.npy", says=["WEIR0301", "'y'", "eval"])


def test_an_unknown_feed(mlp, arrays):
    fails(*eval_with(mlp, arrays), "--feed", "z=1", says=["WEIR0304", "'z'"])


def test_an_unknown_fetch(mlp, arrays, tmp_path):
    fails(*eval_with(mlp, arrays), "--output", f"acuracy={tmp_path}/a.npy", says=["WEIR0305", "acuracy", "accuracy"])


def test_an_unknown_entry(mlp):
    fails(mlp, "run", "evil", says=["WEIR0303", "evil", "eval"])


def test_an_unknown_command_and_option(mlp):
    fails(mlp, "trian", says=["WEIR0319", "trian", "train"])
    fails(mlp, "train", "--epoch", "3", says=["WEIR0319", "--epoch"])


def test_a_variable_without_a_value(mlp, arrays):
    command = eval_with(mlp, arrays)
    command.remove("--init")
    fails(*command, says=["WEIR0306"])


def test_a_loss_that_is_no_number(mlp, arrays, tmp_path):
    fails(mlp, "train", "--data", f"x={arrays}/nan.npy,y={arrays}/y.npy", "--save", tmp_path / "model",
          says=["WEIR0318", "loss", "nan", "step 1"])
    assert not list(tmp_path.iterdir())


def test_a_full_disk_for_standard_output(mlp):
    result = run("sh", "-c", f"{mlp} describe >/dev/full", code=1)
    assert "WEIR0319" in result.stderr


def test_the_compiler_without_permission_to_write(tools, open_folder):
    folder = open_folder / "locked"
    folder.mkdir()
    folder.chmod(0o555)
    source = shutil.copy(INPUTS / "state.mlir", open_folder / "state.mlir")
    fails(tools / "weir-compile", source, "-o", folder / "state", says=[str(folder)], preexec_fn=as_nobody)
    assert not list(folder.iterdir())


def test_the_compiler_keeps_the_old_file_when_it_fails(tools, tmp_path):
    good = (INPUTS / "state.mlir").read_text()
    (tmp_path / "good.mlir").write_text(good)
    (tmp_path / "bad.mlir").write_text(good.replace("weir.read @weights", "weir.read @wieghts", 1))
    run(tools / "weir-compile", tmp_path / "good.mlir", "-o", tmp_path / "program")
    before = (tmp_path / "program").read_bytes()
    result = run(tools / "weir-compile", tmp_path / "bad.mlir", "-o", tmp_path / "program", code=1)
    assert "wieghts" in result.stderr and "bad.mlir" in result.stderr
    assert (tmp_path / "program").read_bytes() == before
    assert sorted(os.listdir(tmp_path)) == ["bad.mlir", "good.mlir", "program"]


@pytest.mark.parametrize("text, says", [
    ("module {", []),
    ("module { weir.grpah @f() { weir.fetch } }", ["grpah"]),
    ("module { weir.graph @f(%x: tensor<f32>) -> tensor<f32> { weir.fetch } }", []),
    ("\0\1\2\3", []),
    ("", []),
])
def test_the_compiler_on_malformed_input(tools, tmp_path, text, says):
    source = tmp_path / "bad.mlir"
    source.write_text(text)
    result = run(tools / "weir-compile", source, "-o", tmp_path / "out", code=1)
    assert "error" in result.stderr
    for words in says:
        assert words in result.stderr
    assert not (tmp_path / "out").exists()

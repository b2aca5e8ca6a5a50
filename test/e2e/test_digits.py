# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The example in docs/examples/digits: trained ahead of time and from Python."""
import re
import subprocess
import sys

import numpy as np
import pytest

from conftest import DIGITS, build_tree, run

EPOCHS = {"mlp": 8, "cnn": 4}


def sets(data, *names):
    return [f"x={data}/x_{name}.npy,y={data}/y_{name}.npy" for name in names]


@pytest.fixture(scope="module")
def trained(digits, programs, data, tmp_path_factory):
    """(prefix of the checkpoint, what the trainer printed)."""
    prefix = tmp_path_factory.mktemp("trained") / digits.stem
    train, test = sets(data, "train", "test")
    result = run(programs(digits), "train", "--data", train, "--test", test, "--epochs", EPOCHS[digits.stem],
                 "--batch", 32, "--seed", 1, "--save", prefix)
    return prefix, result


def accuracy_in(text):
    return float(re.search(r"accuracy ([0-9.]+)", text).group(1))


def test_loss_falls_and_digits_are_read(digits, trained):
    _, result = trained
    losses = [float(loss) for loss in re.findall(r"loss ([0-9.]+)", result.stderr)]
    assert len(losses) == EPOCHS[digits.stem]
    assert losses[-1] < losses[0] / 3
    assert accuracy_in(result.stdout) > 0.93


def test_a_second_executable_restores_and_predicts_the_same(digits, programs, data, trained, tmp_path):
    prefix, result = trained
    predict = programs(digits, "restore", "predict")
    output = run(predict, "predict", "--restore", prefix, "--data", sets(data, "test")[0]).stdout
    assert accuracy_in(output) == pytest.approx(accuracy_in(result.stdout), abs=1e-4)
    run(predict, "predict", "--restore", prefix, "--data", f"x={data}/x_test.npy", "--output", tmp_path / "classes.npy")
    right = np.load(tmp_path / "classes.npy") == np.load(data / "y_test.npy")
    assert right.mean() == pytest.approx(accuracy_in(output), abs=1e-4)
    assert "train" not in run(predict, "describe").stdout


def test_training_is_the_same_bits_each_time(digits, programs, data, trained, tmp_path):
    prefix, _ = trained
    run(programs(digits), "train", "--data", sets(data, "train")[0], "--epochs", EPOCHS[digits.stem], "--batch", 32,
        "--seed", 1, "--save", tmp_path / "again")
    assert (tmp_path / "again.data-00000-of-00001").read_bytes() == \
        prefix.with_name(prefix.name + ".data-00000-of-00001").read_bytes()


def test_another_seed_gives_another_order(digits, programs, data, trained, tmp_path):
    prefix, _ = trained
    run(programs(digits), "train", "--data", sets(data, "train")[0], "--epochs", EPOCHS[digits.stem], "--batch", 32,
        "--seed", 2, "--save", tmp_path / "other")
    assert (tmp_path / "other.data-00000-of-00001").read_bytes() != \
        prefix.with_name(prefix.name + ".data-00000-of-00001").read_bytes()


def test_python_trains_to_the_same_bits(digits, programs, data, trained, tmp_path):
    prefix, result = trained
    run(programs(digits), "run", "init", "--save", tmp_path / "init")
    python = run(sys.executable, DIGITS / "train.py", digits, "--data", data, "--epochs", EPOCHS[digits.stem],
                 "--save-init", tmp_path / "python-init", "--save", tmp_path / "python")
    for ours, theirs in ((tmp_path / "init", tmp_path / "python-init"), (prefix, tmp_path / "python")):
        assert ours.with_name(ours.name + ".data-00000-of-00001").read_bytes() == \
            theirs.with_name(theirs.name + ".data-00000-of-00001").read_bytes()
    assert accuracy_in(python.stdout) == pytest.approx(accuracy_in(result.stdout), abs=1e-4)


def test_training_goes_on_from_a_checkpoint(digits, programs, data, trained, tmp_path):
    prefix, result = trained
    train, test = sets(data, "train", "test")
    more = run(programs(digits), "train", "--restore", prefix, "--data", train, "--test", test, "--epochs", 1)
    first = float(re.search(r"loss ([0-9.]+)", result.stderr).group(1))
    assert float(re.search(r"loss ([0-9.]+)", more.stderr).group(1)) < first / 2


def test_an_executable_needs_no_compiler(digits, programs):
    needed = subprocess.run(["ldd", programs(digits)], capture_output=True, text=True, check=True).stdout
    libraries = re.findall(r"^\s*(\S+?)\.so", needed, re.M)
    assert libraries
    assert not [name for name in libraries if re.search("LLVM|MLIR|python|leveldb|snappy", name)]


def test_an_executable_is_small(programs, tmp_path):
    """At most 1 MB beyond the C and C++ libraries and OpenMP, which it shares."""
    stripped = tmp_path / "mlp"
    run("llvm-strip-22", "-o", stripped, programs(DIGITS / "mlp.mlir"))
    assert stripped.stat().st_size <= 1 << 20


def test_help_names_commands_and_entries(programs):
    text = run(programs(DIGITS / "mlp.mlir"), "--help").stdout
    for word in ("train", "predict", "run", "describe", "--restore", "init", "eval", "save", "restore"):
        assert word in text


def test_the_data_is_what_scikit_learn_ships(data, oracle, tmp_path):
    oracle("""
import sys, numpy, sklearn.datasets
digits = sklearn.datasets.load_digits()
numpy.savez(sys.argv[1], x=digits.data, y=digits.target)
""", tmp_path / "theirs.npz")
    theirs = np.load(tmp_path / "theirs.npz")
    x = np.concatenate([np.load(data / f"x_{name}.npy") for name in ("train", "test")])
    y = np.concatenate([np.load(data / f"y_{name}.npy") for name in ("train", "test")])
    rows = lambda x, y: sorted(map(bytes, np.column_stack([x, y]).astype(np.uint8)))
    assert x.shape == (1797, 64)
    assert rows(x * 16, y) == rows(theirs["x"], theirs["y"])


def test_the_c_library_has_a_header_that_compiles(tools, tmp_path):
    run(tools / "weir-compile", DIGITS / "mlp.mlir", "--emit=so", "-o", tmp_path / "mlp.so")
    (tmp_path / "main.c").write_text('#include "mlp.h"\nint main(void) { return 0; }\n')
    run("clang-22", "-Wall", "-Werror", f"-I{tmp_path}", f"-I{build_tree().parents[1]}/include", "-c",
        tmp_path / "main.c", "-o", tmp_path / "main.o")

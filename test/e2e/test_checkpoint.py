# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checkpoints: TensorFlow reads ours, we read TensorFlow's, damage is found, a full disk loses nothing."""
import os
import resource
import shutil
import signal

import numpy as np
import pytest

from conftest import DIGITS, INPUTS, fails, run

EXPECTED = {
    "weights": np.array([[0.5, 1.0, -2.0, 3.25], [4.0, 5.5, 6.0, 7.0], [8.0, 9.0, -10.0, 1.0e-20]], np.float32),
    "steps": np.array(81985529216486895, np.int64),
    "mask": np.array([True, False, True, True, False]),
    "half": np.array([[1.0, -2.0], [0.5, 256.0]], np.float32),
}
OTHERS = {
    "weights": np.arange(12, dtype=np.float32).reshape(3, 4) / 7,
    "steps": np.array(-5, np.int64),
    "mask": np.array([False, False, True, False, True]),
    "half": np.array([[3.0, 0.25], [-1.5, 96.0]], np.float32),
}


@pytest.fixture(scope="module")
def state(programs):
    return programs(INPUTS / "state.mlir")


@pytest.fixture(scope="module")
def mlp(programs):
    return programs(DIGITS / "mlp.mlir")


@pytest.fixture
def saved(state, tmp_path):
    run(state, "run", "init", "--save", tmp_path / "model")
    return tmp_path / "model"


def values(state, prefix, folder):
    """All variables after a restore."""
    names = list(EXPECTED)
    run(state, "run", "get", "--restore", prefix, *[f"--output={name}={folder}/{name}.npy" for name in names])
    return {name: np.load(folder / f"{name}.npy") for name in names}


def same(ours, theirs):
    for name, value in theirs.items():
        assert ours[name].dtype == value.dtype and ours[name].shape == value.shape, name
        np.testing.assert_array_equal(ours[name], value, err_msg=name)


def test_what_is_saved_is_restored(state, saved, tmp_path):
    same(values(state, saved, tmp_path), EXPECTED)


def test_tensorflow_reads_ours(saved, oracle, tmp_path):
    oracle("""
import sys, numpy, tensorflow as tf
reader = tf.train.load_checkpoint(sys.argv[1])
names = reader.get_variable_to_dtype_map()
assert sorted(names) == ["half", "layer/weights", "mask", "steps"], names
assert names["half"] == tf.bfloat16, names
numpy.savez(sys.argv[2], weights=reader.get_tensor("layer/weights"), steps=reader.get_tensor("steps"),
            mask=reader.get_tensor("mask"), half=reader.get_tensor("half").astype(numpy.float32))
""", saved, tmp_path / "theirs.npz")
    same(np.load(tmp_path / "theirs.npz"), EXPECTED)


def test_tensorflow_finds_our_newest(saved, oracle):
    latest = oracle("import sys, tensorflow as tf; print(tf.train.latest_checkpoint(sys.argv[1]))", saved.parent)
    assert latest.stdout.strip() == str(saved)


def test_we_read_a_saver_of_tensorflow(state, oracle, tmp_path):
    np.savez(tmp_path / "others.npz", **OTHERS)
    oracle("""
import sys, numpy, tensorflow as tf
v1 = tf.compat.v1
v1.disable_eager_execution()
others = numpy.load(sys.argv[1])
variables = {"layer/weights": v1.Variable(others["weights"]), "steps": v1.Variable(others["steps"]),
             "mask": v1.Variable(others["mask"]), "half": v1.Variable(tf.cast(others["half"], tf.bfloat16))}
with v1.Session() as session:
    session.run(v1.global_variables_initializer())
    v1.train.Saver(variables).save(session, sys.argv[2])
""", tmp_path / "others.npz", tmp_path / "theirs")
    same(values(state, tmp_path / "theirs", tmp_path), OTHERS)


def test_we_read_a_checkpoint_object_of_tensorflow(state, oracle, tmp_path):
    np.save(tmp_path / "weights.npy", OTHERS["weights"])
    prefix = oracle("""
import sys, numpy, tensorflow as tf
print(tf.train.Checkpoint(weights=tf.Variable(numpy.load(sys.argv[1]))).write(sys.argv[2]))
""", tmp_path / "weights.npy", tmp_path / "object").stdout.strip()
    run(state, "run", "restore_object", "--feed", f'path="{prefix}"', "--output", f"weights={tmp_path}/ours.npy")
    np.testing.assert_array_equal(np.load(tmp_path / "ours.npy"), OTHERS["weights"])


def test_a_missing_checkpoint(state, tmp_path):
    fails(state, "run", "get", "--restore", tmp_path / "none", says=["WEIR0401", str(tmp_path / "none")])


def test_a_checkpoint_of_another_program(state, mlp, tmp_path):
    run(mlp, "run", "init", "--save", tmp_path / "mlp")
    fails(state, "run", "get", "--restore", tmp_path / "mlp", says=["WEIR0405", "layer/weights"])


@pytest.mark.parametrize("part", ["index", "data-00000-of-00001"])
def test_every_truncation_is_found(state, saved, tmp_path, part):
    path = saved.with_name(f"model.{part}")
    whole = path.read_bytes()
    for size in sorted({0, 1, len(whole) // 2, len(whole) - 1}):
        path.write_bytes(whole[:size])
        fails(state, "run", "get", "--restore", saved, says=["WEIR04"])
    path.write_bytes(whole)
    same(values(state, saved, tmp_path), EXPECTED)


@pytest.mark.parametrize("part", ["index", "data-00000-of-00001"])
def test_every_flipped_bit_is_found_or_harmless(state, saved, tmp_path, part):
    """A bit may be padding that nothing reads, but no wrong value may come out of it."""
    path = saved.with_name(f"model.{part}")
    whole = path.read_bytes()
    names = list(EXPECTED)
    found = 0
    for place in range(len(whole)):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << place % 8
        path.write_bytes(bytes(damaged))
        result = run(state, "run", "get", "--restore", saved, *[f"--output={n}={tmp_path}/{n}.npy" for n in names],
                     code=None)
        if result.returncode:
            assert result.returncode == 1 and "WEIR04" in result.stderr, result.stderr
            found += 1
        else:
            same({name: np.load(tmp_path / f"{name}.npy") for name in names}, EXPECTED)
    # The bytes of the four tensors; the others of the data file are padding.
    stored = 12 * 4 + 8 + 5 + 4 * 2
    assert found == stored if part != "index" else found > len(whole) / 2


def restores(mlp, prefix):
    run(mlp, "run", "init", "--restore", prefix)


def test_a_file_size_limit_loses_nothing(mlp, tmp_path):
    prefix = tmp_path / "model"
    run(mlp, "run", "init", "--save", prefix)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (65536, 65536))

    fails(mlp, "run", "init", "--save", prefix, says=["WEIR0407", "model"], preexec_fn=limit, restore_signals=False)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    restores(mlp, prefix)


def test_a_full_disk_loses_nothing(mlp, tmp_path):
    """On a disk that holds one checkpoint of this network, but not two."""
    mount = ["unshare", "--mount", "--map-root-user", "--user"] if os.getuid() else ["unshare", "--mount"]
    if run(*mount, "mount", "-t", "tmpfs", "none", tmp_path, code=None).returncode:
        pytest.skip("this user cannot mount a small disk")
    script = f"""
mount -t tmpfs -o size=220k none {tmp_path} && cd {tmp_path} || exit 99
{mlp} run init --save model || exit 98
{mlp} run init --save model 2>error.log && exit 97
cat error.log >&2; rm error.log
ls -a
{mlp} run init --restore model || exit 96
exit 1
"""
    result = run(*mount, "sh", "-c", script, code=1)
    assert "WEIR0407" in result.stderr and "model" in result.stderr, result.stderr
    assert set(result.stdout.split()) == {".", "..", "checkpoint", "model.index", "model.data-00000-of-00001"}


def as_nobody():
    """Gives up the rights of root, who may write everywhere."""
    if os.getuid() == 0:
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)


def test_no_permission_to_save(mlp, open_folder):
    program = shutil.copy(mlp, open_folder / "mlp")
    folder = open_folder / "locked"
    folder.mkdir()
    folder.chmod(0o555)
    fails(program, "run", "init", "--save", folder / "model", says=["WEIR0407", str(folder)], preexec_fn=as_nobody)
    assert not list(folder.iterdir())


def test_no_such_folder_to_save_in(mlp, tmp_path):
    fails(mlp, "run", "init", "--save", tmp_path / "no" / "model", says=["WEIR0407", str(tmp_path / "no")])

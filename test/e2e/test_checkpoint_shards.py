# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checkpoints of several tasks: TensorFlow reads our shards and slices, and we read its."""
import pytest

from conftest import build_tree, fails, run


@pytest.fixture(scope="module")
def tool():
    return build_tree() / "test" / "unit" / "weir_shard_tool"


@pytest.fixture
def read(tool):
    """The elements of a tensor, or of a slice of it."""

    def call(prefix, name, *piece):
        return [float(word) for word in run(tool, "read", prefix, name, *piece).stdout.split()]

    return call


@pytest.fixture(scope="module")
def theirs(oracle, tmp_path_factory):
    """A checkpoint of TensorFlow: two shards, merged, with a tensor in slices along both dimensions."""
    folder = tmp_path_factory.mktemp("theirs")
    oracle("""
import sys, numpy as np, tensorflow as tf
raw, folder = tf.raw_ops, sys.argv[1]
part = np.arange(15, dtype=np.float32).reshape(5, 3)
raw.SaveV2(prefix=folder + "/0", tensor_names=["part", "part", "plain"], shape_and_slices=["5 3 0,2:-", "5 3 2,3:0,1", ""],
           tensors=[part[:2], part[2:, :1], np.float32([1, 2])])
raw.SaveV2(prefix=folder + "/1", tensor_names=["part", "wide"], shape_and_slices=["5 3 2,3:1,2", "300 100,200"],
           tensors=[part[2:, 1:], np.arange(100, 300, dtype=np.float32)])
raw.MergeV2Checkpoints(checkpoint_prefixes=[folder + "/0", folder + "/1"], destination_prefix=folder + "/m",
                       delete_old_dirs=False)
""", folder)
    return folder / "m"


def test_tensorflow_reads_our_shards_and_slices(tool, oracle, tmp_path):
    run(tool, "write", tmp_path / "m-1")
    oracle("""
import sys, numpy as np, tensorflow as tf
reader = tf.train.load_checkpoint(sys.argv[1])
assert reader.get_variable_to_shape_map() == {"a": [2], "b": [], "w": [3, 4]}
assert reader.get_tensor("a").tolist() == [0.5, 1.5] and reader.get_tensor("b") == 7
w = np.arange(12, dtype=np.float32).reshape(3, 4)
np.testing.assert_array_equal(reader.get_tensor("w"), w)
pieces = tf.raw_ops.RestoreV2(prefix=sys.argv[1], tensor_names=["w", "w"], shape_and_slices=["3 4 1,2:-", "3 4 1,2:2,2"],
                              dtypes=[tf.float32] * 2)
np.testing.assert_array_equal(pieces[0], w[1:])
np.testing.assert_array_equal(pieces[1], w[1:, 2:])
assert tf.train.latest_checkpoint(sys.argv[2]) == sys.argv[1]
""", tmp_path / "m-1", tmp_path)


def test_we_read_tensorflows(read, theirs):
    assert read(theirs, "plain") == [1, 2]
    assert read(theirs, "part") == list(range(15))
    assert read(theirs, "part", "5 3 1,3:1,2") == [4, 5, 7, 8, 10, 11]
    assert read(theirs, "wide", "300 150,3") == [150, 151, 152]


def test_what_no_slice_covers_is_an_error(tool, theirs):
    fails(tool, "read", theirs, "wide", says=["[WEIR0416]", "of 300 elements there are 200"])
    fails(tool, "read", theirs, "part", "5 3 4,2:-", says=["[WEIR0411]"])


def test_a_missing_shard_is_an_error(tool, read, tmp_path):
    run(tool, "write", tmp_path / "m")
    (tmp_path / "m.data-00001-of-00002").unlink()
    assert read(tmp_path / "m", "a") == [0.5, 1.5]
    fails(tool, "read", tmp_path / "m", "w", says=["[WEIR0404]", "m.data-00001-of-00002", "is missing"])

# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Post-training quantization: the CNN of docs/examples/digits on int8."""
import re

import numpy as np
import pytest

from conftest import DIGITS, fails, run

CNN = DIGITS / "cnn.mlir"


@pytest.fixture(scope="module")
def trained(programs, data, tmp_path_factory):
    """The prefix of the checkpoint of a short training."""
    prefix = tmp_path_factory.mktemp("trained") / "cnn"
    run(programs(CNN), "train", "--data", f"x={data}/x_train.npy,y={data}/y_train.npy", "--epochs", 3, "--batch", 32,
        "--seed", 1, "--save", prefix)
    return prefix


@pytest.fixture(scope="module")
def samples(data, tmp_path_factory):
    """Sample feeds: digits of the training set."""
    path = tmp_path_factory.mktemp("samples") / "samples.npz"
    np.savez(path, x=np.load(data / "x_train.npy")[:128])
    return path


@pytest.fixture(scope="module")
def network(tmp_path_factory):
    """The CNN, whose entry point `predict` gives what it takes the class of, too."""
    text = CNN.read_text()
    head, graph = text.split("weir.graph @predict(")
    graph = graph.replace('(tensor<?xi32> {weir.name = "class"})',
                          '(tensor<?xi32> {weir.name = "class"}, tensor<?x10xf32> {weir.name = "logits"})', 1)
    graph = graph.replace("weir.fetch %class : tensor<?xi32>", "weir.fetch %class, %logits : tensor<?xi32>, tensor<?x10xf32>", 1)
    path = tmp_path_factory.mktemp("network") / "network.mlir"
    path.write_text(f"{head}weir.graph @predict({graph}")
    return path


@pytest.fixture
def outputs(tools, data, tmp_path):
    """Runs `predict` over the test set, or its first rows: (class, logits)."""

    def call(module, *flags, rows=None):
        files = [tmp_path / f"{name}.npy" for name in ("class", "logits")]
        np.save(tmp_path / "x.npy", np.load(data / "x_test.npy")[:rows])
        run(tools / "weir-run", module, "--entry=predict", f"--feed=x={tmp_path}/x.npy", *flags,
            f"--output=class={files[0]}", f"--output=logits={files[1]}")
        return tuple(np.load(file) for file in files)

    return call


def quantize(trained, samples, *flags):
    return [f"--restore={trained}", f"--quantize={samples}", *flags]


def test_accuracy_stays_and_all_engines_give_the_same_bits(tools, data, trained, samples, network, outputs, tmp_path):
    truth = np.load(data / "y_test.npy")
    real, real_logits = outputs(network, f"--restore={trained}")
    stored, logits = outputs(network, *quantize(trained, samples))
    accuracy = np.mean(real == truth), np.mean(stored == truth)
    assert accuracy[0] > 0.9
    assert abs(accuracy[0] - accuracy[1]) <= 0.01, accuracy
    error = np.linalg.norm(logits - real_logits) / np.linalg.norm(real_logits)
    assert 0 < error < 0.05

    interpreted, interpreted_logits = outputs(network, *quantize(trained, samples, "--interpret"), rows=50)
    assert np.array_equal(interpreted, stored[:50])
    assert interpreted_logits.tobytes() == logits[:50].tobytes()

    # Ahead of time: nothing of the checkpoint is needed any more.
    program = tmp_path / "q"
    run(tools / "weir-compile", network, "--entries=predict", *quantize(trained, samples), "-o", program)
    run(program, "run", "predict", "--feed", f"x={data}/x_test.npy", "--output", f"logits={tmp_path}/aot.npy")
    assert np.load(tmp_path / "aot.npy").tobytes() == logits.tobytes()


def test_a_chain_is_int8_from_end_to_end(tools, trained, samples, tmp_path):
    module = tmp_path / "q.mlir"
    result = run(tools / "weir-compile", CNN, "--entries=predict", *quantize(trained, samples, "--quantize-report"),
                 "--emit=mlir", "--to=simplify", "-o", module)
    nodes = re.findall(r"weir\.(\w+)", module.read_text())
    counts = {name: nodes.count(name) for name in set(nodes)}
    for name, count in {"quantize": 1, "dequantize": 1, "quantized_conv2d": 2, "quantized_max_pool": 1, "quantized_matmul": 1}.items():
        assert counts[name] == count, counts
    assert not {"variable", "read", "conv2d", "matmul", "max_pool", "relu", "add"} & counts.keys(), counts
    noise = [float(line.split()[-1]) for line in result.stderr.splitlines() if re.match(r"\s+weir\.(conv2d|matmul)", line)]
    assert len(noise) == 3, result.stderr
    assert all(25 < ratio < 60 for ratio in noise), result.stderr


def test_fewer_samples_and_a_percentile_change_the_ranges(tools, trained, samples, tmp_path):
    def scales(*flags):
        module = tmp_path / "q.mlir"
        run(tools / "weir-compile", CNN, "--entries=predict", f"--restore={trained}", *flags, "--emit=mlir", "--to=simplify", "-o", module)
        return [float(scale) for scale in re.findall(r"scales = array<f32: ([^>]+)>", module.read_text())]

    few = tmp_path / "few.npz"
    np.savez_compressed(few, x=np.load(samples)["x"][:3])
    whole = scales(f"--quantize={samples}")
    # The pixels reach from 0 to 1 either way; the logits of more digits reach farther.
    assert scales(f"--quantize={few}")[0] == whole[0] == pytest.approx(1 / 255)
    assert scales(f"--quantize={few}")[-1] < whole[-1]
    assert scales(f"--quantize={samples}", "--quantize-percentile=95")[-1] < 0.9 * whole[-1]


def test_an_entry_point_that_needs_no_labels_of_samples(tools, trained, samples, data):
    """The labels are no part of what is on int8."""
    result = run(tools / "weir-run", CNN, "--entry=eval", *quantize(trained, samples), f"--feed=x={data}/x_test.npy",
                 f"--feed=y={data}/y_test.npy", "--fetch=accuracy")
    assert float(result.stdout.split("=")[1]) > 0.9


@pytest.mark.parametrize("arrays, words", [
    ({"y": np.zeros((2, 64), np.float32)}, "[WEIR0261] the samples"),
    ({"x": np.zeros((2, 64))}, "is a f64 of shape 2x64, which has no rows for feed 'x' of tensor<?x64xf32>"),
    ({"x": np.zeros((2, 63), np.float32)}, "[WEIR0261]"),
    ({"x": np.zeros((0, 64), np.float32)}, "[WEIR0261]"),
    ({"x": np.zeros(64, np.float32)}, "[WEIR0261]"),
    ({"x": np.full((65, 64), np.nan, np.float32)}, "is not finite for rows 0 to 63 of the samples"),
    ({"x": np.append(np.zeros((64, 64), np.float32), np.full((1, 64), np.inf, np.float32), 0)}, "[WEIR0262]"),
])
def test_samples_that_do_not_fit(tools, trained, tmp_path, arrays, words):
    np.savez(tmp_path / "s.npz", **arrays)
    fails(tools / "weir-compile", CNN, "--entries=predict", *quantize(trained, tmp_path / "s.npz"), "-o", tmp_path / "q", says=[words])
    assert not (tmp_path / "q").exists()


def test_samples_that_are_no_archive(tools, trained, tmp_path):
    np.save(tmp_path / "x.npy", np.zeros((2, 64), np.float32))
    fails(tools / "weir-compile", CNN, "--entries=predict", *quantize(trained, tmp_path / "x.npy"), says=["[WEIR0260]", "no .npz archive"])
    fails(tools / "weir-compile", CNN, "--entries=predict", *quantize(trained, tmp_path / "none.npz"), says=["[WEIR0260]", "none.npz"])
    (tmp_path / "damaged.npz").write_bytes(b"PK\x03\x04 and nothing")
    fails(tools / "weir-compile", CNN, "--entries=predict", *quantize(trained, tmp_path / "damaged.npz"), says=["[WEIR0261]"])


def test_variables_that_cannot_be_frozen(tools, trained, samples, tmp_path):
    command = [tools / "weir-compile", CNN, "-o", tmp_path / "q", f"--quantize={samples}"]
    fails(*command, f"--restore={trained}", says=["[WEIR0263] variable 'k1'", "does more than read it", "--entries=predict"])
    fails(*command, "--entries=predict", f"--restore={tmp_path}/none", says=["[WEIR0263] cannot open the checkpoint"])
    fails(*command, "--entries=predict", says=["[WEIR0166]"])
    other = tmp_path / "other.mlir"
    other.write_text(CNN.read_text().replace("512x10", "512x11").replace("<10xf32>", "<11xf32>").replace("?x10xf32", "?x11xf32"))
    command[1] = other
    fails(*command, "--entries=predict", f"--restore={trained}", says=["[WEIR0263] variable 'w3'", "512x10"])
    other.write_text(CNN.read_text().replace("@k2", "@kernel"))
    fails(*command, "--entries=predict", f"--restore={trained}", says=["[WEIR0263] variable 'kernel'"])


def test_flags_that_do_not_fit(tools, trained, samples, tmp_path):
    for percentile in ("50", "100.5", "nan", "-1"):
        fails(tools / "weir-compile", CNN, f"--quantize={samples}", f"--quantize-percentile={percentile}", says=["[WEIR0264]"])
    fails(tools / "weir-compile", CNN, "--quantize-report", says=["[WEIR0264] --quantize-report goes with --quantize=samples.npz"])
    fails(tools / "weir-run", CNN, "--quantize-percentile=99", says=["[WEIR0264] --quantize-percentile"])
    fails(tools / "weir-run", CNN, "--entry=predict", f"--quantize={samples}", "--target=conv1", says=["[WEIR0264] --quantize wants entry points"])
    plain = tmp_path / "plain.mlir"
    plain.write_text("weir.graph @f(%x: tensor<?x64xf32> {weir.name = \"x\"}) -> tensor<?x64xf32> {\n"
                     "  %y = weir.exp %x : (tensor<?x64xf32>) -> tensor<?x64xf32>\n  weir.fetch %y : tensor<?x64xf32>\n}\n")
    fails(tools / "weir-compile", plain, f"--quantize={samples}", says=["[WEIR0166]"])

# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Post-training quantization: what runs on int8, its bits, its accuracy, and why something stays float."""
import os
import pathlib
import subprocess

import numpy as np
import pytest

import weir
from conftest import ROOT, fails

F = np.float32
TOOLS = pathlib.Path(os.environ.get("WEIR_BUILD", ROOT / "build" / "dev")) / "bin"


@pytest.fixture(autouse=True)
def one_cpu_afterwards():
    yield
    weir.set_devices()


class Network:
    """Two dense layers that have learned which of three points an input is near to."""

    centers = np.random.default_rng(5).standard_normal((3, 8)).astype(F) * 2

    def __init__(self):
        self.w1 = weir.Variable(lambda: weir.random.normal((8, 16), seed=1, std=0.3), name="w1")
        self.b1 = weir.Variable(np.zeros(16, F), name="b1")
        self.w2 = weir.Variable(lambda: weir.random.normal((16, 3), seed=2, std=0.3), name="w2")
        self.b2 = weir.Variable(np.zeros(3, F), name="b2")
        self.optimizer = weir.optim.SGD(0.1)
        self.exported = weir.export({"train": self.train, "predict": self.predict},
                                    {"train": [weir.spec((None, 8)), weir.spec((None,), "int32")],
                                     "predict": {"x": weir.spec((None, 8))}}, name="network")

    def logits(self, x):
        hidden = weir.nn.relu(x @ self.w1 + self.b1)
        return hidden @ self.w2 + self.b2

    def train(self, x, y):
        loss = weir.nn.sparse_softmax_cross_entropy(self.logits(x), y).mean()
        self.optimizer.minimize(loss, [self.w1, self.b1, self.w2, self.b2])
        return loss

    def predict(self, x):
        logits = self.logits(x)
        return {"logits": logits, "class": logits.argmax(axis=1)}

    @classmethod
    def data(cls, count, seed):
        rng = np.random.default_rng(seed)
        y = rng.integers(0, 3, count).astype(np.int32)
        return (cls.centers[y] + rng.standard_normal((count, 8)) * 0.7).astype(F), y


@pytest.fixture(scope="module")
def network():
    network = Network()
    module = network.exported.compile()
    x, y = Network.data(256, 1)
    for _ in range(60):
        module.train(x, y)
    network.module = module
    return network


@pytest.fixture(scope="module")
def samples():
    return {"x": Network.data(100, 2)[0]}


@pytest.fixture(scope="module")
def quantized(network, samples):
    return weir.quantize_static(network.exported, samples, entries=["predict"])


def test_a_trained_program_predicts_on_int8(network, quantized):
    x, y = Network.data(500, 3)
    real = network.module.predict(x)
    stored = quantized.compile().predict(x)
    assert stored["class"].dtype == real["class"].dtype
    assert np.mean(real["class"] == y) > 0.95
    assert abs(np.mean(stored["class"] == y) - np.mean(real["class"] == y)) <= 0.01
    error = np.linalg.norm(stored["logits"] - real["logits"]) / np.linalg.norm(real["logits"])
    assert 0 < error < 0.05
    text = quantized.as_text("trace")
    assert text.count("weir.quantized_matmul") == 2
    assert "weir.variable" not in text and "@train" not in text
    assert repr(quantized) == "<weir.Quantized predict>"


def test_the_report_has_each_product(quantized):
    report = quantized.report
    assert [(node.entry, node.name) for node in report.nodes] == [("predict", "weir.matmul")] * 2
    first, second = report.nodes
    assert first.scale == second.input_scale and first.zero_point == second.input_zero_point == -128
    assert all(20 < node.snr_db < 70 for node in report.nodes)
    assert report.float_nodes == []
    assert "entry predict: 2 nodes on int8" in str(report)
    assert repr(report) == "<weir.QuantizationReport 2 on int8, 0 float>"


def test_the_source_stays_as_it_is(samples):
    network = Network()
    module = network.exported.compile()
    module.init()
    x, y = Network.data(64, 4)
    before = network.exported.as_text("trace")
    first = weir.quantize_static(module, samples, entries="predict")
    assert network.exported.as_text("trace") == before
    logits = first.compile().predict(x)["logits"]
    module.train(x, y)
    # What is on int8 has the values of then, and a new one those of now.
    np.testing.assert_array_equal(first.compile().predict(x)["logits"], logits)
    again = weir.quantize_static(module, samples, entries=["predict"]).compile().predict(x)["logits"]
    assert not np.array_equal(again, logits)


def test_the_same_bits_as_from_the_command_line(network, quantized, samples, tmp_path):
    network.exported.save(tmp_path / "network.mlir")
    network.module.save(str(tmp_path / "trained"))
    np.savez(tmp_path / "samples.npz", **samples)
    x, _ = Network.data(70, 6)
    np.save(tmp_path / "x.npy", x)
    command = [TOOLS / "weir-run", tmp_path / "network.mlir", "--entry=predict", f"--feed=x={tmp_path}/x.npy",
               f"--restore={tmp_path}/trained", f"--quantize={tmp_path}/samples.npz", "--quantize-report",
               f"--output=logits={tmp_path}/logits.npy"]
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=900)
    assert result.returncode == 0, result.stderr
    expected = np.load(tmp_path / "logits.npy")
    assert quantized.compile().predict(x)["logits"].tobytes() == expected.tobytes()
    assert result.stderr.strip() == str(quantized.report)
    # The checkpoint instead of the values of now, on the file instead of the program.
    restored = weir.quantize_static(tmp_path / "network.mlir", samples, entries=["predict"], restore=tmp_path / "trained")
    assert restored.compile().predict(x)["logits"].tobytes() == expected.tobytes()
    # The values that a loaded program has.
    loaded = weir.load(tmp_path / "network.mlir")
    loaded.restore(str(tmp_path / "trained"))
    assert weir.quantize_static(loaded, samples, entries=["predict"]).compile().predict(x)["logits"].tobytes() == expected.tobytes()


def test_the_accelerator_gives_the_same_bits(quantized):
    x, _ = Network.data(33, 7)
    expected = quantized.compile().predict(x)["logits"]
    weir.set_devices(["CPU:0", "MXU:0"])
    assert "device:MXU:0" in quantized.as_text("place")
    assert quantized.compile().predict(x)["logits"].tobytes() == expected.tobytes()


def test_saved_and_compiled_ahead_of_time(quantized, tmp_path):
    x, _ = Network.data(9, 8)
    expected = quantized.compile().predict(x)["logits"]
    quantized.save(tmp_path / "q.mlir")
    assert weir.load(tmp_path / "q.mlir").predict(x)["logits"].tobytes() == expected.tobytes()
    weir.compile(quantized, tmp_path / "q")
    np.save(tmp_path / "x.npy", x)
    subprocess.run([tmp_path / "q", "run", "predict", "--feed", f"x={tmp_path}/x.npy", "--output", f"logits={tmp_path}/l.npy"],
                   check=True, capture_output=True, timeout=900)
    assert np.load(tmp_path / "l.npy").tobytes() == expected.tobytes()


def test_a_function_under_jit_and_a_trace(rng):
    w = weir.Variable(rng.standard_normal((4, 5)).astype(F), name="w")

    @weir.jit(specs=[weir.spec((None, 4))])
    def dense(x):
        return x @ w

    x = rng.standard_normal((20, 4)).astype(F)
    results = [weir.quantize_static(source, {"x": x}).compile().dense(x)
               for source in (dense, dense.trace(), dense.trace().compile())]
    assert np.abs(results[0] - x @ w.numpy()).max() < 0.1
    for other in results[1:]:
        np.testing.assert_array_equal(other, results[0])


def test_a_convolution_and_a_percentile(rng):
    k = weir.Variable(rng.standard_normal((3, 3, 1, 4)).astype(F), name="k")

    @weir.jit(specs=[weir.spec((None, 8, 8, 1))])
    def features(images):
        return weir.nn.max_pool(weir.nn.relu(weir.nn.conv2d(images, k, padding="SAME")))

    images = rng.standard_normal((16, 8, 8, 1)).astype(F)
    whole = weir.quantize_static(features, {"images": images}).report.nodes[0]
    assert whole.name == "weir.conv2d"
    images[0, 0, 0, 0] = 100
    spoiled = weir.quantize_static(features, {"images": images}).report.nodes[0]
    assert spoiled.input_scale > 10 * whole.input_scale
    cut = weir.quantize_static(features, {"images": images}, percentile=99.0).report.nodes[0]
    assert cut.input_scale < 2 * whole.input_scale


def test_what_stays_float_and_why(rng):
    w = weir.Variable(rng.standard_normal((4, 4)).astype(F), name="w")

    @weir.jit(specs=[weir.spec((None, 4)), weir.spec((4, 4))])
    def mixed(x, y):
        return (x @ w) @ y  # here

    report = weir.quantize_static(mixed, {"x": rng.standard_normal((6, 4)).astype(F)}).report
    assert len(report.nodes) == 1
    (kept,) = report.float_nodes
    assert kept.entry == "mixed"
    assert kept.reason.startswith("'weir.matmul': its weights are no constant")
    assert kept.file == __file__
    assert pathlib.Path(kept.file).read_text().splitlines()[kept.line - 1].endswith("# here")
    assert f"entry mixed: stays float: 'weir.matmul': its weights are no constant" in str(report)


def test_text_with_constants_needs_no_variables(rng):
    source = """
    weir.graph @f(%x: tensor<2x3xf32> {weir.name = "x"}) -> (tensor<2x1xf32> {weir.name = "y"}) {
      %w = weir.constant dense<[[1.0], [2.0], [-1.0]]> : tensor<3x1xf32>
      %y = weir.matmul %x, %w : (tensor<2x3xf32>, tensor<3x1xf32>) -> tensor<2x1xf32>
      weir.fetch %y : tensor<2x1xf32>
    }
    """
    x = rng.uniform(-1, 1, (2, 3)).astype(F)
    y = weir.quantize_static(source, {"x": x}).compile().f(x)
    assert np.abs(y - x @ np.array([[1], [2], [-1]], F)).max() < 0.05


@pytest.mark.parametrize("code, pattern, changes", [
    (261, "the samples give nothing for feed 'x': the arrays are 'y'", {"samples": {"y": np.zeros((4, 8), F)}}),
    (261, "the samples give nothing for feed 'x': there are no arrays", {"samples": {}}),
    (261, "the array 'x' of the samples is a f64 of shape 4x8", {"samples": {"x": np.zeros((4, 8))}}),
    (261, "of shape 4x7", {"samples": {"x": np.zeros((4, 7), F)}}),
    (262, "feed 'x' is not finite for rows 0 to 3", {"samples": {"x": np.full((4, 8), np.nan, F)}}),
    (263, "'@train' does more than read it", {"entries": ["predict", "train"]}),
    (263, "cannot open the checkpoint 'none'", {"restore": "none"}),
    (264, "above 50 and up to 100, got 50", {"percentile": 50}),
    (264, "above 50 and up to 100, got nan", {"percentile": float("nan")}),
    (204, "no entry 'predcit'; did you mean 'predict'", {"entries": ["predcit"]}),
    (512, "samples are a dict of arrays", {"samples": [np.zeros((4, 8), F)]}),
])
def test_what_cannot_be(network, samples, code, pattern, changes):
    with fails(code, pattern):
        weir.quantize_static(network.exported, **{"samples": samples, "entries": ["predict"], **changes})


def test_sources_that_are_none(samples, tmp_path):
    with fails(512, "takes a path, MLIR text, a GraphDef, or a traced function or program, got a int"):
        weir.quantize_static(3, samples)
    with fails(201, "none.mlir"):
        weir.quantize_static(tmp_path / "none.mlir", samples)


def test_variables_without_values_and_files_without_checkpoints(network, samples, tmp_path):
    w = weir.Variable(weir.spec((8, 2)), name="w")
    with fails(510, "variable 'w' has no value yet"):
        weir.quantize_static(weir.jit(lambda x: x @ w, specs=[weir.spec((None, 8))], name="f"), samples)
    network.exported.save(tmp_path / "network.mlir")
    with fails(166, "on int8|quantize"):
        weir.quantize_static(tmp_path / "network.mlir", samples, entries=["predict"])


def test_samples_that_are_no_numbers(network):
    with fails(507, "no tensor has the NumPy dtype <U1"):
        weir.quantize_static(network.exported, {"x": np.array(["a", "b"])}, entries=["predict"])


PBTXT = """
node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } }
  attr { key: "shape" value { shape { dim { size: -1 } dim { size: 2 } } } } }
node { name: "w" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } }
  attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { dim { size: 2 } dim { size: 2 } }
    float_val: 1 float_val: 2 float_val: -3 float_val: 0.5 } } } }
node { name: "y" op: "MatMul" input: "x" input: "w" attr { key: "T" value { type: DT_FLOAT } } }
node { name: "logits" op: "Relu" input: "y" attr { key: "T" value { type: DT_FLOAT } } }
"""


def test_a_graph_def_with_constants(tmp_path, rng):
    (tmp_path / "net.pbtxt").write_text(PBTXT)
    x = rng.uniform(-1, 1, (20, 2)).astype(F)
    quantized = weir.quantize_static(tmp_path / "net.pbtxt", {"x:0": x}, fetches=["logits:0"])
    assert [node.name for node in quantized.report.nodes] == ["y"]
    stored = quantized.compile().main(x)
    assert np.abs(stored - np.maximum(x @ np.array([[1, 2], [-3, 0.5]], F), 0)).max() < 0.05
    other = weir.quantize_static(PBTXT.encode(), {"x:0": x}, fetches="logits").compile().main(x)
    np.testing.assert_array_equal(other, stored)


@pytest.mark.parametrize("code, pattern, changes", [
    (512, "what is the GraphDef to give", {"fetches": []}),
    (223, "'logit'", {"fetches": ["logit:0"]}),
    (223, "'z'", {"samples": {"z:0": np.zeros((4, 2), F)}}),
    (261, "of shape 4x3", {"samples": {"x:0": np.zeros((4, 3), F)}}),
])
def test_a_graph_def_that_cannot_be(code, pattern, changes):
    with fails(code, pattern):
        weir.quantize_static(PBTXT.encode(), **{"samples": {"x:0": np.zeros((4, 2), F)}, "fetches": ["logits:0"], **changes})


def test_fetches_are_of_a_graph_def(network, samples):
    with fails(512, "fetches are of a GraphDef"):
        weir.quantize_static(network.exported, samples, fetches=["logits"])

# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of several entry points: exported, saved, loaded, compiled ahead of time."""
import os
import pathlib
import shutil
import subprocess
import sys

import numpy as np
import pytest

import weir
import weir.numpy as wnp
from conftest import ROOT, close, fails

F = np.float32
X, Y = weir.spec((None, 4)), weir.spec((None, 2))


class Line:
    """A linear model: the program that most tests here use."""

    def __init__(self):
        self.w = weir.Variable(lambda: weir.random.normal((4, 2), seed=3), name="w")
        self.b = weir.Variable(np.zeros(2, F), name="b")
        self.optimizer = weir.optim.SGD(0.1, momentum=0.5)

    def loss(self, x, y):
        return ((x @ self.w + self.b - y) ** 2).mean()

    def train(self, x, y):
        loss = self.loss(x, y)
        self.optimizer.minimize(loss, [self.w, self.b])
        return {"loss": loss}

    def predict(self, x):
        y = x @ self.w + self.b
        return {"y": y, "best": y.argmax(1)}

    def export(self):
        return weir.export({"train": self.train, "predict": self.predict},
                           {"train": [X, Y], "predict": {"x": X}}, name="line")


@pytest.fixture
def data(rng):
    return rng.standard_normal((8, 4)).astype(F), rng.standard_normal((8, 2)).astype(F)


def test_exported_text_has_entries_and_variables():
    ir = Line().export().as_text("trace")
    for entry in ("train", "predict", "init", "save", "restore"):
        assert f"weir.graph @{entry}(" in ir
    for variable in ("@w :", "@b :", '@"w/momentum" :', '@"b/momentum" :'):
        assert f"weir.variable {variable}" in ir


def test_compiled_program_shares_the_variables_of_python(data):
    line = Line()
    program = line.export().compile()
    program.init()
    first = line.w.numpy()
    loss = float(program.train(*data)["loss"])
    assert (line.w.numpy() != first).any()
    assert float(program.train(*data)["loss"]) < loss
    line.w.assign(np.zeros((4, 2), F))
    line.b.assign(np.ones(2, F))
    close(program.predict(data[0])["y"], np.ones((8, 2), F))
    assert set(program.variables) == {"w", "b", "w/momentum", "b/momentum"}
    program.variables["b"] = np.zeros(2, F)
    close(line.b.numpy(), np.zeros(2, F))


def test_loaded_program_takes_the_same_steps(data, tmp_path):
    exported = Line().export()
    exported.save(tmp_path / "line.mlir")
    ours, loaded = exported.compile(), weir.load(tmp_path / "line.mlir")
    ours.init(), loaded.init()
    for _ in range(5):
        a, b = ours.train(*data)["loss"], loaded.train(y=data[1], x=data[0])
        close(a, b, 0)
    for name in ours.variables:
        close(ours.variables[name], loaded.variables[name], 0)
    result = loaded.predict(data[0])
    assert set(result) == {"y", "best"}
    assert list(loaded.train.feeds) == ["x", "y"] and str(loaded.train.feeds["x"]) == "float32[?,4]"
    loaded.variables["b"] = np.full(2, 7, F)
    close(loaded.variables["b"], np.full(2, 7, F))


def test_checkpoint_goes_from_one_program_to_another(data, tmp_path):
    prefix = str(tmp_path / "line")
    line = Line()
    program = line.export().compile()
    program.init()
    program.train(*data)
    program.save(prefix)
    expected = {name: program.variables[name] for name in program.variables}
    program.train(*data)
    line.export().save(tmp_path / "line.mlir")
    other = weir.load(tmp_path / "line.mlir")
    other.restore(prefix)
    for name, value in expected.items():
        close(other.variables[name], value, 0)
    weir.checkpoint.restore(prefix, [line.w, line.b])
    close(line.w.numpy(), expected["w"], 0)
    weir.checkpoint.save(prefix + "2", {"weights": line.w})
    w = weir.Variable(weir.spec((4, 2)), name="w")
    weir.checkpoint.restore(prefix + "2", {"weights": w})
    close(w.numpy(), expected["w"], 0)


def test_checkpoint_that_is_not_there(tmp_path):
    with pytest.raises(weir.WeirError, match=r"\[WEIR04\d\d\].*nothing"):
        weir.checkpoint.restore(str(tmp_path / "nothing"), [weir.Variable(F(0), name="v")])


def test_executable(data, tmp_path):
    exported = Line().export()
    weir.compile(exported, tmp_path / "line", entries=["train", "init"])
    np.save(tmp_path / "x.npy", data[0])
    np.save(tmp_path / "y.npy", data[1])
    result = subprocess.run([tmp_path / "line", "run", "train", "--init", f"--feed=x={tmp_path}/x.npy",
                             f"--feed=y={tmp_path}/y.npy", "--steps=3"], capture_output=True, text=True, check=True)
    program = exported.compile()
    program.init()
    losses = [float(program.train(*data)["loss"]) for _ in range(3)]
    assert f"{losses[-1]:.4g}"[:5] in result.stdout, result.stdout


@pytest.mark.parametrize("emit,mark", [("obj", b"\x7fELF"), ("asm", b"weir_program"), ("llvm", b"@weir_program")])
def test_other_outputs(emit, mark, tmp_path):
    weir.compile(weir.jit(lambda x: x + 1, name="f").trace(X), tmp_path / "out", emit=emit)
    assert mark in (tmp_path / "out").read_bytes()


def test_steps_of_compiling_one_function(data):
    f = weir.jit(lambda x: wnp.tanh(x) @ np.ones((4, 3), F), name="f")
    traced = f.trace(X)
    assert "weir.graph @f" in traced.as_text()
    lowered = traced.lower()
    assert "func.func @f" in lowered.as_text()
    compiled = lowered.compile(threads=1)
    assert "llvm.func" in compiled.as_text() and "weir_program" in compiled.as_text("asm")
    close(compiled(data[0]), np.tanh(data[0]) @ np.ones((4, 3), F))
    assert repr(compiled) == "<weir.Compiled f(x: float32[?,4])>"


def test_dump_dir(tmp_path):
    weir.jit(lambda x: x + 1, dump_dir=str(tmp_path / "phases"))(F(1))
    names = sorted(path.name for path in pathlib.Path(tmp_path / "phases").iterdir())
    assert len(names) >= len(weir.phases()) and names[0] == "00.input.mlir"


def test_profile(tmp_path, data):
    f = weir.jit(lambda x: wnp.tanh(x))
    f(data[0])
    with weir.profile(str(tmp_path / "trace.json")):
        f(data[0])
    import json

    json.loads((tmp_path / "trace.json").read_text())


def test_errors(tmp_path, data):
    program = weir.jit(lambda x: x + 1, name="train").trace(X)
    program.save(tmp_path / "p.mlir")
    loaded = weir.load(tmp_path / "p.mlir")
    with fails(512, "no entry point 'trian'; did you mean 'train'", at=__file__):
        loaded.trian(data[0])  # here
    with fails(512, "no feed 'z'; there are: x"):
        loaded.train(z=data[0])
    with fails(512, "missing: x"):
        loaded.train()
    with fails(506, r"argument 'x' of train is float32\[\?,4\], got float64\[8,4\]"):
        loaded.train(data[0].astype(np.float64))
    with pytest.raises(weir.WeirError, match=r"\[WEIR03\d\d\].*'x'"):
        loaded.train(data[1])
    with fails(512, "no variable 'w'; there are: none"):
        loaded.variables["w"]
    with fails(512, "entry point 'f' takes x; give their specs"):
        weir.export({"f": lambda x: x})
    with fails(512, "specs are given for 'g'"):
        weir.export({"f": lambda: 1.0}, {"g": []})
    with fails(512, "cannot write .*/nowhere/p.mlir: No such file"):
        program.save(tmp_path / "nowhere" / "p.mlir")
    with fails(512, "weir.compile takes a path"):
        weir.compile(7, tmp_path / "out")
    with pytest.raises(weir.WeirError, match="no.mlir"):
        weir.load(tmp_path / "no.mlir")
    (tmp_path / "bad.mlir").write_text("weir.graph @f(%x: tensor<3xf32>) {\n  weir.fetch %y : tensor<3xf32>\n}\n")
    with pytest.raises(weir.WeirError, match=r"bad.mlir:2: "):
        weir.load(tmp_path / "bad.mlir")
    with pytest.raises(weir.WeirError, match="no kind of output .elf."):
        weir.compile(program, tmp_path / "out", emit="elf")


def test_variables_get_their_first_values_where_init_did_not_run(data):
    line = Line()
    program = line.export().compile()
    close(program.predict(data[0])["y"], data[0] @ line.w.numpy())


def test_the_installed_package_compiles_ahead_of_time(tmp_path, data):
    """What a wheel has: the extension and the archives that programs are linked with."""
    build = pathlib.Path(os.environ.get("WEIR_BUILD", ROOT / "build" / "dev"))
    subprocess.run(["cmake", "--install", build, "--component", "python", "--prefix", tmp_path / "site"], check=True,
                   capture_output=True, timeout=900)
    shutil.copytree(ROOT / "python_bindings" / "weir", tmp_path / "site" / "weir", dirs_exist_ok=True,
                    ignore=shutil.ignore_patterns("__pycache__"))
    Line().export().save(tmp_path / "line.mlir")
    script = f"import weir; weir.compile({str(tmp_path / 'line.mlir')!r}, {str(tmp_path / 'line')!r}); print(weir.__file__)"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("WEIR_")}
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=900, cwd=tmp_path,
                            env=dict(environment, PYTHONPATH=str(tmp_path / "site")))
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith(str(tmp_path / "site"))
    text = subprocess.run([tmp_path / "line", "describe"], capture_output=True, text=True, check=True, timeout=900).stdout
    assert "predict" in text

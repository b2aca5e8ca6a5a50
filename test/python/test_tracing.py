# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What tracing makes: nodes, types, order of variables, places. Nothing is compiled."""
import re

import numpy as np
import pytest

import weir
import weir.numpy as wnp

X = weir.spec((4, 3), "float32")
BATCH = weir.spec((None, 64), "float32")


def text(function, *specs):
    return weir.jit(function).trace(*specs).as_text("trace")


def test_graph_has_names_types_and_nodes():
    def double(x):
        return {"y": x + x}

    assert re.search(r'weir\.graph @double\(%\w+: tensor<4x3xf32> \{weir\.name = "x"\}\)'
                     r' -> \(tensor<4x3xf32> \{weir\.name = "y"\}\)', text(double, X))


def test_dynamic_extent_stays_dynamic():
    ir = text(lambda x: (x @ np.zeros((64, 10), np.float32)).mean(), BATCH)
    assert "tensor<?x64xf32>" in ir and "tensor<?x10xf32>" in ir
    assert "weir.reduce_mean" in ir


def test_transposed_operand_is_an_attribute_of_matmul():
    ir = text(lambda x, y: x @ y.T, X, X)
    assert "transpose_rhs" in re.search(r"weir\.matmul.*", ir).group()


def test_python_number_takes_the_dtype_of_the_tensor():
    ir = text(lambda x: x * 2.5, weir.spec((3,), "float64"))
    assert "dense<2.500000e+00> : tensor<f64>" in ir


def test_equal_elements_are_stored_once():
    ir = text(lambda x: x + np.zeros((4, 3), np.float32), X)
    assert "dense<0.000000e+00> : tensor<4x3xf32>" in ir


def test_locations_are_those_of_the_user():
    def f(x):
        y = x + 1
        return wnp.exp(y)

    ir = weir.jit(f).trace(X).as_text("trace", locations=True)
    first = f.__code__.co_firstlineno
    assert re.search(rf'test_tracing\.py":{first + 1}:\d+', ir)
    assert re.search(rf'test_tracing\.py":{first + 2}:\d+', ir)


def test_reads_and_writes_have_edges_in_program_order():
    v = weir.Variable(np.zeros(3, np.float32), name="v")

    def f(x):
        before = v.read()
        v.assign(x)
        v.assign_add(x)
        return before, v.read()

    ir = text(f, weir.spec((3,), "float32"))
    read1 = re.search(r"(%\w+), (%\w+) = weir\.read @v :", ir)
    assign = re.search(r"(%\w+) = weir\.assign @v, %\w+ after\((%\w+)\)", ir)
    add = re.search(r"(%\w+) = weir\.assign_add @v, %\w+ after\((%\w+)\)", ir)
    read2 = re.search(r"(%\w+), (%\w+) = weir\.read @v after\((%\w+)\)", ir)
    fetch = re.search(r"weir\.fetch .* after\((%\w+)\)", ir)
    assert assign.group(2) == read1.group(2)
    assert add.group(2) == assign.group(1)
    assert read2.group(3) == add.group(1)
    assert fetch.group(1) == add.group(1)


def test_one_read_serves_until_the_next_write():
    v = weir.Variable(np.zeros(3, np.float32), name="v")
    assert text(lambda: v + v * v).count("weir.read") == 1


def test_gradient_is_with_respect_to_the_value_that_was_read():
    v = weir.Variable(np.ones(3, np.float32), name="v")

    def f(x):
        loss = (v * x).sum()
        (g,) = weir.gradients(loss, [v])
        v.assign_sub(g)
        return loss

    ir = text(f, weir.spec((3,), "float32"))
    read = re.search(r"(%\w+), %\w+ = weir\.read @v", ir).group(1)
    assert re.search(rf"weir\.gradients %\w+ wrt\({read}\)", ir)


def test_calling_a_jitted_function_in_another_makes_one_graph():
    inner = weir.jit(lambda x: wnp.exp(x))
    ir = text(lambda x: inner(x) + 1, X)
    assert ir.count("weir.graph") == 1 and "weir.exp" in ir


def test_structures_name_feeds_and_fetches():
    def f(params, xs):
        return {"a": params["w"] + xs[0], "b": [xs[1]]}

    traced = weir.jit(f).trace({"w": X, "b": X}, [X, X])
    ir = traced.as_text("trace")
    for name in ("params.b", "params.w", "xs.0", "xs.1", "a", "b.0"):
        assert f'weir.name = "{name}"' in ir


def test_named_result():
    ir = text(lambda x: weir.name(x.sum(), "loss"), X)
    assert '(tensor<f32> {weir.name = "loss"})' in ir


def test_reshape_keeps_the_dynamic_extent():
    ir = text(lambda x: x.reshape(x.shape[0], -1), weir.spec((None, 4, 5), "float32"))
    assert "shape = array<i64: -1, 20>" in ir


@pytest.mark.parametrize("phase", ["trace", "import", "simplify", "autodiff"])
def test_text_of_phases(phase):
    assert "weir.graph @f" in weir.jit(lambda x: x + 1, name="f").trace(X).as_text(phase)


def test_phases_have_the_names_of_the_compiler():
    assert weir.phases()[:3] == ["import", "simplify", "autodiff"]


def test_save_writes_what_load_reads(tmp_path):
    traced = weir.jit(lambda x: x + 1, name="f").trace(X)
    traced.save(tmp_path / "f.mlir")
    assert "weir.graph @f" in (tmp_path / "f.mlir").read_text()
    traced.save(tmp_path / "f.mlirbc")
    assert (tmp_path / "f.mlirbc").read_bytes().startswith(b"ML\xefR")


def test_tracing_that_fails_leaves_nothing_behind():
    with pytest.raises(ZeroDivisionError):
        text(lambda x: 1 // 0, X)
    assert "weir.add" in text(lambda x: x + x, X)

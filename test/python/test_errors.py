# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What goes wrong ends in an error with a number, at the user's line, that says what to do."""
import numpy as np
import pytest

import weir
import weir.numpy as wnp
from conftest import fails

F = np.float32
X = np.ones((3, 4), F)
HERE = __file__


def branches(x):
    if x.sum() > 0:  # here
        return x
    return -x


def loops(x):
    for row in x:  # here
        return row


def to_int(x):
    return np.zeros(int(x.sum()))  # here


def to_float(x):
    return float(x.sum())  # here


def to_array(x):
    return np.asarray(x)  # here


def as_index(x):
    return [1, 2, 3][x.sum().astype("int32")]  # here


@pytest.mark.parametrize("function", [branches, to_int, to_float, to_array, as_index])
def test_value_while_tracing(function):
    with fails(501, "no value while the function is traced; ", at=HERE):
        weir.jit(function)(X)


def test_loop_over_a_dynamic_extent():
    with fails(501, r"its length is needed here, but float32\[\?,4\]", at=HERE):
        weir.jit(loops, specs=[weir.spec((None, 4))])(X)


def mixes(x):
    return x + np.ones(4)  # here


def loses(x):
    return x.astype("int32") * 0.5  # here


def divides(x):
    return x.astype("int32") / 2  # here


def overflows(x):
    return x.astype("int8") + 300  # here


@pytest.mark.parametrize("function,pattern", [
    (mixes, r"add of float32\[3,4\] and float64\[4\].*\.astype\('float32'\)"), (loses, "would lose its fraction"),
    (divides, "div is for floats"), (overflows, "300 does not fit into int8")])
def test_dtypes(function, pattern):
    with fails(502, pattern, at=HERE):
        weir.jit(function)(X)


def test_no_graph():
    with fails(503, "call it inside a function under @weir.jit", at=HERE):
        wnp.exp(X)  # here


kept = []


def test_tensor_of_another_function():
    weir.jit(lambda x: (kept.append(x), x)[1])(X)

    def use(x):
        return x + kept[0]  # here

    with fails(504, "belongs to another traced function", at=HERE):
        weir.jit(use)(X)
    with fails(504, "argument 'x' is a tensor"):
        weir.jit(use)(kept[0])


@pytest.mark.parametrize("index,pattern", [
    (3, "index 3 is out of range for dimension 0"), ((0, 0, 0), "3 indices"), ((Ellipsis, Ellipsis), "at most once"),
    (1.5, "float 1.5 is no index"), (np.ones(3, bool), "of int32 or int64")])
def test_index(index, pattern):
    def f(x):
        return x[index]  # here

    with fails(505, pattern, at=HERE):
        weir.jit(f)(X)


def test_index_from_the_end_of_a_dynamic_extent():
    def f(x):
        return x[-1]  # here

    with fails(505, "only known when the graph runs", at=HERE):
        weir.jit(f).trace(weir.spec((None, 4)))


def test_assignment_to_elements():
    def f(x):
        x[0] = 1.0  # here

    with fails(505, "never changed in place", at=HERE):
        weir.jit(f)(X)


# ---- Arguments


@weir.jit(specs={"params": {"w": weir.spec((4, 2))}, "x": weir.spec((None, 4))})
def declared(params, x):
    return x @ params["w"]


W = np.ones((4, 2), F)


@pytest.mark.parametrize("params,x,name,pattern", [
    ({"w": W}, np.ones((3, 5), F), "x", r"argument 'x' of declared is float32\[\?,4\], got float32\[3,5\]: dimension 1"),
    ({"w": W}, np.ones((3, 4)), "x", r"convert it with \.astype\('float32'\)"),
    ({"w": W}, np.ones(4, F), "x", "1 dimensions instead of 2"),
    ({"w": W[:3]}, X, "params.w", r"argument 'params.w' of declared .* dimension 0 has 3 elements instead of 4"),
    ({"v": W}, X, "", "missing: params.w; not expected: params.v")])
def test_arguments_against_specs(params, x, name, pattern):
    with fails(506, pattern, at=HERE) as raised:
        declared(params, x)  # here
    assert raised.error.argument == name


def test_compiled_function_checks_each_call():
    compiled = weir.jit(lambda x: x + 1, name="f").trace(weir.spec((3, 4))).compile()
    compiled(X)
    compiled(X)
    with fails(506, "argument 'x' of f", at=HERE):
        compiled(np.ones((2, 4), F))  # here


def test_what_is_no_tensor():
    with fails(507, "argument 'x' is a builtin_function_or_method", at=HERE):
        weir.jit(lambda x: x)(print)  # here
    with fails(507, "no dtype of a tensor", at=HERE):
        weir.jit(lambda x: x)(np.ones(3, np.complex64))  # here
    with fails(507, "a result of f is a str"):
        weir.jit(lambda x: "text", name="f")(X)
    with fails(507, r"is the variable 'v'; use it inside"):
        weir.jit(lambda x: x)(weir.Variable(X, name="v"))
    with fails(507, "static_argnames has 'z'"):
        weir.jit(lambda x: x, static_argnames=["z"])
    with pytest.raises(TypeError, match="missing a required argument: 'x'"):
        weir.jit(lambda x: x)()


# ---- Gradients, variables, shapes


def test_gradients():
    v = weir.Variable(X, name="v")
    with fails(508, "variable 'v': it is not read"):
        weir.jit(lambda x: weir.grad(x.sum(), [v]))(X)
    with fails(508, r"the function gives float32\[3,4\]"):
        weir.grad(lambda x: x * 2)(X)
    with fails(508, "only floats have gradients"):
        weir.grad(lambda x: x.sum())(np.ones(3, np.int32))
    with fails(508, "takes a function or a tensor"):
        weir.grad(3.0)
    with fails(508, "2 gradients for 1 variables"):
        weir.jit(lambda x: weir.optim.SGD(0.1).apply([x, x], [v]))(X)


def test_numpy_without_counterpart():
    with fails(509, "numpy.linalg.det|numpy.det"):
        weir.jit(lambda x: np.linalg.det(x))(X)
    with fails(509, r"numpy\.arctan has no counterpart"):
        weir.jit(lambda x: np.arctan(x))(X)
    with fails(509, r"numpy\.add\.reduce has no counterpart"):
        weir.jit(lambda x: np.add.reduce(x))(X)
    with fails(509, r"out=\.\.\."):
        weir.jit(lambda x: np.add(x, x, out=np.zeros((3, 4), F)))(X)


def test_variables():
    with fails(510, "'w' has no value yet", at=HERE):
        weir.Variable(weir.spec((3,)), name="w").numpy()  # here
    with fails(510, "made of letters, digits"):
        weir.Variable(X, name="my weights")
    with fails(510, "static extents"):
        weir.Variable(weir.spec((None,)), name="w")
    a, b = weir.Variable(X, name="same"), weir.Variable(X, name="same")
    with fails(510, "two variables are called 'same'"):
        weir.jit(lambda: a + b)()
    v = weir.Variable(np.zeros(3, F), name="v")
    with fails(506, r"variable 'v' is float32\[3\], the value is float32\[3,4\]", at=HERE):
        v.assign(X)  # here
    with fails(506, r"variable 'v' is float32\[3\], the value is float32\[3,4\]"):
        weir.jit(lambda x: v.assign(x))(X)
    with fails(506, r"the value is int32\[3\]"):
        weir.jit(lambda x: v.assign(x))(np.zeros(3, np.int32))


def test_read_without_a_value_names_the_variable():
    w = weir.Variable(weir.spec((3,)), name="weights")
    with pytest.raises(weir.WeirError, match=r"\[WEIR03\d\d\].*'weights'"):
        weir.jit(lambda: w.read() + 1)()


def test_shapes():
    def f(x):
        return x + np.ones(3, F)  # here

    with fails(20, "3x4 and 3 do not broadcast", at=HERE):
        weir.jit(f)(X)
    with fails(511, "axis 2 is out of range"):
        weir.jit(lambda x: x.sum(axis=2))(X)
    with fails(511, "an axis is given twice"):
        weir.jit(lambda x: x.sum(axis=(0, -2)))(X)
    with fails(511, "no permutation"):
        weir.jit(lambda x: x.transpose(0, 0))(X)
    with fails(511, "padding is 'SAME'"):
        weir.jit(lambda x: weir.nn.max_pool(x, padding="HALF"))(np.ones((1, 4, 4, 1), F))


# ---- Run time


def test_label_that_is_no_class():
    loss = weir.jit(lambda x, y: weir.nn.sparse_softmax_cross_entropy(x, y))
    with pytest.raises(weir.WeirError, match="test_errors.py"):
        loss(X, np.array([0, 9, 1], np.int32))


def test_nan_is_reported():
    @weir.jit
    def f(x):
        return weir.check_numerics(wnp.log(x), "the loss diverged")

    assert np.isfinite(f(X)).all()
    with pytest.raises(weir.WeirError, match="the loss diverged"):
        f(-X)


def test_error_has_parts_and_can_be_pickled():
    import pickle

    with fails(502, "add of") as raised:
        weir.jit(mixes)(X)
    error = pickle.loads(pickle.dumps(raised.error))
    assert (error.code, error.line, str(error)) == ("WEIR0502", raised.error.line, str(raised.error))

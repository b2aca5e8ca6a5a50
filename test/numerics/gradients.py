# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The gradient of every differentiable op, of first and of second order.

Each is compared with the full Jacobian by central differences of the graph
itself in f64; those of first order with jax.vjp too.
"""

import dataclasses
import itertools
import sys

import jax
import jax.numpy as jnp
import numpy as np

import harness
from harness import tensor
from structure import array

jax.config.update("jax_enable_x64", True)

STEP = 1e-5


@dataclasses.dataclass
class Function:
    """A body that computes %y0 from the feeds, and the same in JAX, or None."""

    name: str
    body: str
    feeds: list
    result: str
    reference: object
    dynamic: list = None
    wrt: list = None


def node(op, feeds, reference, attributes="", dynamic=None, shape=None, wrt=None, open_result=False):
    given = dynamic or [()] * len(feeds)
    shape = np.shape(reference(*feeds)) if shape is None else shape
    result = tensor(np.zeros(shape), range(len(shape)) if open_result else ())
    operands = ", ".join(f"%x{i}" for i in range(len(feeds)))
    types = ", ".join(tensor(x, d) for x, d in zip(feeds, given))
    attributes = f" {{{attributes}}}" if attributes else ""
    body = f"%y0 = weir.{op} {operands}{attributes} : ({types}) -> {result}"
    if wrt is None:
        wrt = [i for i, x in enumerate(feeds) if np.asarray(x).dtype == np.float64]
    return Function(f"{op}{attributes} ({types})", body, feeds, result, reference, dynamic, wrt)


def open_axes(result):
    """The axes of a type of which the extent is not known."""
    extents = result.removeprefix("tensor<").split("x")[:-1]
    return tuple(i for i, extent in enumerate(extents) if extent == "?")


def inner(body):
    """A body whose results have other names, %f0 in place of %y0."""
    return body.replace("%f", "%ff").replace("%y", "%f")


def gradient_of(function, seed):
    """The gradients with respect to each of `wrt` as functions of their own."""
    count = len(function.feeds)
    given = (function.dynamic or [()] * count)
    forward = inner(function.body)
    types = [tensor(x, d) for x, d in zip(function.feeds, given)]
    for k, i in enumerate(function.wrt):
        body = (
            f"{forward}\n    %y0 = weir.gradients %f0 wrt(%x{i}) seed(%x{count}) : "
            f"({function.result}, {types[i]}, {function.result}) -> {types[i]}"
        )
        # Compared by differences alone, which need no more than the shape.
        shape = np.shape(function.feeds[i])
        yield Function(f"gradient {k} of {function.name}", body, [*function.feeds, seed], types[i],
                       lambda *feeds, shape=shape: np.zeros(shape), [*given, open_axes(function.result)], [*function.wrt, count])


class Jacobians:
    """Collects runs, and compares them once they are done."""

    def __init__(self, name, peer=True):
        self.suite = harness.Suite(name)
        self.name = name
        self.peer = peer
        self.checks = []

    def add(self, function, rng):
        given = function.dynamic or [()] * len(function.feeds)
        forward = self.suite.graph(function.name, function.body, function.feeds, [], dynamic=given, results=[function.result])
        y = np.asarray(function.reference(*function.feeds))
        steps = {}
        for i in function.wrt:
            for place in np.ndindex(np.shape(function.feeds[i])):
                for sign in (1, -1):
                    feeds = [np.array(x) for x in function.feeds]
                    feeds[i][place] += sign * STEP
                    self.suite.again(forward, feeds)
                    steps[i, place, sign] = len(self.suite.cases) - 1
        count = len(function.feeds)
        types = [tensor(x, d) for x, d in zip(function.feeds, given)]
        xs = ", ".join(f"%x{i}" for i in function.wrt)
        results = ", ".join(types[i] for i in function.wrt)
        names = ", ".join(f"%g{k}" for k in range(len(function.wrt)))
        body = (
            f"{inner(function.body)}\n    {names} = weir.gradients %f0 wrt({xs}) seed(%x{count}) : "
            f"({function.result}, {results}, {function.result}) -> ({results})\n    "
        ).replace("%g", "%y")
        rows, backward = {}, None
        axes = open_axes(function.result)
        for place in np.ndindex(y.shape):
            seed = np.zeros(y.shape)
            seed[place] = 1.0
            if backward is None:
                backward = self.suite.graph(function.name, body, [*function.feeds, seed], [], dynamic=[*given, axes],
                                            results=[types[i] for i in function.wrt])
            else:
                self.suite.again(backward, [*function.feeds, seed])
            rows[place] = len(self.suite.cases) - 1
        seed = rng.uniform(-1, 1, y.shape)
        self.suite.again(backward, [*function.feeds, seed]) if backward else None
        self.checks.append((function, steps, rows, seed, len(self.suite.cases) - 1))

    def names(self):
        return [function.name for function, *_ in self.checks]

    def faults(self, runner, *flags):
        """Why functions failed, by their number."""
        outcomes = self.suite.run(runner, *flags)
        whys = {}
        for number, (function, steps, rows, seed, whole) in enumerate(self.checks):
            why = self.compare(function, outcomes, steps, rows) or (
                self.compare_peer(function, outcomes, seed, whole) if self.peer and rows else "")
            if why:
                whys[number] = why
        return whys

    @staticmethod
    def compare(function, outcomes, steps, rows):
        for outcome in [outcomes[i] for i in [*steps.values(), *rows.values()]]:
            if isinstance(outcome, str):
                return outcome
        for (i, place, sign), run in steps.items():
            if sign < 0:
                continue
            numeric = (outcomes[run][0] - outcomes[steps[i, place, -1]][0]) / (2 * STEP)
            k = function.wrt.index(i)
            for at, row in rows.items():
                got, want = outcomes[row][k][place], numeric[at]
                if not abs(got - want) <= 1e-5 * abs(want) + 1e-7:
                    return f"d y{list(at)} / d x{i}{list(place)} is {got!r}, by differences {want!r}"
        return ""

    @staticmethod
    def compare_peer(function, outcomes, seed, whole):
        partial = lambda *xs: function.reference(*[xs[function.wrt.index(i)] if i in function.wrt else x for i, x in enumerate(function.feeds)])
        pullback = jax.vjp(partial, *[jnp.asarray(function.feeds[i]) for i in function.wrt])[1]
        for k, want in enumerate(pullback(jnp.asarray(seed))):
            got = outcomes[whole][k]
            if got.shape != want.shape or not np.allclose(got, want, rtol=1e-9, atol=1e-12):
                return f"gradient {k} is\n{got}\nby JAX\n{want}"
        return ""


# ===----------------------------------------------------------------------===//
# The functions
# ===----------------------------------------------------------------------===//


def smooth(rng, *shape, low=0.3, high=1.7):
    """Away from 0 and from each other, so that no kink is within a step."""
    x = rng.uniform(low, high, shape)
    return np.asarray(x)


def apart(rng, *shape):
    """Different numbers in random order, negative ones too."""
    n = int(np.prod(shape))
    return (rng.permutation(n).reshape(shape) - n / 2 + 0.25) / 3.0


def elementwise(rng):
    x, both = smooth(rng, 2, 3), apart(rng, 2, 3)
    for op, reference in {
        "neg": jnp.negative, "abs": jnp.abs, "sign": jnp.sign, "square": jnp.square, "exp": jnp.exp, "expm1": jnp.expm1,
        "sin": jnp.sin, "cos": jnp.cos, "tanh": jnp.tanh, "erf": jax.scipy.special.erf, "sigmoid": jax.nn.sigmoid,
        "relu": jax.nn.relu, "floor": jnp.floor, "ceil": jnp.ceil, "round": jnp.round,
    }.items():
        yield node(op, [both], reference)
        yield node(op, [both], reference, dynamic=[(0, 1)], open_result=True)
    for op, reference in {
        "reciprocal": lambda x: 1 / x, "log": jnp.log, "log1p": jnp.log1p, "sqrt": jnp.sqrt, "rsqrt": jax.lax.rsqrt,
    }.items():
        yield node(op, [x], reference)
    yield node("cast", [x], lambda x: x, "to = f64")
    yield node("identity", [x], lambda x: x)
    yield node("stop_gradient", [x], jax.lax.stop_gradient, wrt=[])
    for op, reference in {"add": jnp.add, "sub": jnp.subtract, "mul": jnp.multiply, "div": jnp.divide, "pow": jnp.power,
                          "maximum": jnp.maximum, "minimum": jnp.minimum}.items():
        for a, b in [((2, 3), (2, 3)), ((2, 3), (3,)), ((2, 1), (1, 3)), ((), (2, 2)), ((3,), (2, 1, 1)), ((1,), (1,))]:
            yield node(op, [smooth(rng, *a), smooth(rng, *b)], reference)
        yield node(op, [smooth(rng, 2, 3), smooth(rng, 1, 3)], reference, dynamic=[(0, 1), (1,)], open_result=True)
    condition = np.array([[True], [False]])
    yield node("select", [condition, x, smooth(rng, 3)], jnp.where)
    yield node("select", [condition, smooth(rng, 1, 1), both], jnp.where)


def structure(rng):
    x = smooth(rng, 2, 3, 2)
    yield node("reshape", [x], lambda x: x.reshape(4, 3), "shape = array<i64: 4, 3>")
    yield node("reshape", [x], lambda x: x.reshape(6, 2), "shape = array<i64: -1, 2>", dynamic=[(0,)], open_result=True)
    yield node("reshape_like", [x, smooth(rng, 6, 2)], lambda x, y: x.reshape(6, 2))
    yield node("reshape_like", [x, smooth(rng, 6, 2)], lambda x, y: x.reshape(6, 2), dynamic=[(0,), (0,)], open_result=True)
    yield node("expand_dims", [x], lambda x: x[:, None, ..., None], "axes = array<i64: 1, 4>")
    yield node("squeeze", [x[:, :1]], lambda x: x[:, 0], "axes = array<i64: 1>")
    for permutation in itertools.permutations(range(3)):
        yield node("transpose", [x], lambda x, p=permutation: jnp.transpose(x, p), f"permutation = {array(permutation)}")
    yield node("broadcast_to", [x[:, :1]], lambda x: jnp.broadcast_to(x, (2, 2, 3, 2)), "shape = array<i64: 2, -1, 3, -1>")
    yield node("broadcast_like", [x[0, :, :1], x], lambda a, b: jnp.broadcast_to(a, b.shape))
    yield node("broadcast_like", [x[0, :, :1], x], lambda a, b: jnp.broadcast_to(a, b.shape), dynamic=[(0,), (0, 1, 2)], open_result=True)
    for axis in range(3):
        parts = [x, x[:1] if axis == 0 else x[:, :2] if axis == 1 else x[..., :1]]
        yield node("concat", parts, lambda a, b, axis=axis: jnp.concatenate([a, b], axis), f"axis = {axis} : i64")
    yield node("concat", [x, x], lambda a, b: jnp.concatenate([a, b], 0), "axis = 0 : i64", dynamic=[(), (0,)], open_result=True)
    yield node("slice", [x], lambda x: x[1:, 0:3:2, 1:], "begin = array<i64: 1, 0, 1>, size = array<i64: 1, 2, 1>, strides = array<i64: 1, 2, 1>")
    yield node("slice", [smooth(rng, 7)], lambda x: x[1:6:2], "begin = array<i64: 1>, size = array<i64: 3>, strides = array<i64: 2>")
    yield node("slice", [smooth(rng, 5)], lambda x: x[2:2], "begin = array<i64: 2>, size = array<i64: 0>, strides = array<i64: 1>")
    yield node("slice", [smooth(rng, 5)], lambda x: x[2:], "begin = array<i64: 2>, size = array<i64: -1>, strides = array<i64: 1>",
               dynamic=[(0,)], open_result=True)
    yield node("pad", [x[0]], lambda x: jax.lax.pad(x, jnp.float64(1), [(1, 0, 2), (0, 2, 1)]),
               "low = array<i64: 1, 0>, high = array<i64: 0, 2>, interior = array<i64: 2, 1>, value = 1.0 : f64")
    yield node("dynamic_reshape", [x, np.array([-1, 4])], lambda x, s: x.reshape(3, 4), open_result=True)
    yield node("dynamic_broadcast", [x[0, :, :1], np.array([2, 3, 2])], lambda x, s: jnp.broadcast_to(x, (2, 3, 2)), dynamic=[(0,), ()],
               open_result=True)
    yield from boxes(rng)
    yield from products(rng)
    yield node("cumulative_sum", [x], lambda x: jnp.cumsum(x, 1), "axis = 1 : i64")
    yield node("cumulative_sum", [x], lambda x: jnp.flip(jnp.cumsum(jnp.flip(x, 0), 0), 0) - x, "axis = 0 : i64, exclusive, reverse")
    yield node("reverse", [x], lambda x: jnp.flip(x, (0, 2)), "axes = array<i64: 0, 2>")
    for axes in [(), (0,), (1, 2), (0, 1, 2)]:
        for keep in (False, True):
            attributes = f"axes = {array(axes)}" + (", keep_dims" if keep else "")
            for op, reference in {"reduce_sum": jnp.sum, "reduce_mean": jnp.mean, "reduce_max": jnp.max, "reduce_min": jnp.min}.items():
                yield node(op, [apart(rng, 2, 3, 2)], lambda x, f=reference, a=axes, k=keep: f(x, axis=a, keepdims=k), attributes)
                yield node(op, [apart(rng, 2, 3, 2)], lambda x, f=reference, a=axes, k=keep: f(x, axis=a, keepdims=k), attributes,
                           dynamic=[(0, 2)], open_result=True)
    for (a, b), transpose_lhs, transpose_rhs in itertools.product(
        [((2, 3), (3, 2)), ((2, 2, 3), (3, 2)), ((2, 1, 2, 2), (3, 2, 1)), ((1, 2, 2), (2, 2, 2))], [False, True], [False, True]):
        attributes = ", ".join(["transpose_lhs"] * transpose_lhs + ["transpose_rhs"] * transpose_rhs)
        lhs, rhs = smooth(rng, *a), smooth(rng, *b)
        feeds = [np.swapaxes(lhs, -1, -2) if transpose_lhs else lhs, np.swapaxes(rhs, -1, -2) if transpose_rhs else rhs]
        yield node("matmul", [np.ascontiguousarray(x) for x in feeds],
                   lambda p, q, s=transpose_lhs, t=transpose_rhs: jnp.matmul(p.swapaxes(-1, -2) if s else p, q.swapaxes(-1, -2) if t else q),
                   attributes)
    yield node("matmul", [smooth(rng, 2, 3), smooth(rng, 3, 2)], jnp.matmul, dynamic=[(0,), ()], open_result=True)
    for axis in range(3):
        for index in [np.array(1, np.int32), np.array([1, 0, 1], np.int64), np.array([[1, 1], [0, 1]], np.int32)]:
            yield node("gather", [x, index], lambda x, i, axis=axis: jnp.take(x, i, axis), f"axis = {axis} : i64")
    yield from scatters(rng)
    index = np.array([2, 0], np.int32)
    yield node("take_along", [x[..., 0], index], lambda x, i: x[jnp.arange(2), i])
    segments = np.array([[0, 2, 0], [1, 1, 4]])
    yield node("unsorted_segment_sum", [x, segments], lambda x, s: jax.ops.segment_sum(x.reshape(6, 2), s.ravel(), 5), "segment_count = 5 : i64")


def boxes(rng):
    x = smooth(rng, 5, 4)
    for begin, size, strides in [((1, 0), (2, 4), (1, 1)), ((0, 1), (3, 1), (2, 3)), ((4, 3), (0, 0), (1, 1))]:
        box = tuple(slice(b, b + n * s, s) for b, n, s in zip(begin, size, strides))
        feeds, attributes = [x, smooth(rng, *size), np.array(begin)], f"strides = {array(strides)}"
        for index, dynamic in [(np.int64, None), (np.int32, [(0, 1), (0, 1), ()])]:
            feeds = [*feeds[:2], feeds[2].astype(index)]
            yield node("dynamic_update_slice", feeds, lambda x, u, _, box=box: jnp.asarray(x).at[box].set(u), attributes, dynamic=dynamic,
                       open_result=dynamic is not None)


def scattered(kind):
    """One update after the other, as the op is defined."""
    def reference(x, places, updates):
        x, places = jnp.asarray(x), np.asarray(places)
        updates = jnp.broadcast_to(updates, (*places.shape[:-1], *x.shape[places.shape[-1]:]))
        for i in np.ndindex(places.shape[:-1]):
            place = x.at[tuple(places[i])]
            u = updates[i]
            x = {"assign": place.set, "add": place.add, "sub": lambda u: place.add(-u), "mul": lambda u: place.set(place.get() * u),
                 "div": lambda u: place.set(place.get() / u), "min": lambda u: place.set(jnp.minimum(place.get(), u)),
                 "max": lambda u: place.set(jnp.maximum(place.get(), u))}[kind](u)
        return x
    return reference


def scatters(rng):
    # Two updates of one element, and elements without an update.
    deep = np.array([[[0, 1], [2, 0], [0, 1]], [[1, 1], [2, 0], [1, 0]]])
    for kind in ("assign", "add", "sub", "mul", "div", "min", "max"):
        attributes = f"kind = #weir.scatter_kind<{kind}>"
        x, u = apart(rng, 3, 2, 2), apart(rng, 2, 3, 2) + 0.1
        yield node("scatter_nd", [x, deep, u], scattered(kind), attributes)
        yield node("scatter_nd", [x, deep[:1].astype(np.int32), u[:1]], scattered(kind), attributes, dynamic=[(0, 2), (0, 1), (1, 2)],
                   open_result=True)
        yield node("scatter_nd", [x[0, 0], np.array([[1], [1]]), u[0, 0]], scattered(kind), attributes)
        yield node("scatter_nd", [x[0, 0], np.zeros((2, 0), np.int32), u[0, :2]], scattered(kind), attributes)
        rows = lambda x, i, u, f=scattered(kind): f(x, np.asarray(i)[..., None], u)
        yield node("scatter", [x[:, 0], np.array([[2, 0], [2, 2]]), apart(rng, 2, 2, 2) + 0.1], rows, attributes)
        yield node("scatter", [x[:, 0], np.array([1, 2], np.int32), np.asarray(0.7)], rows, attributes, dynamic=[(0,), (0,), ()],
                   open_result=True)
    # Updates that are 0, alone and with others.
    mul = "kind = #weir.scatter_kind<mul>"
    zeros = np.array([0.0, 3.0, 0.0, 0.0, 2.0])
    yield node("scatter", [smooth(rng, 4), np.array([0, 0, 1, 1, 1]), zeros],
               lambda x, i, u, f=scattered("mul"): f(x, np.asarray(i)[..., None], u), mul)


def products(rng):
    for axes, keep in itertools.product([(), (0,), (1, 2), (0, 1, 2)], [False, True]):
        attributes = f"axes = {array(axes)}" + (", keep_dims" if keep else "")
        def reference(x, a=axes, k=keep):
            return jnp.prod(x, axis=a, keepdims=k)
        x = smooth(rng, 2, 3, 2)
        yield node("reduce_prod", [x], reference, attributes)
        x = x.copy()
        x[0, 1, 0] = x[0, 2, 0] = x[1, 0, 1] = 0.0
        yield node("reduce_prod", [x], reference, attributes)
        yield node("reduce_prod", [x], reference, attributes, dynamic=[(0, 2)], open_result=True)
    for axis, exclusive, reverse in itertools.product(range(2), [False, True], [False, True]):
        def reference(x, a=axis, e=exclusive, r=reverse):
            x = jnp.flip(x, a) if r else x
            if e:
                ones = jnp.ones_like(jax.lax.slice_in_dim(x, 0, 1, axis=a))
                x = jnp.concatenate([ones, jax.lax.slice_in_dim(x, 0, x.shape[a] - 1, axis=a)], a)
            # One element after the other: jnp.cumprod divides in its gradient.
            parts = [jax.lax.slice_in_dim(x, 0, 1, axis=a)]
            for i in range(1, x.shape[a]):
                parts.append(parts[-1] * jax.lax.slice_in_dim(x, i, i + 1, axis=a))
            y = jnp.concatenate(parts, a)
            return jnp.flip(y, a) if r else y
        attributes = ", ".join([f"axis = {axis} : i64"] + ["exclusive"] * exclusive + ["reverse"] * reverse)
        for shape in [(5, 3), (1, 4), (4, 2)]:
            x = smooth(rng, *shape)
            yield node("cumulative_prod", [x], reference, attributes, dynamic=[(1 - axis,)], open_result=True)
            x = x.copy()
            x[0, 1] = x[-1, 1] = 0.0
            yield node("cumulative_prod", [x], reference, attributes)


def convolution(padding, pads, strides, dilations):
    def reference(x, k):
        edges = padding if pads is None else [(pads[0], pads[1]), (pads[2], pads[3])]
        return jax.lax.conv_general_dilated(x, k, strides, edges, rhs_dilation=dilations, dimension_numbers=("NHWC", "HWIO", "NHWC"))
    return reference


def windowed(window, strides, padding, pads, kind):
    def reference(x):
        edges = padding if pads is None else [(0, 0), (pads[0], pads[1]), (pads[2], pads[3]), (0, 0)]
        if kind == "max":
            return jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, *window, 1), (1, *strides, 1), edges)
        def total(v):
            return jax.lax.reduce_window(v, 0.0, jax.lax.add, (1, *window, 1), (1, *strides, 1), edges)
        return total(x) / total(jnp.ones_like(x))
    return reference


WINDOWS = [("VALID", None), ("SAME", None), ("EXPLICIT", (1, 0, 0, 1))]


def attributes_of(strides, padding, pads, **more):
    lists = {**more, "strides": strides}
    text = [f"{name} = {array(values)}" for name, values in lists.items()] + [f"padding = #weir.padding<{padding}>"]
    if pads is not None:
        text.append(f"pads = {array(pads)}")
    return ", ".join(text)


def networks(rng):
    for (padding, pads), strides, dilations in itertools.product(WINDOWS, [(1, 1), (2, 1), (2, 3)], [(1, 1), (1, 2)]):
        x, k = apart(rng, 1, 4, 5, 2), apart(rng, 2, 2, 2, 2)
        yield node("conv2d", [x, k], convolution(padding, pads, strides, dilations),
                   attributes_of(strides, padding, pads, dilations=dilations))
    yield node("conv2d", [apart(rng, 2, 3, 3, 1), apart(rng, 3, 2, 1, 2)], convolution("SAME", None, (1, 1), (1, 1)),
               attributes_of((1, 1), "SAME", None, dilations=(1, 1)), dynamic=[(0,), ()], open_result=True)
    for (padding, pads), (window, strides) in itertools.product(WINDOWS, [((2, 2), (2, 2)), ((3, 2), (1, 2)), ((2, 2), (1, 1))]):
        for kind in ("max", "avg"):
            yield node(f"{kind}_pool", [apart(rng, 1, 4, 5, 2)], windowed(window, strides, padding, pads, kind),
                       attributes_of(strides, padding, pads, window=window))
    for shape in [(3, 4), (5,), (2, 2, 3), (2, 1)]:
        yield node("softmax", [apart(rng, *shape)], jax.nn.softmax)
        yield node("log_softmax", [apart(rng, *shape)], jax.nn.log_softmax)
    labels = np.array([3, 0, 1], np.int32)

    def entropy(x, i):
        return -jax.nn.log_softmax(x)[jnp.arange(3), i]

    yield node("sparse_softmax_cross_entropy", [apart(rng, 3, 4), labels], entropy)
    yield node("sparse_softmax_cross_entropy", [apart(rng, 3, 4), labels], entropy, dynamic=[(0,), (0,)], open_result=True)


def twice(function):
    """Whether the gradient of the function has a gradient itself."""
    # The parts of a concatenation of open extent are slices of it, and the
    # others of a product are products up to each, which have a gradient only
    # where the extent is known.
    unknown = function.name.startswith(("concat", "reduce_prod")) and "?" in function.name
    # Of several updates by which an element is multiplied one is 0.
    zeros = any(np.asarray(x).dtype == np.float64 and np.any(x == 0) for x in function.feeds) and function.name.startswith("scatter")
    return function.wrt and not unknown and not zeros


def suites():
    made = []
    for part in (elementwise, structure, networks):
        rng = np.random.default_rng(5)
        first, second = Jacobians(f"gradients of {part.__name__}"), Jacobians(f"second gradients of {part.__name__}", False)
        for function in part(rng):
            if function.wrt:
                first.add(function, rng)
            if twice(function):
                seed = rng.uniform(0.5, 1.5, np.shape(function.reference(*function.feeds)))
                for gradient in gradient_of(function, seed):
                    second.add(gradient, rng)
        made += [first, second]
    return made


if __name__ == "__main__":
    sys.exit(harness.main(suites()))

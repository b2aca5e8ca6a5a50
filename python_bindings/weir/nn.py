# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Neural networks: activations, convolution, pooling, losses.

Images are NHWC, filters HWIO. Everything has a gradient but `one_hot`.
"""
from __future__ import annotations

import math
from typing import Any, Sequence, Tuple, Union

from . import numpy as wnp
from . import random
from ._dtypes import FLOATS, dtype_number
from ._errors import fail
from ._ops import as_tensor, elementwise, float_elementwise, node, one_axis
from ._tensor import Tensor

__all__ = ["relu", "sigmoid", "tanh", "silu", "softplus", "gelu", "softmax", "log_softmax", "conv2d", "max_pool",
           "avg_pool", "sparse_softmax_cross_entropy", "one_hot", "dropout"]

Pair = Union[int, Sequence[int]]
Padding = Union[str, Sequence[Tuple[int, int]]]


def relu(x: Any) -> Tensor:
    """max(x, 0); NaN stays NaN."""
    return elementwise("relu", x)


def sigmoid(x: Any) -> Tensor:
    """1 / (1 + exp(-x))."""
    return float_elementwise("sigmoid", x)


def tanh(x: Any) -> Tensor:
    """The hyperbolic tangent."""
    return wnp.tanh(x)


def silu(x: Any) -> Tensor:
    """x * sigmoid(x)."""
    x = as_tensor(x)
    return x * sigmoid(x)


def softplus(x: Any) -> Tensor:
    """log(1 + exp(x)), without overflow."""
    x = as_tensor(x)
    return wnp.maximum(x, 0) + wnp.log1p(wnp.exp(-wnp.abs(x)))


def gelu(x: Any, approximate: bool = True) -> Tensor:
    """x times the normal distribution at x: by tanh, or exactly by erf."""
    x = as_tensor(x)
    if not approximate:
        return 0.5 * x * (1 + wnp.erf(x * math.sqrt(0.5)))
    return 0.5 * x * (1 + wnp.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x * wnp.square(x))))


def _along_last(op: str, x: Any, axis: int) -> Tensor:
    x = as_tensor(x)
    if x.spec.number not in FLOATS:
        fail("WEIR0502", f"{op} is for floats, got {x.spec}; convert it: x.astype('float32')")
    axis = one_axis(op, axis, x.ndim)
    if axis == x.ndim - 1:
        return node(op, [x])
    return wnp.swapaxes(node(op, [wnp.swapaxes(x, axis, -1)]), axis, -1)


def softmax(x: Any, axis: int = -1) -> Tensor:
    """exp(x) over the sum of it along an axis."""
    return _along_last("softmax", x, axis)


def log_softmax(x: Any, axis: int = -1) -> Tensor:
    """The logarithm of softmax, without overflow."""
    return _along_last("log_softmax", x, axis)


def _pair(what: str, value: Pair) -> list:
    pair = [value, value] if isinstance(value, int) else list(value)
    if len(pair) != 2:
        fail("WEIR0511", f"{what} is a number, or two for height and width; got {value!r}")
    return [int(n) for n in pair]


def _padding(padding: Padding) -> dict:
    if isinstance(padding, str):
        if padding.upper() not in ("SAME", "VALID"):
            fail("WEIR0511", f"padding is 'SAME', 'VALID' or ((top, bottom), (left, right)); got {padding!r}")
        return {"padding": ("enum", f"#weir.padding<{padding.upper()}>")}
    (top, bottom), (left, right) = padding
    return {"padding": ("enum", "#weir.padding<EXPLICIT>"), "pads": [top, bottom, left, right]}


def conv2d(x: Any, filters: Any, strides: Pair = 1, padding: Padding = "SAME", dilations: Pair = 1) -> Tensor:
    """The convolution of images [n, h, w, c] with filters [i, j, c, o].

    Shapes that do not fit are errors at the caller's line.
    """
    return node("conv2d", [as_tensor(x), as_tensor(filters)],
                {"strides": _pair("strides", strides), "dilations": _pair("dilations", dilations), **_padding(padding)})


def _pool(op: str, x: Any, window: Pair, strides: Any, padding: Padding) -> Tensor:
    window = _pair("window", window)
    strides = window if strides is None else _pair("strides", strides)
    return node(op, [as_tensor(x)], {"window": window, "strides": strides, **_padding(padding)})


def max_pool(x: Any, window: Pair = 2, strides: Any = None, padding: Padding = "VALID") -> Tensor:
    """The largest element of each window of images; windows do not overlap unless `strides` says so."""
    return _pool("max_pool", x, window, strides, padding)


def avg_pool(x: Any, window: Pair = 2, strides: Any = None, padding: Padding = "VALID") -> Tensor:
    """The mean of each window of images; padding does not count."""
    return _pool("avg_pool", x, window, strides, padding)


def sparse_softmax_cross_entropy(logits: Any, labels: Any) -> Tensor:
    """-log_softmax(logits)[label] for each row: logits [..., classes], labels [...] of int32 or int64.

    A label that is no class is an error when the step runs.
    """
    logits, labels = as_tensor(logits), as_tensor(labels)
    if logits.ndim == 2:
        return node("sparse_softmax_cross_entropy", [logits, labels])
    if logits.ndim < 2 or labels.ndim != logits.ndim - 1 or logits.shape[-1] is None:
        fail("WEIR0511", f"sparse_softmax_cross_entropy takes logits [..., classes] and labels [...], got {logits.spec} and "
                  f"{labels.spec}")
    rows = node("sparse_softmax_cross_entropy", [wnp.reshape(logits, (-1, logits.shape[-1])), wnp.ravel(labels)])
    return node("reshape_like", [rows, labels])


def one_hot(indices: Any, depth: int, dtype: Any = "float32") -> Tensor:
    """Rows with a 1 at the index and 0 elsewhere; an index out of range gives zeros."""
    return node("one_hot", [as_tensor(indices)], {"depth": int(depth), "to": ("dtype", dtype_number(dtype))})


def dropout(x: Any, rate: float, seed: Any) -> Tensor:
    """Sets a part of the elements to 0 and scales the others up, by `seed` alone (see weir.random).

    x has static extents; 0 <= rate < 1. For another choice in each step, make
    the seed of a variable that counts.
    """
    x = as_tensor(x)
    if not 0 <= rate < 1:
        fail("WEIR0511", f"dropout: the rate is in 0 <= rate < 1, got {rate}")
    if rate == 0:
        return x
    if None in x.shape:
        fail("WEIR0511", f"dropout needs static extents, got {x.spec}")
    keep = random.uniform(x.shape, seed=seed) >= rate
    return wnp.where(keep, x / (1 - rate), wnp.zeros((), x.dtype))

# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random numbers that are a function of a seed: the same on every machine and backend.

A seed is a number, a pair of numbers, or an int64 tensor of two elements. The
same seed gives the same numbers each time, so different tensors need
different seeds, and fresh numbers in each step need a seed that changes.
"""
from __future__ import annotations

from typing import Any, Sequence, Union

import numpy as np

from ._dtypes import INT64, dtype_number
from ._errors import fail
from ._ops import as_tensor, constant, node
from ._tensor import Tensor
from ._variable import Variable

__all__ = ["uniform", "normal"]


def _seed(seed: Any) -> Tensor:
    if isinstance(seed, (Tensor, Variable)):
        seed = as_tensor(seed)
        if seed.spec.number != INT64 or seed.shape not in ((), (2,)):
            fail("WEIR0511", f"a seed is int64[2] or int64[], got {seed.spec}")
        if seed.shape == (2,):
            return seed
        from .numpy import stack

        return stack([seed, np.zeros((), np.int64).reshape(())])
    pair = [seed, 0] if isinstance(seed, (int, np.integer)) else list(seed)
    if len(pair) != 2:
        fail("WEIR0511", f"a seed is a number or a pair of numbers, got {seed!r}")
    return constant(np.array(pair, np.int64))


def _draw(op: str, shape: Any, seed: Any, dtype: Any) -> Tensor:
    extents = [shape] if isinstance(shape, (int, np.integer)) else list(shape)
    if any(extent is None for extent in extents):
        fail("WEIR0511", f"random tensors have static extents, got {tuple(extents)}")
    return node(op, [_seed(seed)], {"type": ("type", (dtype_number(dtype), [int(n) for n in extents]))})


def uniform(shape: Union[int, Sequence[int]], *, seed: Any, low: float = 0.0, high: float = 1.0,
            dtype: Any = "float32") -> Tensor:
    """Uniform in low <= x < high."""
    x = _draw("random_uniform", shape, seed, dtype)
    return x if (low, high) == (0.0, 1.0) else x * (high - low) + low


def normal(shape: Union[int, Sequence[int]], *, seed: Any, mean: float = 0.0, std: float = 1.0,
           dtype: Any = "float32") -> Tensor:
    """Normal with a mean and a standard deviation."""
    x = _draw("random_normal", shape, seed, dtype)
    x = x if std == 1.0 else x * std
    return x if mean == 0.0 else x + mean

# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The part of weir.numpy that makes new tensors."""
from __future__ import annotations

from typing import Any, List, Optional

import numpy as np

from ._dtypes import BOOL, FLOATS, INTEGERS, dtype_number, numpy_dtype
from ._errors import fail
from ._ops import as_array, as_tensor, cast, constant, node
from ._tensor import Tensor


def extents_of(shape: Any) -> List[Optional[int]]:
    if shape is None or isinstance(shape, (int, np.integer)):
        shape = (shape,)
    result: List[Optional[int]] = []
    for extent in shape:
        if extent is not None and not isinstance(extent, (int, np.integer)):
            fail("WEIR0511", f"an extent of a shape is a Python number, got {extent!r}; "
                      f"-1 stands for one that follows from the others")
        result.append(None if extent is None else int(extent))
    return result


def array(value: Any, dtype: Any = None) -> Tensor:
    """A constant, or the tensor itself; lists are float32 or int32."""
    if isinstance(value, (bool, int, float, list, tuple)) and not _holds_tensor(value):
        return constant(as_array(value, dtype))
    x = as_tensor(value)
    return x if dtype is None else astype(x, dtype)


asarray = array


def _holds_tensor(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return any(_holds_tensor(item) for item in value)
    return not isinstance(value, (bool, int, float, np.generic, np.ndarray))


def astype(x: Any, dtype: Any) -> Tensor:
    """The same numbers in another dtype."""
    return cast(as_tensor(x), dtype_number(dtype))


def full(shape: Any, value: Any, dtype: Any = None) -> Tensor:
    """A tensor of one value."""
    extents = extents_of(shape)
    if None in extents:
        fail("WEIR0511", "a new tensor has static extents; for the shape of another one use full_like, zeros_like, ones_like")
    if isinstance(value, Tensor):
        value = value if dtype is None else astype(value, dtype)
        return node("broadcast_to", [value], {"shape": extents})
    number = dtype_number(dtype) if dtype is not None else dtype_number(as_array(value).dtype)
    return constant(np.full(extents, value, numpy_dtype(number)))


def zeros(shape: Any, dtype: Any = "float32") -> Tensor:
    """A tensor of zeros."""
    return full(shape, 0, dtype)


def ones(shape: Any, dtype: Any = "float32") -> Tensor:
    """A tensor of ones."""
    return full(shape, 1, dtype)


def full_like(x: Any, value: Any, dtype: Any = None) -> Tensor:
    """A tensor of one value in the shape and dtype of another, dynamic extents too."""
    x = as_tensor(x)
    number = x.spec.number if dtype is None else dtype_number(dtype)
    if None not in x.shape:
        return full(x.shape, value, numpy_dtype(number))
    scalar = astype(value, numpy_dtype(number)) if isinstance(value, Tensor) else constant(
        np.asarray(value).astype(numpy_dtype(number)))
    return node("broadcast_like", [scalar, x])


def zeros_like(x: Any, dtype: Any = None) -> Tensor:
    """Zeros in the shape and dtype of another tensor."""
    return full_like(x, 0, dtype)


def ones_like(x: Any, dtype: Any = None) -> Tensor:
    """Ones in the shape and dtype of another tensor."""
    return full_like(x, 1, dtype)


def arange(start: Any, stop: Any = None, step: Any = 1, dtype: Any = None) -> Tensor:
    """Numbers from `start` up to, not including, `stop`."""
    if stop is None:
        start, stop = 0, start
    values = np.arange(start, stop, step)
    if dtype is None:
        dtype = "int32" if values.dtype.kind in "iu" else "float32"
    number = dtype_number(dtype)
    if start == 0 and step == 1 and number in (INTEGERS | FLOATS):
        return node("iota", [], {"type": ("type", (number, [len(values)])), "axis": 0})
    return constant(values.astype(numpy_dtype(number)))


def eye(n: int, dtype: Any = "float32") -> Tensor:
    """The identity matrix."""
    return constant(np.eye(n, dtype=numpy_dtype(dtype_number(dtype))))


def tril(x: Any, k: int = 0) -> Tensor:
    """The lower triangle of matrices of static extents, 0 above it."""
    x = as_tensor(x)
    if x.ndim < 2 or None in x.shape[-2:]:
        fail("WEIR0511", f"tril takes matrices of static extents, got {x.spec}")
    mask = np.tri(x.shape[-2], x.shape[-1], k, dtype=bool)
    from .numpy import logical_and, where

    return logical_and(x, mask) if x.spec.number == BOOL else where(mask, x, zeros((), x.dtype))

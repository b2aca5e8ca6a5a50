# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Indexing of tensors: integers, slices, Ellipsis, None, and one array of integers."""
from __future__ import annotations

from typing import Any, List, Optional

import numpy as np

from ._dtypes import INT32, INT64
from ._errors import fail
from ._ops import as_tensor, node
from ._tensor import Tensor
from ._variable import Variable

_ARRAYS = (Tensor, Variable, np.ndarray, list)


def getitem(x: Tensor, index: Any) -> Tensor:
    """`x[index]` as nodes: a slice, a squeeze, an expand_dims, a gather."""
    items = _expand(x, index if isinstance(index, tuple) else (index,))
    begin: List[int] = []
    size: List[int] = []
    strides: List[int] = []
    reverse: List[int] = []
    squeeze: List[int] = []
    expand: List[int] = []
    gather: Optional[int] = None
    rank = 0  # of the result before the gather
    for item in items:
        if item is None:
            expand.append(rank)
            rank += 1
            continue
        axis, extent = len(begin), x.shape[len(begin)]
        if isinstance(item, _ARRAYS):
            gather, indices = rank, item
            item = slice(None)
        if isinstance(item, slice):
            first, count, stride = _slice(item, extent, axis, x)
            if stride < 0:
                # From the last element of the slice, forwards; then turned around.
                first, stride = first + (count - 1) * stride if count else 0, -stride
                reverse.append(axis)
            rank += 1
        else:
            first, count, stride = _integer(item, extent, axis, x), 1, 1
            squeeze.append(axis)
        begin.append(first)
        size.append(count)
        strides.append(stride)
    result = x
    whole = all(first == 0 and step == 1 and count in (-1, extent)
                for first, step, count, extent in zip(begin, strides, size, x.shape))
    if not whole:
        result = node("slice", [result], {"begin": begin, "size": size, "strides": strides})
    if reverse:
        result = node("reverse", [result], {"axes": reverse})
    if squeeze:
        result = node("squeeze", [result], {"axes": squeeze})
    if expand:
        result = node("expand_dims", [result], {"axes": expand})
    if gather is not None:
        result = node("gather", [result, _indices(indices)], {"axis": gather})
    return result


def _expand(x: Tensor, index: tuple) -> list:
    """One item for each dimension and each None; Ellipsis filled in."""
    used = sum(1 for item in index if item is not None and item is not Ellipsis)
    if used > len(x.shape):
        fail("WEIR0505", f"{used} indices for {x.spec}, which has {len(x.shape)} dimensions")
    if sum(1 for item in index if item is Ellipsis) > 1:
        fail("WEIR0505", "an index has '...' at most once")
    if sum(1 for item in index if isinstance(item, _ARRAYS)) > 1:
        fail("WEIR0505", "one array of indices at most can be used at a time; use weir.numpy.take or take_along_axis")
    fill = [slice(None)] * (len(x.shape) - used)
    items: list = []
    for item in index:
        items += fill if item is Ellipsis else [item]
    return items if Ellipsis in [i for i in index if not isinstance(i, _ARRAYS)] else items + fill


def _integer(item: Any, extent: Optional[int], axis: int, x: Tensor) -> int:
    if isinstance(item, (bool, np.bool_)) or not isinstance(item, (int, np.integer)):
        fail("WEIR0505", f"{type(item).__name__} {item!r} is no index; use integers, slices, '...', None, or an array of integers")
    if item < 0 and extent is None:
        fail("WEIR0505", f"index {item} counts from the end of dimension {axis} of {x.spec}, which is only known when the "
                  f"graph runs; index from the front, or reverse first: weir.numpy.flip(x, {axis})[{-item - 1}]")
    if extent is not None and not -extent <= item < extent:
        fail("WEIR0505", f"index {item} is out of range for dimension {axis} of {x.spec}")
    return int(item) % extent if extent is not None else int(item)


def _slice(item: slice, extent: Optional[int], axis: int, x: Tensor) -> tuple:
    for part in (item.start, item.stop, item.step):
        if isinstance(part, Tensor):
            fail("WEIR0505", "the bounds of a slice are Python numbers, not tensors; use weir.numpy.take with "
                      "weir.numpy.arange for places that are computed")
    if item.step == 0:
        fail("WEIR0505", "the step of a slice is not 0")
    if extent is not None:
        places = range(*item.indices(extent))
        return (places.start, len(places), places.step) if places else (0, 0, 1)
    start, stop, step = item.start or 0, item.stop, item.step or 1
    if start < 0 or step < 0 or (stop is not None and stop < 0):
        fail("WEIR0505", f"{item} counts from the end of dimension {axis} of {x.spec}, which is only known when the graph "
                  f"runs; count from the front, or give the dimension a fixed extent")
    return start, -1 if stop is None else max(0, -(-(stop - start) // step)), step


def _indices(value: Any) -> Tensor:
    indices = as_tensor(np.asarray(value) if isinstance(value, list) else value)
    if indices.spec.number not in (INT32, INT64):
        fail("WEIR0505", f"an array of indices is of int32 or int64, got {indices.spec}; "
                  f"convert it, or choose with weir.numpy.where for a mask")
    return indices

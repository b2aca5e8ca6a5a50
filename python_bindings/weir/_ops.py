# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From Python values to nodes: constants, dtypes that meet, element-wise ops."""
from __future__ import annotations

from typing import Any, List, NoReturn, Optional, Sequence, Tuple

import numpy as np

from ._dtypes import BOOL, FLOAT32, FLOATS, INT32, INTEGERS, STRING, Spec, dtype_name, dtype_number, numpy_dtype
from ._errors import fail
from ._tensor import Tensor
from ._trace import current
from ._variable import Variable

# Python's numbers, and what NumPy makes of them by default, have no dtype of
# their own: they take that of the tensor they meet.
_WEAK_SCALARS = (bool, int, float, np.float64, np.int64)


def tensor_of(handle: Any, weak: bool = False) -> Tensor:
    """A tensor for a new value of the current graph."""
    number, shape = handle.type
    return Tensor(current(), handle, Spec(shape, number, weak))


def node(op: str, operands: Sequence[Tensor], attributes: Optional[dict] = None, *, segments: Sequence[int] = (),
         weak: bool = False) -> Tensor:
    """Makes a node with one result."""
    return tensor_of(current().emit(op, operands, attributes, segments)[0], weak)


def constant(array: np.ndarray, weak: bool = False) -> Tensor:
    return tensor_of(current().constant(np.asarray(array)), weak)


def _is_weak_scalar(value: Any) -> bool:
    return isinstance(value, _WEAK_SCALARS)


def _weak_number(value: Any) -> int:
    if isinstance(value, bool):
        return BOOL
    return INT32 if isinstance(value, (int, np.int64)) else FLOAT32


def as_array(value: Any, dtype: Any = None) -> np.ndarray:
    """Lists and numbers as NumPy arrays in our default dtypes: float32 and int32."""
    array = np.asarray(value)
    if dtype is not None:
        return array.astype(numpy_dtype(dtype_number(dtype)), copy=False)
    if isinstance(value, (np.ndarray, np.generic)):
        return array
    if array.dtype == np.float64:
        return array.astype(np.float32)
    return array.astype(np.int32) if array.dtype == np.int64 else array


def as_tensor(value: Any) -> Tensor:
    """A tensor of what may stand where a tensor is expected."""
    if isinstance(value, Tensor):
        return value
    if isinstance(value, Variable):
        return value.read()
    if _is_weak_scalar(value):
        return constant(_scalar(value, _weak_number(value)), weak=True)
    if isinstance(value, (np.ndarray, np.generic)):
        return constant(_checked(value))
    if isinstance(value, (list, tuple)):
        if any(isinstance(item, (Tensor, Variable, list, tuple)) for item in value):
            from .numpy import stack

            return stack([as_tensor(item) for item in value])
        return constant(_checked(as_array(value)))
    fail("WEIR0507", f"{type(value).__name__} {value!r} is no tensor and cannot become one; pass a NumPy array or a number")


def _checked(array: Any) -> np.ndarray:
    dtype_number(array.dtype)
    return np.ascontiguousarray(array) if np.ndim(array) else np.asarray(array)


def _scalar(value: Any, number: int) -> np.ndarray:
    """A Python number in the dtype that it takes."""
    dtype = numpy_dtype(number)
    if number in INTEGERS:
        limits = np.iinfo(dtype)
        if not limits.min <= int(value) <= limits.max:
            fail("WEIR0502", f"the number {value} does not fit into {dtype_name(number)}")
    return np.asarray(value).astype(dtype)


def _rank_of_kind(number: int) -> int:
    return 2 if number in FLOATS else 0 if number == BOOL else 1


def _meet(value: Any, number: int) -> Tensor:
    """A weak operand in the dtype of the one it meets."""
    weak_number = value.spec.number if isinstance(value, Tensor) else _weak_number(value)
    if _rank_of_kind(weak_number) > _rank_of_kind(number):
        what = f"the number {value}" if not isinstance(value, Tensor) else f"a {dtype_name(weak_number)} number"
        fail("WEIR0502", f"{what} meets a tensor of {dtype_name(number)} and would lose its fraction; "
                  f"convert the tensor first: x.astype('float32')")
    if isinstance(value, Tensor):
        return cast(value, number)
    return constant(_scalar(value, number))


def cast(x: Tensor, number: int) -> Tensor:
    """The tensor in another dtype, itself where it has it already."""
    if x.spec.number == number:
        return Tensor(x.graph, x.value, Spec(x.shape, number)) if x.spec.weak else x
    if STRING in (number, x.spec.number):
        fail("WEIR0502", "strings are no numbers: they cannot be converted")
    return node("cast", [x], {"to": ("dtype", number)})


def unify(op: str, *values: Any) -> Tuple[List[Tensor], bool]:
    """The operands in one dtype, and whether the result is as weak as they are."""
    operands = [value if isinstance(value, Tensor) or _is_weak_scalar(value) else as_tensor(value)
                for value in values]
    strong = {x.spec.number for x in operands if isinstance(x, Tensor) and not x.spec.weak}
    if len(strong) > 1:
        _mixed(op, operands)
    if strong:
        (number,) = strong
        return [x if isinstance(x, Tensor) and not x.spec.weak else _meet(x, number) for x in operands], False
    numbers = [x.spec.number if isinstance(x, Tensor) else _weak_number(x) for x in operands]
    number = max(numbers, key=_rank_of_kind)
    return [_meet(x, number) for x in operands], True


def _mixed(op: str, operands: Sequence[Any]) -> NoReturn:
    texts = [str(x.spec) for x in operands if isinstance(x, Tensor) and not x.spec.weak]
    target = next(x for x in operands if isinstance(x, Tensor) and not x.spec.weak)
    fail("WEIR0502", f"{op} of {' and '.join(texts)}: dtypes are not converted by themselves; convert one operand: "
              f".astype('{dtype_name(target.spec.number)}')")


def elementwise(op: str, *values: Any) -> Tensor:
    """An element-wise node of operands that meet in one dtype."""
    operands, weak = unify(op, *values)
    return node(op, operands, weak=weak)


def float_elementwise(op: str, *values: Any) -> Tensor:
    """As `elementwise`, for ops of floats only; Python's ints become floats."""
    operands, weak = unify(op, *values)
    number = operands[0].spec.number
    if number not in FLOATS:
        if not weak:
            fail("WEIR0502", f"{op} is for floats, got {operands[0].spec}; convert it: x.astype('float32')")
        operands = [cast(x, FLOAT32) for x in operands]
    return node(op, operands, weak=weak)


def compare(predicate: str, a: Any, b: Any) -> Tensor:
    operands, _ = unify("comparison", a, b)
    return node("compare", operands, {"predicate": ("enum", f"#weir.compare<{predicate}>")})


def axes_of(op: str, axis: Any, rank: int) -> List[int]:
    """NumPy's axis argument as ascending axes."""
    if axis is None:
        return list(range(rank))
    given = [axis] if isinstance(axis, (int, np.integer)) else list(axis)
    axes = []
    for one in given:
        if not isinstance(one, (int, np.integer)) or not -rank <= one < rank:
            fail("WEIR0511", f"{op}: axis {one!r} is out of range for a tensor of {rank} dimensions")
        axes.append(int(one) % rank)
    if len(set(axes)) != len(axes):
        fail("WEIR0511", f"{op}: an axis is given twice in {axis}")
    return sorted(axes)


def one_axis(op: str, axis: Any, rank: int) -> int:
    if not isinstance(axis, (int, np.integer)):
        fail("WEIR0511", f"{op}: the axis is a number, got {axis!r}")
    return axes_of(op, axis, rank)[0]


def reduce(op: str, x: Any, axis: Any, keepdims: bool) -> Tensor:
    x = as_tensor(x)
    if op == "reduce_mean" and x.spec.number not in FLOATS:
        fail("WEIR0502", f"mean is for floats, got {x.spec}; convert it: x.astype('float32')")
    if op in ("reduce_sum", "reduce_prod") and x.spec.number == BOOL:
        x = cast(x, INT32)
    return node(op, [x], {"axes": axes_of(op[7:], axis, len(x.shape)), "keep_dims": bool(keepdims)})

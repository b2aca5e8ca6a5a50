# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Element types and specs: what is known of a tensor before it has a value."""
from __future__ import annotations

import dataclasses
from typing import Any, Dict, Optional, Sequence, Tuple, Union

import numpy as np

from ._errors import fail

try:
    import ml_dtypes

    _BFLOAT16: Optional[np.dtype] = np.dtype(ml_dtypes.bfloat16)
except ImportError:
    _BFLOAT16 = None

Shape = Tuple[Optional[int], ...]

STRING = 7
BOOL = 10
# The numbers are those of include/weir-c/types.h.
_NUMBERS = {"float32": 1, "float64": 2, "int32": 3, "uint8": 4, "int16": 5, "int8": 6, "string": STRING, "int64": 9,
            "bool": BOOL, "bfloat16": 14, "uint16": 17, "float16": 19, "uint32": 22, "uint64": 23}
_NAMES = {number: name for name, number in _NUMBERS.items()}
FLOATS = frozenset(_NUMBERS[name] for name in ("float32", "float64", "bfloat16", "float16"))
UNSIGNED = frozenset(_NUMBERS[name] for name in ("uint8", "uint16", "uint32", "uint64"))
SIGNED = frozenset(_NUMBERS[name] for name in ("int8", "int16", "int32", "int64"))
INTEGERS = UNSIGNED | SIGNED
FLOAT32, INT32, INT64 = _NUMBERS["float32"], _NUMBERS["int32"], _NUMBERS["int64"]


def dtype_name(number: int) -> str:
    return _NAMES[number]


def numpy_dtype(number: int) -> np.dtype:
    """The NumPy dtype that shows elements of this type."""
    if number == STRING:
        return np.dtype(object)
    if _NAMES[number] == "bfloat16":
        if _BFLOAT16 is None:
            fail("WEIR0507", "NumPy shows bfloat16 through the package ml_dtypes; install it with: pip install ml_dtypes")
        return _BFLOAT16
    return np.dtype(_NAMES[number])


# NumPy's dtypes that were asked for: their names are slow to make.
_known: Dict[np.dtype, int] = {}


def dtype_number(dtype: Any) -> int:
    """The number of what a user calls a dtype: a name, a NumPy dtype, float, int or bool."""
    if isinstance(dtype, np.dtype):
        number = _known.get(dtype)
        if number is None:
            number = _known[dtype] = _look_up(dtype)
        return number
    return _look_up(dtype)


def _look_up(dtype: Any) -> int:
    if dtype is float:
        return FLOAT32
    if dtype is int:
        return INT32
    if dtype is bool:
        return BOOL
    if isinstance(dtype, str) and dtype in _NUMBERS:
        return _NUMBERS[dtype]
    if dtype is str:
        return STRING
    try:
        name = np.dtype(dtype).name
    except TypeError:
        name = str(dtype)
    if name not in _NUMBERS:
        fail("WEIR0507", f"{dtype!r} is no dtype of a tensor; there are {', '.join(sorted(_NUMBERS))}")
    return _NUMBERS[name]


def type_text(number: int, shape: Sequence[Optional[int]]) -> str:
    """`float32[128,?]`."""
    return f"{_NAMES[number]}[{','.join('?' if extent is None else str(extent) for extent in shape)}]"


@dataclasses.dataclass(frozen=True, repr=False)
class Spec:
    """Shape and dtype of a tensor; an extent of None is only known when it runs."""

    shape: Shape
    number: int
    weak: bool = False

    @property
    def dtype(self) -> np.dtype:
        return numpy_dtype(self.number)

    @property
    def type(self) -> Tuple[int, list]:
        """As the extension takes it."""
        return self.number, [-1 if extent is None else extent for extent in self.shape]

    def __str__(self) -> str:
        return type_text(self.number, self.shape)

    def __repr__(self) -> str:
        return f"weir.spec({self.shape}, {_NAMES[self.number]!r})"

    def accepts(self, other: "Spec") -> bool:
        """Whether a tensor of the other spec can be fed where this one is expected."""
        return (self.number == other.number and len(self.shape) == len(other.shape) and
                all(mine is None or mine == theirs for mine, theirs in zip(self.shape, other.shape)))


def spec(shape: Union[int, None, Sequence[Optional[int]]], dtype: Any = "float32") -> Spec:
    """Describes a tensor for tracing: ``weir.spec((None, 64), "float32")``.

    An extent of None is dynamic: one compiled function serves every size of it.
    """
    if shape is None or isinstance(shape, (int, np.integer)):
        shape = (shape,)
    extents = []
    for extent in shape:
        if extent is not None and (not isinstance(extent, (int, np.integer)) or extent < 0):
            fail("WEIR0506", f"an extent is a number >= 0, or None for one that is only known at run time; got {extent!r}")
        extents.append(None if extent is None else int(extent))
    return Spec(tuple(extents), dtype_number(dtype))

# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors of a graph under construction, with NumPy's operators and methods."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterator, Optional, Sequence, Union

import numpy as np

from ._dtypes import Shape, Spec
from ._errors import fail

if TYPE_CHECKING:
    from ._trace import GraphTrace

Axis = Union[None, int, Sequence[int]]


class Tensor:
    """A value inside a traced function: it has a shape and a dtype, but no numbers yet.

    Operators and methods are NumPy's and record nodes. An extent of None in
    `shape` is only known when the graph runs. Dtypes are never converted by
    themselves (error WEIR0502); Python's numbers take the dtype they meet.
    """

    __slots__ = ("graph", "value", "spec", "transposed", "name")
    __array_priority__ = 1000
    __hash__ = object.__hash__

    def __init__(self, graph: "GraphTrace", value: Any, spec: Spec) -> None:
        self.graph = graph
        self.value = value
        self.spec = spec
        # The tensor whose last two dimensions this one is with swapped.
        self.transposed: Optional["Tensor"] = None
        # The user's name, which a result keeps (see weir.name).
        self.name: Optional[str] = None

    # What is known.

    @property
    def shape(self) -> Shape:
        return self.spec.shape

    @property
    def ndim(self) -> int:
        return len(self.spec.shape)

    @property
    def dtype(self) -> np.dtype:
        return self.spec.dtype

    @property
    def size(self) -> int:
        """The number of elements; an error where an extent is dynamic (use weir.numpy.size)."""
        count = 1
        for extent in self.shape:
            if extent is None:
                self._unknown("its size", "weir.numpy.size(x) gives it as a tensor")
            count *= extent
        return count

    def __repr__(self) -> str:
        return f"<weir.Tensor {self.spec}>"

    # What is not known while a function is traced.

    def _unknown(self, what: str, fix: str) -> Any:
        fail("WEIR0501", f"{what} is needed here, but {self.spec} has no value while the function is traced; {fix}")

    def __bool__(self) -> bool:
        return self._unknown("its truth", "choose between values with weir.numpy.where(condition, a, b)")

    def __int__(self) -> int:
        return self._unknown("its value as an int", "keep it a tensor: x.astype('int32')")

    def __float__(self) -> float:
        return self._unknown("its value as a float", "keep it a tensor: x.astype('float32')")

    def __index__(self) -> int:
        return self._unknown("its value as an index", "pick elements with weir.numpy.take(x, indices, axis)")

    def __array__(self, *args: Any, **kwargs: Any) -> np.ndarray:
        return self._unknown("its value as a NumPy array",
                             "use the function of weir.numpy with the same name, or return it from the function")

    def item(self) -> Any:
        """Always an error: there is no value while the function is traced."""
        return self._unknown("its value", "return it from the function and look at the result")

    def __len__(self) -> int:
        if not self.shape:
            fail("WEIR0505", "a scalar has no length")
        if self.shape[0] is None:
            self._unknown("its length", "weir.numpy.size(x, 0) gives it as a tensor")
        return self.shape[0]

    def __iter__(self) -> Iterator["Tensor"]:
        return iter([self[i] for i in range(len(self))])

    # Operators.

    def __neg__(self) -> "Tensor":
        return np_.negative(self)

    def __pos__(self) -> "Tensor":
        return self

    def __abs__(self) -> "Tensor":
        return np_.abs(self)

    def __invert__(self) -> "Tensor":
        return np_.logical_not(self)

    def __add__(self, other: Any) -> "Tensor":
        return np_.add(self, other)

    def __radd__(self, other: Any) -> "Tensor":
        return np_.add(other, self)

    def __sub__(self, other: Any) -> "Tensor":
        return np_.subtract(self, other)

    def __rsub__(self, other: Any) -> "Tensor":
        return np_.subtract(other, self)

    def __mul__(self, other: Any) -> "Tensor":
        return np_.multiply(self, other)

    def __rmul__(self, other: Any) -> "Tensor":
        return np_.multiply(other, self)

    def __truediv__(self, other: Any) -> "Tensor":
        return np_.divide(self, other)

    def __rtruediv__(self, other: Any) -> "Tensor":
        return np_.divide(other, self)

    def __pow__(self, other: Any) -> "Tensor":
        return np_.power(self, other)

    def __rpow__(self, other: Any) -> "Tensor":
        return np_.power(other, self)

    def __matmul__(self, other: Any) -> "Tensor":
        return np_.matmul(self, other)

    def __rmatmul__(self, other: Any) -> "Tensor":
        return np_.matmul(other, self)

    def __and__(self, other: Any) -> "Tensor":
        return np_.logical_and(self, other)

    __rand__ = __and__

    def __or__(self, other: Any) -> "Tensor":
        return np_.logical_or(self, other)

    __ror__ = __or__

    def __xor__(self, other: Any) -> "Tensor":
        return np_.logical_xor(self, other)

    __rxor__ = __xor__

    def __eq__(self, other: Any) -> "Tensor":  # type: ignore[override]
        return np_.equal(self, other)

    def __ne__(self, other: Any) -> "Tensor":  # type: ignore[override]
        return np_.not_equal(self, other)

    def __lt__(self, other: Any) -> "Tensor":
        return np_.less(self, other)

    def __le__(self, other: Any) -> "Tensor":
        return np_.less_equal(self, other)

    def __gt__(self, other: Any) -> "Tensor":
        return np_.greater(self, other)

    def __ge__(self, other: Any) -> "Tensor":
        return np_.greater_equal(self, other)

    def __getitem__(self, index: Any) -> "Tensor":
        from ._indexing import getitem

        return getitem(self, index)

    def __setitem__(self, index: Any, value: Any) -> None:
        fail("WEIR0505", "a tensor is never changed in place; make a new one, for example with weir.numpy.where")

    # Methods.

    @property
    def T(self) -> "Tensor":
        return np_.transpose(self)

    def transpose(self, *axes: Any) -> "Tensor":
        """Permutes the dimensions; reverses them when called without axes."""
        return np_.transpose(self, _spread(axes) if axes else None)

    def swapaxes(self, axis1: int, axis2: int) -> "Tensor":
        return np_.swapaxes(self, axis1, axis2)

    def reshape(self, *shape: Any) -> "Tensor":
        """The elements in another shape; one extent may be -1, and None keeps the dynamic one."""
        return np_.reshape(self, _spread(shape))

    def ravel(self) -> "Tensor":
        return np_.reshape(self, (-1,))

    flatten = ravel

    def squeeze(self, axis: Axis = None) -> "Tensor":
        return np_.squeeze(self, axis)

    def astype(self, dtype: Any) -> "Tensor":
        """The same numbers in another dtype; floats become integers by truncation and saturate."""
        return np_.astype(self, dtype)

    def sum(self, axis: Axis = None, keepdims: bool = False) -> "Tensor":
        return np_.sum(self, axis, keepdims=keepdims)

    def mean(self, axis: Axis = None, keepdims: bool = False) -> "Tensor":
        return np_.mean(self, axis, keepdims=keepdims)

    def var(self, axis: Axis = None, keepdims: bool = False) -> "Tensor":
        return np_.var(self, axis, keepdims=keepdims)

    def std(self, axis: Axis = None, keepdims: bool = False) -> "Tensor":
        return np_.std(self, axis, keepdims=keepdims)

    def prod(self, axis: Axis = None, keepdims: bool = False) -> "Tensor":
        return np_.prod(self, axis, keepdims=keepdims)

    def max(self, axis: Axis = None, keepdims: bool = False) -> "Tensor":
        return np_.max(self, axis, keepdims=keepdims)

    def min(self, axis: Axis = None, keepdims: bool = False) -> "Tensor":
        return np_.min(self, axis, keepdims=keepdims)

    def any(self, axis: Axis = None, keepdims: bool = False) -> "Tensor":
        return np_.any(self, axis, keepdims=keepdims)

    def all(self, axis: Axis = None, keepdims: bool = False) -> "Tensor":
        return np_.all(self, axis, keepdims=keepdims)

    def argmax(self, axis: Optional[int] = None, keepdims: bool = False) -> "Tensor":
        return np_.argmax(self, axis, keepdims=keepdims)

    def argmin(self, axis: Optional[int] = None, keepdims: bool = False) -> "Tensor":
        return np_.argmin(self, axis, keepdims=keepdims)

    def clip(self, min: Any = None, max: Any = None) -> "Tensor":
        return np_.clip(self, min, max)

    def dot(self, other: Any) -> "Tensor":
        return np_.matmul(self, other)

    # NumPy's functions called on tensors.

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> "Tensor":
        return _dispatch(ufunc.__name__ if method == "__call__" else f"{ufunc.__name__}.{method}", inputs, kwargs)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return _dispatch(function.__name__, args, kwargs)


def _spread(values: Sequence[Any]) -> Any:
    """`x.reshape(2, 3)` and `x.reshape((2, 3))` are the same."""
    return values[0] if len(values) == 1 and isinstance(values[0], (tuple, list)) else tuple(values)


# NumPy's names of functions that weir.numpy has under another one.
_RENAMED = {"amax": "max", "amin": "min", "concatenate": "concatenate", "true_divide": "divide", "absolute": "abs",
            "invert": "logical_not", "bitwise_and": "logical_and", "bitwise_or": "logical_or",
            "bitwise_xor": "logical_xor", "rint": "round"}


def _dispatch(name: str, args: Sequence[Any], kwargs: dict) -> Any:
    function = getattr(np_, _RENAMED.get(name, name), None) if _RENAMED.get(name, name) in np_.__all__ else None
    if function is None:
        fail("WEIR0509", f"numpy.{name} has no counterpart for tensors in weir.numpy; write it with functions that are there "
                  f"(docs/how-to/python.md lists them)")
    kwargs = {key: value for key, value in kwargs.items() if value is not np._NoValue}
    for key in ("out", "where", "casting", "subok", "order"):
        if kwargs.get(key) is not None:
            fail("WEIR0509", f"numpy.{name}({key}=...) has no meaning for tensors; leave the argument out")
        kwargs.pop(key, None)
    return function(*args, **kwargs)


from . import numpy as np_  # noqa: E402  (the functions need the class above)

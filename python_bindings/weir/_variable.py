# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Variables: tensors that live from one step to the next."""
from __future__ import annotations

import itertools
import re
from typing import Any, Callable, Optional

import numpy as np

from . import _weir
from ._devices import current_device
from ._dtypes import STRING, Shape, Spec, dtype_number, numpy_dtype, spec as make_spec, type_text
from ._errors import fail, user_place
from ._trace import active

_numbers = itertools.count()


class Variable:
    """A tensor that keeps its value between steps.

    ``weir.Variable(init, name="w1")``, where `init` is

    - a NumPy array, a number or a list: the first value;
    - a function without arguments: it is traced, and runs when the value is
      first needed, or in the entry point `init` of an exported program:
      ``weir.Variable(lambda: weir.random.normal((784, 512), seed=1), name="w1")``;
    - a `weir.spec`: no value until one is assigned.

    Inside a traced function, `read()` (or any operator) gives the value as a
    tensor, and `assign`, `assign_add`, `assign_sub` change it: reads and writes
    happen in the order of the Python code. Outside they act at once, on NumPy
    arrays. The name is the variable's in programs and checkpoints. It is on the
    device of the `weir.device` scope that it is made in.

    Errors: WEIR0506 when a value does not have the variable's shape and dtype.
    """

    __array_priority__ = 1000

    def __init__(self, init: Any, name: Optional[str] = None, *, dtype: Any = None) -> None:
        self.name = name if name is not None else f"variable_{next(_numbers)}"
        if not isinstance(self.name, str) or not re.fullmatch(r"[A-Za-z0-9_./:][A-Za-z0-9_./:-]*", self.name):
            fail("WEIR0510", f"the name of a variable is made of letters, digits and _ . - / : without - in front, got {name!r}")
        self.place = user_place()
        self.device = current_device()
        self._state = _weir.VariableState(self.name)
        self._initial: Optional[Callable[[], Any]] = None
        self._array: Optional[np.ndarray] = None
        if isinstance(init, Spec):
            self.spec = init if dtype is None else make_spec(init.shape, dtype)
        elif callable(init):
            from ._jit import result_spec

            self._initial = init if dtype is None else lambda: init().astype(dtype)
            self.spec = result_spec(self._initial)
        else:
            from ._ops import as_array

            if isinstance(init, Variable):
                init = init.numpy()
            self._array = np.array(as_array(init, dtype), order="C")
            self.spec = make_spec(self._array.shape, self._array.dtype)
            self._state.set(self._array)
        if None in self.spec.shape or self.spec.number == STRING:
            fail("WEIR0510", f"a variable has static extents and a dtype of numbers; '{self.name}' is {self.spec}")

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

    def __repr__(self) -> str:
        return f"<weir.Variable '{self.name}' {self.spec}>"

    # Values.

    def initial(self) -> Any:
        """The first value: an array, or a tensor of the graph being traced; None if there is none."""
        if self._initial is not None:
            return self._initial()
        return self._array

    @property
    def has_initial(self) -> bool:
        return self._initial is not None or self._array is not None

    def initialize(self) -> None:
        """Gives the variable its first value, unless it has one."""
        if self._initial is not None and self._state.get() is None:
            from ._jit import jit

            self._state.set(jit(self._initial, name="init")())

    def numpy(self) -> np.ndarray:
        """A copy of the value. Error WEIR0510 when it has none yet."""
        value = self._state.get()
        if value is None:
            self.initialize()
            value = self._state.get()
        if value is None:
            fail("WEIR0510", f"variable '{self.name}' has no value yet; assign one, or make it with an initial value")
        return value

    def read(self) -> Any:
        """The value: a tensor inside a traced function, outside a NumPy array."""
        graph = active()
        return graph.read(self) if graph is not None else self.numpy()

    def assign(self, value: Any) -> None:
        """Sets the value."""
        self._write("assign", value)

    def assign_add(self, value: Any) -> None:
        """Adds to the value."""
        self._write("assign_add", value)

    def assign_sub(self, value: Any) -> None:
        """Subtracts from the value."""
        self._write("assign_sub", value)

    def _write(self, op: str, value: Any) -> None:
        graph = active()
        if graph is None:
            if op != "assign":
                value = self.numpy() + value if op == "assign_add" else self.numpy() - value
            self._state.set(self._fitting(value))
            return
        from ._ops import as_tensor, cast

        if not isinstance(value, np.ndarray):
            value = as_tensor(value)
            if value.spec.weak:
                value = cast(value, self.spec.number)
        value = as_tensor(value)
        if value.spec.number != self.spec.number or not value.spec.accepts(self.spec):
            from .numpy import broadcast_to

            if value.shape == () and value.spec.number == self.spec.number:
                value = broadcast_to(value, self.shape)
            else:
                fail("WEIR0506", f"variable '{self.name}' is {self.spec}, the value is {value.spec}; "
                          f"convert it with .astype or .reshape")
        graph.write(op, self, value)

    def _fitting(self, value: Any) -> np.ndarray:
        """A NumPy array of the variable's shape and dtype; numbers fill it."""
        if isinstance(value, (bool, int, float)):
            return np.full(self.shape, value, numpy_dtype(self.spec.number))
        array = np.asarray(value)
        if array.shape != self.shape or dtype_number(array.dtype) != self.spec.number:
            fail("WEIR0506", f"variable '{self.name}' is {self.spec}, the value is {type_text(dtype_number(array.dtype), array.shape)}; "
                      f"convert it with .astype or .reshape")
        return array

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> np.ndarray:
        if active() is not None:
            fail("WEIR0501", f"the value of variable '{self.name}' as a NumPy array is needed here, but the function is being "
                      f"traced; use the functions of weir.numpy, or read it before")
        value = self.numpy()
        return value if dtype is None else value.astype(dtype)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        values = [value.read() if isinstance(value, Variable) else value for value in inputs]
        return getattr(ufunc, method)(*values, **kwargs)


def _delegate(name: str) -> None:
    def method(self: Variable, *args: Any, **kwargs: Any) -> Any:
        args = tuple(arg.read() if isinstance(arg, Variable) else arg for arg in args)
        return getattr(self.read(), name)(*args, **kwargs)

    method.__name__ = name
    setattr(Variable, name, method)


for _name in ("add", "radd", "sub", "rsub", "mul", "rmul", "truediv", "rtruediv", "pow", "rpow", "matmul", "rmatmul",
              "lt", "le", "gt", "ge"):
    _delegate(f"__{_name}__")
for _name in ("__neg__", "__abs__", "__getitem__", "__len__", "__float__", "__int__", "reshape", "transpose", "astype",
              "sum", "mean", "max", "min", "argmax"):
    _delegate(_name)
Variable.T = property(lambda self: self.read().T)  # type: ignore[attr-defined]

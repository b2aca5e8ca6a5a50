# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The graph that a function is traced into, and the order of what it does to variables."""
from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Sequence

import numpy as np

from . import _weir
from ._devices import current_device
from ._dtypes import Spec
from ._errors import fail, user_place

if TYPE_CHECKING:
    from ._tensor import Tensor
    from ._variable import Variable

_active = threading.local()


class ModuleTrace:
    """A module under construction: variables, and one graph after the other."""

    def __init__(self, name: str) -> None:
        self.builder = _weir.GraphBuilder(name)
        self.variables: Dict[str, "Variable"] = {}

    def declare(self, variable: "Variable") -> None:
        """Adds the variable unless it is there; a second one of its name is an error."""
        known = self.variables.get(variable.name)
        if known is variable:
            return
        if known is not None:
            fail("WEIR0510", f"two variables are called '{variable.name}'; give one of them another name: "
                      f"weir.Variable(..., name=...)")
        self.builder.set_device(variable.device)
        self.builder.variable(variable.name, variable.spec.type, variable.place)
        self.variables[variable.name] = variable


class _Access:
    """What a graph has done to one variable so far."""

    def __init__(self) -> None:
        self.value: Optional["Tensor"] = None  # read, and not written since
        self.last_read: Optional["Tensor"] = None
        self.written: Any = None  # the control edge of the last write
        self.reads: List[Any] = []  # control edges of the reads since
        self.reads_first = False


class GraphTrace:
    """One graph under construction.

    Reads and writes of a variable get control edges in the order in which the
    Python code does them; a read after an assignment sees it.
    """

    def __init__(self, module: ModuleTrace, name: str) -> None:
        self.module = module
        self.builder = module.builder
        self.name = name
        self.open = True
        self.accesses: Dict["Variable", _Access] = {}
        self.last_effect: Any = None  # of checkpoints
        self.targets: List[Any] = []  # what must run although nothing uses its value

    def emit(self, op: str, operands: Sequence["Tensor"], attributes: Optional[dict] = None,
             segments: Sequence[int] = (), results: Optional[list] = None, controls: Sequence[Any] = ()) -> list:
        """Makes a node; its results as the extension's handles."""
        values = [self.value_of(operand) for operand in operands]
        self.builder.set_device(current_device())
        return self.builder.op(f"weir.{op}", values + list(controls), attributes or {}, list(segments), results,
                               user_place())

    def value_of(self, tensor: "Tensor") -> Any:
        if tensor.graph is not self:
            fail("WEIR0504", "this tensor belongs to another traced function and has no value here; return it from there, "
                      "or pass it as an argument")
        return tensor.value

    def constant(self, array: np.ndarray) -> Any:
        return self.builder.constant(array, user_place())

    # Variables.

    def _access(self, variable: "Variable") -> _Access:
        access = self.accesses.get(variable)
        if access is None:
            self.module.declare(variable)
            access = self.accesses[variable] = _Access()
        return access

    def read(self, variable: "Variable") -> "Tensor":
        from ._tensor import Tensor

        access = self._access(variable)
        if access.value is None:
            after = [access.written] if access.written is not None else []
            if not after:
                access.reads_first = True
            value, control = self.emit("read", [], {"variable": ("symbol", variable.name)},
                                       results=[variable.spec.type, (0, [])], controls=after)
            access.value = access.last_read = Tensor(self, value, variable.spec)
            access.reads.append(control)
        return access.value

    def write(self, op: str, variable: "Variable", value: "Tensor") -> None:
        access = self._access(variable)
        after = list(access.reads)
        if not after and access.written is not None:
            after = [access.written]
        if op != "assign" and access.written is None:
            access.reads_first = True
        (control,) = self.emit(op, [value], {"variable": ("symbol", variable.name)}, results=[(0, [])], controls=after)
        access.written, access.reads, access.value = control, [], None

    def last_read(self, variable: "Variable") -> Optional["Tensor"]:
        access = self.accesses.get(variable)
        return access.last_read if access else None

    # The end.

    def finish(self, fetches: Sequence["Tensor"], names: Sequence[str]) -> None:
        controls = [access.written for access in self.accesses.values() if access.written is not None]
        if self.last_effect is not None:
            controls.append(self.last_effect)
        values = [self.value_of(fetch) for fetch in fetches]
        self.builder.end_graph(values, list(names), controls + self.targets, user_place())

    @property
    def variables_read_first(self) -> List["Variable"]:
        """Those that need a value before the first step."""
        return [variable for variable, access in self.accesses.items() if access.reads_first]


def stack() -> List[GraphTrace]:
    if not hasattr(_active, "graphs"):
        _active.graphs = []
    return _active.graphs


def active() -> Optional[GraphTrace]:
    """The graph that this thread traces into, or None."""
    graphs = stack()
    return graphs[-1] if graphs else None


def current() -> GraphTrace:
    """As `active`, but an error when there is none."""
    graph = active()
    if graph is None:
        fail("WEIR0503", "this function makes a node of a graph, and no graph is being traced; call it inside a function "
                  "under @weir.jit, or use NumPy's own function on arrays")
    return graph


class GraphInputs:
    """Names and specs of the feeds of a graph."""

    def __init__(self, names: Sequence[str], specs: Sequence[Spec]) -> None:
        self.names, self.specs = list(names), list(specs)


class tracing:
    """Begins a graph: ``with tracing(module, name, inputs) as (graph, tensors)``; drops it if the body fails."""

    def __init__(self, module: ModuleTrace, name: str, inputs: GraphInputs) -> None:
        self.graph = GraphTrace(module, name)
        self.inputs = inputs

    def __enter__(self):
        from ._tensor import Tensor

        types = [spec.type for spec in self.inputs.specs]
        values = self.graph.builder.begin_graph(self.graph.name, self.inputs.names, types, user_place())
        stack().append(self.graph)
        return self.graph, [Tensor(self.graph, value, spec) for value, spec in zip(values, self.inputs.specs)]

    def __exit__(self, kind, error, trace) -> None:
        stack().pop()
        self.graph.open = False
        if kind is not None:
            self.graph.builder.abandon_graph()

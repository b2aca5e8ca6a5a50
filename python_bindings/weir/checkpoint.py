# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checkpoints of variables, in the format of TensorFlow's (TensorBundle V2)."""
from __future__ import annotations

import os
from typing import Any, Dict, List, Sequence, Union

from ._errors import fail
from ._ops import as_tensor
from ._tensor import Tensor
from ._trace import GraphTrace, active, current
from ._variable import Variable

__all__ = ["save", "restore"]

Values = Union[Sequence[Variable], Dict[str, Any]]


def _named(values: Values) -> Dict[str, Any]:
    if isinstance(values, dict):
        named = dict(values)
    else:
        named = {}
        for variable in values:
            if variable.name in named:
                fail("WEIR0510", f"two variables of a checkpoint are called '{variable.name}'; give names: {{name: variable}}")
            named[variable.name] = variable
    if not named:
        fail("WEIR0510", "a checkpoint holds one variable at least")
    return named


def save(path: Any, values: Values) -> None:
    """Writes variables (or tensors by name) as the checkpoint with prefix `path`, whole or not at all.

    Works inside traced functions, where `path` is a string argument, and outside.
    """
    named = _named(values)
    if active() is None:
        from ._jit import jit

        jit(lambda path: save(path, named), name="save")(os.fspath(path))
        return
    graph = current()
    tensors = [as_tensor(value) for value in named.values()]
    after = _after(graph)
    (graph.last_effect,) = graph.emit("save", [_path(path), *tensors], {"names": list(named)},
                                      [1, len(tensors), len(after)], results=[(0, [])], controls=after)


def restore(path: Any, values: Values) -> None:
    """Assigns variables what the checkpoint has under their names; all of them, or none on an error."""
    named = _named(values)
    if active() is None:
        from ._jit import jit

        jit(lambda path: restore(path, named), name="restore")(os.fspath(path))
        return
    graph = current()
    variables: List[Variable] = list(named.values())
    *restored, graph.last_effect = graph.emit("restore", [_path(path)], {"names": list(named)}, controls=_after(graph),
                                              results=[v.spec.type for v in variables] + [(0, [])])
    for variable, value in zip(variables, restored):
        variable.assign(Tensor(graph, value, variable.spec))


def _after(graph: GraphTrace) -> list:
    return [] if graph.last_effect is None else [graph.last_effect]


def _path(path: Any) -> Tensor:
    if not isinstance(path, Tensor):
        fail("WEIR0507", "inside a traced function the path of a checkpoint is an argument of it: a string when it is called")
    return path

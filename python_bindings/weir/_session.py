# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Partial execution: steps that name what they feed, fetch and run."""
from __future__ import annotations

import os
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from . import _weir
from ._coordinator import Coordinator
from ._errors import fail
from ._program import Exported, Module
from ._jit import Traced

Fetches = Union[str, Sequence[str], Mapping[str, str], None]


class Session:
    """Runs steps on a graph; each is cut down to what its fetches and targets need.

    ::

        session = weir.Session("graph.pb")            # TensorFlow's GraphDef, text or binary
        session.run(targets=["init"])
        loss = session.run("loss:0", {"x:0": batch}, targets=["train"])

    A program is compiled for each combination of feeds, fetches and targets, and
    kept; all share the variables and queues. Several threads may run steps at the
    same time.

    Args:
      graph: the path of a GraphDef or of a .mlir file, a GraphDef message or its
        bytes, or a `weir.Module` or what `weir.export` or `trace` gave.
      entry: which graph of a module; not needed where there is one.
      interpret: interpret the graph, compile nothing.
      raise_control_flow: False leaves Switch and Merge to the executor.
      executor: "" for where it is needed, "all", or "tasks": a kernel per node.
    """

    def __init__(self, graph: Any, *, entry: str = "", interpret: bool = False, raise_control_flow: bool = True,
                 executor: str = "", cpu: str = "native", threads: int = 0) -> None:
        options = (cpu, threads, interpret, raise_control_flow, executor)
        if executor not in ("", "all", "tasks"):
            fail("WEIR0512", f"executor is '', 'all' or 'tasks', got '{executor}'")
        if isinstance(graph, (Exported, Traced, Module)):
            self._session = _weir.Session.program(graph._program, entry or _only_entry(graph._program), *options)
            return
        if isinstance(graph, (str, os.PathLike)) and is_module_path(graph):
            program = _weir.Program.load(os.fspath(graph))
            self._session = _weir.Session.program(program, entry or _only_entry(program), *options)
            return
        message = graph_def(graph)
        if message is None:
            fail("WEIR0512", f"weir.Session takes a path, a GraphDef or a program, got a {type(graph).__name__}")
        self._session = _weir.Session.graph_def(*message, *options)

    def run(self, fetches: Fetches = None, feed_dict: Optional[Mapping[str, Any]] = None, *,
            targets: Sequence[str] = (), timeout: Optional[float] = None, stall_report: Optional[float] = None,
            coordinator: Optional[Coordinator] = None) -> Any:
        """Runs one step.

        Args:
          fetches: "name:port", a list of those, or a dict whose values they are.
          feed_dict: values by "name:port"; any tensor of the graph may be fed.
          targets: names of nodes to run for their effects.
          timeout: seconds after which the step fails with status DEADLINE_EXCEEDED.
          stall_report: seconds without progress after which the nodes that wait are
            written to the standard error output.
          coordinator: the step ends with the runners of this one: with status
            CANCELLED when they are to stop.

        Returns: arrays in the form of `fetches`.

        Where the session interprets, deadline and cancellation are looked at between
        nodes, and so is ^C: KeyboardInterrupt is raised in the step.
        """
        names, assemble = _form(fetches)
        # One order, so that one program serves all.
        feeds = [(name, _feedable(name, value)) for name, value in sorted((feed_dict or {}).items(), key=_name_of)]
        return assemble(self._session.run(feeds, names, list(targets), _milliseconds(timeout), _milliseconds(stall_report),
                                          coordinator._token if coordinator is not None else None))

    def make_callable(self, fetches: Fetches = None, feeds: Sequence[str] = (), *, targets: Sequence[str] = (),
                      timeout: Optional[float] = None) -> Callable:
        """A function of the fed values, in order, that runs the step."""
        names, assemble = _form(fetches)
        wanted, milliseconds, order = list(targets), _milliseconds(timeout), list(feeds)
        run = self._session.run

        def step(*values: Any) -> Any:
            if len(values) != len(order):
                fail("WEIR0512", f"the step is fed {', '.join(order) or 'nothing'}; {len(values)} values were given")
            return assemble(run([(name, _feedable(name, value)) for name, value in zip(order, values)], names, wanted,
                                milliseconds, 0))

        return step

    def partial_run(self, fetches: Sequence[str], feeds: Mapping[str, Any], *, targets: Sequence[str] = (),
                    timeout: Optional[float] = None) -> "PartialRun":
        """Begins a step whose feeds come, and whose fetches leave, in several calls.

        `feeds` gives for each name a `weir.spec`, an array of that type, or None
        where the graph says what it is. Error WEIR0322 (UNIMPLEMENTED) where the step
        has parts on several devices: it runs as a whole.
        """
        types = [(name, *_type_of(name, value)) for name, value in feeds.items()]
        return PartialRun(self._session.begin(types, list(fetches), list(targets), _milliseconds(timeout)))

    @property
    def program_count(self) -> int:
        """How many programs have been compiled."""
        return self._session.program_count()


class PartialRun:
    """A step that is fed and fetched in several calls; ends with the `with` block."""

    def __init__(self, run: Any) -> None:
        self._run = run

    def run(self, fetches: Fetches = None, feed_dict: Optional[Mapping[str, Any]] = None) -> Any:
        """Feeds, then waits for the fetches."""
        names, assemble = _form(fetches)
        for name, value in (feed_dict or {}).items():
            self._run.feed(name, _feedable(name, value))
        return assemble(self._run.fetch(names))

    def close(self) -> None:
        """Ends the step; raises its error if it had one."""
        self._run.end()

    def __enter__(self) -> "PartialRun":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def is_module_path(path: Union[str, os.PathLike]) -> bool:
    """True for a file of MLIR; other files hold a GraphDef."""
    return os.fspath(path).endswith((".mlir", ".mlirbc"))


def graph_def(graph: Any) -> Optional[Tuple[bytes, str]]:
    """The bytes of a GraphDef message, of its bytes or its file, and its name; None for something else."""
    if hasattr(graph, "SerializeToString"):
        return graph.SerializeToString(), "<graph>"
    if isinstance(graph, bytes):
        return graph, "<graph>"
    if not isinstance(graph, (str, os.PathLike)):
        return None
    name = os.fspath(graph)
    try:
        with open(name, "rb") as file:
            return file.read(), name
    except OSError as error:
        fail("WEIR0512", f"cannot read '{name}': {error.strerror}")


def _only_entry(program: Any) -> str:
    names = program.entry_names()
    if len(names) != 1:
        fail("WEIR0512", f"which entry? give entry=, one of {', '.join(names) or 'none'}")
    return names[0]


def _milliseconds(seconds: Optional[float]) -> int:
    if seconds is None:
        return 0
    if not seconds > 0:
        fail("WEIR0512", f"a time is a positive number of seconds, got {seconds}")
    return max(1, round(seconds * 1000))


def _form(fetches: Fetches) -> Tuple[List[str], Callable[[list], Any]]:
    if fetches is None:
        return [], lambda values: None
    if isinstance(fetches, str):
        return [fetches], lambda values: values[0]
    if isinstance(fetches, Mapping):
        keys: List[str] = list(fetches)
        return list(fetches.values()), lambda values: dict(zip(keys, values))
    return list(fetches), lambda values: values


def _name_of(item: Tuple[str, Any]) -> str:
    return item[0]


def _feedable(name: str, value: Any) -> Any:
    array = np.asarray(value)
    if array.dtype.kind in "SUO":
        return list(array.shape), [_bytes(name, text) for text in array.ravel().tolist()]
    return np.ascontiguousarray(array).reshape(array.shape)


def _bytes(name: str, text: Any) -> bytes:
    if isinstance(text, bytes):
        return text
    if isinstance(text, str):
        return text.encode()
    fail("WEIR0506", f"feed '{name}' holds a {type(text).__name__}, which is no element of a tensor", argument=name)


def _type_of(name: str, value: Any) -> Tuple[int, Optional[List[int]]]:
    if value is None:
        return 0, None
    from ._dtypes import Spec

    if isinstance(value, Spec):
        return value.type
    array = np.asarray(value)
    return _weir.dtype_number(array.dtype), list(array.shape)

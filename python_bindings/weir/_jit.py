# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`weir.jit`: functions on NumPy-style code as compiled graphs."""
from __future__ import annotations

import functools
import logging
import os
import tempfile
import threading
from typing import Any, Callable, Dict, Iterable, List, Optional, Sequence, Union

import numpy as np

from . import _tree, _weir
from ._call import Call, Parameters, check, kind_of, safe_name
from ._devices import device_key, on_new_devices
from ._dtypes import Spec
from ._errors import fail
from ._ops import as_tensor
from ._tensor import Tensor
from ._trace import GraphInputs, ModuleTrace, active, tracing
from ._variable import Variable

_log = logging.getLogger("weir")
_explain = False


class Entry:
    """One traced graph: what goes in, what comes out, what it keeps."""

    def __init__(self, name: str, parameters: Parameters, call: Call) -> None:
        self.name, self.parameters, self.call = name, parameters, call
        self.result: Any = None  # the tree of results
        self.fetch_names: List[str] = []
        self.variables: List[Variable] = []
        self.read_first: List[Variable] = []

    @property
    def kinds(self) -> str:
        return "".join(kind_of(spec) for spec in self.call.specs)

    def assembler(self) -> Optional[Callable]:
        """Makes the result out of the fetches; None where they are the result."""
        tree = self.result
        plain = tree.is_leaf or tree.kind == "none" or (
            tree.kind is tuple and len(tree.children) > 1 and all(child.is_leaf for child in tree.children))
        return None if plain else functools.partial(_tree.unflatten, tree)


def trace_entry(module: ModuleTrace, name: str, parameters: Parameters, call: Call) -> Entry:
    """Traces a function into a graph of the module."""
    entry = Entry(name, parameters, call)
    with tracing(module, name, GraphInputs(call.names, call.specs)) as (graph, tensors):
        result = parameters.call(call, tensors)
        leaves, entry.result = _tree.flatten(result)
        fetches = [_fetch(leaf, name) for leaf in leaves]
        entry.fetch_names = _fetch_names(entry.result, fetches)
        graph.finish(fetches, entry.fetch_names)
    entry.variables = list(graph.accesses)
    entry.read_first = graph.variables_read_first
    return entry


def _fetch(leaf: Any, function: str) -> Tensor:
    if isinstance(leaf, (str, bytes)) or not isinstance(
            leaf, (Tensor, Variable, np.ndarray, np.generic, bool, int, float)):
        fail("WEIR0507", f"a result of {function} is a {type(leaf).__name__}; it can be tensors, and dicts, lists and tuples "
                  f"of them")
    return as_tensor(leaf)


def _fetch_names(tree: _tree.Tree, fetches: Sequence[Tensor]) -> List[str]:
    """Keys of a dict, names given with weir.name, or result0 and so on; all different."""
    names: List[str] = []
    for i, (path, fetch) in enumerate(zip(_tree.paths(tree), fetches)):
        wanted = fetch.name or (f"result{i}" if not path or path.split(".")[0].isdigit() else safe_name(path))
        names.append(wanted if wanted not in names else f"{wanted}_{i}")
    return names


def result_spec(function: Callable[[], Any]) -> Spec:
    """Shape and dtype of what a function without arguments gives."""
    module = ModuleTrace("init")
    with tracing(module, "init", GraphInputs([], [])) as (graph, _):
        result = as_tensor(function())
        graph.finish([result], ["value"])
    return Spec(result.shape, result.spec.number)


class _Options:
    """How to compile; shared by all that can be compiled."""

    def __init__(self, cpu: str = "native", threads: int = 0, dump_dir: str = "") -> None:
        self.cpu, self.threads, self.dump_dir = cpu, threads, dump_dir


class Traced:
    """A function as a graph: the first of trace, lower, compile.

    It can be looked at (`as_text`), written to a file (`save`), and compiled.
    """

    def __init__(self, program: Any, entry: Entry, options: _Options) -> None:
        self._program, self._entry, self._options = program, entry, options

    def __repr__(self) -> str:
        specs = ", ".join(f"{name}: {spec}" for name, spec in zip(self._entry.call.names, self._entry.call.specs))
        return f"<weir.{type(self).__name__} {self._entry.name}({specs})>"

    def as_text(self, phase: str = "import", locations: bool = False) -> str:
        """The module as text after a phase (see `weir.phases()`), or "trace" for what was traced, "llvm", "asm"."""
        return program_text(self._program, phase, locations, self._options)

    def save(self, path: Union[str, os.PathLike]) -> None:
        """Writes the graph as .mlir text, or as bytecode for a path that ends in .mlirbc; both keep Python's lines."""
        save_program(self._program, path)

    def lower(self) -> "Lowered":
        """Takes the graph through the phases before code generation, which checks it."""
        self.as_text("schedule")
        return Lowered(self._program, self._entry, self._options)

    def compile(self, *, cpu: Optional[str] = None, threads: Optional[int] = None) -> "Compiled":
        """Native code in memory. `cpu` and `threads` as in `weir.jit`."""
        options = _Options(cpu or self._options.cpu, self._options.threads if threads is None else threads,
                           self._options.dump_dir)
        return Compiled(self._program, self._entry, options)


class Lowered(Traced):
    """A graph that passed all phases before code generation."""

    def as_text(self, phase: str = "schedule", locations: bool = False) -> str:
        return super().as_text(phase, locations)


def program_text(program: Any, phase: str, locations: bool, options: _Options) -> str:
    if phase == "trace":
        return program.text(locations)
    if phase in ("llvm", "asm"):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "text")
            program.emit(phase, path, options.cpu, options.threads, "")
            with open(path) as file:
                return file.read()
    return program.text_after(phase, locations, options.cpu, options.threads)


def save_program(program: Any, path: Union[str, os.PathLike]) -> None:
    """Writes the file whole or not at all."""
    path = os.fspath(path)
    data = program.bytecode() if path.endswith(".mlirbc") else program.text(True).encode()
    temporary = f"{path}.{os.getpid()}.tmp"
    try:
        with open(temporary, "wb") as file:
            file.write(data)
        os.replace(temporary, path)
    except OSError as error:
        if os.path.exists(temporary):
            os.unlink(temporary)
        fail("WEIR0512", f"cannot write {path}: {error.strerror}")


def used_states(entry: Entry) -> tuple:
    """The variables of an entry point as the extension takes them."""
    return entry.name, [variable._state for variable in entry.variables]


class Compiled(_weir.Function):
    """Native code of a traced function; call it with arguments like those it was traced with.

    Errors: WEIR0506 names the argument that does not suit.
    """

    def __init__(self, program: Any, entry: Entry, options: _Options, executable: Any = None) -> None:
        super().__init__()
        self._program, self._entry, self._options = program, entry, options
        if executable is None:
            executable = program.compile([used_states(entry)], options.cpu, options.threads, options.dump_dir)
        self._executable = executable
        self._initialized = False
        self._target = _weir.Target(executable, executable.entry(entry.name), entry.kinds, entry.assembler())
        # Kinds that do not care whether a number is Python's or NumPy's, once the shapes are checked.
        self._open = _weir.Target(executable, executable.entry(entry.name), "", entry.assembler())
        self.__name__ = entry.name

    def __repr__(self) -> str:
        return Traced.__repr__(self)  # type: ignore[arg-type]

    def as_text(self, phase: str = "codegen", locations: bool = False) -> str:
        """As `Traced.as_text`."""
        return program_text(self._program, phase, locations, self._options)

    def prepare(self) -> None:
        """Gives variables that the function reads their first values, once."""
        if not self._initialized:
            for variable in self._entry.read_first:
                variable.initialize()
            self._initialized = True

    def _call_slow(self, args: tuple, kwargs: Optional[dict]) -> Any:
        if active() is not None:
            fail("WEIR0504", f"{self.__name__} is compiled and cannot be part of the function that is being traced; "
                      f"call the function it was made of")
        call = self._entry.parameters.bind(args, kwargs or {})
        check(call, self._entry.call, self.__name__)
        result = self.run(call)
        if call.flat and call.specs == self._entry.call.specs:
            self._add_target(self._target)
        return result

    def run(self, call: Call) -> Any:
        """Runs a call that was checked."""
        self.prepare()
        result = self._open.try_call(tuple(call.leaves))
        if result is NotImplemented:
            fail("WEIR0506", f"{self.__name__} cannot be fed with {', '.join(map(str, call.specs))}")
        return result


Specs = Union[None, Sequence[Any], Dict[str, Any]]


class Jit(_weir.Function):
    """A function that is traced and compiled at its first call with each signature; see `weir.jit`."""

    def __init__(self, function: Callable, specs: Specs = None, static_argnames: Iterable[str] = (),
                 name: Optional[str] = None, options: Optional[_Options] = None) -> None:
        super().__init__()
        functools.update_wrapper(self, function)
        self._function = function
        self._parameters = Parameters(function, static_argnames)
        self._name = safe_name((name or getattr(function, "__name__", "function")).strip("<>"))
        self._options = options or _Options()
        self._declared = None if specs is None else self._bind_specs(specs)
        self._compiled: Dict[tuple, Compiled] = {}
        self._lock = threading.RLock()
        self._misses: List[str] = []
        on_new_devices(self)

    def __repr__(self) -> str:
        return f"<weir.jit {self._name}>"

    def _bind_specs(self, specs: Specs) -> Call:
        if isinstance(specs, dict):
            return self._parameters.bind((), specs)
        if isinstance(specs, Spec):
            specs = (specs,)
        return self._parameters.bind(tuple(specs), {})  # type: ignore[arg-type]

    # The four objects: this one, Traced, Lowered, Compiled.

    def trace(self, *specs: Any, **named: Any) -> Traced:
        """Traces for specs (or example arguments); for those of the decorator when none are given."""
        call = self._parameters.bind(specs, named) if specs or named or self._declared is None else self._declared
        return self._trace(call)

    def lower(self, *specs: Any, **named: Any) -> Lowered:
        """As ``trace(...).lower()``."""
        return self.trace(*specs, **named).lower()

    def _trace(self, call: Call) -> Traced:
        module = ModuleTrace(self._name)
        entry = trace_entry(module, self._name, self._parameters, call)
        return Traced(module.builder.finish(), entry, self._options)

    # Calls that the extension could not serve by itself.

    def _call_slow(self, args: tuple, kwargs: Optional[dict]) -> Any:
        if active() is not None:
            return self._function(*args, **(kwargs or {}))
        call = self._parameters.bind(args, kwargs or {})
        if self._declared is not None:
            check(call, self._declared, self._name)
            wanted = self._declared
        else:
            wanted = call
        key = wanted.key, device_key()
        compiled = self._compiled.get(key)
        if compiled is None:
            with self._lock:
                compiled = self._compiled.get(key)
                if compiled is None:
                    self._note_miss(wanted)
                    compiled = self._trace(wanted).compile()
                    self._compiled[key] = compiled
        compiled.prepare()
        if call.flat and call.specs == wanted.specs or (self._declared is not None and call.flat):
            self._add_target(compiled._target)
        return compiled.run(call)

    # Recompilation.

    def _note_miss(self, call: Call) -> None:
        if not self._compiled:
            return
        closest = min((compiled._entry.call for compiled in self._compiled.values()),
                      key=lambda known: len(_differences(known, call)))
        differences = _differences(closest, call) or ["the devices are others"]
        message = f"{self._name} is compiled again: {'; '.join(differences)}"
        self._misses.append(message)
        if _explain:
            _log.warning("%s", message)

    @property
    def recompiles(self) -> List[str]:
        """Why the function was compiled again, each time after the first."""
        return list(self._misses)

    def clear(self) -> None:
        """Forgets the compiled code."""
        with self._lock:
            self._compiled.clear()
            self._clear_targets()


def _differences(known: Call, call: Call) -> List[str]:
    """In what a call differs from one that was compiled for, argument by argument."""
    if known.tree != call.tree:
        return [f"the arguments are {', '.join(call.names) or 'none'} instead of {', '.join(known.names) or 'none'}"]
    result = [f"static argument '{name}' is {value!r} instead of {old!r}"
              for (name, value), (_, old) in zip(call.statics, known.statics) if value != old]
    for name, now, before in zip(call.names, call.specs, known.specs):
        if now == before:
            continue
        text = f"argument '{name}' is {now} instead of {before}"
        if now.number == before.number and len(now.shape) == len(before.shape) and now.weak == before.weak:
            shape = tuple(a if a == b else None for a, b in zip(now.shape, before.shape))
            text += f" (for all sizes at once, declare it: {Spec(shape, now.number)!r})"
        elif now.weak != before.weak and str(now) == str(before):
            text = f"argument '{name}' is a {'Python number' if now.weak else 'NumPy scalar'} now"
        result.append(text)
    return result


def jit(function: Optional[Callable] = None, *, specs: Specs = None, static_argnames: Iterable[str] = (),
        name: Optional[str] = None, cpu: str = "native", threads: int = 0, dump_dir: str = "") -> Any:
    """Makes a function on tensors a compiled one; as a decorator or as a function.

    At the first call with arguments of new shapes and dtypes the function runs
    once with tensors in place of arrays (it is *traced*), and what it did is
    compiled to native code. Python side effects, such as print, happen then only.

    Args:
      specs: shapes and dtypes of the arguments, in order or by name, when they
        are known before: ``specs=[weir.spec((None, 64), "float32")]``. The
        function is then compiled once, for any size of the extents that are
        None, and calls are checked against them (error WEIR0506).
      static_argnames: parameters that are Python values, not tensors: the
        function is compiled for each value of them.
      name: of the entry point; the function's by default.
      cpu: an LLVM processor name, "native" for this one.
      threads: that kernels use; 0 for as many as OpenMP gives, 1 for none.
      dump_dir: a folder to which the module is written after each phase.

    Arguments and results are NumPy arrays, numbers, and dicts, lists and tuples
    of them. Arrays in C order are read where they are, results are arrays over
    the memory that the step wrote: no copies. Safe to call from several threads.
    """
    if function is None:
        return functools.partial(jit, specs=specs, static_argnames=static_argnames, name=name, cpu=cpu,
                                 threads=threads, dump_dir=dump_dir)
    return Jit(function, specs, static_argnames, name, _Options(cpu, threads, dump_dir))


def explain_recompiles(on: bool = True) -> None:
    """Logs (logger "weir", level WARNING) why a function is compiled again, whenever one is."""
    global _explain
    _explain = on

# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs: several entry points that share variables, from Python or from a file."""
from __future__ import annotations

import difflib
import os
from typing import Any, Callable, Dict, Iterator, List, Mapping, MutableMapping, Optional, Sequence, Union

import numpy as np

from . import _weir, checkpoint as _checkpoint
from ._call import Parameters, feedable
from ._dtypes import STRING, Spec
from ._errors import fail
from ._jit import Compiled, Entry, Jit, Specs, Traced, _Options, program_text, save_program, trace_entry, used_states
from ._trace import ModuleTrace, active
from ._variable import Variable

Path = Union[str, os.PathLike]


def _closest(name: str, known: Sequence[str]) -> str:
    close = difflib.get_close_matches(name, known, 1)
    return f"did you mean '{close[0]}'?" if close else f"there are: {', '.join(known) or 'none'}"


class Exported:
    """A traced program: entry points that share variables. See `weir.export`."""

    def __init__(self, program: Any, entries: List[Entry], variables: Dict[str, Variable], options: _Options) -> None:
        self._program, self._entries, self._options = program, entries, options
        self.variables = variables

    def __repr__(self) -> str:
        return f"<weir.Exported {', '.join(entry.name for entry in self._entries)}>"

    def as_text(self, phase: str = "import", locations: bool = False) -> str:
        """The module as text after a phase (see `weir.phases()`), or "trace", "llvm", "asm"."""
        return program_text(self._program, phase, locations, self._options)

    def save(self, path: Path) -> None:
        """Writes the program as .mlir text (or .mlirbc bytecode), for weir-compile, weir-run and `weir.load`."""
        save_program(self._program, path)

    def compile(self) -> "Module":
        """Native code in memory, whose variables are the ones of Python."""
        return Module(self._program, self._options, self._entries, self.variables)


def export(entries: Mapping[str, Callable], specs: Optional[Mapping[str, Specs]] = None, *, name: str = "program",
           save_and_restore: bool = True, cpu: str = "native", threads: int = 0) -> Exported:
    """Traces several functions into one program; they share the variables they use.

    Args:
      entries: functions (also under `weir.jit`) by the names of entry points.
      specs: for each that takes arguments, their specs, in order or by name;
        those of the decorator by default.
      save_and_restore: adds entry points `save` and `restore` for all variables
        unless there are entries of these names.

    An entry point `init` is added that gives variables their first values,
    unless there is one of that name.
    """
    specs = dict(specs or {})
    for unknown in set(specs) - set(entries):
        fail("WEIR0512", f"specs are given for '{unknown}', which is no entry; {_closest(unknown, list(entries))}")
    module = ModuleTrace(name)
    traced: List[Entry] = []
    for entry_name, function in entries.items():
        jitted = function if isinstance(function, Jit) else Jit(function)
        call = jitted._bind_specs(specs[entry_name]) if entry_name in specs else jitted._declared
        if call is None:
            call = _without_arguments(jitted, entry_name)
        traced.append(trace_entry(module, entry_name, jitted._parameters, call))
    _add_standard_entries(module, traced, entries, save_and_restore)
    return Exported(module.builder.finish(), traced, dict(module.variables), _Options(cpu, threads))


def _without_arguments(jitted: Jit, name: str):
    needed = [p.name for p in jitted._parameters.signature.parameters.values()
              if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    if needed:
        fail("WEIR0512", f"entry point '{name}' takes {', '.join(needed)}; give their specs: "
                  f"specs={{'{name}': [weir.spec(...)]}}")
    return jitted._parameters.bind((), {})


def _add_standard_entries(module: ModuleTrace, traced: List[Entry], given: Mapping[str, Any],
                          save_and_restore: bool) -> None:
    """The entry points that every program with variables needs: init, save, restore."""

    def add(name: str, function: Callable, *specs: Any) -> None:
        parameters = Parameters(function)
        traced.append(trace_entry(module, name, parameters, parameters.bind(specs, {})))

    variables = list(module.variables.values())
    initial = [variable for variable in variables if variable.has_initial]
    if "init" not in given and initial:
        def init() -> None:
            for variable in initial:
                variable.assign(variable.initial())
        add("init", init)
    if not variables or not save_and_restore:
        return
    if "save" not in given:
        add("save", lambda path: _checkpoint.save(path, variables), Spec((), STRING))
    if "restore" not in given:
        add("restore", lambda path: _checkpoint.restore(path, variables), Spec((), STRING))


class Variables(MutableMapping):
    """The variables of a program by name: get copies, set values."""

    def __init__(self, executable: Any, states: Mapping[str, Variable]) -> None:
        self._executable, self._states = executable, states
        self._specs = {name: Spec(shape, number) for name, number, shape in executable.variables()}

    def _check(self, name: str) -> None:
        if name not in self._specs:
            fail("WEIR0512", f"the program has no variable '{name}'; {_closest(name, list(self._specs))}")

    def __getitem__(self, name: str) -> np.ndarray:
        self._check(name)
        return self._states[name].numpy() if name in self._states else self._executable.get_variable(name)

    def __setitem__(self, name: str, value: Any) -> None:
        self._check(name)
        if name in self._states:
            self._states[name].assign(value)
        else:
            self._executable.set_variable(name, np.asarray(value))

    def __delitem__(self, name: str) -> None:
        fail("WEIR0512", f"variable '{name}' is part of the program and cannot be deleted")

    def __iter__(self) -> Iterator[str]:
        return iter(self._specs)

    def __len__(self) -> int:
        return len(self._specs)

    def spec(self, name: str) -> Spec:
        """Shape and dtype of a variable."""
        self._check(name)
        return self._specs[name]


class EntryPoint(_weir.Function):
    """An entry point of a loaded program: call it with arrays, in order or by the names of its feeds.

    One fetch is the result itself, several are a dict by name.
    """

    def __init__(self, executable: Any, name: str, feeds: list, fetches: list) -> None:
        super().__init__()
        self.__name__ = name
        self.feeds: Dict[str, Spec] = {feed: Spec(shape, number) for feed, number, shape in feeds}
        self.fetches: Dict[str, Spec] = {fetch: Spec(shape, number) for fetch, number, shape in fetches}
        names = list(self.fetches)
        assemble = (lambda values: dict(zip(names, values))) if len(names) > 1 else None
        self._target = _weir.Target(executable, executable.entry(name), "", assemble)
        self._add_target(self._target)

    def __repr__(self) -> str:
        feeds = ", ".join(f"{name}: {spec}" for name, spec in self.feeds.items())
        fetches = ", ".join(f"{name}: {spec}" for name, spec in self.fetches.items())
        return f"<weir.EntryPoint {self.__name__}({feeds}) -> ({fetches})>"

    def _call_slow(self, args: tuple, kwargs: Optional[dict]) -> Any:
        if active() is not None:
            fail("WEIR0504", f"{self.__name__} is compiled and cannot be part of the function that is being traced")
        names = list(self.feeds)
        values = dict(zip(names, args))
        for name, value in (kwargs or {}).items():
            if name not in self.feeds:
                fail("WEIR0512", f"{self.__name__} has no feed '{name}'; {_closest(name, names)}")
            if name in values:
                fail("WEIR0512", f"feed '{name}' of {self.__name__} is given twice")
            values[name] = value
        missing = [name for name in names if name not in values]
        if missing or len(args) > len(names):
            fail("WEIR0512", f"{self.__name__} takes {', '.join(names) or 'no feeds'}; "
                      + (f"missing: {', '.join(missing)}" if missing else f"{len(args)} values were given"))
        feeds = tuple(feedable(values[name]) for name in names)
        result = self._target.try_call(feeds)
        if result is NotImplemented:
            for name, value in zip(names, feeds):
                self._judge(name, value)
        return result

    def _judge(self, name: str, value: Any) -> None:
        from ._call import leaf_spec, mismatch

        got, want = leaf_spec(value, name), self.feeds[name]
        difference = mismatch(got, want)
        if difference:
            fail("WEIR0506", f"argument '{name}' of {self.__name__} is {want}, got {got}: {difference}", argument=name)


class Module:
    """A compiled program: entry points as methods, variables by name.

    ``m.train(x=images, y=labels)``, ``m.variables["w"]``. Entry points share the
    variables and may be called from several threads.
    """

    def __init__(self, program: Any, options: _Options, entries: Sequence[Entry] = (),
                 variables: Optional[Mapping[str, Variable]] = None) -> None:
        self._program, self._options = program, options
        executable = program.compile([used_states(entry) for entry in entries], options.cpu, options.threads, options.dump_dir)
        self.entries: Dict[str, Any] = {}
        traced = {entry.name: entry for entry in entries}
        for name, feeds, fetches in executable.entries():
            if name in traced:
                self.entries[name] = Compiled(program, traced[name], options, executable)
            else:
                self.entries[name] = EntryPoint(executable, name, feeds, fetches)
        self.variables = Variables(executable, variables or {})

    def __getattr__(self, name: str) -> Any:
        entries = self.__dict__.get("entries", {})
        if name in entries:
            return entries[name]
        if name.startswith("__"):
            raise AttributeError(name)
        fail("WEIR0512", f"the program has no entry point '{name}'; {_closest(name, list(entries))}")

    def __dir__(self) -> List[str]:
        return [*super().__dir__(), *self.entries]

    def __repr__(self) -> str:
        return f"<weir.Module {', '.join(self.entries)}>"

    def as_text(self, phase: str = "import", locations: bool = False) -> str:
        """The module as text after a phase (see `weir.phases()`), or "trace", "llvm", "asm"."""
        return program_text(self._program, phase, locations, self._options)


def load(path: Path, *, cpu: str = "native", threads: int = 0) -> Module:
    """Loads a .mlir or .mlirbc file and compiles it: entry points become methods.

    Errors: those of the file, with its lines.
    """
    return Module(_weir.Program.load(os.fspath(path)), _Options(cpu, threads))


def compile(source: Any, output: Path, *, emit: str = "exe", cpu: str = "native", threads: int = 0,
            entries: Sequence[str] = (), dump_dir: str = "") -> None:
    """Compiles ahead of time, as weir-compile does.

    Args:
      source: the path of a .mlir file, MLIR text, or what `weir.export` or `trace` gave.
      output: the file to write; it appears whole or not at all.
      emit: "exe" (an executable with a command line), "so" (and a C header beside
        it), "obj", "llvm", "asm" or "mlir".
      entries: the entry points to keep; all by default.
    """
    if isinstance(source, (Exported, Traced, Module)):
        program = source._program
    elif isinstance(source, str) and "\n" in source:
        program = _weir.Program.parse(source, "<text>")
    elif isinstance(source, (str, os.PathLike)):
        program = _weir.Program.load(os.fspath(source))
    else:
        fail("WEIR0512", f"weir.compile takes a path, MLIR text, or a traced function or program, "
                  f"got a {type(source).__name__}")
    if entries:
        program = program.clone()
        program.keep_entries(list(entries))
    program.emit(emit, os.fspath(output), cpu, threads, dump_dir)

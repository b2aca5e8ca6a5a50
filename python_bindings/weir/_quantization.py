# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Post-training static quantization: a trained program on int8."""
from __future__ import annotations

import copy
import os
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from . import _weir
from ._errors import fail
from ._jit import Compiled, Entry, Jit, Traced, _Options
from ._program import Exported, Module, Path
from ._session import graph_def, is_module_path


class QuantizedNode(NamedTuple):
    """A product on int8, with the bias, the ReLU and what else was made one with it.

    A stored integer q stands for the number ``(q - zero_point) * scale``.
    `snr_db` is the ratio of signal to noise in decibels, over all samples, when
    all nodes before it are on int8 as well: 6 dB are one bit.
    """

    entry: str
    name: str
    input_scale: float
    input_zero_point: int
    scale: float
    zero_point: int
    snr_db: float


class FloatNode(NamedTuple):
    """A product that stays float, or a graph whose products all do: which one and why.

    `file` and `line` say where it was made; line 0 where that is not known.
    """

    entry: str
    reason: str
    file: str
    line: int


class QuantizationReport:
    """What quantization made of a program; as text, a table.

    Attributes:
      nodes: a `QuantizedNode` for each product on int8.
      float_nodes: a `FloatNode` for each that stays float.
    """

    def __init__(self, nodes: Sequence[tuple], float_nodes: Sequence[tuple], table: str) -> None:
        self.nodes = [QuantizedNode(*node) for node in nodes]
        self.float_nodes = [FloatNode(*node) for node in float_nodes]
        self._table = table

    def __str__(self) -> str:
        kept = [f"entry {node.entry}: stays float: {node.reason}" + (f" ({node.file}:{node.line})" if node.line else "")
                for node in self.float_nodes]
        return "\n".join([self._table.rstrip("\n"), *kept])

    def __repr__(self) -> str:
        return f"<weir.QuantizationReport {len(self.nodes)} on int8, {len(self.float_nodes)} float>"


class Quantized(Exported):
    """A program on int8, as `weir.quantize_static` gives it; see `weir.export` for what it can do.

    Attributes:
      report: a `QuantizationReport`.
    """

    def __init__(self, program: Any, entries: List[Entry], variables: Dict[str, Any], options: _Options,
                 report: QuantizationReport) -> None:
        super().__init__(program, entries, variables, options)
        self.report = report

    def __repr__(self) -> str:
        return f"<weir.Quantized {', '.join(self._program.entry_names())}>"


def quantize_static(source: Any, samples: Mapping[str, Any], *, entries: Sequence[str] = (), fetches: Sequence[str] = (),
                    restore: Optional[Path] = None, percentile: float = 100.0) -> Quantized:
    """Post-training static quantization: does products with constant weights on int8.

    Runs the float graph over samples, notes the range of each value, and does each
    `matmul` and `conv2d` of float32 with constant weights on int8, with the bias,
    the ReLU, the reshapes and max pools behind it. No training is needed.

    ::

        quantized = weir.quantize_static(program, {"x": images[:256]}, entries=["predict"])
        print(quantized.report)
        weir.set_devices(["CPU:0", "MXU:0"])
        classes = quantized.compile().predict(images)

    Args:
      source: what `weir.export`, `trace` or `weir.load` gave, a function under
        `weir.jit` with specs, the path of a .mlir file, MLIR text, or a GraphDef of
        TensorFlow: a message, its bytes, or the path of any other file.
      samples: arrays by the names of feeds. For a feed of shape (None, ...) or
        (n, ...) the array has rows, of any number or a multiple of n, in the dtype
        of the feed; the same number for all feeds. For a feed of static shape the
        array may also have just this shape: then it is the feed of each step. Feeds
        that no product on int8 depends on need none.
      entries: the entry points to keep, such as ["predict"]; all by default. None
        of them may write variables whose values become constants.
      fetches: of a GraphDef, and only there: what it is to give, as ["logits:0"].
        Its feeds are the names of the samples, as "x:0", its entry point is `main`.
      restore: the prefix of a checkpoint. Variables become constants of what it has
        for them. By default, of the values that they have now; those of a file or
        of text have none and stay variables, so that products with them stay float.
      percentile: how much of the elements of a value its range has, above 50 and up
        to 100: less than 100 cuts off a few very large ones, which would make the
        steps of all others coarse.

    Returns: a `Quantized`: `compile()` gives native code for the devices of
    `weir.set_devices`, `save()` writes a file, `report` says what was done and what
    was not. `source` stays as it is.

    Errors: WEIR0166 where nothing can be done on int8, with the reasons; WEIR0261
    for samples that are no feeds, WEIR0262 where a value is not finite or a step
    fails, WEIR0263 for a variable that cannot become a constant, WEIR0264 for the
    percentile.
    """
    if not isinstance(samples, Mapping):
        fail("WEIR0512", f"samples are a dict of arrays by the names of feeds, got a {type(samples).__name__}")
    entries, fetches = ([names] if isinstance(names, str) else list(names) for names in (entries, fetches))
    original, traced, value_of, options = _parts(source, list(samples), fetches)
    program = original.clone()
    if entries:
        program.keep_entries(entries)
    feeds = [(name, np.asarray(array)) for name, array in samples.items()]
    checkpoint, values = "", None
    if restore is not None:
        checkpoint = os.fspath(restore)
    elif value_of is not None:
        values = [(name, value_of(name)) for name in program.variable_names()]
    report = QuantizationReport(*_weir.quantize(program, checkpoint, values, feeds, float(percentile)))
    kept, left = set(program.entry_names()), set(program.variable_names())
    return Quantized(program, [_without(entry, left) for entry in traced if entry.name in kept],
                     {name: variable for name, variable in _states(traced).items() if name in left}, options, report)


def _parts(source: Any, feeds: List[str], fetches: List[str]) -> Tuple[Any, List[Entry], Optional[Callable[[str], np.ndarray]], _Options]:
    """The program, what was traced of it, where its variables have values, and how to compile it."""
    message = _graph_def(source)
    if message is not None:
        if not fetches:
            fail("WEIR0512", "what is the GraphDef to give? name it: fetches=['logits:0']")
        return _weir.Program.graph_def(*message, feeds, fetches), [], None, _Options()
    if fetches:
        fail("WEIR0512", "fetches are of a GraphDef; what a program gives is in its entry points: entries=[...]")
    if isinstance(source, Jit):
        source = source.trace()
    if isinstance(source, Module):
        traced = [entry._entry for entry in source.entries.values() if isinstance(entry, Compiled)]
        return source._program, traced, source.variables.__getitem__, source._options
    if isinstance(source, (Exported, Traced, Compiled)):
        traced = source._entries if isinstance(source, Exported) else [source._entry]
        states = _states(traced)
        return source._program, traced, lambda name: states[name].numpy(), source._options
    if isinstance(source, str) and "\n" in source:
        return _weir.Program.parse(source, "<text>"), [], None, _Options()
    if isinstance(source, (str, os.PathLike)):
        return _weir.Program.load(os.fspath(source)), [], None, _Options()
    fail("WEIR0512", f"weir.quantize_static takes a path, MLIR text, a GraphDef, or a traced function or program, "
              f"got a {type(source).__name__}")


def _graph_def(source: Any) -> Optional[Tuple[bytes, str]]:
    """The GraphDef that a source is, and its name; None for another source."""
    is_text = isinstance(source, str) and "\n" in source
    is_module = isinstance(source, (str, os.PathLike)) and is_module_path(source)
    if is_text or is_module or isinstance(source, (Jit, Module, Exported, Traced, Compiled)):
        return None
    return graph_def(source)


def _states(traced: Sequence[Entry]) -> Dict[str, Any]:
    return {variable.name: variable for entry in traced for variable in entry.variables}


def _without(entry: Entry, left: set) -> Entry:
    """The entry point of a program that has only the variables `left`."""
    result = copy.copy(entry)
    result.variables = [variable for variable in entry.variables if variable.name in left]
    result.read_first = [variable for variable in entry.read_first if variable.name in left]
    return result

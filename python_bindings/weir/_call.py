# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of traced functions: their arguments as named leaves, checked against specs."""
from __future__ import annotations

import functools
import inspect
import re
from collections import OrderedDict
from typing import Any, Callable, Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from . import _tree
from ._dtypes import BOOL, FLOAT32, INT32, STRING, Spec, dtype_number
from ._errors import fail
from ._tensor import Tensor
from ._variable import Variable

_SCALARS = {float: Spec((), FLOAT32, True), int: Spec((), INT32, True), bool: Spec((), BOOL, True),
            str: Spec((), STRING), bytes: Spec((), STRING)}
_KINDS = {FLOAT32: "f", INT32: "i", BOOL: "b"}


def safe_name(name: str) -> str:
    """A name as entry points, feeds and fetches can have it."""
    return re.sub(r"[^A-Za-z0-9_./:-]", "_", name).lstrip("-") or "_"


@functools.lru_cache(maxsize=None)
def _names(tree: _tree.Tree) -> Tuple[str, ...]:
    return tuple(safe_name(path) for path in _tree.paths(tree))


def leaf_spec(leaf: Any, name: str) -> Spec:
    """Shape and dtype of an argument; an error that names it where it cannot be one."""
    if isinstance(leaf, np.ndarray):
        return Spec(leaf.shape, dtype_number(leaf.dtype))
    known = _SCALARS.get(type(leaf))
    if known is not None:
        return known
    if isinstance(leaf, Spec):
        return leaf
    if isinstance(leaf, np.generic):
        return Spec((), dtype_number(leaf.dtype))
    if isinstance(leaf, Tensor):
        fail("WEIR0504", f"argument '{name}' is a tensor of another traced function, which has no value; return it from there")
    if isinstance(leaf, Variable):
        fail("WEIR0507", f"argument '{name}' is the variable '{leaf.name}'; use it inside the function instead of passing it, "
                  f"or pass its value: {leaf.name}.numpy()")
    fail("WEIR0507", f"argument '{name}' is a {type(leaf).__name__}, which is no tensor; pass NumPy arrays, numbers, strings, or "
              f"dicts, lists and tuples of them, or name it in weir.jit(static_argnames=...)")


def feedable(leaf: Any) -> Any:
    """A leaf that the extension takes; arrays of other libraries come over DLPack, without a copy."""
    if isinstance(leaf, (np.ndarray, np.generic, float, int, str, bytes, Spec, Tensor, Variable)):
        return leaf
    if hasattr(leaf, "__dlpack__"):
        return np.from_dlpack(leaf)
    if hasattr(leaf, "__array__"):
        return np.asarray(leaf)
    return leaf


def kind_of(spec: Spec) -> str:
    """How the extension checks the argument; see ParameterKind there."""
    if spec.number == STRING:
        return "s"
    return _KINDS[spec.number] if spec.weak else "a"


class Call(NamedTuple):
    """The arguments of one call, bound to parameters."""

    names: Tuple[str, ...]  # of the leaves
    tree: _tree.Tree
    leaves: List[Any]
    specs: Tuple[Spec, ...]
    statics: Tuple[Tuple[str, Any], ...]
    flat: bool  # each argument is positional and a leaf

    @property
    def key(self) -> tuple:
        return self.tree, self.specs, self.statics


class Parameters:
    """The parameters of a function that is traced, and how calls bind to them."""

    def __init__(self, function: Callable, static: Iterable[str] = ()) -> None:
        self.function = function
        self.signature = inspect.signature(function)
        parameters = self.signature.parameters.values()
        # Most functions take so many arguments by name or place, nothing else;
        # for them binding is quick.
        self.simple: Optional[Tuple[str, ...]] = None
        if all(p.kind is p.POSITIONAL_OR_KEYWORD for p in parameters):
            self.simple = tuple(p.name for p in parameters)
            self.required = frozenset(p.name for p in parameters if p.default is p.empty)
        self.static = frozenset([static] if isinstance(static, str) else static)
        for name in self.static:
            if name not in self.signature.parameters:
                fail("WEIR0507", f"static_argnames has '{name}', but the parameters are "
                          f"{', '.join(self.signature.parameters) or 'none'}")

    def bind(self, args: Sequence[Any], kwargs: Dict[str, Any]) -> Call:
        bound = self._bound(args, kwargs)
        statics = tuple((name, value) for name, value in bound.items() if name in self.static) if self.static else ()
        for name, value in statics:
            try:
                hash(value)
            except TypeError:
                fail("WEIR0507", f"static argument '{name}' is a {type(value).__name__}, which cannot be hashed; "
                          f"pass a number, a string or a tuple")
        fed = {name: value for name, value in bound.items() if name not in self.static} if self.static else bound
        leaves: List[Any] = []
        children = []
        for value in fed.values():
            some, tree = _tree.flatten(value)
            leaves += [feedable(leaf) for leaf in some]
            children.append(tree)
        tree = _tree.Tree(dict, tuple(fed), tuple(children))
        names = _names(tree)
        specs = tuple(leaf_spec(leaf, name) for leaf, name in zip(leaves, names))
        flat = not kwargs and not statics and len(leaves) == len(args) and all(child.is_leaf for child in children)
        return Call(names, tree, leaves, specs, statics, flat)

    def _bound(self, args: Sequence[Any], kwargs: Dict[str, Any]) -> Dict[str, Any]:
        """Arguments by parameter, in the order of parameters; Python's own errors where they do not bind."""
        simple = self.simple
        if simple is not None and len(args) <= len(simple):
            bound = dict(zip(simple, args))
            if not kwargs:
                if len(bound) == len(simple) or self.required.issubset(bound):
                    return bound
            elif not kwargs.keys() & bound.keys() and self.required.issubset(bound.keys() | kwargs.keys()):
                bound.update((name, kwargs[name]) for name in simple if name in kwargs)
                if len(bound) == len(args) + len(kwargs):
                    return bound
        return self.signature.bind(*args, **kwargs).arguments

    def call(self, call: Call, leaves: Sequence[Any]) -> Any:
        """Calls the function with other leaves in place."""
        fed = _tree.unflatten(call.tree, leaves)
        values = OrderedDict()
        for name in self.signature.parameters:
            if name in fed:
                values[name] = fed[name]
            else:
                values.update((key, value) for key, value in call.statics if key == name)
        bound = inspect.BoundArguments(self.signature, values)
        return self.function(*bound.args, **bound.kwargs)


def check(call: Call, expected: Call, function: str) -> None:
    """An error that names the first argument that a compiled function was not made for."""
    if call.tree != expected.tree:
        missing = [name for name in expected.names if name not in call.names]
        extra = [name for name in call.names if name not in expected.names]
        what = "; ".join(([f"missing: {', '.join(missing)}"] if missing else []) +
                         ([f"not expected: {', '.join(extra)}"] if extra else []) or ["their structure differs"])
        fail("WEIR0506", f"{function} takes the arguments {', '.join(expected.names) or 'none'}; {what}")
    if call.statics != expected.statics:
        fail("WEIR0506", f"{function} was compiled for the static arguments {dict(expected.statics)}, "
                  f"it is called with {dict(call.statics)}")
    for name, got, want in zip(call.names, call.specs, expected.specs):
        difference = mismatch(got, want)
        if difference:
            fail("WEIR0506", f"argument '{name}' of {function} is {want}, got {got}: {difference}", argument=name)


def mismatch(got: Spec, want: Spec) -> Optional[str]:
    """What to do about an argument that does not suit, or None if it does."""
    if got.weak and want.shape == () and _takes_number(want.number, got.number):
        return None
    if got.number != want.number:
        from ._dtypes import dtype_name

        return f"convert it with .astype('{dtype_name(want.number)}')"
    if len(got.shape) != len(want.shape):
        return f"it has {len(got.shape)} dimensions instead of {len(want.shape)}"
    for axis, (mine, theirs) in enumerate(zip(got.shape, want.shape)):
        if theirs is not None and mine != theirs:
            extent = "is dynamic" if mine is None else f"has {mine} elements"
            return (f"dimension {axis} {extent} instead of {theirs}; for sizes that vary, trace with a "
                    f"spec in which that extent is None")
    return None


def _takes_number(number: int, weak: int) -> bool:
    """Whether a Python number can be fed where a tensor of a dtype is expected."""
    from ._dtypes import FLOATS, INT64

    if number in FLOATS:
        return number in (FLOAT32, 2)
    return number == weak or (number == INT64 and weak == INT32)

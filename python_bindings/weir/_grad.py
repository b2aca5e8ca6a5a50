# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gradients: of a value inside a traced function, and of functions."""
from __future__ import annotations

import functools
from typing import Any, Callable, List, Sequence, Union

from . import _tree
from ._dtypes import FLOATS, Spec
from ._errors import fail
from ._ops import as_tensor, node
from ._tensor import Tensor
from ._trace import active, current
from ._variable import Variable

Argnums = Union[int, Sequence[int]]


def gradients(value: Tensor, wrt: Any, seed: Any = None) -> Any:
    """The gradient of a value with respect to tensors or variables, inside a traced function.

    Args:
      value: a float tensor; gradients of one with several elements are of their sum.
      wrt: a tensor or variable, or lists, tuples, dicts of them. A variable stands
        for the value that was read from it last.
      seed: the gradient of `value` itself, of its shape; ones by default.

    Returns:
      Gradients in the structure of `wrt`, zero where `value` does not depend on one.

    Errors: WEIR0508 for what has no gradient.
    """
    graph = current()
    leaves, tree = _tree.flatten(wrt)
    value = as_tensor(value)
    if value.spec.number not in FLOATS:
        fail("WEIR0508", f"only floats have gradients; the value is {value.spec}")
    xs: List[Tensor] = []
    for leaf in leaves:
        if isinstance(leaf, Variable):
            read = graph.last_read(leaf)
            if read is None:
                fail("WEIR0508", f"the value does not depend on variable '{leaf.name}': it is not read in this function; "
                          f"leave it out, or use it in the loss")
            leaf = read
        if not isinstance(leaf, Tensor):
            fail("WEIR0508", f"gradients are taken with respect to tensors and variables, got {type(leaf).__name__}")
        if leaf.spec.number not in FLOATS:
            fail("WEIR0508", f"only floats have gradients; got one with respect to {leaf.spec}")
        xs.append(leaf)
    if not xs:
        return _tree.unflatten(tree, [])
    seeds = [] if seed is None else [as_tensor(seed)]
    values = graph.emit("gradients", [value, *xs, *seeds], {}, [1, len(xs), len(seeds), 0],
                        results=[x.spec.type for x in xs])
    return _tree.unflatten(tree, [Tensor(graph, v, Spec(x.shape, x.spec.number)) for v, x in zip(values, xs)])


def value_and_grad(function: Callable, argnums: Argnums = 0, has_aux: bool = False) -> Callable:
    """A function that gives the value of a function and its gradient.

    Args:
      function: gives a float scalar, or a pair of it and other results with `has_aux`.
      argnums: which arguments to differentiate by; each may be a tree of float tensors.

    The new function works inside traced functions, and outside of them on NumPy arrays.
    """
    numbers = [argnums] if isinstance(argnums, int) else list(argnums)

    def differentiate(*args: Any, **kwargs: Any) -> Any:
        args = list(args)
        for number in numbers:
            if not -len(args) <= number < len(args):
                fail("WEIR0508", f"argnums={number}, but the function was called with {len(args)} positional arguments")
        # Values of their own, so that other uses of the same tensor do not count.
        inputs = [_tree.map_leaves(_own, args[number]) for number in numbers]
        for number, value in zip(numbers, inputs):
            args[number] = value
        result = function(*args, **kwargs)
        if has_aux and not (isinstance(result, tuple) and len(result) == 2):
            fail("WEIR0508", "with has_aux=True the function gives a pair: the value, and anything else")
        value, aux = result if has_aux else (result, None)
        value = as_tensor(value)
        if value.shape != ():
            fail("WEIR0508", f"the gradient is of a scalar, but the function gives {value.spec}; reduce it, for example with "
                      f".mean()")
        grads = [gradients(value, tree) for tree in inputs]
        grad = grads[0] if isinstance(argnums, int) else tuple(grads)
        return ((value, aux), grad) if has_aux else (value, grad)

    return _Transformed(differentiate, function)


def _own(leaf: Any) -> Tensor:
    x = as_tensor(leaf)
    if x.spec.number not in FLOATS:
        fail("WEIR0508", f"only floats have gradients; an argument to differentiate by is {x.spec}")
    return node("identity", [x])


def grad(function_or_value: Any, wrt: Any = 0, has_aux: bool = False) -> Any:
    """Gradients in both styles.

    - ``weir.grad(f)`` or ``weir.grad(f, (0, 1))``: a function that gives the
      gradient of `f` with respect to those arguments (see `value_and_grad`);
      with `has_aux`, a pair of the gradient and what else `f` gives.
    - ``weir.grad(loss, [w, b])``: inside a traced function, the gradients of a
      value with respect to tensors or variables (see `gradients`).
    """
    if isinstance(function_or_value, Tensor):
        return gradients(function_or_value, wrt)
    if not callable(function_or_value):
        fail("WEIR0508", f"weir.grad takes a function or a tensor, got {type(function_or_value).__name__}")
    both = value_and_grad(function_or_value, wrt, has_aux)

    def only(*args: Any, **kwargs: Any) -> Any:
        value, gradient = both(*args, **kwargs)
        return (gradient, value[1]) if has_aux else gradient

    return _Transformed(only, function_or_value)


class _Transformed:
    """A function on tensors; called outside of a traced function, it is compiled first."""

    def __init__(self, function: Callable, original: Callable) -> None:
        functools.update_wrapper(self, original)
        self._function = function
        self._compiled: Any = None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if active() is not None:
            return self._function(*args, **kwargs)
        if self._compiled is None:
            from ._jit import jit

            self._compiled = jit(self._function, name=getattr(self, "__name__", "grad"))
        return self._compiled(*args, **kwargs)


def stop_gradient(x: Any) -> Tensor:
    """The tensor, through which no gradient flows."""
    return node("stop_gradient", [as_tensor(x)])


def check_numerics(x: Any, message: str) -> Tensor:
    """The tensor; when it has a NaN or an infinity, the step fails with the message."""
    x = as_tensor(x)
    graph = current()
    value, control = graph.emit("check_numerics", [x], {"message": message}, results=[x.spec.type, (0, [])])
    graph.targets.append(control)
    return Tensor(graph, value, x.spec)


def name(x: Any, text: str) -> Tensor:
    """Gives the node of a tensor a name, for messages, traces, and as the name of a result."""
    result = node("identity", [as_tensor(x)])
    current().builder.name(result.value, text)
    result.name = text
    return result

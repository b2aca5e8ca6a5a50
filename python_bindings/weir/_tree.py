# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Nested dicts, lists and tuples of leaves: what a function may take and give."""
from __future__ import annotations

from typing import Any, Callable, Iterable, Iterator, List, NamedTuple, Tuple


class Tree(NamedTuple):
    """The structure without its leaves; equal structures are equal and hash alike."""

    kind: Any  # "leaf", "none", dict, list, tuple, or a named tuple's class
    keys: Tuple[Any, ...]
    children: Tuple["Tree", ...]

    @property
    def is_leaf(self) -> bool:
        return self.kind == "leaf"


_LEAF = Tree("leaf", (), ())
_NONE = Tree("none", (), ())


def flatten(value: Any) -> Tuple[List[Any], Tree]:
    """The leaves in order, and the structure. Keys of a dict are taken in sorted order."""
    leaves: List[Any] = []
    return leaves, _flatten(value, leaves)


def _flatten(value: Any, leaves: List[Any]) -> Tree:
    if value is None:
        return _NONE
    if isinstance(value, dict):
        try:
            keys = tuple(sorted(value))
        except TypeError:
            keys = tuple(value)
        return Tree(dict, keys, tuple(_flatten(value[key], leaves) for key in keys))
    if isinstance(value, list):
        return Tree(list, tuple(range(len(value))), tuple(_flatten(item, leaves) for item in value))
    if isinstance(value, tuple):
        kind = type(value) if hasattr(value, "_fields") else tuple
        keys = getattr(value, "_fields", None) or tuple(range(len(value)))
        return Tree(kind, keys, tuple(_flatten(item, leaves) for item in value))
    leaves.append(value)
    return _LEAF


def unflatten(tree: Tree, leaves: Iterable[Any]) -> Any:
    """The structure with leaves in place."""
    return _unflatten(tree, iter(leaves))


def _unflatten(tree: Tree, leaves: Iterator[Any]) -> Any:
    if tree.kind == "leaf":
        return next(leaves)
    if tree.kind == "none":
        return None
    items = [_unflatten(child, leaves) for child in tree.children]
    if tree.kind is dict:
        return dict(zip(tree.keys, items))
    if tree.kind is list:
        return items
    if tree.kind is tuple:
        return tuple(items)
    return tree.kind(*items)


def paths(tree: Tree, prefix: str = "") -> List[str]:
    """A name for each leaf: `params.w1`, `0.x`."""
    if tree.kind == "leaf":
        return [prefix]
    result: List[str] = []
    for key, child in zip(tree.keys, tree.children):
        result += paths(child, f"{prefix}.{key}" if prefix else str(key))
    return result


def map_leaves(function: Callable, value: Any, *others: Any) -> Any:
    """Applies a function to the leaves of structures that are alike."""
    leaves, tree = flatten(value)
    columns = [leaves] + [flatten(other)[0] for other in others]
    return unflatten(tree, [function(*row) for row in zip(*columns)])

# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NumPy's functions for tensors of a graph: ``import weir.numpy as wnp``.

They are used inside functions under ``@weir.jit`` and record nodes. Arguments
are tensors, variables, NumPy arrays (constants) and Python numbers (which take
the dtype of what they meet). Names, arguments and results are NumPy's, but for
dtypes: they are never converted by themselves (error WEIR0502), and lists and
new arrays are float32 and int32. Shapes that do not fit are error WEIR0020 and
the ones after it, axes out of range WEIR0511.
"""
from __future__ import annotations

import math
from typing import Any, List, Optional, Sequence, Union

import numpy as _np

from . import _ops
from ._creation import (arange, array, asarray, astype, extents_of as _extents_of, eye, full, full_like, ones, ones_like,
                        tril, zeros, zeros_like)
from ._dtypes import BOOL, INT64
from ._errors import fail
from ._ops import as_tensor, axes_of, compare, elementwise, float_elementwise, node, one_axis, reduce
from ._tensor import Tensor

pi = math.pi
e = math.e
inf = math.inf
nan = math.nan
newaxis = None
float16, float32, float64 = _np.float16, _np.float32, _np.float64
int8, int16, int32, int64 = _np.int8, _np.int16, _np.int32, _np.int64
uint8, uint16, uint32, uint64 = _np.uint8, _np.uint16, _np.uint32, _np.uint64
bool_ = _np.bool_

# ---- Element by element, one operand.


def exp(x: Any) -> Tensor:
    """e to the x."""
    return float_elementwise("exp", x)


def expm1(x: Any) -> Tensor:
    """e to the x, less 1, exact for small x."""
    return float_elementwise("expm1", x)


def log(x: Any) -> Tensor:
    """The natural logarithm."""
    return float_elementwise("log", x)


def log1p(x: Any) -> Tensor:
    """The natural logarithm of 1 + x, exact for small x."""
    return float_elementwise("log1p", x)


def sqrt(x: Any) -> Tensor:
    """The square root."""
    return float_elementwise("sqrt", x)


def rsqrt(x: Any) -> Tensor:
    """1 / sqrt(x)."""
    return float_elementwise("rsqrt", x)


def sin(x: Any) -> Tensor:
    """The sine."""
    return float_elementwise("sin", x)


def cos(x: Any) -> Tensor:
    """The cosine."""
    return float_elementwise("cos", x)


def tanh(x: Any) -> Tensor:
    """The hyperbolic tangent."""
    return float_elementwise("tanh", x)


def erf(x: Any) -> Tensor:
    """The error function."""
    return float_elementwise("erf", x)


def reciprocal(x: Any) -> Tensor:
    """1 / x."""
    return float_elementwise("reciprocal", x)


def floor(x: Any) -> Tensor:
    """The largest integer that is not larger."""
    return float_elementwise("floor", x)


def ceil(x: Any) -> Tensor:
    """The smallest integer that is not smaller."""
    return float_elementwise("ceil", x)


def round(x: Any, decimals: int = 0) -> Tensor:
    """The nearest integer, ties to even."""
    if decimals != 0:
        fail("WEIR0509", "round with decimals has no counterpart; scale before and after: round(x * 100) / 100")
    return float_elementwise("round", x)


def isfinite(x: Any) -> Tensor:
    """Where x is neither NaN nor infinite."""
    return float_elementwise("is_finite", x)


def isnan(x: Any) -> Tensor:
    """Where x is NaN."""
    return not_equal(x, x)


def negative(x: Any) -> Tensor:
    """-x."""
    return elementwise("neg", x)


def abs(x: Any) -> Tensor:
    """The absolute value."""
    return elementwise("abs", x)


absolute = abs


def sign(x: Any) -> Tensor:
    """-1, 0 or 1."""
    return elementwise("sign", x)


def square(x: Any) -> Tensor:
    """x * x."""
    return elementwise("square", x)


def logical_not(x: Any) -> Tensor:
    """The negation of booleans; of numbers: where they are 0."""
    return node("logical_not", [_boolean(x)])


# ---- Element by element, several operands that broadcast.


def add(a: Any, b: Any) -> Tensor:
    """a + b."""
    return elementwise("add", a, b)


def subtract(a: Any, b: Any) -> Tensor:
    """a - b."""
    return elementwise("sub", a, b)


def multiply(a: Any, b: Any) -> Tensor:
    """a * b."""
    return elementwise("mul", a, b)


def divide(a: Any, b: Any) -> Tensor:
    """a / b, of floats."""
    return float_elementwise("div", a, b)


true_divide = divide


def power(a: Any, b: Any) -> Tensor:
    """a to the power of b, of floats; small whole exponents of any number."""
    if isinstance(b, (int, float)) and not isinstance(b, bool):
        if b == 2:
            return square(a)
        if b == 1:
            return as_tensor(a)
        if b == 3:
            return multiply(square(a), a)
        if b == 0.5:
            return sqrt(a)
        if b == -1:
            return reciprocal(a)
    return float_elementwise("pow", a, b)


def maximum(a: Any, b: Any) -> Tensor:
    """The larger; NaN wins; the gradient at a tie goes to a."""
    return elementwise("maximum", a, b)


def minimum(a: Any, b: Any) -> Tensor:
    """The smaller; NaN wins; the gradient at a tie goes to a."""
    return elementwise("minimum", a, b)


def clip(x: Any, min: Any = None, max: Any = None) -> Tensor:
    """x held between two bounds, either of which may be None."""
    if min is not None:
        x = maximum(x, min)
    return minimum(x, max) if max is not None else as_tensor(x)


def equal(a: Any, b: Any) -> Tensor:
    """a == b."""
    return compare("eq", a, b)


def not_equal(a: Any, b: Any) -> Tensor:
    """a != b."""
    return compare("ne", a, b)


def less(a: Any, b: Any) -> Tensor:
    """a < b."""
    return compare("lt", a, b)


def less_equal(a: Any, b: Any) -> Tensor:
    """a <= b."""
    return compare("le", a, b)


def greater(a: Any, b: Any) -> Tensor:
    """a > b."""
    return compare("gt", a, b)


def greater_equal(a: Any, b: Any) -> Tensor:
    """a >= b."""
    return compare("ge", a, b)


def _boolean(x: Any) -> Tensor:
    x = as_tensor(x)
    return x if x.spec.number == BOOL else not_equal(x, 0)


def logical_and(a: Any, b: Any) -> Tensor:
    """Both."""
    return node("logical_and", [_boolean(a), _boolean(b)])


def logical_or(a: Any, b: Any) -> Tensor:
    """Either or both."""
    return node("logical_or", [_boolean(a), _boolean(b)])


def logical_xor(a: Any, b: Any) -> Tensor:
    """One but not both."""
    return node("logical_xor", [_boolean(a), _boolean(b)])


def where(condition: Any, a: Any, b: Any) -> Tensor:
    """a where the condition holds, else b; the three broadcast."""
    (a, b), weak = _ops.unify("where", a, b)
    return node("select", [_boolean(condition), a, b], weak=weak)


# ---- Reductions. axis: None for all, a number, or several.


def sum(x: Any, axis: Any = None, *, keepdims: bool = False) -> Tensor:
    """The sum; booleans are counted."""
    return reduce("reduce_sum", x, axis, keepdims)


def mean(x: Any, axis: Any = None, *, keepdims: bool = False) -> Tensor:
    """The mean of floats."""
    return reduce("reduce_mean", x, axis, keepdims)


def prod(x: Any, axis: Any = None, *, keepdims: bool = False) -> Tensor:
    """The product."""
    return reduce("reduce_prod", x, axis, keepdims)


def max(x: Any, axis: Any = None, *, keepdims: bool = False) -> Tensor:
    """The largest; NaN wins; ties share the gradient."""
    return reduce("reduce_max", x, axis, keepdims)


def min(x: Any, axis: Any = None, *, keepdims: bool = False) -> Tensor:
    """The smallest; NaN wins; ties share the gradient."""
    return reduce("reduce_min", x, axis, keepdims)


def any(x: Any, axis: Any = None, *, keepdims: bool = False) -> Tensor:
    """Whether some element is true."""
    return reduce("reduce_any", _boolean(x), axis, keepdims)


def all(x: Any, axis: Any = None, *, keepdims: bool = False) -> Tensor:
    """Whether all elements are true."""
    return reduce("reduce_all", _boolean(x), axis, keepdims)


def var(x: Any, axis: Any = None, *, ddof: int = 0, keepdims: bool = False) -> Tensor:
    """The variance: the mean square of the distance from the mean."""
    if ddof != 0:
        fail("WEIR0509", "var with ddof has no counterpart; scale the result")
    x = as_tensor(x)
    return mean(square(x - mean(x, axis, keepdims=True)), axis, keepdims=keepdims)


def std(x: Any, axis: Any = None, *, ddof: int = 0, keepdims: bool = False) -> Tensor:
    """The square root of the variance."""
    return sqrt(var(x, axis, ddof=ddof, keepdims=keepdims))


def _argument(op: str, x: Any, axis: Optional[int], keepdims: bool) -> Tensor:
    x = as_tensor(x)
    rank = x.ndim
    if axis is None:
        result = node(op, [reshape(x, (-1,))], {"axis": 0, "to": ("dtype", INT64)})
        return reshape(result, (1,) * rank) if keepdims else result
    axis = one_axis(op, axis, rank)
    result = node(op, [x], {"axis": axis, "to": ("dtype", INT64)})
    return expand_dims(result, axis) if keepdims else result


def argmax(x: Any, axis: Optional[int] = None, *, keepdims: bool = False) -> Tensor:
    """Where the largest element is, as int64: the first of equals; a NaN is the largest."""
    return _argument("argmax", x, axis, keepdims)


def argmin(x: Any, axis: Optional[int] = None, *, keepdims: bool = False) -> Tensor:
    """Where the smallest element is, as int64: the first of equals; a NaN is the smallest."""
    return _argument("argmin", x, axis, keepdims)


# ---- Products of matrices.


def matmul(a: Any, b: Any) -> Tensor:
    """The product of matrices, of batches of them, or with vectors, as `a @ b`."""
    (a, b), _ = _ops.unify("matmul", a, b)
    if a.ndim == 0 or b.ndim == 0:
        fail("WEIR0511", "matmul takes no scalars; multiply with *")
    vector_a, vector_b = a.ndim == 1, b.ndim == 1
    a = expand_dims(a, 0) if vector_a else a
    b = expand_dims(b, 1) if vector_b else b
    attributes = {}
    if a.transposed is not None:
        a, attributes["transpose_lhs"] = a.transposed, True
    if b.transposed is not None:
        b, attributes["transpose_rhs"] = b.transposed, True
    result = node("matmul", [a, b], attributes)
    if vector_b:
        result = squeeze(result, -1)
    return squeeze(result, -1 if vector_b else -2) if vector_a else result


def dot(a: Any, b: Any) -> Tensor:
    """The product of vectors and matrices."""
    a, b = as_tensor(a), as_tensor(b)
    if a.ndim == 0 or b.ndim == 0:
        return multiply(a, b)
    if b.ndim > 2:
        fail("WEIR0509", "dot of more than two dimensions has no counterpart; use matmul")
    return matmul(a, b)


# ---- Shapes.

Shape = Union[int, Sequence[Optional[int]]]


def shape(x: Any) -> tuple:
    """The extents; None where one is dynamic."""
    return as_tensor(x).shape


def size(x: Any, axis: Optional[int] = None) -> Any:
    """The number of elements, or of those along an axis: a Python number where it is static, else a tensor."""
    x = as_tensor(x)
    if axis is None:
        if None not in x.shape:
            return x.size
        return prod(node("shape_of", [x]))
    axis = one_axis("size", axis, x.ndim)
    extent = x.shape[axis]
    return node("dim_size", [x], {"axis": axis}) if extent is None else extent


def reshape(x: Any, shape: Shape) -> Tensor:
    """The elements in another shape.

    One extent may be -1: it is what is left. None stands for the dynamic extent
    of x, so that ``x.reshape(x.shape[0], -1)`` works where it is the batch.
    """
    x = as_tensor(x)
    extents = _extents_of(shape)
    if None in extents:
        extents = _keep_dynamic(x, extents)
    return node("reshape", [x], {"shape": extents})


def _keep_dynamic(x: Tensor, extents: List[Optional[int]]) -> List[int]:
    """-1 in place of None, and the -1 that was there computed."""
    if extents.count(None) > 1 or x.shape.count(None) != 1:
        fail("WEIR0511", f"reshape of {x.spec} to {tuple(extents)}: None stands for the one dynamic extent of the tensor")
    static = math.prod(extent for extent in x.shape if extent is not None)
    if -1 in extents:
        known = math.prod(extent for extent in extents if extent not in (None, -1))
        if extents.count(-1) > 1 or known == 0 or static % known:
            fail("WEIR0511", f"reshape of {x.spec} to {tuple(extents)}: the extent -1 cannot be computed")
        extents = [static // known if extent == -1 else extent for extent in extents]
    return [-1 if extent is None else extent for extent in extents]


def ravel(x: Any) -> Tensor:
    """The elements as a vector."""
    return reshape(x, (-1,))


def transpose(x: Any, axes: Optional[Sequence[int]] = None) -> Tensor:
    """Permutes the dimensions; reverses them without `axes`."""
    x = as_tensor(x)
    rank = x.ndim
    order = list(range(rank))[::-1] if axes is None else [one_axis("transpose", axis, rank) for axis in axes]
    if sorted(order) != list(range(rank)):
        fail("WEIR0511", f"transpose: {tuple(axes or ())} is no permutation of the {rank} dimensions")
    if order == list(range(rank)):
        return x
    result = node("transpose", [x], {"permutation": order})
    if order == list(range(rank - 2)) + [rank - 1, rank - 2]:
        result.transposed = x
    return result


def swapaxes(x: Any, axis1: int, axis2: int) -> Tensor:
    """Exchanges two dimensions."""
    x = as_tensor(x)
    a, b = one_axis("swapaxes", axis1, x.ndim), one_axis("swapaxes", axis2, x.ndim)
    order = list(range(x.ndim))
    order[a], order[b] = b, a
    return transpose(x, order)


def moveaxis(x: Any, source: int, destination: int) -> Tensor:
    """Moves one dimension to another place."""
    x = as_tensor(x)
    order = list(range(x.ndim))
    order.insert(one_axis("moveaxis", destination, x.ndim), order.pop(one_axis("moveaxis", source, x.ndim)))
    return transpose(x, order)


def expand_dims(x: Any, axis: Any) -> Tensor:
    """Inserts extents of 1 at places in the result."""
    x = as_tensor(x)
    count = 1 if isinstance(axis, (int, _np.integer)) else len(axis)
    return node("expand_dims", [x], {"axes": axes_of("expand_dims", axis, x.ndim + count)})


def squeeze(x: Any, axis: Any = None) -> Tensor:
    """Removes extents of 1: all, or those at `axis`."""
    x = as_tensor(x)
    axes = [i for i, extent in enumerate(x.shape) if extent == 1] if axis is None else axes_of("squeeze", axis, x.ndim)
    return node("squeeze", [x], {"axes": axes}) if axes else x


def broadcast_to(x: Any, shape: Shape) -> Tensor:
    """Repeats the elements up to a shape; -1 or None keeps an extent."""
    return node("broadcast_to", [as_tensor(x)], {"shape": [-1 if n is None else n for n in _extents_of(shape)]})


def concatenate(arrays: Sequence[Any], axis: int = 0) -> Tensor:
    """Joins tensors along a dimension."""
    operands, _ = _ops.unify("concatenate", *arrays) if len(arrays) else ([], False)
    if not operands:
        fail("WEIR0511", "concatenate needs one tensor at least")
    axis = one_axis("concatenate", axis, operands[0].ndim)
    return node("concat", operands, {"axis": axis}, segments=[len(operands), 0])


def stack(arrays: Sequence[Any], axis: int = 0) -> Tensor:
    """Joins tensors of one shape along a new dimension."""
    return concatenate([expand_dims(x, axis) for x in arrays], axis)


def split(x: Any, sections: Union[int, Sequence[int]], axis: int = 0) -> List[Tensor]:
    """Parts along a dimension: so many equal ones, or cut at the places given."""
    x = as_tensor(x)
    axis = one_axis("split", axis, x.ndim)
    extent = x.shape[axis]
    if isinstance(sections, (int, _np.integer)):
        if extent is None or sections <= 0 or extent % sections:
            fail("WEIR0511", f"split: dimension {axis} of {x.spec} cannot be cut into {sections} equal parts")
        sections = list(range(extent // sections, extent, extent // sections))
    cuts = [0, *sections, None]
    return [x[(slice(None),) * axis + (slice(a, b),)] for a, b in zip(cuts, cuts[1:])]


def flip(x: Any, axis: Any = None) -> Tensor:
    """Turns dimensions around."""
    x = as_tensor(x)
    return node("reverse", [x], {"axes": axes_of("flip", axis, x.ndim)})


def pad(x: Any, pad_width: Any, mode: str = "constant", constant_values: float = 0.0) -> Tensor:
    """Puts a value around the elements."""
    x = as_tensor(x)
    if mode != "constant":
        fail("WEIR0509", f"pad with mode='{mode}' has no counterpart; there is 'constant'")
    widths = _np.broadcast_to(_np.asarray(pad_width), (x.ndim, 2))
    return node("pad", [x], {"low": [int(n) for n in widths[:, 0]], "high": [int(n) for n in widths[:, 1]],
                             "interior": [0] * x.ndim, "value": float(constant_values)})


def take(x: Any, indices: Any, axis: Optional[int] = None) -> Tensor:
    """Elements or slices at integer places along a dimension; of all elements without an axis."""
    x = as_tensor(x)
    if axis is None:
        x, axis = ravel(x), 0
    axis = one_axis("take", axis, x.ndim)
    return x[(slice(None),) * axis + (as_tensor(indices),)]


def take_along_axis(x: Any, indices: Any, axis: int) -> Tensor:
    """One element of each row of a matrix, for indices of shape (rows, 1)."""
    x, indices = as_tensor(x), as_tensor(indices)
    if x.ndim != 2 or one_axis("take_along_axis", axis, 2) != 1 or indices.ndim != 2 or indices.shape[1] != 1:
        fail("WEIR0509", f"take_along_axis picks one element of each row of a matrix: x of two dimensions, axis 1, indices "
                  f"of shape (rows, 1); got {x.spec}, axis {axis}, {indices.spec}")
    return expand_dims(node("take_along", [x, squeeze(indices, 1)]), 1)


# The module counts as one, whichever file a function is in.
__all__ = [name for name, value in list(globals().items()) if not name.startswith("_") and callable(value) and
           getattr(value, "__module__", None) in (__name__, "weir._creation")]

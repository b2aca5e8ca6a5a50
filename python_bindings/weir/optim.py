# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Optimizers as graphs: their state is variables of its own, saved like any other.

Inside a traced function::

    optimizer = weir.optim.SGD(0.1)
    ...
    loss = ...
    optimizer.minimize(loss, [w, b])

The state of a variable `w` is named after it: `w/momentum`, `w/adam_m`, `w/adam_v`.
"""
from __future__ import annotations

from typing import Any, Dict, List, Sequence, Union

import numpy as np

from . import numpy as wnp
from ._dtypes import FLOATS
from ._errors import fail
from ._grad import gradients
from ._ops import as_tensor, cast
from ._tensor import Tensor
from ._variable import Variable

__all__ = ["SGD", "Adam", "Optimizer"]

# A learning rate: a number, or a tensor or variable that changes.
Rate = Union[float, Tensor, Variable]


class Optimizer:
    """What all optimizers share. One object serves one set of variables."""

    def __init__(self) -> None:
        self._slots: Dict[tuple, Variable] = {}

    @property
    def variables(self) -> List[Variable]:
        """The optimizer's state, as far as it was made."""
        return list(self._slots.values())

    def minimize(self, loss: Tensor, variables: Sequence[Variable]) -> List[Tensor]:
        """Takes the gradients of the loss and applies them; returns them."""
        variables = list(variables)
        grads = gradients(loss, variables)
        self.apply(grads, variables)
        return grads

    def apply(self, grads: Sequence[Tensor], variables: Sequence[Variable]) -> None:
        """Changes the variables by their gradients. Errors: WEIR0508."""
        grads, variables = list(grads), list(variables)
        if len(grads) != len(variables):
            fail("WEIR0508", f"{len(grads)} gradients for {len(variables)} variables")
        for gradient, variable in zip(grads, variables):
            if not isinstance(variable, Variable) or variable.spec.number not in FLOATS:
                fail("WEIR0508", f"an optimizer changes variables of floats, got {variable!r}")
            if tuple(gradient.shape) != variable.shape:
                fail("WEIR0508", f"the gradient of variable '{variable.name}' has shape {gradient.shape}, "
                          f"the variable has {variable.shape}")
        self._update(grads, variables)

    def _update(self, grads: List[Tensor], variables: List[Variable]) -> None:
        raise NotImplementedError

    def _slot(self, owner: Any, name: str, initial: np.ndarray) -> Variable:
        """The variable of this name that belongs to `owner`, made at its first use."""
        key = (owner, name)
        if key not in self._slots:
            self._slots[key] = Variable(initial, name)
        return self._slots[key]

    def _zeros(self, variable: Variable, suffix: str) -> Variable:
        return self._slot(variable, f"{variable.name}/{suffix}", np.zeros(variable.shape, variable.dtype))


def _rate(rate: Rate, variable: Variable) -> Any:
    return rate if isinstance(rate, (int, float)) else cast(as_tensor(rate), variable.spec.number)


class SGD(Optimizer):
    """w -= lr * g; with momentum: m = momentum * m + g, then w -= lr * m."""

    def __init__(self, lr: Rate, momentum: float = 0.0) -> None:
        super().__init__()
        self.lr, self.momentum = lr, momentum

    def _update(self, grads: List[Tensor], variables: List[Variable]) -> None:
        for gradient, variable in zip(grads, variables):
            if self.momentum:
                momentum = self._zeros(variable, "momentum")
                momentum.assign(self.momentum * momentum.read() + gradient)
                gradient = momentum.read()
            variable.assign_sub(gradient * _rate(self.lr, variable))


class Adam(Optimizer):
    """Adam (Kingma and Ba 2015, algorithm 1).

    m = b1 * m + (1 - b1) * g and v = b2 * v + (1 - b2) * g * g; then
    w -= lr * (m / (1 - b1^t)) / (sqrt(v / (1 - b2^t)) + eps) in step t, from 1.
    """

    def __init__(self, lr: Rate = 1e-3, b1: float = 0.9, b2: float = 0.999, eps: float = 1e-8,
                 name: str = "adam") -> None:
        super().__init__()
        self.lr, self.b1, self.b2, self.eps, self.name = lr, b1, b2, eps, name

    def _update(self, grads: List[Tensor], variables: List[Variable]) -> None:
        # The powers of b1 and b2, kept as variables as TensorFlow does: a
        # restored checkpoint goes on exactly where it stopped.
        power1 = self._slot(None, f"{self.name}/beta1_power", np.float32(1.0).reshape(()))
        power2 = self._slot(None, f"{self.name}/beta2_power", np.float32(1.0).reshape(()))
        power1.assign(power1.read() * self.b1)
        power2.assign(power2.read() * self.b2)
        correction1, correction2 = 1 - power1.read(), 1 - power2.read()
        for gradient, variable in zip(grads, variables):
            number = variable.spec.number
            m, v = self._zeros(variable, "adam_m"), self._zeros(variable, "adam_v")
            m.assign(self.b1 * m.read() + (1 - self.b1) * gradient)
            v.assign(self.b2 * v.read() + (1 - self.b2) * wnp.square(gradient))
            step = (m.read() / cast(correction1, number)) / (wnp.sqrt(v.read() / cast(correction2, number)) + self.eps)
            variable.assign_sub(step * _rate(self.lr, variable))

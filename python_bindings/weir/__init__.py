# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Weir compiles whole machine-learning programs: trace NumPy-style code, run native code.

::

    import numpy as np
    import weir
    import weir.numpy as wnp

    w = weir.Variable(np.zeros((64, 10), np.float32), name="w")

    @weir.jit
    def train(x, y):
        loss = weir.nn.sparse_softmax_cross_entropy(x @ w, y).mean()
        weir.optim.SGD(0.1).minimize(loss, [w])
        return loss

Start with docs/how-to/python.md. Errors are `weir.WeirError`, with a number that
has a page in docs/errors.
"""
from __future__ import annotations

from . import _weir
from ._errors import WeirError

_weir.set_error_class(WeirError)

from ._tensor import Tensor  # noqa: E402
from . import checkpoint, nn, numpy, optim, random  # noqa: E402
from ._coordinator import Coordinator  # noqa: E402
from ._devices import device, set_devices  # noqa: E402
from ._dtypes import Spec, spec  # noqa: E402
from ._grad import check_numerics, grad, gradients, name, stop_gradient, value_and_grad  # noqa: E402
from ._jit import Compiled, Jit, Lowered, Traced, explain_recompiles, jit  # noqa: E402
from ._program import EntryPoint, Exported, Module, compile, export, load  # noqa: E402
from ._quantization import FloatNode, QuantizationReport, Quantized, QuantizedNode, quantize_static  # noqa: E402
from ._session import PartialRun, Session  # noqa: E402
from ._variable import Variable  # noqa: E402

__version__ = "0.1.0"
__all__ = ["Compiled", "Coordinator", "EntryPoint", "Exported", "FloatNode", "Jit", "Lowered", "Module", "PartialRun", "QuantizationReport",
           "Quantized", "QuantizedNode", "Session", "Spec", "Tensor", "Traced", "Variable", "WeirError", "check_numerics", "checkpoint",
           "compile", "device", "explain_recompiles", "export", "grad", "gradients", "jit", "load", "name", "nn", "numpy", "optim",
           "phases", "profile", "quantize_static", "random", "set_devices", "spec", "stop_gradient", "value_and_grad"]


def phases() -> list:
    """The names of the compiler's phases, in order, as `as_text` takes them."""
    return _weir.phases()


class profile:
    """Records what runs as a trace for Perfetto: ``with weir.profile("trace.json"): train(x, y)``."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __enter__(self) -> "profile":
        _weir.trace_start()
        return self

    def __exit__(self, *error: object) -> None:
        _weir.trace_stop(self.path)

# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where nodes and variables are placed, and which devices there are."""
from __future__ import annotations

import threading
import weakref
from typing import List, Optional, Sequence, Tuple

from . import _weir

_scopes = threading.local()

# What set_devices has said last, and the jitted functions that have to hear of it.
_configuration: Tuple = ()
_functions: "weakref.WeakSet" = weakref.WeakSet()


def current_device() -> str:
    """What the innermost `device` scopes of this thread ask for; "" without any."""
    stack: List[str] = getattr(_scopes, "stack", [])
    return stack[-1] if stack else ""


class device:
    """Asks for a device for what is made in a scope: nodes of traced functions, and variables.

    ::

        with weir.device("/job:ps/task:0"):
            w = weir.Variable(np.zeros((64, 10), np.float32), name="w")

        @weir.jit
        def predict(x):
            with weir.device("/gpu:0"):
                return x @ w

    A name is written as TensorFlow writes it, and may leave parts out. An inner scope
    replaces the parts that it names; ``None`` leaves all scopes. docs/spec/placement.md
    says where nodes without a device go. Error WEIR0106 when it is no name of a device.
    """

    def __init__(self, name: Optional[str]) -> None:
        if name is not None and not isinstance(name, str):
            raise TypeError(f"weir.device takes a name such as '/gpu:0', or None; not {type(name).__name__}")
        self.name = name

    def __enter__(self) -> "device":
        if not hasattr(_scopes, "stack"):
            _scopes.stack = []
        _scopes.stack.append("" if self.name is None else _weir.merge_devices(current_device(), self.name))
        return self

    def __exit__(self, *error: object) -> None:
        _scopes.stack.pop()


def set_devices(devices: Sequence[str] = (), *, emulate_gpu: bool = False, soft_placement: bool = False,
                mxu: str = "", tf32: bool = False) -> None:
    """Says which devices what is compiled from now on may be placed on.

    Jitted functions are compiled again for other devices when they are called, and keep
    what they were compiled to before; sessions keep the devices that they began with.

    Args:
      devices: the best first, as "CPU:0", "GPU:0", "MXU:0"; one CPU by default.
      emulate_gpu: kernels of GPUs are made to run on the CPU, too, and run there.
      soft_placement: nodes whose device is not there, or has no kernel for them, are
        moved instead of being an error.
      mxu: the size of the accelerator's array, "128x128" by default.
      tf32: products of f32 on a GPU may use tensor cores, which round operands to 10 bits.

    Errors: WEIR0106 for names, WEIR0374 when devices exist already in another way.
    """
    global _configuration
    _weir.set_devices(list(devices), emulate_gpu, soft_placement, mxu, tf32)
    _configuration = (tuple(devices), emulate_gpu, soft_placement, mxu, tf32)
    for function in list(_functions):
        function._clear_targets()


def device_key() -> Tuple:
    """What tells programs for different devices apart."""
    return _configuration


def on_new_devices(function) -> None:
    """Has `function._clear_targets()` called whenever the devices change, while it lives."""
    _functions.add(function)

# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Weir: null step of a jitted scalar function, from Python."""
import numpy as np
import weir
from timing import per_call

f = weir.jit(lambda x: x + 1.0)
x = np.array(1, np.float32)
per_call("weir", "null step, jit", lambda: f(x))

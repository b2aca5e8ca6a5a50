# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch: eager scalar add, and the same through torch.compile."""
import torch
from timing import per_call

torch.set_grad_enabled(False)
f = torch.compile(lambda x: x + 1.0)
x = torch.tensor(1.0)
per_call("torch", "null step, eager", lambda: x + 1.0)
per_call("torch", "null step, torch.compile", lambda: f(x))

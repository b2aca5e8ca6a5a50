# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""JAX: null step of a jitted scalar function, and a while loop."""
import jax
import jax.numpy as jnp
from timing import per_call

f = jax.jit(lambda x: x + 1.0)
x = jnp.float32(1)
per_call("jax", "null step, jit", lambda: f(x).block_until_ready())
w = jax.jit(lambda a: jax.lax.while_loop(lambda s: s[0] < 10000, lambda s: (s[0] + 1, s[1] * 0.999 + 1.0), (0, a))[1])
per_call("jax", "while, 10,000 iterations of a*0.999+1 (per iteration: divide by 10,000)", lambda: w(x).block_until_ready(), batch=1)

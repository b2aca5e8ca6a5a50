# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""JAX: one jitted step, parameters donated."""
import os
import workloads as w
if w.threads() == 1:
    os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"
import jax
import jax.numpy as jnp


def xent(logits, y):
    return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(logits), y[..., None], -1))


def norm(h, g, b):
    m = h.mean(-1, keepdims=True)
    return (h - m) * jax.lax.rsqrt(((h - m) ** 2).mean(-1, keepdims=True) + 1e-5) * g + b


def loss_fn(name, p, x, y):
    if name == "mlp":
        h = jax.nn.relu(x @ p["w1"] + p["b1"])
        h = jax.nn.relu(h @ p["w2"] + p["b2"])
        return xent(h @ p["w3"] + p["b3"], y)
    if name == "cnn":
        conv = lambda h, k: jax.lax.conv_general_dilated(h, k, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
        h = jax.nn.relu(conv(x, p["k1"]) + p["b1"])
        h = jax.nn.relu(conv(h, p["k2"]) + p["b2"])
        h = jax.lax.reduce_window(h, -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID").reshape(x.shape[0], -1)
        h = jax.nn.relu(h @ p["w3"] + p["b3"])
        return xent(h @ p["w4"] + p["b4"], y)
    if name == "lstm":
        h = p["e"][x].transpose(1, 0, 2)
        for l in (1, 2):
            xs = h @ p[f"wx{l}"] + p[f"b{l}"]

            def cell(s, a, wh=p[f"wh{l}"]):
                hh, cc = s
                i, f, g, o = jnp.split(a + hh @ wh, 4, -1)
                cc = jax.nn.sigmoid(f) * cc + jax.nn.sigmoid(i) * jnp.tanh(g)
                hh = jax.nn.sigmoid(o) * jnp.tanh(cc)
                return (hh, cc), hh

            z = jnp.zeros((x.shape[0], 256))
            _, h = jax.lax.scan(cell, (z, z), xs)
        return xent(h.transpose(1, 0, 2) @ p["wo"] + p["bo"], y)
    b, t = x.shape
    h = p["e"][x] + p["pos"]
    mask = jnp.tril(jnp.ones((t, t), bool))
    for l in (1, 2):
        a = norm(h, p[f"g{l}a"], p[f"h{l}a"])
        q, k, v = (a @ p[f"qkv{l}"] + p[f"bqkv{l}"]).reshape(b, t, 3, 4, 64).transpose(2, 0, 3, 1, 4)
        s = jnp.where(mask, q @ k.transpose(0, 1, 3, 2) / 8.0, -1e30)
        a = jax.nn.softmax(s) @ v
        h = h + a.transpose(0, 2, 1, 3).reshape(b, t, 256) @ p[f"o{l}"] + p[f"bo{l}"]
        a = norm(h, p[f"g{l}b"], p[f"h{l}b"])
        h = h + jax.nn.gelu(a @ p[f"f{l}"] + p[f"bf{l}"], approximate=True) @ p[f"d{l}"] + p[f"bd{l}"]
    return xent(norm(h, p["g"], p["h"]) @ p["wo"] + p["bo"], y)


for name in w.chosen():
    c = w.ALL[name]()
    p = jax.tree.map(jnp.asarray, c["p"])
    x, y, lr = jnp.asarray(c["x"]), jnp.asarray(c["y"]), c["lr"]
    if c["opt"] == "sgd":
        s = ()

        def update(p, s, x, y):
            loss, g = jax.value_and_grad(lambda q: loss_fn(name, q, x, y))(p)
            return jax.tree.map(lambda a, b: a - lr * b, p, g), s, loss
    else:
        zero = lambda: jax.tree.map(jnp.zeros_like, p)
        s = (zero(), zero(), jnp.zeros(()))

        def update(p, s, x, y):
            loss, g = jax.value_and_grad(lambda q: loss_fn(name, q, x, y))(p)
            m, v, t = s
            t = t + 1
            m = jax.tree.map(lambda a, b: 0.9 * a + 0.1 * b, m, g)
            v = jax.tree.map(lambda a, b: 0.999 * a + 0.001 * b * b, v, g)
            p = jax.tree.map(lambda a, mm, vv: a - lr * (mm / (1 - 0.9 ** t)) / (jnp.sqrt(vv / (1 - 0.999 ** t)) + 1e-8), p, m, v)
            return p, (m, v, t), loss
    f = jax.jit(update, donate_argnums=(0, 1))
    state = [p, s]

    def step():
        state[0], state[1], loss = f(state[0], state[1], x, y)
        return loss

    w.measure("jax", name, step)

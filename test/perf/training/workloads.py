# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The four training steps that every system runs, with the same numbers.

Each workload gives its parameters and one fixed batch as NumPy arrays made
from a seed, in a layout-neutral form (convolutions HWIO, images NHWC, linear
layers [in, out]); a runner transposes what its framework wants. A runner does
plain SGD (lr) or Adam and reports the loss before step 1 and after step 5, so
that a reader sees all systems computed the same thing.
"""
import json
import math
import os
import statistics
import sys
import time

import numpy as np

F = np.float32


def _dense(rng, i, o):
    return (rng.standard_normal((i, o)) / math.sqrt(i)).astype(F)


def mlp():
    """784-512-512-10, batch 128, SGD."""
    r = np.random.default_rng(1)
    p = {"w1": _dense(r, 784, 512), "b1": np.zeros(512, F), "w2": _dense(r, 512, 512),
         "b2": np.zeros(512, F), "w3": _dense(r, 512, 10), "b3": np.zeros(10, F)}
    return dict(p=p, x=r.standard_normal((128, 784)).astype(F),
                y=r.integers(0, 10, 128).astype(np.int32), opt="sgd", lr=0.1)


def cnn():
    """conv3x3x32 relu conv3x3x64 relu maxpool2 fc128 relu fc10, 28x28x1, batch 64, SGD. SAME padding."""
    r = np.random.default_rng(2)
    k = lambda h, w, i, o: (r.standard_normal((h, w, i, o)) / math.sqrt(h * w * i)).astype(F)
    p = {"k1": k(3, 3, 1, 32), "b1": np.zeros(32, F), "k2": k(3, 3, 32, 64), "b2": np.zeros(64, F),
         "w3": _dense(r, 14 * 14 * 64, 128), "b3": np.zeros(128, F),
         "w4": _dense(r, 128, 10), "b4": np.zeros(10, F)}
    return dict(p=p, x=r.standard_normal((64, 28, 28, 1)).astype(F),
                y=r.integers(0, 10, 64).astype(np.int32), opt="sgd", lr=0.05)


def lstm():
    """Embedding 1000x256, two LSTM layers of 256, 64 steps, batch 32, softmax over 1000 at each step, SGD.
    Gates in order i, f, g, o; one bias per layer; h0 = c0 = 0."""
    r = np.random.default_rng(3)
    p = {"e": (r.standard_normal((1000, 256)) * 0.1).astype(F)}
    for l in (1, 2):
        p[f"wx{l}"] = _dense(r, 256, 1024)
        p[f"wh{l}"] = _dense(r, 256, 1024)
        p[f"b{l}"] = np.zeros(1024, F)
    p["wo"], p["bo"] = _dense(r, 256, 1000), np.zeros(1000, F)
    return dict(p=p, x=r.integers(0, 1000, (32, 64)).astype(np.int32),
                y=r.integers(0, 1000, (32, 64)).astype(np.int32), opt="sgd", lr=0.5)


def transformer():
    """Two pre-norm causal blocks, d 256, 4 heads, ff 1024 (tanh GELU), 128 tokens, batch 8, vocabulary 1000,
    tied nothing, Adam (b1 0.9, b2 0.999, eps 1e-8)."""
    r = np.random.default_rng(4)
    p = {"e": (r.standard_normal((1000, 256)) * 0.02).astype(F),
         "pos": (r.standard_normal((128, 256)) * 0.02).astype(F)}
    for l in (1, 2):
        p |= {f"g{l}a": np.ones(256, F), f"h{l}a": np.zeros(256, F), f"qkv{l}": _dense(r, 256, 768),
              f"bqkv{l}": np.zeros(768, F), f"o{l}": _dense(r, 256, 256), f"bo{l}": np.zeros(256, F),
              f"g{l}b": np.ones(256, F), f"h{l}b": np.zeros(256, F), f"f{l}": _dense(r, 256, 1024),
              f"bf{l}": np.zeros(1024, F), f"d{l}": _dense(r, 1024, 256), f"bd{l}": np.zeros(256, F)}
    p |= {"g": np.ones(256, F), "h": np.zeros(256, F), "wo": _dense(r, 256, 1000), "bo": np.zeros(1000, F)}
    return dict(p=p, x=r.integers(0, 1000, (8, 128)).astype(np.int32),
                y=r.integers(0, 1000, (8, 128)).astype(np.int32), opt="adam", lr=1e-3)


ALL = {f.__name__: f for f in (mlp, cnn, lstm, transformer)}


def measure(system, name, step, wait=lambda v: float(v), seconds=6.0):
    """Calls step() -> loss; prints one JSON line with losses, compile seconds, and warm milliseconds per step."""
    t = time.perf_counter()
    losses = [wait(step())]
    first = time.perf_counter() - t
    for _ in range(5):
        losses.append(wait(step()))
    ms, end = [], time.perf_counter() + seconds
    while time.perf_counter() < end or len(ms) < 10:
        t = time.perf_counter()
        wait(step())
        ms.append((time.perf_counter() - t) * 1e3)
    import resource
    ms.sort()
    print(json.dumps(dict(system=system, workload=name, threads=threads(), median_ms=round(statistics.median(ms), 3),
                          p10_ms=round(ms[len(ms) // 10], 3), p90_ms=round(ms[len(ms) * 9 // 10], 3), steps=len(ms),
                          first_s=round(first, 2), loss0=round(losses[0], 5), loss5=round(losses[5], 5),
                          peak_mb=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)), flush=True)


def threads():
    return len(os.sched_getaffinity(0))


def chosen():
    return sys.argv[1:] or list(ALL)

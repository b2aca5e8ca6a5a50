# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Weir: one jitted step on variables, that updates them in place."""
import os
import workloads as w
os.environ["OMP_NUM_THREADS"] = str(w.threads())
import weir
from weir import nn


def mlp(p, x, y):
    h = nn.relu(x @ p["w1"] + p["b1"])
    h = nn.relu(h @ p["w2"] + p["b2"])
    return nn.sparse_softmax_cross_entropy(h @ p["w3"] + p["b3"], y).mean()


def cnn(p, x, y):
    h = nn.relu(nn.conv2d(x, p["k1"]) + p["b1"])
    h = nn.relu(nn.conv2d(h, p["k2"]) + p["b2"])
    h = nn.max_pool(h).reshape(x.shape[0], -1)
    h = nn.relu(h @ p["w3"] + p["b3"])
    return nn.sparse_softmax_cross_entropy(h @ p["w4"] + p["b4"], y).mean()


for name in w.chosen():
    c = w.ALL[name]()
    loss_fn = globals()[name]
    variables = {key: weir.Variable(value, name=key) for key, value in c["p"].items()}
    optimizer = weir.optim.SGD(c["lr"]) if c["opt"] == "sgd" else weir.optim.Adam(c["lr"])

    @weir.jit
    def train(x, y):
        loss = loss_fn({key: variable.read() for key, variable in variables.items()}, x, y)
        optimizer.minimize(loss, list(variables.values()))
        return loss

    w.measure("weir", name, lambda: train(c["x"], c["y"]))

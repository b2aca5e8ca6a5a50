# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch, eager and torch.compile. MODE=eager|compile."""
import os
import torch
import torch.nn.functional as N
import workloads as w

torch.set_num_threads(w.threads())
MODE = os.environ.get("MODE", "compile")


def loss_fn(name, p, x, y):
    if name == "mlp":
        h = torch.relu(x @ p["w1"] + p["b1"])
        h = torch.relu(h @ p["w2"] + p["b2"])
        return N.cross_entropy(h @ p["w3"] + p["b3"], y)
    if name == "cnn":
        h = torch.relu(N.conv2d(x, p["k1"], p["b1"], padding=1))
        h = torch.relu(N.conv2d(h, p["k2"], p["b2"], padding=1))
        h = N.max_pool2d(h, 2).permute(0, 2, 3, 1).reshape(x.shape[0], -1)
        h = torch.relu(h @ p["w3"] + p["b3"])
        return N.cross_entropy(h @ p["w4"] + p["b4"], y)
    if name == "lstm":
        h = p["e"][x]
        out, _, _ = torch.lstm(h, (torch.zeros(2, x.shape[0], 256), torch.zeros(2, x.shape[0], 256)),
                               [p[k] for k in ("wx1", "wh1", "b1", "z1", "wx2", "wh2", "b2", "z2")],
                               True, 2, 0.0, True, False, True)
        return N.cross_entropy((out @ p["wo"] + p["bo"]).reshape(-1, 1000), y.reshape(-1))
    b, t = x.shape
    h = p["e"][x] + p["pos"]
    for l in (1, 2):
        a = N.layer_norm(h, (256,), p[f"g{l}a"], p[f"h{l}a"])
        q, k, v = (a @ p[f"qkv{l}"] + p[f"bqkv{l}"]).reshape(b, t, 3, 4, 64).permute(2, 0, 3, 1, 4)
        a = N.scaled_dot_product_attention(q, k, v, is_causal=True)
        h = h + a.transpose(1, 2).reshape(b, t, 256) @ p[f"o{l}"] + p[f"bo{l}"]
        a = N.layer_norm(h, (256,), p[f"g{l}b"], p[f"h{l}b"])
        h = h + N.gelu(a @ p[f"f{l}"] + p[f"bf{l}"], approximate="tanh") @ p[f"d{l}"] + p[f"bd{l}"]
    h = N.layer_norm(h, (256,), p["g"], p["h"])
    return N.cross_entropy((h @ p["wo"] + p["bo"]).reshape(-1, 1000), y.reshape(-1))


for name in w.chosen():
    c = w.ALL[name]()
    x, y = torch.from_numpy(c["x"]), torch.from_numpy(c["y"]).long()
    p = {k: torch.from_numpy(v.copy()) for k, v in c["p"].items()}
    if name == "cnn":
        x = x.permute(0, 3, 1, 2).contiguous(memory_format=torch.channels_last)
        for k in ("k1", "k2"):
            p[k] = p[k].permute(3, 2, 0, 1).contiguous(memory_format=torch.channels_last)
    if name == "lstm":
        x = x.long()
        for l in (1, 2):
            p[f"wx{l}"], p[f"wh{l}"] = p[f"wx{l}"].T.contiguous(), p[f"wh{l}"].T.contiguous()
            p[f"z{l}"] = torch.zeros(1024)
    frozen = {"z1", "z2"}
    train = [v.requires_grad_() for k, v in p.items() if k not in frozen]
    opt = torch.optim.SGD(train, c["lr"], fused=True) if c["opt"] == "sgd" else torch.optim.Adam(train, c["lr"], fused=True)
    f = lambda: loss_fn(name, p, x, y)
    if MODE == "compile":
        f = torch.compile(f)

    def step():
        opt.zero_grad(set_to_none=True)
        loss = f()
        loss.backward()
        opt.step()
        return loss.detach()

    w.measure(f"torch-{MODE}", name, step)

# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""TensorFlow: tf.function step on variables. MODE=graph|xla."""
import os
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import workloads as w
import tensorflow as tf
tf.config.threading.set_intra_op_parallelism_threads(w.threads())
tf.config.threading.set_inter_op_parallelism_threads(w.threads())
MODE = os.environ.get("MODE", "graph")


def xent(logits, y):
    return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits))


def norm(h, g, b):
    m, v = tf.nn.moments(h, [-1], keepdims=True)
    return (h - m) * tf.math.rsqrt(v + 1e-5) * g + b


def loss_fn(name, p, x, y):
    if name == "mlp":
        h = tf.nn.relu(tf.matmul(x, p["w1"]) + p["b1"])
        h = tf.nn.relu(tf.matmul(h, p["w2"]) + p["b2"])
        return xent(tf.matmul(h, p["w3"]) + p["b3"], y)
    if name == "cnn":
        h = tf.nn.relu(tf.nn.conv2d(x, p["k1"], 1, "SAME") + p["b1"])
        h = tf.nn.relu(tf.nn.conv2d(h, p["k2"], 1, "SAME") + p["b2"])
        h = tf.reshape(tf.nn.max_pool2d(h, 2, 2, "VALID"), [x.shape[0], -1])
        h = tf.nn.relu(tf.matmul(h, p["w3"]) + p["b3"])
        return xent(tf.matmul(h, p["w4"]) + p["b4"], y)
    if name == "lstm":
        h = tf.transpose(tf.gather(p["e"], x), [1, 0, 2])
        for l in (1, 2):
            xs = tf.reshape(tf.matmul(tf.reshape(h, [-1, 256]), p[f"wx{l}"]) + p[f"b{l}"], [64, 32, 1024])
            wh = tf.convert_to_tensor(p[f"wh{l}"])
            out = tf.TensorArray(tf.float32, 64)
            hh = cc = tf.zeros([32, 256])
            t = tf.constant(0)

            def body(t, hh, cc, out):
                i, f, g, o = tf.split(xs[t] + tf.matmul(hh, wh), 4, -1)
                cc = tf.sigmoid(f) * cc + tf.sigmoid(i) * tf.tanh(g)
                hh = tf.sigmoid(o) * tf.tanh(cc)
                return t + 1, hh, cc, out.write(t, hh)

            _, _, _, out = tf.while_loop(lambda t, *_: t < 64, body, (t, hh, cc, out), maximum_iterations=64)
            h = out.stack()
            h.set_shape([64, 32, 256])
        h = tf.reshape(tf.transpose(h, [1, 0, 2]), [-1, 256])
        return xent(tf.matmul(h, p["wo"]) + p["bo"], tf.reshape(y, [-1]))
    b, t = 8, 128
    mm = lambda a, wt: tf.reshape(tf.matmul(tf.reshape(a, [b * t, a.shape[-1]]), wt), [b, t, wt.shape[-1]])
    h = tf.gather(p["e"], x) + p["pos"]
    mask = tf.linalg.band_part(tf.ones([t, t]), -1, 0) - 1.0
    for l in (1, 2):
        a = norm(h, p[f"g{l}a"], p[f"h{l}a"])
        q, k, v = tf.unstack(tf.transpose(tf.reshape(mm(a, p[f"qkv{l}"]) + p[f"bqkv{l}"], [b, t, 3, 4, 64]), [2, 0, 3, 1, 4]))
        s = tf.matmul(q, k, transpose_b=True) / 8.0 + 1e30 * mask
        a = tf.reshape(tf.transpose(tf.matmul(tf.nn.softmax(s), v), [0, 2, 1, 3]), [b, t, 256])
        h = h + mm(a, p[f"o{l}"]) + p[f"bo{l}"]
        a = norm(h, p[f"g{l}b"], p[f"h{l}b"])
        h = h + mm(tf.nn.gelu(mm(a, p[f"f{l}"]) + p[f"bf{l}"], approximate=True), p[f"d{l}"]) + p[f"bd{l}"]
    h = norm(h, p["g"], p["h"])
    return xent(mm(h, p["wo"]) + p["bo"], y)


for name in w.chosen():
    c = w.ALL[name]()
    p = {k: tf.Variable(v) for k, v in c["p"].items()}
    m = {k: tf.Variable(tf.zeros_like(v)) for k, v in p.items()}
    v2 = {k: tf.Variable(tf.zeros_like(v)) for k, v in p.items()}
    count = tf.Variable(0.0)
    x, y, lr = tf.constant(c["x"]), tf.constant(c["y"]), c["lr"]

    @tf.function(jit_compile=True if MODE == "xla" else None)
    def step():
        with tf.GradientTape() as tape:
            loss = loss_fn(name, p, x, y)
        ks = list(p)
        gs = [tf.convert_to_tensor(g) for g in tape.gradient(loss, [p[k] for k in ks])]
        if c["opt"] == "sgd":
            for k, g in zip(ks, gs):
                p[k].assign_sub(lr * g)
        else:
            count.assign_add(1.0)
            a = lr * tf.sqrt(1 - 0.999 ** count) / (1 - 0.9 ** count)
            for k, g in zip(ks, gs):
                tf.raw_ops.ResourceApplyAdam(var=p[k].handle, m=m[k].handle, v=v2[k].handle, beta1_power=0.9 ** count,
                                             beta2_power=0.999 ** count, lr=lr, beta1=0.9, beta2=0.999, epsilon=1e-8, grad=g)
        return loss

    w.measure(f"tf-{MODE}", name, step)

#!/usr/bin/env python3
"""Trains a network of this folder from Python, compiled in memory.

    train.py mlp.mlir --data DIRECTORY [--epochs N] [--batch B] [--seed S] [--save PREFIX]

DIRECTORY is what make_data.py wrote. The batches are those of the command
`train` of an executable that weir-compile made, so that both end with the same
variables.
"""
import argparse
import os
import sys

import numpy as np
from tqdm import tqdm

import weir


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("module", help="mlp.mlir or cnn.mlir")
    parser.add_argument("--data", required=True, help="the folder that make_data.py wrote")
    parser.add_argument("--epochs", type=int, default=25, help="how often to go through the set (25)")
    parser.add_argument("--batch", type=int, default=32, help="examples in a step (32)")
    parser.add_argument("--seed", type=int, default=1, help="of the order (1)")
    parser.add_argument("--save-init", metavar="PREFIX", help="a checkpoint before the first step")
    parser.add_argument("--save", metavar="PREFIX", help="a checkpoint at the end")
    return parser.parse_args()


def shuffled(count, seed, epoch):
    """The order of the examples in an epoch, as executables have it (see runtime/cli/Shuffle.h)."""
    gamma, mask = 0x9E3779B97F4A7C15, (1 << 64) - 1

    def mix(z):
        z = ((z ^ z >> 30) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ z >> 27) * 0x94D049BB133111EB) & mask
        return z ^ z >> 31

    order = list(range(count))
    state = mix((seed + gamma * (epoch + 1)) & mask)
    for i in range(count - 1, 0, -1):
        state = (state + gamma) & mask
        j = mix(state) * (i + 1) >> 64
        order[i], order[j] = order[j], order[i]
    return np.array(order)


def load(directory, name):
    return np.load(os.path.join(directory, f"{name}.npy"))


def main():
    args = arguments()
    x, y = load(args.data, "x_train"), load(args.data, "y_train")
    x_test, y_test = load(args.data, "x_test"), load(args.data, "y_test")
    model = weir.load(args.module)
    model.init()
    if args.save_init:
        model.save(args.save_init)
    for epoch in range(args.epochs):
        order = shuffled(len(x), args.seed, epoch)
        total = 0.0
        batches = range(0, len(x), args.batch)
        for begin in (bar := tqdm(batches, f"epoch {epoch + 1}/{args.epochs}", leave=False, disable=not sys.stderr.isatty())):
            rows = order[begin:begin + args.batch]
            loss = float(model.train(x[rows], y[rows]))
            if not np.isfinite(loss):
                sys.exit(f"error: the loss is {loss} at step {epoch * len(batches) + begin // args.batch + 1}; nothing is saved")
            total += loss * len(rows)
            bar.set_postfix(loss=f"{loss:.4f}")
        print(f"epoch {epoch + 1}/{args.epochs}  loss {total / len(x):.5g}", file=sys.stderr)
    result = model.eval(x_test, y_test)
    print(f"test accuracy {float(result['accuracy']):.5g}")
    print(f"test loss {float(result['loss']):.5g}")
    if args.save:
        model.save(args.save)
        print(f"saved {args.save}")


if __name__ == "__main__":
    main()

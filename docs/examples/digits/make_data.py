#!/usr/bin/env python3
"""Writes the training and the held-out set as .npy files.

    make_data.py DIRECTORY

reads optdigits.csv.gz beside this script (64 pixels of 0 to 16 and a label a
line) and writes to DIRECTORY:

    x_train.npy  float32 [1438, 64]   pixels scaled to 0..1
    y_train.npy  int32   [1438]       labels 0..9
    x_test.npy   float32 [359, 64]    the held-out fifth
    y_test.npy   int32   [359]

The split is a fixed permutation of the examples: it does not depend on the
version of any library. Only the standard library is used.
"""
import gzip
import os
import random
import struct
import sys

HELD_OUT = 359  # a fifth of 1,797


def read_examples():
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "optdigits.csv.gz")
    with gzip.open(path, "rt") as file:
        rows = [[int(float(field)) for field in line.split(",")] for line in file]
    return [(row[:64], row[64]) for row in rows]


def permutation(count):
    """Fisher and Yates, on the Mersenne Twister with a fixed seed."""
    bits = random.Random(1797).getrandbits
    order = list(range(count))
    for i in range(count - 1, 0, -1):
        j = bits(64) % (i + 1)
        order[i], order[j] = order[j], order[i]
    return order


def write_npy(path, descr, shape, data):
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    temporary = path + ".part"
    with open(temporary, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data)
    os.replace(temporary, path)


def write_set(directory, name, examples):
    pixels = [p / 16 for image, _ in examples for p in image]
    labels = [label for _, label in examples]
    write_npy(os.path.join(directory, f"x_{name}.npy"), "<f4", (len(examples), 64), struct.pack(f"<{len(pixels)}f", *pixels))
    write_npy(os.path.join(directory, f"y_{name}.npy"), "<i4", (len(examples),), struct.pack(f"<{len(labels)}i", *labels))


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    os.makedirs(sys.argv[1], exist_ok=True)
    examples = read_examples()
    order = [examples[i] for i in permutation(len(examples))]
    write_set(sys.argv[1], "test", order[:HELD_OUT])
    write_set(sys.argv[1], "train", order[HELD_OUT:])


if __name__ == "__main__":
    main()

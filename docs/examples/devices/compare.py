#!/usr/bin/env python3
"""Compares what a network says on a device with what the interpreter says.

    compare.py DEVICE INTERPRETER LABELS

DEVICE and INTERPRETER are folders with logits.npy (float32 [n, classes]) and
class.npy (int32 [n]), LABELS is an .npy file (int32 [n]). Prints the share of
right classes, the largest difference of a logit, and how many classes differ.
Only the standard library is used.
"""
import array
import ast
import math
import os
import struct
import sys


def read(path, code):
    """The elements of an .npy file, in the order of its bytes."""
    with open(path, "rb") as file:
        magic = file.read(8)
        (length,) = struct.unpack("<H", file.read(2))
        header = ast.literal_eval(file.read(length).decode())
        if magic[:7] != b"\x93NUMPY\x01" or header["fortran_order"] or header["descr"] not in ("<f4", "<i4"):
            sys.exit(f"error: {path} is not an .npy file as weir-run writes them")
        elements = array.array(code)
        elements.frombytes(file.read())
    return elements


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    device, interpreter, labels = sys.argv[1:]
    (logits, expected) = (read(os.path.join(folder, "logits.npy"), "f") for folder in (device, interpreter))
    (classes, judged) = (read(os.path.join(folder, "class.npy"), "i") for folder in (device, interpreter))
    truth = read(labels, "i")
    if len(logits) != len(expected) or not len(classes) == len(judged) == len(truth):
        sys.exit("error: the files are not of the same examples")
    if not all(map(math.isfinite, logits)):
        sys.exit("error: a logit is no number")
    right = sum(a == b for a, b in zip(classes, truth)) / len(truth)
    difference = max(abs(a - b) for a, b in zip(logits, expected))
    print(f"{right:.4f} {difference:.3g} {sum(a != b for a, b in zip(classes, judged))}")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Writes sample feeds for quantization: the first digits to train on.

    make_samples.py x_train.npy COUNT samples.npz

samples.npz has one array `x`, float32 [COUNT, 64]. Only the standard library is
used.
"""
import struct
import sys
import zipfile

PIXELS = 64


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    source, count, target = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    with open(source, "rb") as file:
        magic = file.read(8)
        (length,) = struct.unpack("<H", file.read(2))
        header = file.read(length).decode()
        rows = file.read(count * PIXELS * 4)
    if magic[:7] != b"\x93NUMPY\x01" or f", {PIXELS})" not in header or len(rows) != count * PIXELS * 4:
        sys.exit(f"error: {source} has not {count} rows of {PIXELS} numbers")
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({count}, {PIXELS}), }}"
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr("x.npy", magic + struct.pack("<H", len(header)) + header.encode() + rows)


if __name__ == "__main__":
    main()

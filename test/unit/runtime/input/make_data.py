#!/usr/bin/env python3
# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes *Data.inc: what TensorFlow and NumPy make, and what they read.

    build/oracles/bin/python test/unit/runtime/input/make_data.py

Needs TensorFlow, and a C compiler with libjpeg for the one image that
TensorFlow cannot write. The result is checked in; run this to see where the
expected values of the tests come from, or to add some.
"""

import io
import os
import random
import struct
import subprocess
import tempfile
import zlib

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import numpy as np
import tensorflow as tf

HERE = os.path.dirname(os.path.abspath(__file__))
lines = []


def literal(data):
    """A C++ string literal, cut after 64 characters a line."""
    text, width, parts = "", 0, []
    previous_hex = False
    for byte in data:
        char = chr(byte)
        plain = 32 <= byte < 127 and char not in '"\\?' and not (previous_hex and char in "0123456789abcdefABCDEF")
        piece = char if plain else f"\\x{byte:02x}" if char not in '"\\' else "\\" + char
        if not plain and char not in '"\\':
            previous_hex = True
        else:
            previous_hex = False
        text += piece
        width += len(piece)
        if width > 64:
            parts.append(f'"{text}"')
            text, width, previous_hex = "", 0, False
    if text or not parts:
        parts.append(f'"{text}"')
    return "\n    ".join(parts)


def emit(name, data):
    lines.append(f"static constexpr std::string_view {name}(\n    {literal(data)},\n    {len(data)});\n")


def noise(*shape, seed=1):
    """Smooth enough for JPEG, and different in every pixel."""
    generator = np.random.default_rng(seed)
    image = generator.integers(0, 256, shape).astype(np.float64)
    height, width = shape[:2]
    ramp = np.add.outer(np.linspace(0, 120, height), np.linspace(0, 120, width))
    return np.clip(image * 0.3 + ramp.reshape(height, width, *[1] * (len(shape) - 2)), 0, 255).astype(np.uint8)


def records():
    values = [b"", b"abc", bytes(np.random.default_rng(7).integers(0, 256, 300, dtype=np.uint8)), b"last"]
    for name, kind in (("kRecords", ""), ("kRecordsZlib", "ZLIB"), ("kRecordsGzip", "GZIP")):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "r")
            with tf.io.TFRecordWriter(path, kind) as writer:
                for value in values:
                    writer.write(value)
            emit(name, open(path, "rb").read())
    emit("kThirdRecord", values[2])


def png(width, height, depth, color, rows, *chunks, interlace=0):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, depth, color, 0, 0, interlace)
    data = b"".join(b"\0" + row for row in rows)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + b"".join(chunk(kind, payload) for kind, payload in chunks)
        + chunk(b"IDAT", zlib.compress(data))
        + chunk(b"IEND", b"")
    )


def adam7(pixels):
    """The rows of the passes of an interlaced gray image."""
    rows = []
    for y0, x0, dy, dx in ((0, 0, 8, 8), (0, 4, 8, 8), (4, 0, 8, 4), (0, 2, 4, 4), (2, 0, 4, 2), (0, 1, 2, 2), (1, 0, 2, 1)):
        part = pixels[y0::dy, x0::dx]
        rows += [bytes(row) for row in part if part.shape[1]]
    return rows


CMYK_WRITER = r"""
#include <stdio.h>
#include <stdlib.h>
#include <jpeglib.h>
int main(int argc, char **argv) {
  struct jpeg_compress_struct c; struct jpeg_error_mgr e;
  unsigned char *out = 0, row[4 * 9]; unsigned long size = 0;
  c.err = jpeg_std_error(&e); jpeg_create_compress(&c);
  jpeg_mem_dest(&c, &out, &size);
  c.image_width = 9; c.image_height = 5; c.input_components = 4;
  c.in_color_space = JCS_CMYK; jpeg_set_defaults(&c);
  jpeg_set_colorspace(&c, argc > 1 ? JCS_YCCK : JCS_CMYK);
  if (argc <= 1) c.write_Adobe_marker = FALSE;
  jpeg_start_compress(&c, TRUE);
  for (int y = 0; y < 5; ++y) {
    for (int i = 0; i < 36; ++i) row[i] = (unsigned char)(y * 37 + i * 11);
    JSAMPROW rows[] = {row}; jpeg_write_scanlines(&c, rows, 1);
  }
  jpeg_finish_compress(&c); fwrite(out, 1, size, stdout); return 0;
}
"""


def cmyk(adobe):
    with tempfile.TemporaryDirectory() as folder:
        source, program = os.path.join(folder, "w.c"), os.path.join(folder, "w")
        open(source, "w").write(CMYK_WRITER)
        subprocess.run(["cc", source, "-o", program, "-ljpeg"], check=True)
        return subprocess.run([program] + ["1"] * adobe, check=True, stdout=subprocess.PIPE).stdout


def images():
    palette = bytes(range(0, 240, 20)) + bytes(range(5, 245, 20))
    cases = {
        "GrayPng": tf.io.encode_png(noise(5, 7, 1)).numpy(),
        "GrayAlphaPng": tf.io.encode_png(noise(5, 7, 2)).numpy(),
        "RgbPng": tf.io.encode_png(noise(5, 7, 3)).numpy(),
        "RgbaPng": tf.io.encode_png(noise(5, 7, 4)).numpy(),
        "Rgb16Png": tf.io.encode_png(noise(5, 7, 3).astype(np.uint16) * 251).numpy(),
        "BitPng": png(10, 3, 1, 0, [b"\xa5\xc0", b"\x3c\x40", b"\xff\x80"]),
        "PalettePng": png(4, 2, 4, 3, [b"\x01\x23", b"\x45\x67"], (b"PLTE", palette)),
        "PaletteAlphaPng": png(4, 2, 4, 3, [b"\x01\x23", b"\x45\x67"], (b"PLTE", palette), (b"tRNS", b"\x00\x80\xff")),
        "GrayKeyPng": png(3, 2, 8, 0, [b"\x01\x02\x03", b"\x03\x02\x01"], (b"tRNS", b"\0\2")),
        "InterlacedPng": png(11, 9, 8, 0, adam7(noise(9, 11)), interlace=1),
        "RgbJpeg": tf.io.encode_jpeg(noise(11, 13, 3), quality=80).numpy(),
        "GrayJpeg": tf.io.encode_jpeg(noise(11, 13, 1), quality=80).numpy(),
        "ProgressiveJpeg": tf.io.encode_jpeg(noise(11, 13, 3), quality=80, progressive=True).numpy(),
        "CmykJpeg": cmyk(False),
        "YcckJpeg": cmyk(True),
    }
    table = []
    for name, data in cases.items():
        emit("k" + name, data)
        for channels in range(5):
            try:
                if name.endswith("Png"):
                    value = tf.io.decode_png(data, channels=channels).numpy()
                elif channels in (0, 1, 3):
                    value = tf.io.decode_jpeg(data, channels=channels).numpy()
                else:
                    continue
            except (tf.errors.OpError, ValueError):
                table.append(f'    {{"{name}", k{name}, {channels}, {{}}, {{}}}},')
                continue
            emit(f"k{name}As{channels}", value.tobytes())
            dims = ", ".join(map(str, value.shape))
            table.append(f'    {{"{name}", k{name}, {channels}, {{{dims}}}, k{name}As{channels}}},')
    lines.append("static const ImageCase kImageCases[] = {\n" + "\n".join(table) + "\n};\n")


def arrays():
    a = np.arange(6, dtype=np.float32).reshape(2, 3)
    many = np.arange(300, dtype=np.int64)
    for name, save in (("kStoredNpz", np.savez), ("kDeflatedNpz", np.savez_compressed)):
        file = io.BytesIO()
        save(file, a=a, many=many)
        emit(name, file.getvalue())
    for name, value in (("kNpy", a), ("kFortranNpy", np.asfortranarray(a)), ("kScalarNpy", np.float32(1.5))):
        file = io.BytesIO()
        np.save(file, value)
        emit(name, file.getvalue())


def examples():
    def feature(**lists):
        return tf.train.Feature(**lists)

    first = tf.train.Example(
        features=tf.train.Features(
            feature={
                "f": feature(float_list=tf.train.FloatList(value=[1.5, -2.0, 3.25])),
                "i": feature(int64_list=tf.train.Int64List(value=[7, -1, 1 << 40, 0])),
                "s": feature(bytes_list=tf.train.BytesList(value=[b"x", b""])),
                "other": feature(float_list=tf.train.FloatList(value=[9])),
            }
        )
    )
    second = tf.train.Example(
        features=tf.train.Features(feature={"f": feature(float_list=tf.train.FloatList(value=[4, 5, 6])), "i": feature()})
    )
    emit("kExampleAll", first.SerializeToString(deterministic=True))
    emit("kExampleSome", second.SerializeToString(deterministic=True))
    spec = {
        "f": tf.io.FixedLenFeature([3], tf.float32),
        "i": tf.io.FixedLenFeature([2, 2], tf.int64, [[1, 2], [3, 4]]),
        "s": tf.io.FixedLenFeature([2], tf.string, [b"d", b"e"]),
    }
    batch = [first.SerializeToString(deterministic=True), second.SerializeToString(deterministic=True)]
    parsed = tf.io.parse_example(batch, spec)
    emit("kParsedF", parsed["f"].numpy().tobytes())
    emit("kParsedI", parsed["i"].numpy().tobytes())
    emit("kParsedS", b"|".join(parsed["s"].numpy().reshape(-1).tolist()))


def csv():
    generator = random.Random(3)
    texts = ["", ",", "1", "1,", '"', '""', '"""', '""""', '"a"b', '"a",', '"a""b",c', "a\n,b", "\n\na,b\n", '"a\nb",c', "a,\nb", "NA,1", 'a"b,c', ",,", "a,b,c", "1,2\r\n"]
    while len(texts) < 240:
        texts.append("".join(generator.choice('ab1,,""\n\rNA ') for _ in range(generator.randrange(9))))
    table = []
    for text in texts:
        for quotes in (True, False):
            try:
                value = tf.io.decode_csv([text], [["x"], ["y"]], use_quote_delim=quotes, na_value="NA")
                first, second = (literal(column.numpy()[0]) for column in value)
                table.append(f"    {{{literal(text.encode())}, {str(quotes).lower()}, true, {first}, {second}}},")
            except tf.errors.OpError:
                table.append(f'    {{{literal(text.encode())}, {str(quotes).lower()}, false, "", ""}},')
    lines.append("static const CsvCase kCsvCases[] = {\n" + "\n".join(table) + "\n};\n")


def numbers():
    texts = ["1", " 1", "1 ", "+1", "-1", "\t7\n", "1e3", "1e39", "-1e39", "1e-46", "1e999", "-1e999", "1e-999", "inf", "INF", "-inf", "+inf",
             "infinity", "nan", "0x10", "0x1p3", "-0x10", "1.", "1.5", ".5", "", "  ", "-", "+", "+-1", "-+1", "2147483647", "2147483648",
             "-2147483648", "-2147483649", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "1_0", "1" * 31,
             "0." + "3" * 29, "- 1", "1e", "0x", "0xinf", "1f", "00012", "--1", "1,0", "1e+5", "3.4028235e38", "3.4028236e38",
             "1.17549435e-38", "1e-45", "0.1", "0.30000000000000004", "1.7976931348623157e308", "4.9e-324", "2e-324", "\v1\f", "12a",
             "0.0000000000000000000000001e25", "00000000000e999", "16777217", "0e999999999999999999999",
             "0x1p-2000", "0x1p2000", "1 2"]
    table = []
    for text in texts:
        row = []
        for dtype, form in ((tf.float32, "<f4"), (tf.float64, "<f8"), (tf.int32, "<i4"), (tf.int64, "<i8")):
            try:
                value = tf.strings.to_number(text.encode("latin1"), dtype).numpy()
                if value != value:
                    row.append('"nan"')
                    continue
                row.append(f'"{int.from_bytes(np.array(value, form).tobytes(), "little"):x}"')
            except tf.errors.OpError:
                row.append('""')
        table.append(f"    {{{literal(text.encode('latin1'))}, {{{', '.join(row)}}}}},")
    lines.append("static const NumberCase kNumberCases[] = {\n" + "\n".join(table) + "\n};\n")
    table = []
    for value, dtype, kind in ((3.14, "float32", "WEIR_F32"), (3.14, "float64", "WEIR_F64"), (1e20, "float32", "WEIR_F32"),
                               (1.7976931348623157e308, "float64", "WEIR_F64"), (float("inf"), "float32", "WEIR_F32"), (float("-inf"), "float64", "WEIR_F64"),
                               (float("nan"), "float32", "WEIR_F32"), (-0.0, "float32", "WEIR_F32"), (2.0000005, "float64", "WEIR_F64"),
                               (0.5, "float16", "WEIR_F16"), (-5, "int8", "WEIR_I8"), (200, "uint8", "WEIR_U8"), (-30000, "int16", "WEIR_I16"),
                               (60000, "uint16", "WEIR_U16"), (-(2**31), "int32", "WEIR_I32"), (2**32 - 1, "uint32", "WEIR_U32"),
                               (-(2**63), "int64", "WEIR_I64"), (2**64 - 1, "uint64", "WEIR_U64"), (True, "bool", "WEIR_BOOL"), (False, "bool", "WEIR_BOOL")):
        text = tf.strings.as_string(tf.constant(value, dtype)).numpy()
        data = np.array(value, dtype).tobytes()
        table.append(f"    {{{kind}, std::string_view({literal(data)}, {len(data)}), {literal(text)}}},")
    lines.append("static const FormatCase kFormatCases[] = {\n" + "\n".join(table) + "\n};\n")


for name, parts in {
    "Record": (records,),
    "Image": (images,),
    "Array": (arrays,),
    "Example": (examples,),
    "Text": (csv, numbers),
}.items():
    lines.clear()
    for part in parts:
        part()
    with open(os.path.join(HERE, name + "Data.inc"), "w") as file:
        file.write("// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.\n")
        file.write("// See LICENSE for license information.\n")
        file.write("// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n//\n")
        file.write(f"// Written by make_data.py with TensorFlow {tf.__version__} and NumPy {np.__version__}.\n\n")
        file.write("\n".join(lines))

"""Writes a network on int8 that takes the accelerator's simulator minutes, and a batch for it.

    long-accelerator-network.py NETWORK.mlir BATCH.npy
"""

import struct
import sys

LAYERS, IMAGES, SIZE, CHANNELS = 100, 8, 64, 128

image = f"tensor<?x{SIZE}x{SIZE}x{CHANNELS}xi8>"
kernel, bias = f"tensor<3x3x{CHANNELS}x{CHANNELS}xi8>", f"tensor<{CHANNELS}xi32>"
text = f"""module {{
  weir.graph @predict(%x: {image} {{weir.name = "x"}}) -> ({image} {{weir.name = "y"}}) {{
    %k = weir.constant dense<1> : {kernel}
    %b = weir.constant dense<0> : {bias}
"""
value = "%x"
for layer in range(LAYERS):
    text += f"""    %{layer} = weir.quantized_conv2d {value}, %k, %b {{weir.device = "/device:MXU:0", input_zero = 0 : i32,
      multipliers = array<i32: 1518500250>, shifts = array<i32: 40>, output_zero = 0 : i32, strides = array<i64: 1, 1>,
      dilations = array<i64: 1, 1>, padding = #weir.padding<SAME>}} : ({image}, {kernel}, {bias}) -> {image}
"""
    value = f"%{layer}"
text += f"    weir.fetch {value} : {image}\n  }}\n}}\n"
with open(sys.argv[1], "w") as file:
    file.write(text)
head = f"{{'descr': '|i1', 'fortran_order': False, 'shape': ({IMAGES}, {SIZE}, {SIZE}, {CHANNELS}), }}".ljust(117) + "\n"
with open(sys.argv[2], "wb") as file:
    file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode())
    file.write(b"\x03" * (IMAGES * SIZE * SIZE * CHANNELS))

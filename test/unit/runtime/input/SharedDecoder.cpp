//===- SharedDecoder.cpp - The decoders in a shared library ---------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/input/Decode.h"

/// The sum of all pixels, or -1 where the image is damaged.
extern "C" int64_t weir_test_sum_of_pixels(const char *bytes, int64_t size) {
  weir::rt::TensorRef image;
  if (!weir::rt::decodeImage({bytes, static_cast<size_t>(size)}, 0, image).ok())
    return -1;
  int64_t sum = 0;
  const uint8_t *pixels = static_cast<const uint8_t *>(image.get()->data);
  for (int64_t i = 0, n = weir::rt::viewBytes(image.view()); i < n; ++i)
    sum += pixels[i];
  return sum;
}

//===- Windows.h - Loops over the windows of images -----------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What convolution and pooling have in common, on floats and on stored numbers.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_INTERPRETER_WINDOWS_H
#define WEIR_LIB_INTERPRETER_WINDOWS_H

#include "dialects/Weir/Shape.h"
#include "lib/Interpreter/Kernels.h"

namespace weir {

/// The windows of an op. Height and width are static, so verification has
/// found them to fit.
template <typename Op>
std::array<WindowDim, 2> windows(Op op, llvm::ArrayRef<int64_t> image,
                                 llvm::ArrayRef<int64_t> window,
                                 llvm::ArrayRef<int64_t> dilations) {
  std::optional<llvm::ArrayRef<int64_t>> pads = op.getPads();
  return *slideWindow2d(image, window, op.getStrides(), dilations,
                        op.getPadding(), pads);
}

/// Calls body(y, x, i, j, row, column) for each place (y, x) of the output and
/// each place (i, j) of the window there, which is (row, column) of the image,
/// unless that lies in the padding.
template <typename Body>
void forEachTap(const std::array<WindowDim, 2> &dims, Body body) {
  for (int64_t y = 0; y < dims[0].output; ++y)
    for (int64_t x = 0; x < dims[1].output; ++x)
      for (int64_t i = 0; i < dims[0].window; ++i)
        for (int64_t j = 0; j < dims[1].window; ++j) {
          int64_t row = y * dims[0].stride + i * dims[0].dilation - dims[0].low;
          int64_t column =
              x * dims[1].stride + j * dims[1].dilation - dims[1].low;
          if (row >= 0 && row < dims[0].input && column >= 0 &&
              column < dims[1].input)
            body(y, x, i, j, row, column);
        }
}

/// The offset of [n, y, x, 0] in an array of the shape [N, H, W, C].
inline int64_t pixel(llvm::ArrayRef<int64_t> shape, int64_t n, int64_t y,
                     int64_t x) {
  return ((n * shape[1] + y) * shape[2] + x) * shape[3];
}

/// Calls body(place in the image, in the filter, in the output) for all
/// products of a convolution, and of its gradients.
template <typename Op, typename Body>
llvm::Error convolve(Op op, llvm::ArrayRef<int64_t> image,
                     llvm::ArrayRef<int64_t> filter,
                     llvm::ArrayRef<int64_t> output, Body body) {
  if (llvm::Error error =
          checkExtents(op, {image[0], image[3]}, {output[0], filter[2]}))
    return error;
  auto dims =
      windows(op, image.slice(1, 2), filter.take_front(2), op.getDilations());
  if (llvm::Error error = checkExtents(
          op, output.slice(1, 3), {dims[0].output, dims[1].output, filter[3]}))
    return error;
  for (int64_t n = 0; n < image[0]; ++n)
    forEachTap(dims, [&](int64_t y, int64_t x, int64_t i, int64_t j,
                         int64_t row, int64_t column) {
      int64_t at = pixel(image, n, row, column),
              tap = (i * filter[1] + j) * filter[2] * filter[3],
              to = pixel(output, n, y, x);
      for (int64_t c = 0; c < filter[2]; ++c)
        for (int64_t o = 0; o < filter[3]; ++o)
          body(at + c, tap + c * filter[3] + o, to + o);
    });
  return llvm::Error::success();
}

/// Calls body(place in the image, place in the output) for all taps of all
/// windows, in row order within each.
template <typename Body>
void pool(const std::array<WindowDim, 2> &dims, llvm::ArrayRef<int64_t> image,
          llvm::ArrayRef<int64_t> output, Body body) {
  for (int64_t n = 0; n < image[0]; ++n)
    forEachTap(dims, [&](int64_t y, int64_t x, int64_t, int64_t, int64_t row,
                         int64_t column) {
      for (int64_t c = 0; c < image[3]; ++c)
        body(pixel(image, n, row, column) + c, pixel(output, n, y, x) + c);
    });
}

} // namespace weir

#endif // WEIR_LIB_INTERPRETER_WINDOWS_H

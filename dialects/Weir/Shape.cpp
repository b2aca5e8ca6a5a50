//===- Shape.cpp - Shapes
//----------------------------------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Weir/Shape.h"

#include "dialects/Weir/Weir.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace weir {

std::optional<SmallVector<int64_t>> broadcast(ArrayRef<int64_t> a,
                                              ArrayRef<int64_t> b) {
  size_t rank = std::max(a.size(), b.size());
  SmallVector<int64_t> shape(rank);
  for (size_t i = 0; i < rank; ++i) {
    int64_t x = i + a.size() < rank ? 1 : a[i + a.size() - rank];
    int64_t y = i + b.size() < rank ? 1 : b[i + b.size() - rank];
    if (x == y || y == 1)
      shape[i] = x;
    else if (x == 1 || isDynamic(x))
      shape[i] = y;
    else if (isDynamic(y))
      shape[i] = x;
    else
      return std::nullopt;
  }
  return shape;
}

std::optional<int64_t> elementCount(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t extent : shape) {
    if (isDynamic(extent))
      return std::nullopt;
    if (MulOverflow(count, extent, count))
      return std::nullopt;
  }
  return count;
}

bool areAxes(ArrayRef<int64_t> axes, int64_t rank) {
  int64_t last = -1;
  for (int64_t axis : axes) {
    if (axis <= last || axis >= rank)
      return false;
    last = axis;
  }
  return true;
}

SmallVector<int64_t> broadcastAxes(ArrayRef<int64_t> from,
                                   ArrayRef<int64_t> to) {
  SmallVector<int64_t> axes;
  int64_t shift =
      static_cast<int64_t>(to.size()) - static_cast<int64_t>(from.size());
  for (int64_t i = 0; i < static_cast<int64_t>(to.size()); ++i)
    if (i < shift || (from[i - shift] == 1 && to[i] != 1))
      axes.push_back(i);
  return axes;
}

std::optional<WindowDim>
slideWindow(int64_t input, int64_t window, int64_t stride, int64_t dilation,
            Padding padding, std::optional<std::pair<int64_t, int64_t>> pads) {
  // Far below the limits of int64_t, so that no product here overflows.
  constexpr int64_t limit = int64_t(1) << 30;
  if (isDynamic(input) || input < 0 || input > limit || window < 1 ||
      window > limit || stride < 1 || stride > limit || dilation < 1 ||
      dilation > limit)
    return std::nullopt;
  WindowDim dim{input, window, stride, dilation, 0, 0, 0};
  int64_t reach = (window - 1) * dilation + 1;
  if (padding == Padding::SAME) {
    dim.output = (input + stride - 1) / stride;
    int64_t total =
        std::max<int64_t>(0, (dim.output - 1) * stride + reach - input);
    dim.low = total / 2;
    dim.high = total - dim.low;
  } else {
    if (padding == Padding::EXPLICIT) {
      if (!pads || pads->first < 0 || pads->second < 0 || pads->first > limit ||
          pads->second > limit)
        return std::nullopt;
      dim.low = pads->first;
      dim.high = pads->second;
    }
    int64_t room = input + dim.low + dim.high - reach;
    if (room < 0)
      return std::nullopt;
    dim.output = room / stride + 1;
  }
  if (dim.output < 1)
    return std::nullopt;
  return dim;
}

std::optional<std::array<WindowDim, 2>>
slideWindow2d(ArrayRef<int64_t> image, ArrayRef<int64_t> window,
              ArrayRef<int64_t> strides, ArrayRef<int64_t> dilations,
              Padding padding, std::optional<ArrayRef<int64_t>> pads) {
  if (image.size() != 2 || window.size() != 2 || strides.size() != 2 ||
      (!dilations.empty() && dilations.size() != 2) ||
      (pads && pads->size() != 4) ||
      (padding == Padding::EXPLICIT) != pads.has_value())
    return std::nullopt;
  std::array<WindowDim, 2> dims;
  for (int i = 0; i < 2; ++i) {
    std::optional<std::pair<int64_t, int64_t>> pad;
    if (pads)
      pad = std::pair((*pads)[2 * i], (*pads)[2 * i + 1]);
    auto dim = slideWindow(image[i], window[i], strides[i],
                           dilations.empty() ? 1 : dilations[i], padding, pad);
    if (!dim)
      return std::nullopt;
    dims[i] = *dim;
  }
  return dims;
}

std::string shapeText(ArrayRef<int64_t> shape) {
  if (shape.empty())
    return "scalar";
  std::string text;
  for (auto [i, extent] : enumerate(shape)) {
    if (i)
      text += 'x';
    text += isDynamic(extent) ? "?" : std::to_string(extent);
  }
  return text;
}

std::string listText(ArrayRef<int64_t> numbers) {
  return llvm::join(
      llvm::map_range(numbers, [](int64_t n) { return std::to_string(n); }),
      ", ");
}

} // namespace weir

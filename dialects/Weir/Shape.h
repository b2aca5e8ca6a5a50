//===- Shape.h - Shapes: broadcasting, windows, checked products --------*- C++
//-*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one place where shapes are computed, for type inference, lowering and
// the interpreter alike. A dynamic extent is ShapedType::kDynamic.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECTS_WEIR_SHAPE_H
#define WEIR_DIALECTS_WEIR_SHAPE_H

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace weir {

enum class Padding : uint32_t;

inline bool isDynamic(int64_t extent) {
  return mlir::ShapedType::isDynamic(extent);
}

/// The shape two shapes broadcast to, or nothing where they do not. A dynamic
/// extent meets: 1 (giving dynamic), itself, or a static one (giving that).
std::optional<llvm::SmallVector<int64_t>> broadcast(llvm::ArrayRef<int64_t> a,
                                                    llvm::ArrayRef<int64_t> b);

/// The number of elements, or nothing where an extent is dynamic or the
/// product does not fit.
std::optional<int64_t> elementCount(llvm::ArrayRef<int64_t> shape);

/// True when `axes` are ascending, unique and inside 0 <= axis < rank.
bool areAxes(llvm::ArrayRef<int64_t> axes, int64_t rank);

/// The axes of `from` (a shape that broadcasts to `to`) that are repeated,
/// as axes of `to`.
llvm::SmallVector<int64_t> broadcastAxes(llvm::ArrayRef<int64_t> from,
                                         llvm::ArrayRef<int64_t> to);

/// A window sliding over one dimension.
struct WindowDim {
  int64_t input;  // extent of the image
  int64_t window; // extent of the window
  int64_t stride;
  int64_t dilation;
  int64_t low;    // padding before
  int64_t high;   // padding after
  int64_t output; // number of places, >= 1
};

/// Computes padding and places; nothing where the window does not fit or a
/// number is out of range. `pads` = {low, high}, for EXPLICIT.
std::optional<WindowDim>
slideWindow(int64_t input, int64_t window, int64_t stride, int64_t dilation,
            Padding padding, std::optional<std::pair<int64_t, int64_t>> pads);

/// Both image dimensions of an op with strides, padding, pads: [height, width].
/// `dilations` may be empty (all 1).
std::optional<std::array<WindowDim, 2>>
slideWindow2d(llvm::ArrayRef<int64_t> image, llvm::ArrayRef<int64_t> window,
              llvm::ArrayRef<int64_t> strides,
              llvm::ArrayRef<int64_t> dilations, Padding padding,
              std::optional<llvm::ArrayRef<int64_t>> pads);

/// "2x?x3" and "2, 3" for messages.
std::string shapeText(llvm::ArrayRef<int64_t> shape);
std::string listText(llvm::ArrayRef<int64_t> numbers);

} // namespace weir

#endif // WEIR_DIALECTS_WEIR_SHAPE_H

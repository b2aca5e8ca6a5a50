//===- Slice.h - Slices as TensorFlow says them -----------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_FRONTEND_GRAPHDEF_CONVERT_SLICE_H
#define WEIR_LIB_FRONTEND_GRAPHDEF_CONVERT_SLICE_H

#include "lib/Frontend/GraphDef/Convert/Converters.h"

namespace weir::graphdef {

/// One dimension of a strided slice, as TensorFlow's masks say it.
struct Part {
  enum Kind { Range, Index, NewAxis, Whole } kind = Whole;
  int64_t begin = 0, end = 0, stride = 1;
  bool fromStart = false, toEnd = false;
  /// Its place in the lists of begins and ends; -1 where it has none.
  int64_t entry = -1;
};

/// The dimensions in order; nothing, with a reason, where the masks contradict
/// the rank.
std::optional<std::vector<Part>> readParts(NodeConversion &n, const Node &node,
                                           int64_t rank,
                                           llvm::ArrayRef<int64_t> begins,
                                           llvm::ArrayRef<int64_t> ends,
                                           llvm::ArrayRef<int64_t> strides);

/// `value`, which has such extents where `shape` (-1: not known) says so.
Value withExtents(NodeConversion &n, Value value,
                  llvm::ArrayRef<int64_t> shape);

/// A box of `x` whose place and size are values.
Value computedSlice(NodeConversion &n, Value x, Value begin, Value size,
                    llvm::ArrayRef<int64_t> strides);
/// StridedSlice, and its gradient, whose bounds are values.
Value computedStridedSlice(NodeConversion &n, Value x);
Value computedStridedSliceGradient(NodeConversion &n);

} // namespace weir::graphdef

#endif // WEIR_LIB_FRONTEND_GRAPHDEF_CONVERT_SLICE_H

//===- Slices.h - Parts of tensors in checkpoints ---------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A slice is a box of a tensor: for each dimension a start and a length, where
// length -1 is all of it. TensorFlow keeps the data of a slice under a key of
// its own, which is made from the tensor's name and the slice.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_CHECKPOINT_SLICES_H
#define WEIR_RUNTIME_CHECKPOINT_SLICES_H

#include "runtime/base/Status.h"
#include "runtime/checkpoint/BundleProto.h"

#include <string>
#include <string_view>
#include <vector>

namespace weir::rt {

/// A slice of a tensor of `shape`, as TensorFlow writes it: "10 20 0,5:-" is
/// rows 0 to 4 of a 10x20 tensor. INVALID_ARGUMENT [WEIR0411].
Status parseShapeAndSlice(std::string_view text, std::vector<int64_t> &shape,
                          TensorSlice &slice);
std::string printShapeAndSlice(const std::vector<int64_t> &shape,
                               const TensorSlice &slice);

/// With every start and length spelled out; false when the slice is not of a
/// tensor of the shape.
bool resolveSlice(const std::vector<int64_t> &shape, const TensorSlice &slice,
                  TensorSlice &resolved);
/// The lengths of a resolved slice.
std::vector<int64_t> sliceShape(const TensorSlice &resolved);
bool slicesMeet(const TensorSlice &a, const TensorSlice &b);

/// TensorFlow's key for the data of a slice: it begins with a zero byte.
std::string sliceKey(std::string_view name, const TensorSlice &slice);

/// Copies what two resolved slices of one tensor have in common, elements of
/// `elementSize` bytes. Returns their number.
int64_t copySlice(const TensorSlice &to, void *toData, const TensorSlice &from,
                  const void *fromData, int64_t elementSize);

} // namespace weir::rt

#endif // WEIR_RUNTIME_CHECKPOINT_SLICES_H

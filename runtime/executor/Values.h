//===- Values.h - Tensors as the executor moves them ------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The count of a tensor that only one thread can see is changed without a
// locked instruction: of one reference the owner is alone.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_EXECUTOR_VALUES_H
#define WEIR_RUNTIME_EXECUTOR_VALUES_H

#include "runtime/core/Allocator.h"
#include "runtime/core/Tensor.h"

namespace weir::rt {

/// A tensor on memory of somebody else, who keeps it for the step.
TensorRef borrow(const WeirView &view);
void releaseBorrowed(void *data, void *arg);
inline bool isBorrowed(const WeirTensor &tensor) {
  return tensor.release == releaseBorrowed;
}
inline bool isHandle(const WeirTensor &tensor) {
  return tensor.dtype == WEIR_RESOURCE;
}

inline void addReferences(WeirTensor *tensor, int32_t count) {
  if (tensor->references.load(std::memory_order_relaxed) == 1)
    tensor->references.store(1 + count, std::memory_order_relaxed);
  else
    tensor->references.fetch_add(count, std::memory_order_relaxed);
}

} // namespace weir::rt

#endif // WEIR_RUNTIME_EXECUTOR_VALUES_H

//===- Values.cpp - Tensors as the executor moves them --------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/executor/Values.h"

using namespace weir::rt;

void weir::rt::releaseBorrowed(void *, void *) {}

TensorRef weir::rt::borrow(const WeirView &view) {
  WeirTensor *tensor = allocateTensor(view.dtype, view.rank, view.dims, 0);
  if (tensor) {
    tensor->data = view.data;
    tensor->release = releaseBorrowed;
  }
  return TensorRef(tensor);
}

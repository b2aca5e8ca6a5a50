//===- Checked.cpp - Arithmetic on sizes that cannot wrap -----------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/base/Checked.h"

using namespace weir::rt;

bool weir::rt::checkedCount(const int64_t *dims, int32_t rank, int64_t &count) {
  // The zero extents are left out of the product so that {0, 2^62, 2^62} is
  // refused as {2^62, 2^62, 0} is.
  bool empty = false;
  count = 1;
  for (int32_t i = 0; i < rank; ++i) {
    if (dims[i] == 0) {
      empty = true;
      continue;
    }
    if (!checkedMul(count, dims[i], count) || count > kMaxBytes)
      return false;
  }
  if (empty)
    count = 0;
  return true;
}

bool weir::rt::checkedBytes(const int64_t *dims, int32_t rank,
                            int64_t elementSize, int64_t &bytes) {
  return checkedCount(dims, rank, bytes) &&
         checkedMul(bytes, elementSize, bytes) && bytes <= kMaxBytes;
}

//===- Checked.h - Arithmetic on sizes that cannot wrap ---------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one place where extents become element counts and byte counts. Every
// size that comes from a caller, a file or a graph goes through here.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_BASE_CHECKED_H
#define WEIR_RUNTIME_BASE_CHECKED_H

#include <cstdint>

namespace weir::rt {

/// No tensor has more elements, and no buffer more bytes, than this.
constexpr int64_t kMaxBytes = int64_t(1) << 46;

/// a * b for non-negative a and b; false when it does not fit or one of them is
/// negative.
inline bool checkedMul(int64_t a, int64_t b, int64_t &result) {
  return a >= 0 && b >= 0 && !__builtin_mul_overflow(a, b, &result);
}

/// a + b for non-negative a and b; false as above.
inline bool checkedAdd(int64_t a, int64_t b, int64_t &result) {
  return a >= 0 && b >= 0 && !__builtin_add_overflow(a, b, &result);
}

/// `value` rounded up to a multiple of `alignment` (a power of two).
inline bool checkedAlign(int64_t value, int64_t alignment, int64_t &result) {
  if (!checkedAdd(value, alignment - 1, result))
    return false;
  result &= ~(alignment - 1);
  return true;
}

/// The number of elements of the extents; false when one is negative or the
/// product exceeds kMaxBytes. A zero extent gives 0 whatever the others are,
/// but they must still be sane on their own.
bool checkedCount(const int64_t *dims, int32_t rank, int64_t &count);

/// The bytes of a tensor of elements of `elementSize` bytes; false as above.
bool checkedBytes(const int64_t *dims, int32_t rank, int64_t elementSize,
                  int64_t &bytes);

} // namespace weir::rt

#endif // WEIR_RUNTIME_BASE_CHECKED_H

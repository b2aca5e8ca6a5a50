//===- types.h - Plain types shared by programs and the runtime ---*- C -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The types that cross the C ABI. All of them are plain data: the caller owns
// what it passes in unless a function says otherwise.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_C_TYPES_H
#define WEIR_C_TYPES_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Element types. The numbers are those of TensorFlow's `DataType`, because
/// they are what a TensorBundle checkpoint stores.
typedef enum WeirDType {
  WEIR_DTYPE_INVALID = 0,
  WEIR_F32 = 1,
  WEIR_F64 = 2,
  WEIR_I32 = 3,
  WEIR_U8 = 4,
  WEIR_I16 = 5,
  WEIR_I8 = 6,
  WEIR_STRING = 7,
  WEIR_I64 = 9,
  WEIR_BOOL = 10, /* one byte an element, 0 or 1 */
  WEIR_BF16 = 14,
  WEIR_U16 = 17,
  WEIR_F16 = 19,
  WEIR_RESOURCE = 20, /* scalar only: a handle, opaque to callers */
  WEIR_U32 = 22,
  WEIR_U64 = 23
} WeirDType;

/// Status codes; the numbers are those of TensorFlow and gRPC.
typedef enum WeirCode {
  WEIR_OK = 0,
  WEIR_CANCELLED = 1,
  WEIR_UNKNOWN = 2,
  WEIR_INVALID_ARGUMENT = 3,
  WEIR_DEADLINE_EXCEEDED = 4,
  WEIR_NOT_FOUND = 5,
  WEIR_ALREADY_EXISTS = 6,
  WEIR_PERMISSION_DENIED = 7,
  WEIR_RESOURCE_EXHAUSTED = 8,
  WEIR_FAILED_PRECONDITION = 9,
  WEIR_ABORTED = 10,
  WEIR_OUT_OF_RANGE = 11,
  WEIR_UNIMPLEMENTED = 12,
  WEIR_INTERNAL = 13,
  WEIR_UNAVAILABLE = 14,
  WEIR_DATA_LOSS = 15
} WeirCode;

/// The largest rank a tensor may have.
#define WEIR_MAX_RANK 32

/// One string element of a tensor of WEIR_STRING: `size` bytes, any value.
typedef struct WeirString {
  const char *data;
  int64_t size;
} WeirString;

/// A dense row-major tensor that somebody else owns. `dims` has `rank`
/// entries, all >= 0; `data` is aligned to the element size at least, and may
/// be null only when the tensor has no elements.
typedef struct WeirView {
  void *data;
  const int64_t *dims;
  int32_t rank;
  int32_t dtype; /* WeirDType */
} WeirView;

#ifdef __cplusplus
}
#endif

#endif // WEIR_C_TYPES_H

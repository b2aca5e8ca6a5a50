//===- DType.cpp - The table of element types -----------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/base/DType.h"

using namespace weir::rt;

// NumPy has no bfloat16: it travels as raw 2-byte voids, as ml_dtypes saves it.
static const DTypeInfo kTable[] = {
    {WEIR_F32, "f32", "<f4", 4, DTypeKind::Float},
    {WEIR_F64, "f64", "<f8", 8, DTypeKind::Float},
    {WEIR_I32, "i32", "<i4", 4, DTypeKind::Signed},
    {WEIR_U8, "ui8", "|u1", 1, DTypeKind::Unsigned},
    {WEIR_I16, "i16", "<i2", 2, DTypeKind::Signed},
    {WEIR_I8, "i8", "|i1", 1, DTypeKind::Signed},
    {WEIR_STRING, "!weir.string", nullptr, sizeof(WeirString),
     DTypeKind::String},
    {WEIR_I64, "i64", "<i8", 8, DTypeKind::Signed},
    {WEIR_BOOL, "i1", "|b1", 1, DTypeKind::Bool},
    {WEIR_BF16, "bf16", "<V2", 2, DTypeKind::Float},
    {WEIR_U16, "ui16", "<u2", 2, DTypeKind::Unsigned},
    {WEIR_F16, "f16", "<f2", 2, DTypeKind::Float},
    {WEIR_U32, "ui32", "<u4", 4, DTypeKind::Unsigned},
    {WEIR_U64, "ui64", "<u8", 8, DTypeKind::Unsigned},
};

const DTypeInfo *weir::rt::dtypeInfo(int32_t dtype) {
  // The numbers are small and few: an index table answers in one load, because
  // this runs once per feed and per fetch of a step.
  static constexpr int8_t kRow[24] = {-1, 0,  1,  2,  3,  4,  5,  6,
                                      -1, 7,  8,  -1, -1, -1, 9,  -1,
                                      -1, 10, -1, 11, -1, -1, 12, 13};
  if (dtype < 0 || dtype >= 24 || kRow[dtype] < 0)
    return nullptr;
  return &kTable[kRow[dtype]];
}

const DTypeInfo *weir::rt::dtypeFromNpy(std::string_view descr) {
  if (descr == "|V2")
    descr = "<V2";
  for (const DTypeInfo &info : kTable)
    if (info.npy && descr == info.npy)
      return &info;
  // One-byte types are also written with a byte order by other writers.
  if (descr.size() == 3 && descr[2] == '1')
    for (const DTypeInfo &info : kTable)
      if (info.npy && info.size == 1 && descr.substr(1) == info.npy + 1)
        return &info;
  return nullptr;
}

const DTypeInfo *weir::rt::dtypeTable(size_t &count) {
  count = sizeof(kTable) / sizeof(kTable[0]);
  return kTable;
}

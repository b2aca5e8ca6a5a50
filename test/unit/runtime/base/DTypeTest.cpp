//===- DTypeTest.cpp - Tests of the table of element types ----------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/base/DType.h"

#include <gtest/gtest.h>
#include <string>

using namespace weir::rt;

// Every row is found by its number and by its npy spelling.
TEST(DType, TableIsConsistent) {
  size_t count;
  const DTypeInfo *table = dtypeTable(count);
  EXPECT_EQ(count, 14u);
  for (size_t i = 0; i < count; ++i) {
    EXPECT_EQ(dtypeInfo(table[i].dtype), &table[i]) << table[i].name;
    if (table[i].npy)
      EXPECT_EQ(dtypeFromNpy(table[i].npy), &table[i]) << table[i].name;
  }
}

TEST(DType, RefusesUnknownNumbers) {
  for (int32_t dtype : {-1, 0, 8, 11, 13, 15, 16, 18, 20, 21, 24, 1 << 30})
    EXPECT_EQ(dtypeInfo(dtype), nullptr) << dtype;
}

TEST(DType, ReadsNpySpellings) {
  EXPECT_EQ(dtypeFromNpy("<f4")->dtype, WEIR_F32);
  EXPECT_EQ(dtypeFromNpy("|V2")->dtype, WEIR_BF16);
  EXPECT_EQ(dtypeFromNpy("<u1")->dtype, WEIR_U8);
  EXPECT_EQ(dtypeFromNpy("|b1")->dtype, WEIR_BOOL);
  for (const char *text : {"", "f4", ">f4", "<c8", "<U10", "|O", "<M8[ns]"})
    EXPECT_EQ(dtypeFromNpy(text), nullptr) << text;
}

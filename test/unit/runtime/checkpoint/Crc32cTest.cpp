//===- Crc32cTest.cpp - Tests of the checksum -----------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Known answers are those of RFC 3720, appendix B.4.
//
//===----------------------------------------------------------------------===//

#include "runtime/checkpoint/Crc32c.h"

#include <gtest/gtest.h>
#include <numeric>
#include <string>

using namespace weir::rt;

TEST(Crc32c, KnownAnswers) {
  unsigned char bytes[32];
  for (auto extend : {extendCrc32c, extendCrc32cPortable}) {
    EXPECT_EQ(extend(0, "123456789", 9), 0xe3069283u);
    EXPECT_EQ(extend(0, nullptr, 0), 0u);
    std::fill(std::begin(bytes), std::end(bytes), 0);
    EXPECT_EQ(extend(0, bytes, 32), 0x8a9136aau);
    std::fill(std::begin(bytes), std::end(bytes), 0xff);
    EXPECT_EQ(extend(0, bytes, 32), 0x62a8ab43u);
    std::iota(std::begin(bytes), std::end(bytes), 0);
    EXPECT_EQ(extend(0, bytes, 32), 0x46dd794eu);
    for (int i = 0; i < 32; ++i)
      bytes[i] = static_cast<unsigned char>(31 - i);
    EXPECT_EQ(extend(0, bytes, 32), 0x113fdb5cu);
  }
}

// Both ways agree at every length and alignment, in one piece or two.
TEST(Crc32c, InstructionAndTablesAgree) {
  std::string text;
  for (int i = 0; i < 200; ++i)
    text += static_cast<char>(i * 37 + i / 7);
  for (size_t start = 0; start < 9; ++start)
    for (size_t size = 0; start + size <= text.size(); size += 3) {
      const char *data = text.data() + start;
      uint32_t whole = extendCrc32c(0, data, size);
      EXPECT_EQ(whole, extendCrc32cPortable(0, data, size));
      size_t half = size / 2;
      EXPECT_EQ(extendCrc32c(extendCrc32cPortable(0, data, half), data + half,
                             size - half),
                whole);
    }
}

// LevelDB's masking, worked out by hand for crc 0 and 1.
TEST(Crc32c, Masks) {
  EXPECT_EQ(maskCrc32c(0), 0xa282ead8u);
  EXPECT_EQ(maskCrc32c(1), 0xa282ead8u + (1u << 17));
}

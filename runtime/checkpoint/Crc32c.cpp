//===- Crc32c.cpp - The checksum of checkpoints ---------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/checkpoint/Crc32c.h"
#include "runtime/core/CpuFeatures.h"

#include <cstring>

using namespace weir::rt;

namespace {

/// Tables for eight bytes at a time: row k advances a byte by k more bytes.
struct Tables {
  uint32_t rows[8][256];

  constexpr Tables() : rows() {
    for (uint32_t i = 0; i < 256; ++i) {
      uint32_t crc = i;
      for (int bit = 0; bit < 8; ++bit)
        crc = (crc >> 1) ^ (crc & 1 ? 0x82f63b78u : 0);
      rows[0][i] = crc;
    }
    for (int k = 1; k < 8; ++k)
      for (uint32_t i = 0; i < 256; ++i)
        rows[k][i] = (rows[k - 1][i] >> 8) ^ rows[0][rows[k - 1][i] & 0xff];
  }
};

} // namespace

static constexpr Tables kTables;

uint32_t weir::rt::extendCrc32cPortable(uint32_t crc, const void *data,
                                        size_t size) {
  const unsigned char *bytes = static_cast<const unsigned char *>(data);
  const auto &rows = kTables.rows;
  crc = ~crc;
  for (; size >= 8; size -= 8, bytes += 8) {
    uint32_t low, high;
    std::memcpy(&low, bytes, 4);
    std::memcpy(&high, bytes + 4, 4);
    low ^= crc;
    crc = rows[7][low & 0xff] ^ rows[6][low >> 8 & 0xff] ^
          rows[5][low >> 16 & 0xff] ^ rows[4][low >> 24] ^
          rows[3][high & 0xff] ^ rows[2][high >> 8 & 0xff] ^
          rows[1][high >> 16 & 0xff] ^ rows[0][high >> 24];
  }
  for (; size > 0; --size, ++bytes)
    crc = (crc >> 8) ^ rows[0][(crc ^ *bytes) & 0xff];
  return ~crc;
}

#if defined(__x86_64__)

__attribute__((target("sse4.2"))) static uint32_t
extendWithInstruction(uint32_t crc, const void *data, size_t size) {
  const unsigned char *bytes = static_cast<const unsigned char *>(data);
  uint64_t state = static_cast<uint32_t>(~crc);
  for (; size >= 8; size -= 8, bytes += 8) {
    uint64_t word;
    std::memcpy(&word, bytes, 8);
    state = __builtin_ia32_crc32di(state, word);
  }
  uint32_t narrow = static_cast<uint32_t>(state);
  for (; size > 0; --size, ++bytes)
    narrow = __builtin_ia32_crc32qi(narrow, *bytes);
  return ~narrow;
}

uint32_t weir::rt::extendCrc32c(uint32_t crc, const void *data, size_t size) {
  static const bool hasInstruction = hasCpuFeature("sse4.2");
  return hasInstruction ? extendWithInstruction(crc, data, size)
                        : extendCrc32cPortable(crc, data, size);
}

#else

uint32_t weir::rt::extendCrc32c(uint32_t crc, const void *data, size_t size) {
  return extendCrc32cPortable(crc, data, size);
}

#endif

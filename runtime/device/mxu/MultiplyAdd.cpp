//===- MultiplyAdd.cpp - The sums of the systolic array -------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pair of products of 16-bit numbers, added: one instruction on x86, and
// where there is no such instruction a loop that compilers make vectors of.
//
//===----------------------------------------------------------------------===//

#include "runtime/device/mxu/Simulator.h"

#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace weir::mxu {

constexpr int64_t laneBlock = 16;

namespace {
struct Block {
  int32_t *sums;
  int64_t sumStride;
  const int16_t *x, *w;
  int64_t stride, pairs;
  bool accumulate;
};
} // namespace

#if defined(__x86_64__)

/// 16 lanes of `Rows` rows; the sums stay in registers.
template <int Rows>
__attribute__((target("avx2"))) static void blockAvx2(const Block &b) {
  __m256i sums[Rows][2];
  for (int r = 0; r < Rows; ++r)
    for (int h = 0; h < 2; ++h)
      sums[r][h] = b.accumulate
                       ? _mm256_loadu_si256(reinterpret_cast<const __m256i *>(
                             b.sums + r * b.sumStride + h * 8))
                       : _mm256_setzero_si256();
  for (int64_t k = 0; k < b.pairs; ++k) {
    const auto *w = reinterpret_cast<const __m256i *>(b.w + k * b.stride * 2);
    __m256i low = _mm256_loadu_si256(w), high = _mm256_loadu_si256(w + 1);
    for (int r = 0; r < Rows; ++r) {
      int32_t pair;
      std::memcpy(&pair, b.x + (r * b.pairs + k) * 2, sizeof(pair));
      __m256i x = _mm256_set1_epi32(pair);
      sums[r][0] = _mm256_add_epi32(sums[r][0], _mm256_madd_epi16(x, low));
      sums[r][1] = _mm256_add_epi32(sums[r][1], _mm256_madd_epi16(x, high));
    }
  }
  for (int r = 0; r < Rows; ++r)
    for (int h = 0; h < 2; ++h)
      _mm256_storeu_si256(
          reinterpret_cast<__m256i *>(b.sums + r * b.sumStride + h * 8),
          sums[r][h]);
}

template <int Rows> static void blockSse2(const Block &b) {
  __m128i sums[Rows][4];
  for (int r = 0; r < Rows; ++r)
    for (int h = 0; h < 4; ++h)
      sums[r][h] = b.accumulate
                       ? _mm_loadu_si128(reinterpret_cast<const __m128i *>(
                             b.sums + r * b.sumStride + h * 4))
                       : _mm_setzero_si128();
  for (int64_t k = 0; k < b.pairs; ++k) {
    const auto *w = reinterpret_cast<const __m128i *>(b.w + k * b.stride * 2);
    for (int r = 0; r < Rows; ++r) {
      int32_t pair;
      std::memcpy(&pair, b.x + (r * b.pairs + k) * 2, sizeof(pair));
      __m128i x = _mm_set1_epi32(pair);
      for (int h = 0; h < 4; ++h)
        sums[r][h] = _mm_add_epi32(sums[r][h],
                                   _mm_madd_epi16(x, _mm_loadu_si128(w + h)));
    }
  }
  for (int r = 0; r < Rows; ++r)
    for (int h = 0; h < 4; ++h)
      _mm_storeu_si128(
          reinterpret_cast<__m128i *>(b.sums + r * b.sumStride + h * 4),
          sums[r][h]);
}

template <int Rows> static void multiplyBlock(const Block &block) {
  static const bool hasAvx2 = __builtin_cpu_supports("avx2");
  hasAvx2 ? blockAvx2<Rows>(block) : blockSse2<Rows>(block);
}

#else

template <int Rows> static void multiplyBlock(const Block &b) {
  for (int r = 0; r < Rows; ++r) {
    int32_t *out = b.sums + r * b.sumStride;
    uint32_t sums[laneBlock] = {};
    for (int64_t k = 0; k < b.pairs; ++k) {
      const int16_t *w = b.w + k * b.stride * 2;
      int32_t x0 = b.x[(r * b.pairs + k) * 2],
              x1 = b.x[(r * b.pairs + k) * 2 + 1];
      for (int64_t j = 0; j < laneBlock; ++j)
        sums[j] += static_cast<uint32_t>(x0 * w[2 * j] + x1 * w[2 * j + 1]);
    }
    for (int64_t j = 0; j < laneBlock; ++j)
      out[j] = static_cast<int32_t>(
          sums[j] + (b.accumulate ? static_cast<uint32_t>(out[j]) : 0));
  }
}

#endif

void multiplyAdd(int32_t *sums, int64_t sumStride, const int16_t *x,
                 const int16_t *w, int64_t stride, int64_t rows, int64_t pairs,
                 int64_t lanes, bool accumulate) {
  constexpr int rowBlock = 4;
  for (int64_t j = 0; j < lanes; j += laneBlock)
    for (int64_t i = 0; i < rows;) {
      Block block{sums + i * sumStride + j,
                  sumStride,
                  x + i * pairs * 2,
                  w + j * 2,
                  stride,
                  pairs,
                  accumulate};
      if (rows - i >= rowBlock) {
        multiplyBlock<rowBlock>(block);
        i += rowBlock;
      } else {
        multiplyBlock<1>(block);
        ++i;
      }
    }
}

} // namespace weir::mxu

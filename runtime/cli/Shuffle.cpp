//===- Shuffle.cpp - The order of a training set in an epoch --------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/cli/Shuffle.h"

#include <cstddef>
#include <utility>

using std::size_t;

using namespace weir::rt;

constexpr uint64_t kGamma = 0x9E3779B97F4A7C15u;

static uint64_t mix(uint64_t z) {
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
  z = (z ^ z >> 27) * 0x94D049BB133111EBu;
  return z ^ z >> 31;
}

std::vector<int64_t> weir::rt::shuffledOrder(int64_t count, uint64_t seed,
                                             uint64_t epoch) {
  std::vector<int64_t> order(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i)
    order[static_cast<size_t>(i)] = i;
  uint64_t state = mix(seed + kGamma * (epoch + 1));
  for (int64_t i = count - 1; i > 0; --i) {
    state += kGamma;
    unsigned __int128 product = static_cast<unsigned __int128>(mix(state)) *
                                static_cast<uint64_t>(i + 1);
    std::swap(order[static_cast<size_t>(i)],
              order[static_cast<size_t>(product >> 64)]);
  }
  return order;
}

//===- Shuffle.h - The order of a training set in an epoch ------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The order is the same wherever a program is trained, in an executable or from
// Python, because both use this algorithm (all arithmetic modulo 2^64):
//
//   gamma     = 0x9E3779B97F4A7C15
//   mix(z)    : z ^= z >> 30; z *= 0xBF58476D1CE4E5B9;
//               z ^= z >> 27; z *= 0x94D049BB133111EB; z ^= z >> 31
//   state     = mix(seed + gamma * (epoch + 1))
//   next()    : state += gamma; return mix(state)
//   for i = n - 1 down to 1: swap order[i], order[(next() * (i + 1)) >> 64]
//
// where the last product has 128 bits, and `order` starts as 0 … n - 1. Epochs
// are numbered from 0.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_CLI_SHUFFLE_H
#define WEIR_RUNTIME_CLI_SHUFFLE_H

#include <cstdint>
#include <vector>

namespace weir::rt {

/// The permutation of 0 … count - 1 for an epoch.
std::vector<int64_t> shuffledOrder(int64_t count, uint64_t seed,
                                   uint64_t epoch);

} // namespace weir::rt

#endif // WEIR_RUNTIME_CLI_SHUFFLE_H

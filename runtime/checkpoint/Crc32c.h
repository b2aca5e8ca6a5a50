//===- Crc32c.h - The checksum of checkpoints -------------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CRC-32C (Castagnoli), and the masking that LevelDB and TensorBundle store it
// with. Safe from any thread.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_CHECKPOINT_CRC32C_H
#define WEIR_RUNTIME_CHECKPOINT_CRC32C_H

#include <cstddef>
#include <cstdint>

namespace weir::rt {

/// The checksum of A followed by the bytes given, where `crc` is that of A (0
/// for nothing). Uses the processor's instruction where there is one.
uint32_t extendCrc32c(uint32_t crc, const void *data, size_t size);

/// The same from tables, on any processor.
uint32_t extendCrc32cPortable(uint32_t crc, const void *data, size_t size);

/// The stored form: a checksum of data that holds checksums would be weak.
inline uint32_t maskCrc32c(uint32_t crc) {
  return ((crc >> 15) | (crc << 17)) + 0xa282ead8u;
}

} // namespace weir::rt

#endif // WEIR_RUNTIME_CHECKPOINT_CRC32C_H

//===- BundleProto.h - The messages inside a checkpoint's index -*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// BundleHeaderProto and BundleEntryProto, with the field numbers that
// TensorFlow publishes. Their wire format is read and written here without
// protobuf (docs/rationale/checkpoint-protobuf.md); the parsers accept any
// bytes, never read outside them, and skip unknown fields.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_CHECKPOINT_BUNDLEPROTO_H
#define WEIR_RUNTIME_CHECKPOINT_BUNDLEPROTO_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weir::rt {

struct BundleHeader {
  int32_t shardCount = 0;
  int32_t endianness = 0; ///< 0 is little.
  int32_t producer = 0;
  int32_t minConsumer = 0;
};

/// A range of one dimension; length -1 is all of it.
struct SliceExtent {
  int64_t start = 0;
  int64_t length = -1;
};
/// One for each dimension.
using TensorSlice = std::vector<SliceExtent>;

struct BundleEntry {
  int32_t dtype = 0;
  std::vector<int64_t> shape;
  bool unknownRank = false;
  /// Not empty: the value lies in slices, under other keys.
  std::vector<TensorSlice> slices;
  int32_t shard = 0;
  int64_t offset = 0;
  int64_t size = 0;
  uint32_t crc = 0; ///< Masked.
};

/// False when the bytes are no such message.
bool parseHeader(std::string_view bytes, BundleHeader &header);
bool parseEntry(std::string_view bytes, BundleEntry &entry);

std::string serializeHeader(const BundleHeader &header);
std::string serializeEntry(const BundleEntry &entry);

} // namespace weir::rt

#endif // WEIR_RUNTIME_CHECKPOINT_BUNDLEPROTO_H

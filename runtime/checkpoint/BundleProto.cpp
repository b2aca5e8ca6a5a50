//===- BundleProto.cpp - The messages inside a checkpoint's index ---------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/checkpoint/BundleProto.h"
#include "runtime/base/WireFormat.h"

using namespace weir::rt;

/// More slices than a tensor is saved in: one for each task of a large job.
constexpr size_t kMaxSlices = 4096;

/// Stores the value of a varint field; false when its wire type is another.
template <typename T> static bool setInteger(const WireField &field, T &out) {
  if (field.type != WireField::Varint)
    return false;
  out = static_cast<T>(field.value);
  return true;
}

static bool parseVersion(std::string_view bytes, BundleHeader &header) {
  return forEachField(bytes, [&](const WireField &field) {
    switch (field.number) {
    case 1:
      return setInteger(field, header.producer);
    case 2:
      return setInteger(field, header.minConsumer);
    }
    return true;
  });
}

bool weir::rt::parseHeader(std::string_view bytes, BundleHeader &header) {
  return forEachField(bytes, [&](const WireField &field) {
    switch (field.number) {
    case 1:
      return setInteger(field, header.shardCount);
    case 2:
      return setInteger(field, header.endianness);
    case 3:
      return field.type == WireField::Bytes && parseVersion(field.text, header);
    }
    return true;
  });
}

static bool parseShape(std::string_view bytes, BundleEntry &entry) {
  return forEachField(bytes, [&](const WireField &field) {
    if (field.number == 3)
      return setInteger(field, entry.unknownRank);
    if (field.number != 2)
      return true;
    // TensorFlow's own limit on the rank bounds the list.
    if (field.type != WireField::Bytes || entry.shape.size() >= 254)
      return false;
    int64_t extent = 0;
    if (!forEachField(field.text, [&](const WireField &part) {
          return part.number != 1 || setInteger(part, extent);
        }))
      return false;
    entry.shape.push_back(extent);
    return true;
  });
}

static bool parseSlice(std::string_view bytes, TensorSlice &slice) {
  return forEachField(bytes, [&](const WireField &field) {
    if (field.number != 1)
      return true;
    if (field.type != WireField::Bytes || slice.size() >= 254)
      return false;
    SliceExtent &extent = slice.emplace_back();
    return forEachField(field.text, [&](const WireField &part) {
      switch (part.number) {
      case 1:
        return setInteger(part, extent.start);
      case 2:
        return setInteger(part, extent.length);
      }
      return true;
    });
  });
}

bool weir::rt::parseEntry(std::string_view bytes, BundleEntry &entry) {
  return forEachField(bytes, [&](const WireField &field) {
    switch (field.number) {
    case 1:
      return setInteger(field, entry.dtype);
    case 2:
      return field.type == WireField::Bytes && parseShape(field.text, entry);
    case 3:
      return setInteger(field, entry.shard);
    case 4:
      return setInteger(field, entry.offset);
    case 5:
      return setInteger(field, entry.size);
    case 6:
      entry.crc = static_cast<uint32_t>(field.value);
      return field.type == WireField::Fixed32;
    case 7:
      return field.type == WireField::Bytes &&
             entry.slices.size() < kMaxSlices &&
             parseSlice(field.text, entry.slices.emplace_back());
    }
    return true;
  });
}

/// Fields of value 0 are left out, as proto3 does.
static void putInteger(std::string &out, uint32_t number, int64_t value) {
  if (value == 0)
    return;
  putVarint(out, number << 3 | WireField::Varint);
  putVarint(out, static_cast<uint64_t>(value));
}

static void putMessage(std::string &out, uint32_t number,
                       const std::string &message) {
  putVarint(out, number << 3 | WireField::Bytes);
  putVarint(out, message.size());
  out += message;
}

std::string weir::rt::serializeHeader(const BundleHeader &header) {
  std::string version, out;
  putInteger(version, 1, header.producer);
  putInteger(version, 2, header.minConsumer);
  putInteger(out, 1, header.shardCount);
  putInteger(out, 2, header.endianness);
  putMessage(out, 3, version);
  return out;
}

static std::string serializeSlice(const TensorSlice &slice) {
  std::string out;
  for (const SliceExtent &extent : slice) {
    std::string range;
    putInteger(range, 1, extent.start);
    // A length of 0 is one all the same; none at all is the whole dimension.
    if (extent.length >= 0) {
      putVarint(range, 2 << 3 | WireField::Varint);
      putVarint(range, static_cast<uint64_t>(extent.length));
    }
    putMessage(out, 1, range);
  }
  return out;
}

std::string weir::rt::serializeEntry(const BundleEntry &entry) {
  std::string shape, out;
  for (int64_t extent : entry.shape) {
    std::string dim;
    putInteger(dim, 1, extent);
    putMessage(shape, 2, dim);
  }
  putInteger(out, 1, entry.dtype);
  putMessage(out, 2, shape);
  putInteger(out, 3, entry.shard);
  putInteger(out, 4, entry.offset);
  putInteger(out, 5, entry.size);
  putVarint(out, 6 << 3 | WireField::Fixed32);
  for (int i = 0; i < 4; ++i)
    out += static_cast<char>(entry.crc >> (8 * i));
  for (const TensorSlice &slice : entry.slices)
    putMessage(out, 7, serializeSlice(slice));
  return out;
}

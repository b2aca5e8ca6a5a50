//===- BundleProto.cpp - The messages inside a checkpoint's index ---------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/checkpoint/BundleProto.h"
#include "weir-c/types.h"

#include <cstring>

using namespace weir::rt;

bool weir::rt::takeVarint(std::string_view &bytes, uint64_t &value) {
  value = 0;
  for (size_t i = 0; i < bytes.size() && i < 10; ++i) {
    unsigned char byte = static_cast<unsigned char>(bytes[i]);
    // The tenth byte has room for one bit.
    if (i == 9 && byte > 1)
      return false;
    value |= static_cast<uint64_t>(byte & 0x7f) << (7 * i);
    if (!(byte & 0x80)) {
      bytes.remove_prefix(i + 1);
      return true;
    }
  }
  return false;
}

void weir::rt::putVarint(std::string &out, uint64_t value) {
  for (; value >= 0x80; value >>= 7)
    out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

namespace {

/// One field of a message: its number and value. `text` is the contents of a
/// length-delimited one.
struct Field {
  uint32_t number;
  enum Type { Varint = 0, Fixed64 = 1, Bytes = 2, Fixed32 = 5 } type;
  uint64_t value;
  std::string_view text;

  int32_t asInt32() const { return static_cast<int32_t>(value); }
  int64_t asInt64() const { return static_cast<int64_t>(value); }
};

} // namespace

static bool takeFixed(std::string_view &bytes, size_t size, uint64_t &value) {
  if (bytes.size() < size)
    return false;
  value = 0;
  for (size_t i = 0; i < size; ++i)
    value |= static_cast<uint64_t>(static_cast<unsigned char>(bytes[i]))
             << (8 * i);
  bytes.remove_prefix(size);
  return true;
}

/// Takes one field off the front. Groups, which are long out of use, are
/// refused.
static bool takeField(std::string_view &bytes, Field &field) {
  uint64_t tag;
  if (!takeVarint(bytes, tag) || tag >> 3 == 0 || tag >> 3 > 0x1fffffff)
    return false;
  field.number = static_cast<uint32_t>(tag >> 3);
  field.type = static_cast<Field::Type>(tag & 7);
  field.value = 0;
  field.text = {};
  switch (tag & 7) {
  case Field::Varint:
    return takeVarint(bytes, field.value);
  case Field::Fixed64:
    return takeFixed(bytes, 8, field.value);
  case Field::Fixed32:
    return takeFixed(bytes, 4, field.value);
  case Field::Bytes:
    if (!takeVarint(bytes, field.value) || field.value > bytes.size())
      return false;
    field.text = bytes.substr(0, field.value);
    bytes.remove_prefix(field.value);
    return true;
  }
  return false;
}

/// Calls `handle` with each field; false when the bytes are malformed or
/// `handle` refuses one.
template <typename Fn>
static bool forEachField(std::string_view bytes, Fn handle) {
  Field field;
  while (!bytes.empty())
    if (!takeField(bytes, field) || !handle(field))
      return false;
  return true;
}

/// Stores the value of a varint field; false when its wire type is another.
template <typename T> static bool setInteger(const Field &field, T &out) {
  if (field.type != Field::Varint)
    return false;
  out = static_cast<T>(field.value);
  return true;
}

static bool parseVersion(std::string_view bytes, BundleHeader &header) {
  return forEachField(bytes, [&](const Field &field) {
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
  return forEachField(bytes, [&](const Field &field) {
    switch (field.number) {
    case 1:
      return setInteger(field, header.shardCount);
    case 2:
      return setInteger(field, header.endianness);
    case 3:
      return field.type == Field::Bytes && parseVersion(field.text, header);
    }
    return true;
  });
}

static bool parseShape(std::string_view bytes, BundleEntry &entry) {
  return forEachField(bytes, [&](const Field &field) {
    if (field.number == 3)
      return setInteger(field, entry.unknownRank);
    if (field.number != 2)
      return true;
    // TensorFlow's own limit on the rank bounds the list.
    if (field.type != Field::Bytes || entry.shape.size() >= 254)
      return false;
    int64_t extent = 0;
    if (!forEachField(field.text, [&](const Field &part) {
          return part.number != 1 || setInteger(part, extent);
        }))
      return false;
    entry.shape.push_back(extent);
    return true;
  });
}

bool weir::rt::parseEntry(std::string_view bytes, BundleEntry &entry) {
  return forEachField(bytes, [&](const Field &field) {
    switch (field.number) {
    case 1:
      return setInteger(field, entry.dtype);
    case 2:
      return field.type == Field::Bytes && parseShape(field.text, entry);
    case 3:
      return setInteger(field, entry.shard);
    case 4:
      return setInteger(field, entry.offset);
    case 5:
      return setInteger(field, entry.size);
    case 6:
      entry.crc = static_cast<uint32_t>(field.value);
      return field.type == Field::Fixed32;
    case 7:
      entry.sliced = true;
      return true;
    }
    return true;
  });
}

/// Fields of value 0 are left out, as proto3 does.
static void putInteger(std::string &out, uint32_t number, int64_t value) {
  if (value == 0)
    return;
  putVarint(out, number << 3 | Field::Varint);
  putVarint(out, static_cast<uint64_t>(value));
}

static void putMessage(std::string &out, uint32_t number,
                       const std::string &message) {
  putVarint(out, number << 3 | Field::Bytes);
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
  putVarint(out, 6 << 3 | Field::Fixed32);
  for (int i = 0; i < 4; ++i)
    out += static_cast<char>(entry.crc >> (8 * i));
  return out;
}

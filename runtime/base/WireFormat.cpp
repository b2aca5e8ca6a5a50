//===- WireFormat.cpp - Protocol buffers' wire format ---------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/base/WireFormat.h"

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

bool weir::rt::takeField(std::string_view &bytes, WireField &field) {
  uint64_t tag;
  if (!takeVarint(bytes, tag) || tag >> 3 == 0 || tag >> 3 > 0x1fffffff)
    return false;
  field.number = static_cast<uint32_t>(tag >> 3);
  field.type = static_cast<WireField::Type>(tag & 7);
  field.value = 0;
  field.text = {};
  switch (tag & 7) {
  case WireField::Varint:
    return takeVarint(bytes, field.value);
  case WireField::Fixed64:
    return takeFixed(bytes, 8, field.value);
  case WireField::Fixed32:
    return takeFixed(bytes, 4, field.value);
  case WireField::Bytes:
    if (!takeVarint(bytes, field.value) || field.value > bytes.size())
      return false;
    field.text = bytes.substr(0, field.value);
    bytes.remove_prefix(field.value);
    return true;
  }
  return false;
}

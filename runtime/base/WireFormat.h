//===- WireFormat.h - Protocol buffers' wire format -------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Fields of messages, read without protobuf. The functions accept any bytes and
// never read outside them.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_BASE_WIREFORMAT_H
#define WEIR_RUNTIME_BASE_WIREFORMAT_H

#include <cstdint>
#include <string>
#include <string_view>

namespace weir::rt {

/// Takes a varint of at most 64 bits off the front; false when there is none.
bool takeVarint(std::string_view &bytes, uint64_t &value);
void putVarint(std::string &out, uint64_t value);

/// One field of a message: its number and value. `text` is the contents of a
/// length-delimited one.
struct WireField {
  uint32_t number;
  enum Type { Varint = 0, Fixed64 = 1, Bytes = 2, Fixed32 = 5 } type;
  uint64_t value;
  std::string_view text;
};

/// Takes one field off the front; false when the bytes are malformed. Groups,
/// which are long out of use, are refused.
bool takeField(std::string_view &bytes, WireField &field);

/// Calls `handle` with each field; false when the bytes are malformed or
/// `handle` refuses one.
template <typename Fn> bool forEachField(std::string_view bytes, Fn handle) {
  WireField field;
  while (!bytes.empty())
    if (!takeField(bytes, field) || !handle(field))
      return false;
  return true;
}

} // namespace weir::rt

#endif // WEIR_RUNTIME_BASE_WIREFORMAT_H

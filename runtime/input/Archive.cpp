//===- Archive.cpp - Arrays of .npy and .npz files ------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// A .npz file is a zip archive of .npy files, stored or deflated. Its directory
// lies at its end. Everything in it is checked against the bytes that are
// there before it is used.
//
//===----------------------------------------------------------------------===//

#include "runtime/base/Checked.h"
#include "runtime/base/Format.h"
#include "runtime/cli/Npy.h"
#include "runtime/core/Allocator.h"
#include "runtime/input/Decode.h"

#include <algorithm>
#include <cstring>
#include <zlib.h>

using namespace weir::rt;

namespace {

/// A member as the directory describes it.
struct Member {
  std::string_view name;
  uint64_t flags = 0, method = 0, crc = 0;
  uint64_t packedBytes = 0, bytes = 0, headerOffset = 0;
};

} // namespace

static Status damaged(const std::string &what) {
  return Status(WEIR_DATA_LOSS,
                str("[WEIR0367] the .npz archive is damaged: ", what));
}

static Status unfit(const std::string &what) {
  return Status(WEIR_INVALID_ARGUMENT, str("[WEIR0367] ", what));
}

/// `count` bytes at `offset` as a number; the caller has checked that they are
/// there.
static uint64_t number(std::string_view bytes, uint64_t offset, int count) {
  uint64_t value = 0;
  for (int i = 0; i < count; ++i)
    value |= static_cast<uint64_t>(static_cast<unsigned char>(
                 bytes[static_cast<size_t>(offset) + static_cast<size_t>(i)]))
             << (8 * i);
  return value;
}

/// True when `count` bytes are at `offset`.
static bool has(std::string_view bytes, uint64_t offset, uint64_t count) {
  return offset <= bytes.size() && count <= bytes.size() - offset;
}

/// Sizes beyond 32 bits stand in the extra field with tag 1, in this order,
/// each only where its short form is all ones.
static bool readLongSizes(std::string_view extra, Member &member) {
  for (uint64_t at = 0; has(extra, at, 4);) {
    uint64_t tag = number(extra, at, 2), size = number(extra, at + 2, 2);
    at += 4;
    if (!has(extra, at, size))
      return false;
    if (tag != 1) {
      at += size;
      continue;
    }
    for (uint64_t *value :
         {&member.bytes, &member.packedBytes, &member.headerOffset}) {
      if (*value != 0xffffffff)
        continue;
      if (size < 8)
        return false;
      *value = number(extra, at, 8);
      at += 8;
      size -= 8;
    }
    return true;
  }
  return true;
}

/// Finds the directory: its offset and the number of its entries.
static Status findDirectory(std::string_view bytes, uint64_t &offset,
                            uint64_t &count) {
  constexpr uint64_t kEndBytes = 22, kLocatorBytes = 20, kEnd64Bytes = 56;
  // A comment of at most 64 KiB may stand behind the record that ends a zip.
  size_t last = bytes.rfind("PK\5\6");
  if (last == std::string_view::npos || !has(bytes, last, kEndBytes) ||
      bytes.size() - last > kEndBytes + 0xffff)
    return damaged("it has no directory");
  count = number(bytes, last + 10, 2);
  offset = number(bytes, last + 16, 4);
  if (count != 0xffff && offset != 0xffffffff)
    return Status();
  if (last < kLocatorBytes || bytes.substr(last - kLocatorBytes, 4) != "PK\6\7")
    return Status(); // Exactly as many as the short form can say.
  uint64_t end = number(bytes, last - kLocatorBytes + 8, 8);
  if (!has(bytes, end, kEnd64Bytes) || bytes.substr(end, 4) != "PK\6\6")
    return damaged("the long form of its directory is not where it should be");
  count = number(bytes, end + 32, 8);
  offset = number(bytes, end + 48, 8);
  return Status();
}

static Status readDirectory(std::string_view bytes,
                            std::vector<Member> &members) {
  constexpr uint64_t kEntryBytes = 46;
  uint64_t offset, count;
  WEIR_RETURN_IF_ERROR(findDirectory(bytes, offset, count));
  for (uint64_t i = 0; i < count; ++i) {
    if (!has(bytes, offset, kEntryBytes) || bytes.substr(offset, 4) != "PK\1\2")
      return damaged(str("entry ", i, " of its directory is not there"));
    Member member;
    member.flags = number(bytes, offset + 8, 2);
    member.method = number(bytes, offset + 10, 2);
    member.crc = number(bytes, offset + 16, 4);
    member.packedBytes = number(bytes, offset + 20, 4);
    member.bytes = number(bytes, offset + 24, 4);
    uint64_t nameBytes = number(bytes, offset + 28, 2);
    uint64_t extraBytes = number(bytes, offset + 30, 2);
    uint64_t commentBytes = number(bytes, offset + 32, 2);
    member.headerOffset = number(bytes, offset + 42, 4);
    offset += kEntryBytes;
    if (!has(bytes, offset, nameBytes + extraBytes + commentBytes))
      return damaged(str("entry ", i, " of its directory is cut short"));
    member.name = bytes.substr(offset, nameBytes);
    if (!readLongSizes(bytes.substr(offset + nameBytes, extraBytes), member))
      return damaged(str("entry ", i, " of its directory has no sizes"));
    offset += nameBytes + extraBytes + commentBytes;
    members.push_back(member);
  }
  return Status();
}

static Status findMember(const std::vector<Member> &members,
                         std::string_view wanted, const Member *&found) {
  found = nullptr;
  std::vector<std::string_view> names;
  for (const Member &member : members) {
    std::string_view name = member.name;
    if (name.size() > 4 && name.substr(name.size() - 4) == ".npy")
      name.remove_suffix(4);
    names.push_back(name);
    if (name == wanted || member.name == wanted)
      found = &member;
  }
  if (wanted.empty() && members.size() == 1)
    found = &members[0];
  if (found)
    return Status();
  if (wanted.empty())
    return unfit(str("the .npz file has ", members.size(),
                     " arrays; name one: ", listNames(names)));
  return unfit(str("the .npz file has no array '", wanted, "'",
                   didYouMean(wanted, names), " (it has ", listNames(names),
                   ")"));
}

/// The bytes of a member as the archive has them.
static Status packedBytes(std::string_view bytes, const Member &member,
                          std::string_view &packed) {
  constexpr uint64_t kHeaderBytes = 30;
  uint64_t offset = member.headerOffset;
  if (!has(bytes, offset, kHeaderBytes) || bytes.substr(offset, 4) != "PK\3\4")
    return damaged(str("member '", member.name, "' is not where it should be"));
  uint64_t skipped = kHeaderBytes + number(bytes, offset + 26, 2) +
                     number(bytes, offset + 28, 2);
  if (!has(bytes, offset, skipped) ||
      !has(bytes, offset + skipped, member.packedBytes))
    return damaged(str("member '", member.name, "' is cut short"));
  packed = bytes.substr(offset + skipped, member.packedBytes);
  return Status();
}

/// Raw deflate of `packed` into exactly `size` bytes; false when it is not.
static bool inflateAll(std::string_view packed, char *out, uint64_t size) {
  constexpr uint64_t kPiece = 1 << 30;
  z_stream stream = {};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK)
    return false;
  stream.next_out = reinterpret_cast<Bytef *>(out);
  uint64_t taken = 0, made = 0;
  int result = Z_OK;
  while (result == Z_OK) {
    uInt in = static_cast<uInt>(std::min(kPiece, packed.size() - taken));
    uInt room = static_cast<uInt>(std::min(kPiece, size - made));
    // zlib does not write there; the interface lacks the const.
    stream.next_in =
        reinterpret_cast<Bytef *>(const_cast<char *>(packed.data() + taken));
    stream.avail_in = in;
    stream.avail_out = room;
    result = inflate(&stream, Z_NO_FLUSH);
    taken += in - stream.avail_in;
    made += room - stream.avail_out;
    if (result == Z_OK && in == stream.avail_in && room == stream.avail_out)
      break; // Nothing moves any more.
  }
  inflateEnd(&stream);
  return result == Z_STREAM_END && made == size;
}

static bool crcMatches(const char *data, uint64_t size, uint64_t expected) {
  return crc32_z(0, reinterpret_cast<const Bytef *>(data),
                 static_cast<z_size_t>(size)) == expected;
}

static Status decodeMember(std::string_view bytes, const Member &member,
                           TensorRef &value) {
  std::string name = str("member '", member.name, "' of the .npz file");
  if (member.flags & 1)
    return unfit(str(name, " is encrypted"));
  std::string_view packed;
  WEIR_RETURN_IF_ERROR(packedBytes(bytes, member, packed));
  if (member.method == 0) {
    if (!crcMatches(packed.data(), packed.size(), member.crc))
      return damaged(
          str("the checksum of member '", member.name, "' does not match"));
    return parseNpy(name, packed.data(), static_cast<int64_t>(packed.size()),
                    value);
  }
  if (member.method != Z_DEFLATED)
    return unfit(str(name, " is compressed by method ", member.method,
                     "; stored (0) and deflated (8) ones are read"));
  // No deflated byte holds more than 1032; a larger claim is not believed.
  if (member.bytes > 1032 * (static_cast<uint64_t>(packed.size()) + 1))
    return damaged(str("member '", member.name, "' claims to hold ",
                       member.bytes, " bytes in ", packed.size()));
  Block *block = allocateBlock(static_cast<int64_t>(member.bytes));
  if (!block)
    return Status(
        WEIR_RESOURCE_EXHAUSTED,
        str("[WEIR0367] no memory for ", name, " (", member.bytes, " bytes)"));
  char *data = static_cast<char *>(block->payload());
  Status status;
  if (!inflateAll(packed, data, member.bytes) ||
      !crcMatches(data, member.bytes, member.crc))
    status = damaged(str("member '", member.name,
                         "' does not decompress to what was packed"));
  else
    status = parseNpy(name, data, static_cast<int64_t>(member.bytes), value);
  releaseBlock(block);
  return status;
}

Status weir::rt::decodeNpy(std::string_view bytes, std::string_view member,
                           TensorRef &value) {
  if (bytes.substr(0, 2) != "PK") {
    if (!member.empty() && bytes.substr(0, 6) == "\x93NUMPY")
      return unfit(str("array '", member,
                       "' is asked for, and this is a .npy file: it holds one "
                       "array without a name"));
    return parseNpy("input", bytes.data(), static_cast<int64_t>(bytes.size()),
                    value);
  }
  std::vector<Member> members;
  WEIR_RETURN_IF_ERROR(readDirectory(bytes, members));
  const Member *found;
  WEIR_RETURN_IF_ERROR(findMember(members, member, found));
  return decodeMember(bytes, *found, value);
}

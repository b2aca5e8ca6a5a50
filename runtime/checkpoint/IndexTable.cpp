//===- IndexTable.cpp - A checkpoint's index as a table -------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/checkpoint/IndexTable.h"
#include "runtime/base/Format.h"
#include "runtime/base/WireFormat.h"
#include "runtime/checkpoint/BundleProto.h"
#include "runtime/checkpoint/Crc32c.h"

#include <cstring>
#include <leveldb/comparator.h>
#include <leveldb/env.h>
#include <leveldb/iterator.h>
#include <leveldb/options.h>
#include <leveldb/table.h>
#include <leveldb/table_builder.h>
#include <snappy.h>

using namespace weir::rt;

// LevelDB's interfaces are implemented here, so this file is compiled without
// RTTI, as LevelDB is.
namespace {

class StringFile final : public leveldb::WritableFile {
public:
  explicit StringFile(std::string &out) : out(out) {}
  leveldb::Status Append(const leveldb::Slice &data) override {
    out.append(data.data(), data.size());
    return leveldb::Status::OK();
  }
  leveldb::Status Close() override { return leveldb::Status::OK(); }
  leveldb::Status Flush() override { return leveldb::Status::OK(); }
  leveldb::Status Sync() override { return leveldb::Status::OK(); }

private:
  std::string &out;
};

class StringSource final : public leveldb::RandomAccessFile {
public:
  explicit StringSource(const std::string &bytes) : bytes(bytes) {}
  leveldb::Status Read(uint64_t offset, size_t size, leveldb::Slice *result,
                       char *) const override {
    if (offset > bytes.size() || size > bytes.size() - offset)
      return leveldb::Status::Corruption("read beyond the end");
    *result = leveldb::Slice(bytes.data() + offset, size);
    return leveldb::Status::OK();
  }

private:
  const std::string &bytes;
};

} // namespace

constexpr size_t kFooterBytes = 48;
constexpr size_t kTrailerBytes = 5; // One type byte, one checksum.
constexpr unsigned char kMagic[8] = {0x57, 0xfb, 0x80, 0x8b,
                                     0x24, 0x75, 0x47, 0xdb};
/// A block that says it expands by more than this is no work of Snappy's.
constexpr size_t kMaxExpansion = 64;

static Status damaged(const char *what) {
  return Status(WEIR_DATA_LOSS, str("[WEIR0402] ", what));
}

/// Takes a block handle (offset, size) off the front and finds the block's
/// contents. LevelDB would allocate whatever size a handle names; so it is
/// checked here that the block lies in the file, that its checksum is right and
/// that it does not claim to expand beyond reason.
static Status takeBlock(const std::string &table, std::string_view &handle,
                        std::string_view &contents, bool &compressed) {
  uint64_t offset, size;
  if (!takeVarint(handle, offset) || !takeVarint(handle, size))
    return damaged("a block handle is malformed");
  uint64_t end = table.size() - kFooterBytes;
  if (end < kTrailerBytes || offset > end - kTrailerBytes ||
      size > end - kTrailerBytes - offset)
    return damaged("a block lies outside of the file");
  contents = std::string_view(table).substr(offset, size);
  const char *trailer = contents.data() + size;
  uint32_t stored;
  std::memcpy(&stored, trailer + 1, 4);
  if (maskCrc32c(extendCrc32c(0, contents.data(), size + 1)) != stored)
    return damaged("the checksum of a block is wrong");
  compressed = trailer[0] == 1;
  if (!compressed && trailer[0] != 0)
    return damaged("a block is compressed in an unknown way");
  size_t expanded;
  if (compressed &&
      (!snappy::GetUncompressedLength(contents.data(), size, &expanded) ||
       expanded / kMaxExpansion > size))
    return damaged("a compressed block is malformed");
  return Status();
}

/// Walks the index block and checks the blocks that it names.
static Status checkIndexBlock(const std::string &table,
                              std::string_view block) {
  if (block.size() < 4)
    return damaged("the block of blocks is too short");
  uint32_t restarts;
  std::memcpy(&restarts, block.data() + block.size() - 4, 4);
  if (restarts == 0 || restarts > (block.size() - 4) / 4)
    return damaged("the block of blocks is malformed");
  block.remove_suffix(4);
  std::string_view restartPoints =
      block.substr(block.size() - size_t(4) * restarts);
  block.remove_suffix(restartPoints.size());
  // LevelDB starts at the first restart point: it must be where this walk
  // starts, or the two would see different handles.
  if (restartPoints.substr(0, 4) != std::string_view("\0\0\0\0", 4))
    return damaged("the block of blocks is malformed");
  while (!block.empty()) {
    uint64_t shared, unshared, valueSize;
    if (!takeVarint(block, shared) || !takeVarint(block, unshared) ||
        !takeVarint(block, valueSize) || unshared > block.size() ||
        valueSize > block.size() - unshared)
      return damaged("the block of blocks is malformed");
    std::string_view handle = block.substr(unshared, valueSize), contents;
    block.remove_prefix(unshared + valueSize);
    bool compressed;
    WEIR_RETURN_IF_ERROR(takeBlock(table, handle, contents, compressed));
  }
  return Status();
}

static Status checkTable(const std::string &table) {
  if (table.size() < kFooterBytes)
    return damaged("the file is too short");
  std::string_view footer =
      std::string_view(table).substr(table.size() - kFooterBytes);
  if (std::memcmp(footer.data() + kFooterBytes - 8, kMagic, 8) != 0)
    return damaged("the file does not end as a checkpoint index does");
  std::string_view contents;
  bool compressed;
  WEIR_RETURN_IF_ERROR(takeBlock(table, footer, contents, compressed));
  WEIR_RETURN_IF_ERROR(takeBlock(table, footer, contents, compressed));
  if (!compressed)
    return checkIndexBlock(table, contents);
  std::string expanded;
  if (!snappy::Uncompress(contents.data(), contents.size(), &expanded))
    return damaged("a compressed block is malformed");
  return checkIndexBlock(table, expanded);
}

Status weir::rt::buildTable(const TableEntries &entries, std::string &table) {
  table.clear();
  StringFile file(table);
  leveldb::Options options;
  options.compression = leveldb::kNoCompression;
  leveldb::TableBuilder builder(options, &file);
  for (const auto &[key, value] : entries)
    builder.Add(key, value);
  leveldb::Status status = builder.Finish();
  if (!status.ok())
    return Status(WEIR_INTERNAL, str("[WEIR0402] cannot build the index: ",
                                     status.ToString()));
  return Status();
}

Status weir::rt::readTable(const std::string &table, TableEntries &entries) {
  WEIR_RETURN_IF_ERROR(checkTable(table));
  leveldb::Options options;
  options.paranoid_checks = true;
  StringSource source(table);
  leveldb::Table *opened = nullptr;
  leveldb::Status status =
      leveldb::Table::Open(options, &source, table.size(), &opened);
  if (!status.ok())
    return damaged(status.ToString().c_str());
  std::unique_ptr<leveldb::Table> owner(opened);
  leveldb::ReadOptions readOptions;
  readOptions.verify_checksums = true;
  readOptions.fill_cache = false;
  std::unique_ptr<leveldb::Iterator> it(owner->NewIterator(readOptions));
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    std::string key = it->key().ToString();
    if (!entries.empty() && key <= entries.back().first)
      return damaged("the names are not in order");
    entries.emplace_back(std::move(key), it->value().ToString());
  }
  if (!it->status().ok())
    return damaged(it->status().ToString().c_str());
  return Status();
}

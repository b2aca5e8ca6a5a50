//===- Reader.cpp - Restoring tensors -------------------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/base/Checked.h"
#include "runtime/base/DType.h"
#include "runtime/base/Format.h"
#include "runtime/base/WireFormat.h"
#include "runtime/checkpoint/Checkpoint.h"
#include "runtime/checkpoint/Crc32c.h"
#include "runtime/checkpoint/IndexTable.h"
#include "runtime/checkpoint/Slices.h"
#include "runtime/core/Allocator.h"
#include "runtime/core/Program.h"
#include "runtime/core/Tensor.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

using namespace weir::rt;

/// No index is larger: names and shapes of some ten million tensors.
constexpr int64_t kMaxIndexBytes = int64_t(1) << 30;
/// TensorFlow's kTensorBundleVersion: what we can read.
constexpr int32_t kVersion = 1;

std::string weir::rt::indexPath(const std::string &prefix) {
  return prefix + ".index";
}

std::string weir::rt::dataPath(const std::string &prefix, int32_t shard,
                               int32_t count) {
  char buffer[48];
  snprintf(buffer, sizeof(buffer), ".data-%05d-of-%05d", shard, count);
  return prefix + buffer;
}

/// Why there is no `<prefix>.index`, with the nearest thing that is there.
static Status noCheckpoint(Env &env, const std::string &prefix) {
  std::string message = str("[WEIR0401] there is no checkpoint '", prefix,
                            "' (no file '", indexPath(prefix), "')");
  for (std::string_view suffix : {".index", ".data-"}) {
    size_t at = prefix.rfind(suffix);
    if (at != std::string::npos && at > 0 &&
        env.exists(indexPath(prefix.substr(0, at))))
      return Status(WEIR_NOT_FOUND, str(message, "; give the prefix without '",
                                        prefix.substr(at), "'"));
  }
  std::vector<std::string> files;
  if (!env.list(directoryOf(prefix), files).ok())
    return Status(WEIR_NOT_FOUND, str(message, "; there is no directory '",
                                      directoryOf(prefix), "' to read"));
  std::vector<std::string_view> known;
  for (std::string_view file : files)
    if (file.size() > 6 && file.substr(file.size() - 6) == ".index")
      known.push_back(file.substr(0, file.size() - 6));
  return Status(WEIR_NOT_FOUND,
                message + didYouMean(baseNameOf(prefix), known));
}

Status CheckpointReader::open(Env &env, const std::string &prefix,
                              std::unique_ptr<CheckpointReader> &reader) {
  if (prefix.empty() || prefix.find('\0') != std::string::npos)
    return Status(WEIR_INVALID_ARGUMENT,
                  "[WEIR0410] the path of a checkpoint is empty or has a zero "
                  "byte in it");
  std::unique_ptr<CheckpointReader> made(new CheckpointReader(env, prefix));
  WEIR_RETURN_IF_ERROR(made->loadIndex());
  reader = std::move(made);
  return Status();
}

/// The bytes that an entry's type needs, or -1 for no possible type.
static int64_t bytesOf(const BundleEntry &entry) {
  const DTypeInfo *info = dtypeInfo(entry.dtype);
  int64_t bytes;
  return info && checkedBytes(entry.shape.data(),
                              static_cast<int32_t>(entry.shape.size()),
                              info->size, bytes)
             ? bytes
             : -1;
}

Status CheckpointReader::loadIndex() {
  std::string path = indexPath(prefix);
  std::unique_ptr<ReadableFile> file;
  Status opened = env.open(path, file);
  if (opened.code() == WEIR_NOT_FOUND)
    return noCheckpoint(env, prefix);
  WEIR_RETURN_IF_ERROR(std::move(opened).withNumber("[WEIR0401] "));
  if (file->size() > kMaxIndexBytes)
    return Status(WEIR_DATA_LOSS,
                  str("[WEIR0402] '", path, "' has ", file->size(),
                      " bytes, more than any checkpoint index"));
  std::string bytes(static_cast<size_t>(file->size()), '\0');
  WEIR_RETURN_IF_ERROR(
      file->read(0, file->size(), bytes.data()).withNumber("[WEIR0404] "));
  std::string context = str("checkpoint index '", path, "' is damaged: ");
  TableEntries entries;
  Status read = readTable(bytes, entries);
  if (!read.ok())
    return std::move(read).withContext(context);
  auto damaged = [&](const std::string &what) {
    return Status(WEIR_DATA_LOSS, str("[WEIR0402] ", context, what));
  };
  if (entries.empty() || !entries[0].first.empty() ||
      !parseHeader(entries[0].second, header))
    return damaged("it has no header");
  if (header.shardCount < 1 || header.shardCount > 99999)
    return damaged(str("it speaks of ", header.shardCount, " data files"));
  if (header.endianness != 0)
    return Status(WEIR_UNIMPLEMENTED,
                  str("[WEIR0409] checkpoint '", prefix,
                      "' was written on a big-endian machine; this runtime "
                      "reads little-endian ones"));
  if (header.minConsumer > kVersion)
    return Status(WEIR_UNIMPLEMENTED,
                  str("[WEIR0409] checkpoint '", prefix,
                      "' asks for a reader of version ", header.minConsumer,
                      ", this one has version ", kVersion));
  for (size_t i = 1; i < entries.size(); ++i) {
    BundleEntry entry;
    if (!parseEntry(entries[i].second, entry))
      return damaged(str("the entry of '", entries[i].first, "' is malformed"));
    // The key of a slice's data begins with a zero byte.
    const bool isSlice = entries[i].first[0] == '\0';
    if (!entry.slices.empty())
      entry.size = bytesOf(entry);
    (isSlice ? sliceTable : table)
        .emplace(std::move(entries[i].first), std::move(entry));
  }
  return Status();
}

Status CheckpointReader::find(std::string_view name,
                              const BundleEntry *&entry) const {
  auto it = table.find(name);
  if (it == table.end()) {
    std::vector<std::string_view> known;
    for (const auto &[other, unused] : table)
      known.push_back(other);
    return Status(WEIR_NOT_FOUND,
                  str("[WEIR0405] checkpoint '", prefix, "' has no tensor '",
                      name, "'", didYouMean(name, known), " (it has ",
                      listNames(known), ")"));
  }
  entry = &it->second;
  return checkEntry(name, *entry);
}

Status CheckpointReader::checkEntry(std::string_view name,
                                    const BundleEntry &entry) const {
  auto damaged = [&](const std::string &what) {
    return Status(WEIR_DATA_LOSS,
                  str("[WEIR0402] the entry of tensor '", name,
                      "' in checkpoint index '", indexPath(prefix),
                      "' is damaged: ", what));
  };
  const DTypeInfo *info = dtypeInfo(entry.dtype);
  const bool isSliced = !entry.slices.empty();
  if (!info || (isSliced && entry.dtype == WEIR_STRING) || entry.unknownRank ||
      entry.shape.size() > WEIR_MAX_RANK)
    return Status(WEIR_UNIMPLEMENTED,
                  str("[WEIR0409] tensor '", name, "' of checkpoint '", prefix,
                      "' ",
                      !info ? str("has TensorFlow's element type ", entry.dtype)
                      : isSliced ? "has strings, and is stored in slices"
                                 : std::string("has no usable shape"),
                      ", which this runtime does not read"));
  for (int64_t extent : entry.shape)
    if (extent < 0)
      return damaged(str("an extent is ", extent));
  int64_t bytes, end;
  if (!checkedBytes(entry.shape.data(),
                    static_cast<int32_t>(entry.shape.size()), info->size,
                    bytes))
    return damaged("its shape is larger than any tensor may be");
  if (isSliced)
    return checkSlices(name, entry);
  if (entry.shard < 0 || entry.shard >= header.shardCount)
    return damaged(
        str("it lies in data file ", entry.shard, " of ", header.shardCount));
  if (!checkedAdd(entry.offset, entry.size, end))
    return damaged(
        str("it lies at byte ", entry.offset, " with size ", entry.size));
  if (entry.dtype != WEIR_STRING && bytes != entry.size)
    return damaged(
        str("its type needs ", bytes, " bytes, it has ", entry.size));
  return Status();
}

Status CheckpointReader::checkSlices(std::string_view name,
                                     const BundleEntry &entry) const {
  auto damaged = [&](const std::string &what) {
    return Status(WEIR_DATA_LOSS,
                  str("[WEIR0402] tensor '", name, "' of checkpoint '", prefix,
                      "' is stored in slices, and ", what));
  };
  std::vector<TensorSlice> seen;
  for (const TensorSlice &slice : entry.slices) {
    TensorSlice resolved;
    if (!resolveSlice(entry.shape, slice, resolved))
      return damaged("one is not inside of it");
    const std::string text = printShapeAndSlice(entry.shape, slice);
    auto it = sliceTable.find(sliceKey(name, slice));
    if (it == sliceTable.end())
      return damaged(str("'", text, "' is missing"));
    const BundleEntry &piece = it->second;
    if (piece.dtype != entry.dtype || piece.shape != sliceShape(resolved) ||
        !piece.slices.empty())
      return damaged(str("'", text, "' has another type"));
    WEIR_RETURN_IF_ERROR(checkEntry(str(name, "' (", text, ")"), piece));
    for (const TensorSlice &other : seen)
      if (slicesMeet(resolved, other))
        return damaged(str("'", text, "' overlaps another"));
    seen.push_back(std::move(resolved));
  }
  return Status();
}

Status CheckpointReader::locate(std::string_view name, const BundleEntry &entry,
                                ReadableFile *&file) {
  std::unique_ptr<ReadableFile> &slot = shards[entry.shard];
  std::string path = dataPath(prefix, entry.shard, header.shardCount);
  if (!slot) {
    Status opened = env.open(path, slot);
    if (opened.code() == WEIR_NOT_FOUND)
      return Status(WEIR_DATA_LOSS,
                    str("[WEIR0404] data file '", path, "' of checkpoint '",
                        prefix, "' is missing; tensor '", name,
                        "' lies in it"));
    WEIR_RETURN_IF_ERROR(std::move(opened).withNumber("[WEIR0404] "));
  }
  if (entry.offset + entry.size > slot->size())
    return Status(WEIR_DATA_LOSS,
                  str("[WEIR0404] data file '", path,
                      "' is cut short: tensor '", name, "' ends at byte ",
                      entry.offset + entry.size, ", the file at ",
                      slot->size()));
  file = slot.get();
  return Status();
}

static Status wrongChecksum(std::string_view name, const std::string &path) {
  return Status(WEIR_DATA_LOSS,
                str("[WEIR0403] tensor '", name, "' in data file '", path,
                    "' is damaged: its checksum is wrong; restore an older "
                    "checkpoint"));
}

Status CheckpointReader::readPiece(std::string_view name,
                                   const BundleEntry &entry, void *buffer) {
  ReadableFile *file;
  WEIR_RETURN_IF_ERROR(locate(name, entry, file));
  WEIR_RETURN_IF_ERROR(
      file->read(entry.offset, entry.size, buffer).withNumber("[WEIR0404] "));
  uint32_t crc = extendCrc32c(0, buffer, static_cast<size_t>(entry.size));
  if (maskCrc32c(crc) != entry.crc)
    return wrongChecksum(name,
                         dataPath(prefix, entry.shard, header.shardCount));
  return Status();
}

Status CheckpointReader::copyPiece(std::string_view name,
                                   const BundleEntry &entry,
                                   const TensorSlice &place,
                                   const TensorSlice &wanted, void *buffer,
                                   int64_t &copied) {
  Block *block = allocateBlock(entry.size);
  if (!block)
    return Status(WEIR_RESOURCE_EXHAUSTED,
                  str("[WEIR0311] no memory to restore tensor '", name, "' (",
                      entry.size, " bytes)"));
  Status status = readPiece(name, entry, block->payload());
  if (status.ok())
    copied += copySlice(wanted, buffer, place, block->payload(),
                        dtypeInfo(entry.dtype)->size);
  releaseBlock(block);
  return status;
}

Status CheckpointReader::readSlice(std::string_view name,
                                   const BundleEntry &entry,
                                   const TensorSlice &wanted, void *buffer) {
  const TensorSlice all(entry.shape.size());
  std::vector<TensorSlice> slices = entry.slices;
  if (slices.empty())
    slices.push_back(all);
  int64_t copied = 0, count = 1;
  for (const SliceExtent &extent : wanted)
    count *= extent.length;
  for (const TensorSlice &slice : slices) {
    TensorSlice place;
    if (!resolveSlice(entry.shape, slice, place) || !slicesMeet(place, wanted))
      continue;
    const BundleEntry *piece = &entry;
    if (!entry.slices.empty())
      if (auto it = sliceTable.find(sliceKey(name, slice));
          it != sliceTable.end())
        piece = &it->second;
    if (sliceShape(place) == sliceShape(wanted) &&
        place.size() == wanted.size() &&
        std::equal(place.begin(), place.end(), wanted.begin(),
                   [](const SliceExtent &a, const SliceExtent &b) {
                     return a.start == b.start;
                   }))
      return readPiece(name, *piece, buffer);
    WEIR_RETURN_IF_ERROR(
        copyPiece(name, *piece, place, wanted, buffer, copied));
  }
  if (copied == count)
    return Status();
  return Status(WEIR_DATA_LOSS,
                str("[WEIR0416] tensor '", name, "' of checkpoint '", prefix,
                    "' is stored in slices that do not make up all of it: of ",
                    count, " elements there are ", copied));
}

Status CheckpointReader::read(std::string_view name, const BundleEntry &entry,
                              void *buffer) {
  TensorSlice all;
  if (entry.slices.empty() ||
      !resolveSlice(entry.shape, TensorSlice(entry.shape.size()), all))
    return readPiece(name, entry, buffer);
  return readSlice(name, entry, all, buffer);
}

/// Takes the lengths of `count` strings and their checksum off the front of
/// `bytes`, and extends `crc` by them.
static bool takeLengths(std::string_view &bytes, int64_t count, uint32_t &crc,
                        std::vector<uint64_t> &lengths) {
  for (int64_t i = 0; i < count; ++i) {
    uint64_t length;
    if (!takeVarint(bytes, length))
      return false;
    // TensorFlow sums short lengths as 32 bits, as it once wrote them.
    uint32_t narrow = static_cast<uint32_t>(length);
    crc = length <= UINT32_MAX ? extendCrc32c(crc, &narrow, sizeof(narrow))
                               : extendCrc32c(crc, &length, sizeof(length));
    lengths.push_back(length);
  }
  uint32_t stored;
  if (bytes.size() < sizeof(stored))
    return false;
  std::memcpy(&stored, bytes.data(), sizeof(stored));
  if (maskCrc32c(crc) != stored)
    return false;
  crc = extendCrc32c(crc, &stored, sizeof(stored));
  bytes.remove_prefix(sizeof(stored));
  return true;
}

Status CheckpointReader::readStrings(std::string_view name,
                                     const BundleEntry &entry,
                                     std::vector<std::string> &strings) {
  ReadableFile *file;
  WEIR_RETURN_IF_ERROR(locate(name, entry, file));
  std::string path = dataPath(prefix, entry.shard, header.shardCount);
  int64_t count;
  checkedCount(entry.shape.data(), static_cast<int32_t>(entry.shape.size()),
               count);
  // Each string has a length of a byte at least; so a count beyond the size is
  // damage, and no memory is set aside for it.
  if (count > entry.size)
    return wrongChecksum(name, path);
  std::string bytes(static_cast<size_t>(entry.size), '\0');
  WEIR_RETURN_IF_ERROR(file->read(entry.offset, entry.size, bytes.data())
                           .withNumber("[WEIR0404] "));
  std::string_view rest = bytes;
  std::vector<uint64_t> lengths;
  uint32_t crc = 0;
  if (!takeLengths(rest, count, crc, lengths) ||
      maskCrc32c(extendCrc32c(crc, rest.data(), rest.size())) != entry.crc)
    return wrongChecksum(name, path);
  strings.clear();
  for (uint64_t length : lengths) {
    if (length > rest.size())
      return wrongChecksum(name, path);
    strings.emplace_back(rest.substr(0, length));
    rest.remove_prefix(length);
  }
  return rest.empty() ? Status() : wrongChecksum(name, path);
}

/// Checks that the stored tensor has the type of the buffer.
static Status checkTarget(const std::string &prefix, const NamedTensor &tensor,
                          const BundleEntry &entry) {
  int32_t rank = static_cast<int32_t>(entry.shape.size());
  WeirTensorDesc stored = {"", entry.shape.data(), rank, entry.dtype};
  const WeirView &view = tensor.view;
  if (view.dtype == WEIR_STRING)
    return Status(WEIR_UNIMPLEMENTED,
                  str("[WEIR0408] tensor '", tensor.name,
                      "' holds strings; a step restores numbers only"));
  if (matches(stored, view))
    return checkView(view,
                     str("buffer for tensor '", tensor.name, "'").c_str());
  return Status(WEIR_INVALID_ARGUMENT,
                str("[WEIR0406] tensor '", tensor.name, "' is ",
                    typeText(entry.dtype, entry.shape.data(), rank),
                    " in checkpoint '", prefix, "', and ",
                    typeText(view.dtype, view.dims, view.rank),
                    " in the program"));
}

namespace {

/// The tensors read, before they are copied to where they belong.
class Staging {
public:
  ~Staging() {
    for (Block *block : blocks)
      releaseBlock(block);
  }
  void *add(int64_t bytes) {
    Block *block = allocateBlock(bytes);
    if (!block)
      return nullptr;
    blocks.push_back(block);
    return block->payload();
  }
  void *operator[](size_t i) const { return blocks[i]->payload(); }

private:
  std::vector<Block *> blocks;
};

} // namespace

Status weir::rt::restoreCheckpoint(Env &env, const std::string &prefix,
                                   const std::vector<NamedTensor> &tensors) {
  std::unique_ptr<CheckpointReader> reader;
  WEIR_RETURN_IF_ERROR(CheckpointReader::open(env, prefix, reader));
  // Names and types first: they are cheap, and a program that does not fit the
  // checkpoint should not wait for the data.
  std::vector<const BundleEntry *> entries;
  for (const NamedTensor &tensor : tensors) {
    const BundleEntry *entry;
    WEIR_RETURN_IF_ERROR(reader->find(tensor.name, entry));
    WEIR_RETURN_IF_ERROR(checkTarget(prefix, tensor, *entry));
    entries.push_back(entry);
  }
  Staging staging;
  for (size_t i = 0; i < tensors.size(); ++i) {
    void *buffer = staging.add(entries[i]->size);
    if (!buffer)
      return Status(WEIR_RESOURCE_EXHAUSTED,
                    str("[WEIR0311] no memory to restore tensor '",
                        tensors[i].name, "' (", entries[i]->size, " bytes)"));
    WEIR_RETURN_IF_ERROR(reader->read(tensors[i].name, *entries[i], buffer));
  }
  for (size_t i = 0; i < tensors.size(); ++i)
    if (entries[i]->size > 0)
      std::memcpy(tensors[i].view.data, staging[i],
                  static_cast<size_t>(entries[i]->size));
  return Status();
}

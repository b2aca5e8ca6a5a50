//===- Shards.cpp - Checkpoints that several tasks write ------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A receipt is a table as an index is: under "" what it is about, then the
// entries that the shard has in the index. A checksum of all of it follows.
//
//===----------------------------------------------------------------------===//

#include "runtime/checkpoint/Shards.h"
#include "runtime/base/Format.h"
#include "runtime/base/WireFormat.h"
#include "runtime/checkpoint/Crc32c.h"
#include "runtime/checkpoint/IndexTable.h"
#include "runtime/checkpoint/Slices.h"
#include "runtime/checkpoint/WriterParts.h"

#include <algorithm>
#include <cstring>
#include <list>

using namespace weir::rt;

/// What the names of data files have room for.
constexpr int64_t kMaxShards = 99999;

namespace {

struct Receipt {
  std::string prefix, file;
  int64_t shard = -1, count = 0, size = 0;
  std::vector<std::pair<std::string, BundleEntry>> entries;
};

} // namespace

static std::string serializeAbout(const Receipt &receipt) {
  std::string out;
  auto text = [&](uint32_t number, const std::string &value) {
    putVarint(out, number << 3 | WireField::Bytes);
    putVarint(out, value.size());
    out += value;
  };
  auto integer = [&](uint32_t number, int64_t value) {
    putVarint(out, number << 3 | WireField::Varint);
    putVarint(out, static_cast<uint64_t>(value));
  };
  text(1, receipt.prefix);
  text(2, receipt.file);
  integer(3, receipt.shard);
  integer(4, receipt.count);
  integer(5, receipt.size);
  return out;
}

static bool parseAbout(std::string_view bytes, Receipt &receipt) {
  return forEachField(bytes, [&](const WireField &field) {
    switch (field.number) {
    case 1:
      receipt.prefix = field.text;
      return field.type == WireField::Bytes;
    case 2:
      receipt.file = field.text;
      return field.type == WireField::Bytes;
    case 3:
      receipt.shard = static_cast<int64_t>(field.value);
      return field.type == WireField::Varint;
    case 4:
      receipt.count = static_cast<int64_t>(field.value);
      return field.type == WireField::Varint;
    case 5:
      receipt.size = static_cast<int64_t>(field.value);
      return field.type == WireField::Varint;
    }
    return false;
  });
}

static uint32_t checksum(std::string_view bytes) {
  return maskCrc32c(extendCrc32c(0, bytes.data(), bytes.size()));
}

/// What the names of a prefix's shards begin with.
static std::string shardStem(const std::string &prefix) {
  return baseNameOf(prefix) + ".shard-";
}

// ---- Writing.

/// The slice of a tensor that is one, checked against the value.
static Status findSlice(const ShardTensor &tensor, std::vector<int64_t> &shape,
                        TensorSlice &slice) {
  WEIR_RETURN_IF_ERROR(parseShapeAndSlice(tensor.slice, shape, slice)
                           .withContext(str("tensor '", tensor.name, "': ")));
  TensorSlice resolved;
  resolveSlice(shape, slice, resolved);
  const std::vector<int64_t> part = sliceShape(resolved);
  const WeirView &view = tensor.view;
  if (view.dtype == WEIR_STRING)
    return Status(WEIR_INVALID_ARGUMENT,
                  str("[WEIR0411] tensor '", tensor.name,
                      "' has strings, which are not saved in slices"));
  if (static_cast<size_t>(view.rank) == part.size() &&
      std::equal(part.begin(), part.end(), view.dims))
    return Status();
  return Status(
      WEIR_INVALID_ARGUMENT,
      str("[WEIR0411] tensor '", tensor.name, "': slice '", tensor.slice,
          "' is ",
          typeText(view.dtype, part.data(), static_cast<int32_t>(part.size())),
          ", the value is ", typeText(view.dtype, view.dims, view.rank)));
}

static Status writeTensors(Env &env, const std::string &path,
                           const std::vector<ShardTensor> &tensors,
                           Receipt &receipt, TableEntries &entries) {
  std::unique_ptr<WritableFile> file;
  WEIR_RETURN_IF_ERROR(env.create(path, file));
  DataWriter writer(*file);
  for (const ShardTensor &tensor : tensors) {
    BundleEntry entry;
    WEIR_RETURN_IF_ERROR(writer.add({tensor.name, tensor.view}, entry));
    std::string key(tensor.name);
    if (!tensor.slice.empty()) {
      BundleEntry whole;
      TensorSlice slice;
      WEIR_RETURN_IF_ERROR(findSlice(tensor, whole.shape, slice));
      key = sliceKey(tensor.name, slice);
      whole.dtype = entry.dtype;
      whole.slices.push_back(std::move(slice));
      entries.emplace_back(tensor.name, serializeEntry(whole));
    }
    entries.emplace_back(std::move(key), serializeEntry(entry));
  }
  receipt.size = writer.size();
  WEIR_RETURN_IF_ERROR(file->sync());
  return file->close();
}

static Status checkShard(const std::string &prefix, int64_t shard,
                         int64_t count,
                         const std::vector<ShardTensor> &tensors) {
  if (shard < 0 || shard >= count || count > kMaxShards)
    return Status(WEIR_INVALID_ARGUMENT,
                  str("[WEIR0413] there is no shard ", shard, " of ", count,
                      " in checkpoint '", prefix, "'; at most ", kMaxShards,
                      " are possible"));
  std::vector<NamedTensor> named;
  for (const ShardTensor &tensor : tensors) {
    named.push_back({tensor.name, tensor.view});
    std::vector<int64_t> shape;
    TensorSlice slice;
    if (!tensor.slice.empty())
      WEIR_RETURN_IF_ERROR(findSlice(tensor, shape, slice));
  }
  return checkTensors(prefix, named);
}

Status weir::rt::writeShard(Env &env, const std::string &prefix, int64_t shard,
                            int64_t count,
                            const std::vector<ShardTensor> &tensors,
                            std::string &receipt) {
  std::vector<ShardTensor> sorted = tensors;
  std::sort(sorted.begin(), sorted.end(),
            [](const ShardTensor &a, const ShardTensor &b) {
              return a.name < b.name;
            });
  WEIR_RETURN_IF_ERROR(checkShard(prefix, shard, count, sorted));
  PendingFile data(env,
                   temporaryName(str(prefix, ".shard-", shard, "-of-", count)));
  Receipt about;
  about.prefix = prefix;
  about.file = baseNameOf(data.name());
  about.shard = shard;
  about.count = count;
  TableEntries entries;
  Status written = writeTensors(env, data.name(), sorted, about, entries);
  if (written.ok())
    written = env.syncDirectory(directoryOf(prefix));
  if (!written.ok())
    return notSaved(std::move(written), prefix);
  entries.emplace_back("", serializeAbout(about));
  std::sort(entries.begin(), entries.end());
  WEIR_RETURN_IF_ERROR(buildTable(entries, receipt));
  const uint32_t sum = checksum(receipt);
  receipt.append(reinterpret_cast<const char *>(&sum), sizeof(sum));
  data.keep();
  return Status();
}

// ---- Committing.

static Status readReceipt(std::string_view bytes, const std::string &prefix,
                          Receipt &receipt) {
  auto damaged = [&](const std::string &what) {
    return Status(WEIR_DATA_LOSS,
                  str("[WEIR0412] a receipt of a shard of checkpoint '", prefix,
                      "' is damaged: ", what));
  };
  uint32_t stored = 0;
  if (bytes.size() < sizeof(stored))
    return damaged("it is too short");
  std::memcpy(&stored, bytes.data() + bytes.size() - sizeof(stored),
              sizeof(stored));
  bytes.remove_suffix(sizeof(stored));
  if (stored != checksum(bytes))
    return damaged("its checksum is wrong");
  TableEntries entries;
  Status read = readTable(std::string(bytes), entries);
  if (!read.ok()) {
    std::string_view text = read.message();
    if (text.substr(0, 5) == "[WEIR")
      text.remove_prefix(sizeof("[WEIRnnnn]"));
    return damaged(std::string(text));
  }
  if (entries.empty() || !entries[0].first.empty() ||
      !parseAbout(entries[0].second, receipt))
    return damaged("it does not say what it is about");
  for (size_t i = 1; i < entries.size(); ++i) {
    BundleEntry entry;
    if (!parseEntry(entries[i].second, entry))
      return damaged("one of its entries");
    receipt.entries.emplace_back(std::move(entries[i].first), std::move(entry));
  }
  // The file is renamed: so it is one of ours, in this directory.
  const std::string stem = shardStem(prefix);
  if (receipt.prefix == prefix &&
      (receipt.file.compare(0, stem.size(), stem) != 0 ||
       receipt.file.find('/') != std::string::npos))
    return damaged(str("'", receipt.file, "' is no file of it"));
  return Status();
}

static Status checkReceipts(const std::string &prefix,
                            const std::vector<Receipt> &receipts) {
  auto wrong = [&](const std::string &what) {
    return Status(WEIR_INVALID_ARGUMENT,
                  str("[WEIR0413] the receipts for checkpoint '", prefix,
                      "' are not those of one save: ", what));
  };
  const int64_t count = static_cast<int64_t>(receipts.size());
  std::vector<bool> seen(receipts.size());
  for (const Receipt &receipt : receipts) {
    if (receipt.prefix != prefix)
      return wrong(str("one is of checkpoint '", receipt.prefix, "'"));
    if (receipt.count != count)
      return wrong(str("one is of ", receipt.count, " shards, there are ",
                       count, " receipts"));
    if (receipt.shard < 0 || receipt.shard >= count)
      return wrong(str("one is of shard ", receipt.shard, " of ", count));
    if (seen[static_cast<size_t>(receipt.shard)])
      return wrong(str("shard ", receipt.shard, " is there twice"));
    seen[static_cast<size_t>(receipt.shard)] = true;
  }
  return count > 0 ? Status() : wrong("there is none");
}

using Merged = std::map<std::string, BundleEntry>;

static Status merge(const std::string &prefix,
                    const std::vector<Receipt> &receipts, int32_t first,
                    Merged &merged) {
  for (const Receipt &receipt : receipts)
    for (const auto &[key, entry] : receipt.entries) {
      BundleEntry made = entry;
      if (made.slices.empty())
        made.shard = first + static_cast<int32_t>(receipt.shard);
      auto [it, isNew] = merged.emplace(key, made);
      if (isNew)
        continue;
      BundleEntry &other = it->second;
      const bool goTogether = !other.slices.empty() && !made.slices.empty() &&
                              other.dtype == made.dtype &&
                              other.shape == made.shape;
      if (!goTogether)
        return Status(
            WEIR_INVALID_ARGUMENT,
            str("[WEIR0414] two shards of checkpoint '", prefix, "' have ",
                key[0] == '\0' ? std::string("the same slice of a tensor")
                               : str("tensor '", key, "'"),
                key[0] != '\0' && !other.slices.empty() && !made.slices.empty()
                    ? ", with other types"
                    : ""));
      other.slices.insert(other.slices.end(), made.slices.begin(),
                          made.slices.end());
    }
  return Status();
}

/// Slices do not overlap and make up the whole tensor.
static Status checkSlices(const std::string &prefix, const Merged &merged) {
  for (const auto &[name, entry] : merged) {
    if (entry.slices.empty())
      continue;
    std::vector<TensorSlice> seen;
    int64_t count = 0, whole = 1;
    for (int64_t extent : entry.shape)
      whole *= extent;
    for (const TensorSlice &slice : entry.slices) {
      TensorSlice resolved;
      if (!resolveSlice(entry.shape, slice, resolved))
        return Status(WEIR_INVALID_ARGUMENT,
                      str("[WEIR0414] tensor '", name,
                          "' has a slice that is not inside of it"));
      int64_t elements = 1;
      for (const SliceExtent &extent : resolved)
        elements *= extent.length;
      count += elements;
      for (const TensorSlice &other : seen)
        if (slicesMeet(resolved, other))
          return Status(WEIR_INVALID_ARGUMENT,
                        str("[WEIR0414] slices of tensor '", name,
                            "' in checkpoint '", prefix, "' overlap: '",
                            printShapeAndSlice(entry.shape, resolved),
                            "' and '", printShapeAndSlice(entry.shape, other),
                            "'"));
      seen.push_back(std::move(resolved));
    }
    if (count != whole)
      return Status(WEIR_INVALID_ARGUMENT,
                    str("[WEIR0414] the slices of tensor '", name,
                        "' in checkpoint '", prefix, "' have ", count,
                        " elements, the tensor has ", whole));
  }
  return Status();
}

static Status checkFile(Env &env, const std::string &path,
                        const std::string &prefix, const Receipt &receipt) {
  std::unique_ptr<ReadableFile> file;
  Status opened = env.open(path, file);
  if (opened.ok() && file->size() == receipt.size)
    return Status();
  return Status(WEIR_DATA_LOSS,
                str("[WEIR0415] shard ", receipt.shard, " of checkpoint '",
                    prefix, "' is not there as its receipt says: ",
                    opened.ok() ? str("it has ", file->size(), " bytes, not ",
                                      receipt.size)
                                : std::string(opened.message()),
                    "; do all tasks write to the same directory?"));
}

/// From temporary files to a checkpoint.
static Status publish(Env &env, const std::string &prefix,
                      const std::vector<Receipt> &receipts,
                      std::list<PendingFile> &files) {
  const std::string directory = directoryOf(prefix);
  const int32_t count = static_cast<int32_t>(receipts.size());
  const int32_t first = chooseShards(env, prefix, count);
  Merged merged;
  WEIR_RETURN_IF_ERROR(merge(prefix, receipts, first, merged));
  WEIR_RETURN_IF_ERROR(checkSlices(prefix, merged));
  BundleHeader header;
  header.shardCount = first + count;
  header.producer = 1;
  TableEntries entries = {{"", serializeHeader(header)}};
  for (const auto &[key, entry] : merged)
    entries.emplace_back(key, serializeEntry(entry));
  std::string table;
  WEIR_RETURN_IF_ERROR(buildTable(entries, table));
  PendingFile index(env, temporaryName(indexPath(prefix)));
  WEIR_RETURN_IF_ERROR(writeFile(env, index.name(), table));
  std::vector<std::string> names;
  auto file = files.begin();
  for (const Receipt &receipt : receipts) {
    names.push_back(dataPath(
        prefix, first + static_cast<int32_t>(receipt.shard), first + count));
    WEIR_RETURN_IF_ERROR((file++)->renameTo(names.back()));
  }
  WEIR_RETURN_IF_ERROR(env.syncDirectory(directory));
  WEIR_RETURN_IF_ERROR(env.rename(index.name(), indexPath(prefix)));
  // From here on the checkpoint exists.
  index.keep();
  for (PendingFile &each : files)
    each.keep();
  WEIR_RETURN_IF_ERROR(env.syncDirectory(directory));
  removeStaleData(env, prefix, names);
  return Status();
}

Status weir::rt::commitShards(Env &env, const std::string &prefix,
                              const std::vector<std::string_view> &bytes,
                              const SaveOptions &options) {
  WEIR_RETURN_IF_ERROR(checkPrefix(prefix));
  std::vector<Receipt> receipts;
  // What they speak of goes away unless all of it becomes a checkpoint.
  std::list<PendingFile> files;
  Status status;
  for (std::string_view each : bytes) {
    Receipt receipt;
    Status read = readReceipt(each, prefix, receipt);
    if (read.ok() && receipt.prefix == prefix)
      files.emplace_back(env, directoryOf(prefix) + "/" + receipt.file);
    if (read.ok())
      receipts.push_back(std::move(receipt));
    else if (status.ok())
      status = std::move(read);
  }
  if (status.ok())
    status = checkReceipts(prefix, receipts);
  WEIR_RETURN_IF_ERROR(std::move(status));
  auto file = files.begin();
  for (const Receipt &receipt : receipts)
    WEIR_RETURN_IF_ERROR(checkFile(env, (file++)->name(), prefix, receipt));
  std::lock_guard<std::mutex> lock(savingMutex());
  Status published = publish(env, prefix, receipts, files);
  if (!published.ok())
    return notSaved(std::move(published), prefix);
  Status updated = updateState(env, prefix, options.keep);
  return updated.ok() ? Status() : stateNotSaved(std::move(updated), prefix);
}

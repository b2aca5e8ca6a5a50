//===- ArrayFormats.cpp - Records of files that hold one array ------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// An item of the array is a record: its bytes as the file has them.
//
//===----------------------------------------------------------------------===//

#include "runtime/base/Checked.h"
#include "runtime/base/Format.h"
#include "runtime/checkpoint/Env.h"
#include "runtime/cli/Npy.h"
#include "runtime/input/ByteSource.h"
#include "runtime/input/RecordFormat.h"

#include <algorithm>
#include <cstring>

using namespace weir::rt;

namespace {

/// The format of the MNIST set: two zero bytes, the element type, the rank,
/// extents of 4 bytes and the elements, all big-endian; perhaps compressed by
/// gzip.
class IdxFormat final : public RecordFormat {
public:
  const char *name() const override { return "IDX reader"; }
  Status open(const std::string &path) override;
  Status next(Record &record) override;
  void close() override { buffer.reset(nullptr); }

private:
  Status damaged(const std::string &what) const {
    return Status(WEIR_DATA_LOSS,
                  str("[WEIR0361] '", path, "' is no IDX file: ", what));
  }

  std::string path;
  InputBuffer buffer;
  int64_t itemBytes = 0, items = 0, number = 0;
};

class NpyRowFormat final : public RecordFormat {
public:
  const char *name() const override { return ".npy reader"; }
  Status open(const std::string &path) override;
  Status next(Record &record) override;
  void close() override {
    buffer.reset(nullptr);
    whole = TensorRef();
  }

private:
  std::string path;
  InputBuffer buffer;
  /// Where the rows do not lie one behind the other in the file: all of it.
  TensorRef whole;
  int64_t rowBytes = 0, rows = 0, number = 0;
};

} // namespace

static int64_t idxElementBytes(unsigned char type) {
  switch (type) {
  case 0x08: // u8
  case 0x09: // i8
    return 1;
  case 0x0B: // i16
    return 2;
  case 0x0C: // i32
  case 0x0D: // f32
    return 4;
  case 0x0E: // f64
    return 8;
  default:
    return 0;
  }
}

Status IdxFormat::open(const std::string &newPath) {
  path = newPath;
  number = 0;
  std::unique_ptr<ByteSource> source;
  WEIR_RETURN_IF_ERROR(openSource(path, Compression::None, source));
  buffer.reset(std::move(source));
  std::string_view bytes;
  WEIR_RETURN_IF_ERROR(buffer.peek(2, bytes));
  if (bytes == "\x1f\x8b") {
    WEIR_RETURN_IF_ERROR(openSource(path, Compression::Gzip, source));
    buffer.reset(std::move(source));
  }
  WEIR_RETURN_IF_ERROR(buffer.peek(4, bytes));
  if (bytes.size() < 4 || bytes[0] != 0 || bytes[1] != 0)
    return damaged("it does not start as one");
  itemBytes = idxElementBytes(static_cast<unsigned char>(bytes[2]));
  int64_t rank = static_cast<unsigned char>(bytes[3]);
  if (itemBytes == 0)
    return damaged(str("there is no element type ",
                       static_cast<int>(static_cast<unsigned char>(bytes[2]))));
  if (rank < 1 || rank > WEIR_MAX_RANK)
    return damaged(str("it has rank ", rank));
  int64_t headerBytes = 4 + 4 * rank;
  WEIR_RETURN_IF_ERROR(buffer.peek(headerBytes, bytes));
  if (static_cast<int64_t>(bytes.size()) < headerBytes)
    return damaged("it is cut short in its header");
  for (int64_t d = 0; d < rank; ++d) {
    int64_t extent = 0;
    for (int64_t i = 0; i < 4; ++i)
      extent = extent << 8 | static_cast<unsigned char>(
                                 bytes[static_cast<size_t>(4 + 4 * d + i)]);
    if (d == 0)
      items = extent;
    else if (!checkedMul(itemBytes, extent, itemBytes) || itemBytes > kMaxBytes)
      return damaged("its extents are larger than any tensor may have");
  }
  buffer.take(headerBytes);
  return Status();
}

Status IdxFormat::next(Record &record) {
  std::string_view bytes;
  if (number == items) {
    WEIR_RETURN_IF_ERROR(buffer.peek(1, bytes));
    if (!bytes.empty())
      return damaged(str("there is more behind its ", items, " items"));
    record.atEnd = true;
    return Status();
  }
  WEIR_RETURN_IF_ERROR(buffer.peek(itemBytes, bytes));
  if (static_cast<int64_t>(bytes.size()) < itemBytes)
    return damaged(str("it should have ", items,
                       " items and is cut short in "
                       "item ",
                       number));
  buffer.take(itemBytes);
  record.value = bytes;
  record.place = number++;
  record.found = true;
  return Status();
}

Status NpyRowFormat::open(const std::string &newPath) {
  path = newPath;
  number = 0;
  whole = TensorRef();
  std::unique_ptr<ReadableFile> file;
  WEIR_RETURN_IF_ERROR(Env::posix().open(path, file).withNumber("[WEIR0360] "));
  int64_t fileBytes = file->size();
  std::unique_ptr<ByteSource> source;
  WEIR_RETURN_IF_ERROR(openSource(path, Compression::None, source));
  buffer.reset(std::move(source));
  std::string_view bytes;
  WEIR_RETURN_IF_ERROR(buffer.peek(kMaxNpyHeaderBytes, bytes));
  NpyHeader header;
  WEIR_RETURN_IF_ERROR(parseNpyHeader(path, bytes.data(),
                                      static_cast<int64_t>(bytes.size()),
                                      fileBytes, header));
  if (header.rank == 0)
    return Status(
        WEIR_INVALID_ARGUMENT,
        str("[WEIR0367] '", path, "' has no rows: it holds a single number"));
  rows = header.dims[0];
  // The header is sane, and so is any part of its shape.
  checkedBytes(header.dims + 1, header.rank - 1, header.info->size, rowBytes);
  if (header.fortran && header.rank > 1)
    return readNpy(path, whole);
  buffer.take(header.dataOffset);
  return Status();
}

Status NpyRowFormat::next(Record &record) {
  if (number == rows) {
    record.atEnd = true;
    return Status();
  }
  if (whole) {
    record.value = {static_cast<const char *>(whole.get()->data) +
                        number * rowBytes,
                    static_cast<size_t>(rowBytes)};
  } else {
    WEIR_RETURN_IF_ERROR(buffer.peek(rowBytes, record.value));
    if (static_cast<int64_t>(record.value.size()) < rowBytes)
      return Status(WEIR_DATA_LOSS, str("[WEIR0361] '", path, "' ends in row ",
                                        number, " of ", rows));
    buffer.take(rowBytes);
  }
  record.place = number++;
  record.found = true;
  return Status();
}

std::unique_ptr<RecordFormat> weir::rt::makeIdxFormat() {
  return std::make_unique<IdxFormat>();
}

std::unique_ptr<RecordFormat> weir::rt::makeNpyRowFormat() {
  return std::make_unique<NpyRowFormat>();
}

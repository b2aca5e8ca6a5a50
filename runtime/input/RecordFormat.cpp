//===- RecordFormat.cpp - How files are cut into records ------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/input/RecordFormat.h"
#include "runtime/base/Checked.h"
#include "runtime/base/Format.h"
#include "runtime/checkpoint/Crc32c.h"
#include "runtime/input/ByteSource.h"
#include "weir-c/program.h"

#include <cstring>

using namespace weir::rt;

namespace {

class WholeFileFormat final : public RecordFormat {
public:
  const char *name() const override { return "whole-file reader"; }
  Status open(const std::string &path) override {
    std::unique_ptr<ByteSource> source;
    WEIR_RETURN_IF_ERROR(openSource(path, Compression::None, source));
    buffer.reset(std::move(source));
    return Status();
  }
  Status next(Record &record) override {
    WEIR_RETURN_IF_ERROR(buffer.peek(kMaxBytes, record.value));
    record.found = record.atEnd = true;
    return Status();
  }
  void close() override { buffer.reset(nullptr); }

private:
  InputBuffer buffer;
};

class TextLineFormat final : public RecordFormat {
public:
  explicit TextLineFormat(int64_t skipLines) : skipLines(skipLines) {}

  const char *name() const override { return "text-line reader"; }
  Status open(const std::string &path) override {
    std::unique_ptr<ByteSource> source;
    WEIR_RETURN_IF_ERROR(openSource(path, Compression::None, source));
    buffer.reset(std::move(source));
    line = 0;
    bool found = true;
    std::string_view skipped;
    while (found && line < skipLines) {
      WEIR_RETURN_IF_ERROR(buffer.readLine(skipped, found));
      ++line;
    }
    return Status();
  }
  Status next(Record &record) override {
    WEIR_RETURN_IF_ERROR(buffer.readLine(record.value, record.found));
    record.place = ++line;
    record.atEnd = !record.found;
    return Status();
  }
  void close() override { buffer.reset(nullptr); }

private:
  int64_t skipLines;
  int64_t line = 0;
  InputBuffer buffer;
};

class FixedLengthFormat final : public RecordFormat {
public:
  FixedLengthFormat(int64_t header, int64_t record, int64_t footer, int64_t hop)
      : header(header), recordBytes(record), footer(footer), hop(hop) {}

  const char *name() const override { return "fixed-length reader"; }
  Status open(const std::string &path) override {
    std::unique_ptr<ByteSource> source;
    WEIR_RETURN_IF_ERROR(openSource(path, Compression::None, source));
    buffer.reset(std::move(source));
    number = 0;
    int64_t skipped;
    WEIR_RETURN_IF_ERROR(buffer.skip(header, skipped));
    if (skipped < header)
      return Status(WEIR_DATA_LOSS,
                    str("[WEIR0361] '", path, "' has ", skipped,
                        " bytes, its header should have ", header));
    return Status();
  }
  Status next(Record &record) override {
    int64_t skipped = hop;
    if (number > 0)
      WEIR_RETURN_IF_ERROR(buffer.skip(hop, skipped));
    std::string_view bytes;
    WEIR_RETURN_IF_ERROR(buffer.peek(recordBytes + footer, bytes));
    // What is left may be too little for a record: it is skipped.
    record.found = static_cast<int64_t>(bytes.size()) == recordBytes + footer;
    record.atEnd = !record.found;
    record.value = bytes.substr(0, static_cast<size_t>(recordBytes));
    record.place = number++;
    return Status();
  }
  void close() override { buffer.reset(nullptr); }

private:
  int64_t header, recordBytes, footer, hop;
  int64_t number = 0;
  InputBuffer buffer;
};

/// length (8 bytes), masked CRC-32C of them, the record, masked CRC-32C of it;
/// all little-endian.
class TFRecordFormat final : public RecordFormat {
public:
  explicit TFRecordFormat(Compression compression) : compression(compression) {}

  const char *name() const override { return "TFRecord reader"; }
  Status open(const std::string &newPath) override {
    std::unique_ptr<ByteSource> source;
    WEIR_RETURN_IF_ERROR(openSource(newPath, compression, source));
    buffer.reset(std::move(source));
    path = newPath;
    return Status();
  }
  Status next(Record &record) override;
  void close() override { buffer.reset(nullptr); }

private:
  Status damaged(const std::string &what) const {
    return Status(WEIR_DATA_LOSS,
                  str("[WEIR0361] '", path, "' is damaged: ", what,
                      " (the record begins at byte ", buffer.offset(),
                      compression == Compression::None
                          ? ")"
                          : " of the uncompressed bytes)"));
  }

  Compression compression;
  std::string path;
  InputBuffer buffer;
};

/// Bytes that are the record itself: no file is opened.
class IdentityFormat final : public RecordFormat {
public:
  const char *name() const override { return "identity reader"; }
  Status open(const std::string &path) override {
    work = path;
    return Status();
  }
  Status next(Record &record) override {
    record.value = work;
    record.found = record.atEnd = true;
    return Status();
  }
  void close() override { work.clear(); }

private:
  std::string work;
};

} // namespace

static uint64_t littleEndian(const char *bytes, int count) {
  uint64_t value = 0;
  for (int i = 0; i < count; ++i)
    value |= static_cast<uint64_t>(static_cast<unsigned char>(bytes[i]))
             << (8 * i);
  return value;
}

static bool crcMatches(std::string_view bytes, const char *masked) {
  return maskCrc32c(extendCrc32c(0, bytes.data(), bytes.size())) ==
         littleEndian(masked, 4);
}

Status TFRecordFormat::next(Record &record) {
  constexpr int64_t kHeader = 12, kFooter = 4;
  std::string_view bytes;
  WEIR_RETURN_IF_ERROR(buffer.peek(kHeader, bytes));
  if (bytes.empty()) {
    record.atEnd = true;
    return Status();
  }
  if (static_cast<int64_t>(bytes.size()) < kHeader)
    return damaged(str("it ends after ", bytes.size(),
                       " bytes of the length of a record"));
  if (!crcMatches(bytes.substr(0, 8), bytes.data() + 8))
    return damaged("the checksum of the length of a record does not match");
  uint64_t length = littleEndian(bytes.data(), 8);
  if (length > static_cast<uint64_t>(kMaxBytes))
    return damaged(str("a record claims to have ", length, " bytes"));
  int64_t size = static_cast<int64_t>(length);
  int64_t whole = kHeader + size + kFooter;
  WEIR_RETURN_IF_ERROR(buffer.peek(whole, bytes));
  if (static_cast<int64_t>(bytes.size()) < whole)
    return damaged(str("a record of ", size, " bytes is cut short"));
  std::string_view value = bytes.substr(kHeader, static_cast<size_t>(size));
  if (!crcMatches(value, value.data() + size))
    return damaged(
        str("the checksum of a record of ", size, " bytes does not match"));
  record.value = value;
  record.place = buffer.offset();
  record.found = true;
  buffer.take(whole);
  return Status();
}

std::unique_ptr<RecordFormat> weir::rt::makeWholeFileFormat() {
  return std::make_unique<WholeFileFormat>();
}

std::unique_ptr<RecordFormat> weir::rt::makeTextLineFormat(int64_t skipLines) {
  return std::make_unique<TextLineFormat>(skipLines);
}

std::unique_ptr<RecordFormat> weir::rt::makeFixedLengthFormat(int64_t header,
                                                              int64_t record,
                                                              int64_t footer,
                                                              int64_t hop) {
  return std::make_unique<FixedLengthFormat>(header, record, footer, hop);
}

std::unique_ptr<RecordFormat>
weir::rt::makeTFRecordFormat(int64_t compression) {
  return std::make_unique<TFRecordFormat>(
      static_cast<Compression>(compression));
}

std::unique_ptr<RecordFormat> weir::rt::makeIdentityFormat() {
  return std::make_unique<IdentityFormat>();
}

static std::unique_ptr<RecordFormat>
bad(const WeirResourceDesc &desc, const std::string &what, Status &status) {
  status = Status(WEIR_INVALID_ARGUMENT, str("[WEIR0362] reader '", desc.name,
                                             "' is declared with ", what));
  return nullptr;
}

std::unique_ptr<RecordFormat>
weir::rt::makeRecordFormat(const WeirResourceDesc &desc, Status &status) {
  enum { WholeFile, TextLine, FixedLength, TFRecord, Identity, Idx, NpyRows };
  auto number = [&](int32_t i) {
    return i < desc.number_count ? desc.numbers[i] : 0;
  };
  if (desc.number_count < 1)
    return bad(desc, "no kind", status);
  switch (number(0)) {
  case WholeFile:
    return makeWholeFileFormat();
  case TextLine:
    if (number(1) < 0)
      return bad(desc, str(number(1), " lines to skip"), status);
    return makeTextLineFormat(number(1));
  case FixedLength: {
    int64_t sum, hop = number(4) ? number(4) : number(2);
    if (number(2) < 1)
      return bad(desc,
                 str("records of ", number(2), " bytes; they have at least 1"),
                 status);
    if (!checkedAdd(number(1), number(2), sum) ||
        !checkedAdd(sum, number(3), sum) || !checkedAdd(sum, hop, sum) ||
        sum > kMaxBytes)
      return bad(desc,
                 str("lengths that cannot be: header ", number(1), ", record ",
                     number(2), ", footer ", number(3), ", hop ", number(4)),
                 status);
    return makeFixedLengthFormat(number(1), number(2), number(3), hop);
  }
  case TFRecord:
    if (number(1) < 0 || number(1) > 2)
      return bad(desc,
                 str("compression ", number(1),
                     "; there are 0 (none), 1 (zlib) and 2 (gzip)"),
                 status);
    return makeTFRecordFormat(number(1));
  case Identity:
    return makeIdentityFormat();
  case Idx:
    return makeIdxFormat();
  case NpyRows:
    return makeNpyRowFormat();
  default:
    return bad(desc, str("kind ", number(0), "; there are 0 to 6"), status);
  }
}

//===- ByteSource.cpp - Bytes of a file, in order -------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/input/ByteSource.h"
#include "runtime/base/Checked.h"
#include "runtime/base/Format.h"
#include "runtime/checkpoint/Env.h"

#include <algorithm>
#include <cstring>
#include <zlib.h>

using namespace weir::rt;

/// Large enough that the calls do not count, small enough for the cache.
constexpr int64_t kWindowBytes = int64_t(256) * 1024;

namespace {

class FileSource final : public ByteSource {
public:
  explicit FileSource(std::unique_ptr<ReadableFile> file)
      : file(std::move(file)) {}

  Status read(char *buffer, int64_t capacity, int64_t &got) override {
    got = std::min(capacity, file->size() - position);
    if (got == 0)
      return Status();
    WEIR_RETURN_IF_ERROR(
        file->read(position, got, buffer).withNumber("[WEIR0360] "));
    position += got;
    return Status();
  }

private:
  std::unique_ptr<ReadableFile> file;
  int64_t position = 0;
};

/// A zlib stream, or the members of a gzip file one after the other.
class InflateSource final : public ByteSource {
public:
  InflateSource(std::unique_ptr<ByteSource> source, Compression compression,
                std::string name)
      : source(std::move(source)), name(std::move(name)),
        windowBits(compression == Compression::Gzip ? 16 + MAX_WBITS
                                                    : MAX_WBITS) {}
  ~InflateSource() override {
    if (begun)
      inflateEnd(&stream);
  }

  Status read(char *buffer, int64_t capacity, int64_t &got) override;

private:
  Status begin();
  Status refill();
  Status damaged(const char *what) const {
    return Status(WEIR_DATA_LOSS,
                  str("[WEIR0361] '", name, "' cannot be decompressed: ", what,
                      " (at byte ", consumed - stream.avail_in,
                      " of the compressed bytes)"));
  }

  std::unique_ptr<ByteSource> source;
  std::string name;
  int windowBits;
  z_stream stream = {};
  bool begun = false;
  /// A member has begun and not ended.
  bool inside = true;
  bool sourceAtEnd = false;
  int64_t consumed = 0;
  char input[32 * 1024];
};

} // namespace

Status InflateSource::begin() {
  if (begun)
    return Status();
  if (inflateInit2(&stream, windowBits) != Z_OK)
    return Status(WEIR_RESOURCE_EXHAUSTED,
                  str("[WEIR0361] no memory to decompress '", name, "'"));
  begun = true;
  return Status();
}

Status InflateSource::refill() {
  if (stream.avail_in > 0 || sourceAtEnd)
    return Status();
  int64_t got;
  WEIR_RETURN_IF_ERROR(source->read(input, sizeof(input), got));
  sourceAtEnd = got == 0;
  consumed += got;
  stream.next_in = reinterpret_cast<Bytef *>(input);
  stream.avail_in = static_cast<uInt>(got);
  return Status();
}

Status InflateSource::read(char *buffer, int64_t capacity, int64_t &got) {
  got = 0;
  WEIR_RETURN_IF_ERROR(begin());
  uInt room = static_cast<uInt>(std::min<int64_t>(capacity, 1 << 30));
  while (got == 0) {
    WEIR_RETURN_IF_ERROR(refill());
    if (sourceAtEnd) {
      // An empty file holds nothing; a stream must not end inside a member.
      if (inside && consumed > 0)
        return damaged("it ends too early");
      return Status();
    }
    if (!inside) {
      if (windowBits == MAX_WBITS)
        return damaged("there is more behind its end");
      inflateReset(&stream);
      inside = true;
    }
    stream.next_out = reinterpret_cast<Bytef *>(buffer);
    stream.avail_out = room;
    int result = ::inflate(&stream, Z_NO_FLUSH);
    got = static_cast<int64_t>(room - stream.avail_out);
    if (result == Z_STREAM_END)
      inside = false;
    else if (result == Z_MEM_ERROR)
      return Status(WEIR_RESOURCE_EXHAUSTED,
                    str("[WEIR0361] no memory to decompress '", name, "'"));
    else if (result != Z_OK && result != Z_BUF_ERROR)
      return damaged(stream.msg ? stream.msg : "it needs a dictionary");
  }
  return Status();
}

Status weir::rt::openSource(const std::string &path, Compression compression,
                            std::unique_ptr<ByteSource> &source) {
  std::unique_ptr<ReadableFile> file;
  // The system's functions would see another name.
  if (path.find('\0') != std::string::npos)
    return Status(WEIR_INVALID_ARGUMENT,
                  str("[WEIR0360] the name of a file holds a zero byte: '",
                      path.c_str(), "\\0…'"));
  WEIR_RETURN_IF_ERROR(Env::posix().open(path, file).withNumber("[WEIR0360] "));
  source = std::make_unique<FileSource>(std::move(file));
  if (compression != Compression::None)
    source = inflateSource(std::move(source), compression, path);
  return Status();
}

std::unique_ptr<ByteSource>
weir::rt::inflateSource(std::unique_ptr<ByteSource> source,
                        Compression compression, std::string name) {
  return std::make_unique<InflateSource>(std::move(source), compression,
                                         std::move(name));
}

void InputBuffer::release() {
  if (block)
    releaseBlock(block);
  block = nullptr;
  capacity = 0;
}

void InputBuffer::reset(std::unique_ptr<ByteSource> newSource) {
  source = std::move(newSource);
  // A record of an unusual size leaves no unusual window behind.
  if (capacity > 4 * kWindowBytes)
    release();
  begin = end = position = 0;
  atEnd = false;
}

Status InputBuffer::fill(int64_t &got) {
  got = 0;
  if (atEnd || !source)
    return Status();
  int64_t have = end - begin;
  if (end == capacity && begin > 0 && have <= capacity / 2) {
    char *data = static_cast<char *>(block->payload());
    std::memmove(data, data + begin, static_cast<size_t>(have));
    begin = 0;
    end = have;
  }
  if (end == capacity) {
    int64_t larger = capacity ? 2 * capacity : kWindowBytes;
    Block *grown = larger <= kMaxBytes ? allocateBlock(larger) : nullptr;
    if (!grown)
      return Status(WEIR_RESOURCE_EXHAUSTED,
                    str("[WEIR0361] no memory for a record of more than ", have,
                        " bytes"));
    if (block) {
      std::memcpy(grown->payload(),
                  static_cast<const char *>(block->payload()) + begin,
                  static_cast<size_t>(have));
      releaseBlock(block);
    }
    block = grown;
    capacity = larger;
    begin = 0;
    end = have;
  }
  char *data = static_cast<char *>(block->payload());
  WEIR_RETURN_IF_ERROR(source->read(data + end, capacity - end, got));
  end += got;
  atEnd = got == 0;
  return Status();
}

Status InputBuffer::peek(int64_t count, std::string_view &bytes) {
  for (int64_t got = 1; end - begin < count && got > 0;)
    WEIR_RETURN_IF_ERROR(fill(got));
  if (!block) {
    bytes = {};
    return Status();
  }
  bytes = {static_cast<const char *>(block->payload()) + begin,
           static_cast<size_t>(std::min(count, end - begin))};
  return Status();
}

Status InputBuffer::skip(int64_t count, int64_t &skipped) {
  skipped = 0;
  while (skipped < count) {
    std::string_view bytes;
    WEIR_RETURN_IF_ERROR(peek(std::min(count - skipped, kWindowBytes), bytes));
    if (bytes.empty())
      break;
    take(static_cast<int64_t>(bytes.size()));
    skipped += static_cast<int64_t>(bytes.size());
  }
  return Status();
}

Status InputBuffer::readLine(std::string_view &line, bool &found) {
  int64_t searched = 0;
  while (true) {
    std::string_view bytes;
    WEIR_RETURN_IF_ERROR(peek(searched + 1, bytes));
    bool more = static_cast<int64_t>(bytes.size()) > searched;
    if (more) // All of the window, not only what was asked for.
      bytes = {bytes.data(), static_cast<size_t>(end - begin)};
    size_t feed = bytes.find('\n', static_cast<size_t>(searched));
    if (!more || feed != std::string_view::npos) {
      line = bytes.substr(0, feed);
      take(static_cast<int64_t>(line.size()) + (more ? 1 : 0));
      if (!line.empty() && line.back() == '\r')
        line.remove_suffix(1);
      // As in TensorFlow, a lone carriage return at the end is no line.
      found = more || !line.empty();
      return Status();
    }
    searched = static_cast<int64_t>(bytes.size());
  }
}

//===- ByteSource.h - Bytes of a file, in order -----------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// A ByteSource gives the bytes of a file, or those that a compressed one holds.
// An InputBuffer is a window on a source that moves forward. Both belong to one
// thread at a time.
//
// What a file claims about its lengths is never believed before the bytes are
// there: the window grows with what has arrived.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_INPUT_BYTESOURCE_H
#define WEIR_RUNTIME_INPUT_BYTESOURCE_H

#include "runtime/base/Status.h"
#include "runtime/core/Allocator.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace weir::rt {

class ByteSource {
public:
  virtual ~ByteSource() = default;
  /// Reads at most `capacity` bytes (at least 1 is asked for); `got` 0 is the
  /// end. DATA_LOSS [WEIR0361] where the bytes are damaged.
  virtual Status read(char *buffer, int64_t capacity, int64_t &got) = 0;
};

/// Numbers as a graph gives them (WEIR_RESOURCE_READER).
enum class Compression : uint8_t { None = 0, Zlib = 1, Gzip = 2 };

/// The bytes of the file `path`, from its beginning. Errors have a number
/// ([WEIR0360]) and name the file.
Status openSource(const std::string &path, Compression compression,
                  std::unique_ptr<ByteSource> &source);

/// What the stream `source` holds; `name` stands for it in messages.
std::unique_ptr<ByteSource> inflateSource(std::unique_ptr<ByteSource> source,
                                          Compression compression,
                                          std::string name);

class InputBuffer {
public:
  InputBuffer() = default;
  ~InputBuffer() { release(); }
  InputBuffer(const InputBuffer &) = delete;
  InputBuffer &operator=(const InputBuffer &) = delete;

  /// Begins anew with `source`.
  void reset(std::unique_ptr<ByteSource> source);

  /// The next `count` bytes, without moving on; fewer only where the source
  /// ends. Valid until the next call.
  Status peek(int64_t count, std::string_view &bytes);
  /// Moves past `count` bytes that a peek gave.
  void take(int64_t count) {
    begin += count;
    position += count;
  }
  /// Moves `count` bytes on, or to the end: `skipped` says how far.
  Status skip(int64_t count, int64_t &skipped);
  /// The bytes up to a line feed (moved past, but not part of the line) or to
  /// the end; `found` is false where there are none left. A carriage return at
  /// the end of the line is no part of it either.
  Status readLine(std::string_view &line, bool &found);

  /// Bytes moved past so far.
  int64_t offset() const { return position; }

private:
  /// Reads more behind the window; `got` 0 is the end.
  Status fill(int64_t &got);
  void release();

  std::unique_ptr<ByteSource> source;
  Block *block = nullptr;
  int64_t capacity = 0;
  /// The window within the block.
  int64_t begin = 0, end = 0;
  int64_t position = 0;
  bool atEnd = false;
};

} // namespace weir::rt

#endif // WEIR_RUNTIME_INPUT_BYTESOURCE_H

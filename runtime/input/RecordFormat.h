//===- RecordFormat.h - How files are cut into records ----------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// One object for each reader; it belongs to one thread at a time.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_INPUT_RECORDFORMAT_H
#define WEIR_RUNTIME_INPUT_RECORDFORMAT_H

#include "runtime/base/Status.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

struct WeirResourceDesc;

namespace weir::rt {

/// A record, or the end of the file, or both at once.
struct Record {
  /// Valid until the next call of the format.
  std::string_view value;
  /// What stands behind the file's name in the record's key: the line, number
  /// or offset; -1 for nothing.
  int64_t place = -1;
  bool found = false;
  bool atEnd = false;
};

class RecordFormat {
public:
  virtual ~RecordFormat() = default;
  /// "TFRecord reader", for messages.
  virtual const char *name() const = 0;
  /// Begins with a file. Errors have a number and name the file.
  virtual Status open(const std::string &path) = 0;
  /// The next record of the file that was opened. After an error, again the
  /// same error.
  virtual Status next(Record &record) = 0;
  /// Forgets the file.
  virtual void close() = 0;
};

/// The format that a reader is declared to have (WEIR_RESOURCE_READER), or null
/// with INVALID_ARGUMENT [WEIR0362].
std::unique_ptr<RecordFormat> makeRecordFormat(const WeirResourceDesc &desc,
                                               Status &status);

// The formats by themselves; arguments are checked already.
std::unique_ptr<RecordFormat> makeWholeFileFormat();
std::unique_ptr<RecordFormat> makeTextLineFormat(int64_t skipLines);
std::unique_ptr<RecordFormat> makeFixedLengthFormat(int64_t header,
                                                    int64_t record,
                                                    int64_t footer,
                                                    int64_t hop);
std::unique_ptr<RecordFormat> makeTFRecordFormat(int64_t compression);
std::unique_ptr<RecordFormat> makeIdentityFormat();
std::unique_ptr<RecordFormat> makeIdxFormat();
std::unique_ptr<RecordFormat> makeNpyRowFormat();

} // namespace weir::rt

#endif // WEIR_RUNTIME_INPUT_RECORDFORMAT_H

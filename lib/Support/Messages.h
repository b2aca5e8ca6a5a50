//===- Messages.h - What the compiler has to say -------------- -*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Errors of the compiler as data: a tool prints them, a library raises them.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_SUPPORT_MESSAGES_H
#define WEIR_LIB_SUPPORT_MESSAGES_H

#include <string>
#include <string_view>
#include <vector>

namespace weir {

/// One message, with the place it speaks of where there is one.
struct Message {
  enum class Severity { Error, Warning, Remark, Note };

  Severity severity = Severity::Error;
  /// "WEIR0204" when the text has such a number, else empty.
  std::string code;
  /// The text; the number is part of it.
  std::string text;
  /// Where; empty and 0 when the message is about no place. Lines and columns
  /// count from 1.
  std::string file;
  unsigned line = 0;
  unsigned column = 0;
  /// As a terminal shows it: place, severity, text, the source line with a
  /// caret, then the notes; ends with a newline.
  std::string rendered;
  std::vector<Message> notes;
};

/// Collects messages in the order they come. Every function of the driver that
/// can fail takes one, and has added an error to it when it returns false or
/// null. To be used by one thread at a time.
class Messages {
public:
  /// Adds an error that is about no place; `text` starts with "[WEIRnnnn] ".
  /// Returns false, for `return messages.error(...)`.
  bool error(std::string text);
  void add(Message message);

  bool hasErrors() const { return errorCount != 0; }
  const std::vector<Message> &all() const { return messages; }

  /// All messages as a terminal shows them.
  std::string text() const;
  /// One JSON object per line: severity, code, message, file, line, column,
  /// notes.
  std::string json() const;

private:
  std::vector<Message> messages;
  unsigned errorCount = 0;
};

/// The number "WEIRnnnn" of the first "[WEIRnnnn]" in `text`, or "".
std::string findCode(std::string_view text);

} // namespace weir

#endif // WEIR_LIB_SUPPORT_MESSAGES_H

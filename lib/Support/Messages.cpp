//===- Messages.cpp - What the compiler has to say ------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Support/Messages.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cctype>

using namespace weir;

std::string weir::findCode(std::string_view text) {
  constexpr std::string_view mark = "[WEIR";
  constexpr size_t digits = 4;
  size_t at = text.find(mark);
  if (at == std::string_view::npos)
    return "";
  std::string_view number = text.substr(at + mark.size(), digits);
  bool sane = number.size() == digits &&
              std::all_of(number.begin(), number.end(),
                          [](unsigned char c) { return std::isdigit(c); });
  return sane ? "WEIR" + std::string(number) : "";
}

bool Messages::error(std::string text) {
  Message message;
  message.code = findCode(text);
  message.rendered = "error: " + text + "\n";
  message.text = std::move(text);
  add(std::move(message));
  return false;
}

void Messages::add(Message message) {
  errorCount += message.severity == Message::Severity::Error;
  messages.push_back(std::move(message));
}

std::string Messages::text() const {
  std::string result;
  for (const Message &message : messages)
    result += message.rendered;
  return result;
}

static const char *severityName(Message::Severity severity) {
  switch (severity) {
  case Message::Severity::Error:
    return "error";
  case Message::Severity::Warning:
    return "warning";
  case Message::Severity::Remark:
    return "remark";
  case Message::Severity::Note:
    return "note";
  }
  return "error";
}

static llvm::json::Object toJson(const Message &message) {
  llvm::json::Object object{{"severity", severityName(message.severity)},
                            {"message", llvm::json::fixUTF8(message.text)}};
  if (!message.code.empty())
    object["code"] = message.code;
  if (!message.file.empty()) {
    object["file"] = llvm::json::fixUTF8(message.file);
    object["line"] = message.line;
    object["column"] = message.column;
  }
  if (!message.notes.empty()) {
    llvm::json::Array notes;
    for (const Message &note : message.notes)
      notes.push_back(toJson(note));
    object["notes"] = std::move(notes);
  }
  return object;
}

std::string Messages::json() const {
  std::string result;
  llvm::raw_string_ostream os(result);
  for (const Message &message : messages)
    os << llvm::json::Value(toJson(message)) << "\n";
  return result;
}

//===- StateFile.cpp - The `checkpoint` file of a directory ---------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/checkpoint/StateFile.h"
#include "runtime/base/Format.h"

#include <cstdio>

using namespace weir::rt;

/// Files larger than this are not state files.
constexpr int64_t kMaxStateBytes = 1 << 20;

static std::string quote(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    unsigned char byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte >= 0x7f) {
      char buffer[8];
      snprintf(buffer, sizeof(buffer), "\\%03o", byte);
      out += buffer;
    } else {
      out += c;
    }
  }
  return out + '"';
}

static bool isOctal(std::string_view text, size_t at) {
  return at < text.size() && text[at] >= '0' && text[at] <= '7';
}

/// The inside of the quoted string that `text` starts with; false when it does
/// not start with one.
static bool unquote(std::string_view text, std::string &out) {
  if (text.empty() || (text[0] != '"' && text[0] != '\''))
    return false;
  char end = text[0];
  for (size_t i = 1; i < text.size(); ++i) {
    if (text[i] == end)
      return true;
    if (text[i] != '\\') {
      out += text[i];
      continue;
    }
    if (isOctal(text, i + 1)) {
      int value = 0;
      for (int digit = 0; digit < 3 && isOctal(text, i + 1); ++digit)
        value = value * 8 + (text[++i] - '0');
      out += static_cast<char>(value);
    } else if (++i < text.size()) {
      out += text[i] == 'n' ? '\n' : text[i] == 't' ? '\t' : text[i];
    }
  }
  return false;
}

CheckpointState weir::rt::parseState(std::string_view text) {
  CheckpointState state;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(line.size() < text.size() ? line.size() + 1
                                                 : text.size());
    size_t colon = line.find(':');
    if (colon == std::string_view::npos)
      continue;
    std::string_view key = line.substr(0, colon);
    line.remove_prefix(colon + 1);
    while (!line.empty() && line[0] == ' ')
      line.remove_prefix(1);
    std::string value;
    if (!unquote(line, value) || value.empty())
      continue;
    if (key == "model_checkpoint_path")
      state.newest = value;
    else if (key == "all_model_checkpoint_paths")
      state.all.push_back(value);
  }
  return state;
}

std::string weir::rt::printState(const CheckpointState &state) {
  std::string text = str("model_checkpoint_path: ", quote(state.newest), "\n");
  for (const std::string &path : state.all)
    text += str("all_model_checkpoint_paths: ", quote(path), "\n");
  return text;
}

CheckpointState weir::rt::readState(Env &env, const std::string &directory) {
  std::unique_ptr<ReadableFile> file;
  if (!env.open(directory + "/checkpoint", file).ok() ||
      file->size() > kMaxStateBytes)
    return {};
  std::string text(static_cast<size_t>(file->size()), '\0');
  if (!file->read(0, file->size(), text.data()).ok())
    return {};
  return parseState(text);
}

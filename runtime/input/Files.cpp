//===- Files.cpp - Files by name and by pattern ---------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/base/Format.h"
#include "runtime/checkpoint/Env.h"
#include "runtime/input/Decode.h"
#include "runtime/input/Strings.h"

#include <algorithm>
#include <fnmatch.h>

using namespace weir::rt;

static Status checkPath(std::string_view path) {
  // The system's functions would see another name.
  size_t zero = path.find('\0');
  if (zero == std::string_view::npos)
    return Status();
  return Status(WEIR_INVALID_ARGUMENT,
                str("[WEIR0360] the name of a file holds a zero byte, behind '",
                    path.substr(0, zero), "'"));
}

Status weir::rt::readWholeFile(std::string_view path, TensorRef &bytes) {
  WEIR_RETURN_IF_ERROR(checkPath(path));
  std::unique_ptr<ReadableFile> file;
  WEIR_RETURN_IF_ERROR(
      Env::posix().open(std::string(path), file).withNumber("[WEIR0360] "));
  TensorRef made;
  char *data;
  WEIR_RETURN_IF_ERROR(makeBytes(file->size(), made, data));
  WEIR_RETURN_IF_ERROR(
      file->read(0, file->size(), data).withNumber("[WEIR0360] "));
  bytes = std::move(made);
  return Status();
}

static bool isPattern(std::string_view text) {
  return text.find_first_of("*?[\\") != std::string_view::npos;
}

/// Adds to `files` what matches `pattern` below `directory`, which ends with a
/// slash or is empty.
static void findMatches(const std::string &directory, std::string_view pattern,
                        std::vector<std::string> &files) {
  Env &env = Env::posix();
  size_t slash = pattern.find('/');
  bool isLast = slash == std::string_view::npos;
  std::string part(pattern.substr(0, slash));
  std::string_view rest = isLast ? "" : pattern.substr(slash + 1);
  std::vector<std::string> names;
  if (!isPattern(part))
    names.push_back(part);
  else if (!env.list(directory.empty() ? "." : directory, names).ok())
    return;
  for (const std::string &name : names) {
    if (isPattern(part) &&
        (name == "." || name == ".." ||
         fnmatch(part.c_str(), name.c_str(), FNM_PATHNAME) != 0))
      continue;
    std::string path = directory + name;
    if (!isLast)
      findMatches(path + "/", rest, files);
    else if (env.exists(path))
      files.push_back(std::move(path));
  }
}

Status weir::rt::matchingFiles(std::string_view pattern,
                               std::vector<std::string> &files) {
  files.clear();
  WEIR_RETURN_IF_ERROR(checkPath(pattern));
  if (pattern.empty())
    return Status();
  // As TensorFlow has it: what lies in the working directory is found as "./…".
  bool bare = isPattern(pattern) && pattern.find('/') == std::string_view::npos;
  findMatches(bare ? "./" : "", pattern, files);
  std::sort(files.begin(), files.end());
  return Status();
}

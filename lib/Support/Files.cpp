//===- Files.cpp - Files written whole or not at all ----------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Support/Files.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace weir;

static bool cannotWrite(const std::string &path, std::error_code error,
                        Messages &messages) {
  return messages.error("[WEIR0205] cannot write '" + path +
                        "': " + error.message());
}

/// A file may be replaced when it is a plain one; devices and pipes are written
/// in place.
static bool isReplaceable(const std::string &path) {
  llvm::sys::fs::file_status status;
  if (llvm::sys::fs::status(path, status))
    return true;
  return status.type() == llvm::sys::fs::file_type::regular_file ||
         status.type() == llvm::sys::fs::file_type::directory_file;
}

std::string weir::temporaryBeside(const std::string &path, Messages &messages) {
  std::error_code error;
  if (llvm::sys::fs::is_directory(path))
    error = std::make_error_code(std::errc::is_a_directory);
  // A file that its owner protected stays as it is, though its folder would
  // let us replace it.
  else if (llvm::sys::fs::exists(path))
    error = llvm::sys::fs::access(path, llvm::sys::fs::AccessMode::Write);
  llvm::SmallString<256> name;
  int fd = -1;
  if (!error)
    error = llvm::sys::fs::createUniqueFile(path + ".tmp-%%%%%%%%", fd, name);
  if (error) {
    cannotWrite(path, error, messages);
    return "";
  }
  // Only the name was wanted; the file marks it as taken.
  llvm::raw_fd_ostream(fd, /*shouldClose=*/true);
  return std::string(name);
}

bool weir::commitTemporary(const std::string &temporary,
                           const std::string &path, Messages &messages) {
  std::error_code error = llvm::sys::fs::rename(temporary, path);
  if (!error)
    return true;
  llvm::sys::fs::remove(temporary);
  return cannotWrite(path, error, messages);
}

static std::error_code writeTo(const std::string &path,
                               std::string_view content) {
  std::error_code error;
  llvm::raw_fd_ostream os(path, error, llvm::sys::fs::OF_None);
  if (error)
    return error;
  os << content;
  os.close();
  error = os.error();
  os.clear_error();
  return error;
}

bool weir::writeFile(const std::string &path, std::string_view content,
                     Messages &messages) {
  if (path == "-" || !isReplaceable(path)) {
    std::error_code error = writeTo(path, content);
    return !error || cannotWrite(path, error, messages);
  }
  std::string temporary = temporaryBeside(path, messages);
  if (temporary.empty())
    return false;
  if (std::error_code error = writeTo(temporary, content)) {
    llvm::sys::fs::remove(temporary);
    return cannotWrite(path, error, messages);
  }
  return commitTemporary(temporary, path, messages);
}

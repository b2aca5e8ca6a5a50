//===- PosixEnv.cpp - The file system of the operating system -------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/base/Checked.h"
#include "runtime/base/Format.h"
#include "runtime/checkpoint/Env.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace weir::rt;

static Status systemError(const char *action, const std::string &path) {
  int error = errno;
  WeirCode code = WEIR_UNAVAILABLE;
  switch (error) {
  case ENOENT:
  case ENOTDIR:
    code = WEIR_NOT_FOUND;
    break;
  case EACCES:
  case EPERM:
  case EROFS:
    code = WEIR_PERMISSION_DENIED;
    break;
  case ENOSPC:
  case EDQUOT:
  case EFBIG:
  case ENOMEM:
    code = WEIR_RESOURCE_EXHAUSTED;
    break;
  case ENAMETOOLONG:
  case EISDIR:
  case ELOOP:
    code = WEIR_INVALID_ARGUMENT;
    break;
  }
  return Status(code,
                str("cannot ", action, " '", path, "': ", strerror(error)));
}

namespace {

class PosixWritableFile final : public WritableFile {
public:
  PosixWritableFile(int fd, std::string path) : fd(fd), path(std::move(path)) {}
  ~PosixWritableFile() override {
    if (fd >= 0)
      ::close(fd);
  }

  Status append(const void *data, int64_t size) override {
    // Small pieces are gathered, large ones are written as they are.
    if (static_cast<int64_t>(buffer.size()) + size < kBufferBytes) {
      buffer.append(static_cast<const char *>(data), static_cast<size_t>(size));
      return Status();
    }
    WEIR_RETURN_IF_ERROR(flush());
    return writeAll(static_cast<const char *>(data), size);
  }

  Status sync() override {
    WEIR_RETURN_IF_ERROR(flush());
    while (fsync(fd) != 0)
      if (errno != EINTR)
        return systemError("write", path);
    return Status();
  }

  Status close() override {
    WEIR_RETURN_IF_ERROR(flush());
    // After EINTR the descriptor is gone all the same (Linux).
    int result = ::close(std::exchange(fd, -1));
    return result == 0 || errno == EINTR ? Status()
                                         : systemError("write", path);
  }

private:
  static constexpr int64_t kBufferBytes = 64 * 1024;

  Status flush() {
    WEIR_RETURN_IF_ERROR(
        writeAll(buffer.data(), static_cast<int64_t>(buffer.size())));
    buffer.clear();
    return Status();
  }

  Status writeAll(const char *data, int64_t size) {
    while (size > 0) {
      ssize_t written = ::write(fd, data, static_cast<size_t>(size));
      if (written < 0) {
        if (errno == EINTR)
          continue;
        return systemError("write", path);
      }
      data += written;
      size -= written;
    }
    return Status();
  }

  int fd;
  std::string path;
  std::string buffer;
};

class PosixReadableFile final : public ReadableFile {
public:
  PosixReadableFile(int fd, int64_t bytes, std::string path)
      : fd(fd), bytes(bytes), path(std::move(path)) {}
  ~PosixReadableFile() override { ::close(fd); }

  int64_t size() const override { return bytes; }

  Status read(int64_t offset, int64_t size, void *buffer) override {
    char *out = static_cast<char *>(buffer);
    while (size > 0) {
      ssize_t got = pread(fd, out, static_cast<size_t>(size), offset);
      if (got < 0) {
        if (errno == EINTR)
          continue;
        return systemError("read", path);
      }
      if (got == 0)
        return Status(WEIR_DATA_LOSS, str("file '", path, "' ends at byte ",
                                          offset, ", ", size, " bytes early"));
      out += got;
      offset += got;
      size -= got;
    }
    return Status();
  }

private:
  int fd;
  int64_t bytes;
  std::string path;
};

class PosixEnv final : public Env {
public:
  Status create(const std::string &path,
                std::unique_ptr<WritableFile> &file) override {
    int fd =
        ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0)
      return systemError("create", path);
    file = std::make_unique<PosixWritableFile>(fd, path);
    return Status();
  }

  Status open(const std::string &path,
              std::unique_ptr<ReadableFile> &file) override {
    // Without O_NONBLOCK, opening a pipe would wait for its writer.
    int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
      return systemError("open", path);
    struct stat info;
    if (fstat(fd, &info) != 0) {
      Status error = systemError("open", path);
      ::close(fd);
      return error;
    }
    if (!S_ISREG(info.st_mode)) {
      ::close(fd);
      return Status(WEIR_INVALID_ARGUMENT,
                    str("'", path, "' is not a regular file"));
    }
    file = std::make_unique<PosixReadableFile>(fd, info.st_size, path);
    return Status();
  }

  Status rename(const std::string &from, const std::string &to) override {
    return ::rename(from.c_str(), to.c_str()) == 0 ? Status()
                                                   : systemError("write", to);
  }

  Status remove(const std::string &path) override {
    return ::unlink(path.c_str()) == 0 ? Status() : systemError("remove", path);
  }

  Status syncDirectory(const std::string &path) override {
    int fd = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
      return systemError("open", path);
    Status result;
    // Some file systems have no fsync for directories and say EINVAL.
    while (fsync(fd) != 0 && errno != EINVAL)
      if (errno != EINTR) {
        result = systemError("write", path);
        break;
      }
    ::close(fd);
    return result;
  }

  Status list(const std::string &path,
              std::vector<std::string> &names) override {
    DIR *directory = opendir(path.c_str());
    if (!directory)
      return systemError("list", path);
    while (dirent *entry = readdir(directory))
      names.push_back(entry->d_name);
    closedir(directory);
    return Status();
  }

  bool exists(const std::string &path) override {
    struct stat info;
    return stat(path.c_str(), &info) == 0;
  }
};

} // namespace

Env &Env::posix() {
  static PosixEnv env;
  return env;
}

std::string weir::rt::directoryOf(const std::string &path) {
  size_t slash = path.rfind('/');
  if (slash == std::string::npos)
    return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string weir::rt::baseNameOf(const std::string &path) {
  return path.substr(path.rfind('/') + 1);
}

//===- LoadedProgram.cpp - A program that came as bytes -------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/distributed/LoadedProgram.h"
#include "runtime/base/Format.h"
#include "runtime/core/Program.h"

#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace weir::rt;

static Status refused(const std::string &what) {
  return Status(WEIR_INVALID_ARGUMENT,
                "[WEIR0389] a program for this task is refused: " + what);
}

LoadedProgram::~LoadedProgram() {
  if (handle)
    dlclose(handle);
  if (fd >= 0)
    close(fd);
}

/// The bytes as a file that only this process sees.
static Status makeFile(const std::string &bytes, int &fd) {
  fd = memfd_create("weir-program", MFD_CLOEXEC);
  const char *data = bytes.data();
  size_t left = bytes.size();
  while (fd >= 0 && left > 0) {
    ssize_t written = write(fd, data, left);
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      break;
    data += written;
    left -= static_cast<size_t>(written);
  }
  if (fd < 0 || left > 0)
    return Status(WEIR_RESOURCE_EXHAUSTED,
                  str("[WEIR0389] no memory for a program of ", bytes.size(),
                      " bytes: ", strerror(errno)));
  return Status();
}

/// Every device that an entry names is one of the task's.
static Status checkDevices(const WeirProgram &program, const TaskId &task) {
  const std::string prefix = task.devicePrefix();
  for (int32_t i = 0; i < program.entry_count; ++i) {
    const char *device = program.entries[i].device;
    if (device && std::string_view(device).substr(0, prefix.size()) != prefix)
      return refused(str(
          "its entry '", program.entries[i].name ? program.entries[i].name : "",
          "' is for device ", device, ", this is task ", task.text()));
  }
  return Status();
}

Status LoadedProgram::load(const std::string &bytes, const TaskId &task,
                           std::unique_ptr<LoadedProgram> &result) {
  if (bytes.compare(0, 4,
                    "\x7f"
                    "ELF") != 0)
    return refused("it is no shared object");
  std::unique_ptr<LoadedProgram> made(new LoadedProgram);
  WEIR_RETURN_IF_ERROR(makeFile(bytes, made->fd));
  // The file stays open as long as the code is loaded, so that no two have one
  // name: the loader would take them for the same.
  made->handle =
      dlopen(str("/proc/self/fd/", made->fd).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!made->handle)
    return refused(str("it cannot be loaded: ", dlerror()));
  made->descriptor =
      static_cast<const WeirProgram *>(dlsym(made->handle, "weir_program"));
  if (!made->descriptor)
    return refused("it has no symbol weir_program");
  if (dlsym(made->handle, "weir_session_create"))
    return refused("it brings a runtime of its own; link programs for a "
                   "cluster without one");
  WEIR_RETURN_IF_ERROR(checkProgram(made->descriptor));
  WEIR_RETURN_IF_ERROR(checkDevices(*made->descriptor, task));
  result = std::move(made);
  return Status();
}

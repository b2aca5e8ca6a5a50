//===- LoadedProgram.h - A program that came as bytes -----------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A shared object with a `weir_program`, linked without the runtime: the
// functions that its code calls are those of the process that loads it.
// Loading it is running it; a task loads what its clients send, which is why
// a task listens to nobody it does not trust.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_DISTRIBUTED_LOADEDPROGRAM_H
#define WEIR_RUNTIME_DISTRIBUTED_LOADEDPROGRAM_H

#include "runtime/base/Status.h"
#include "runtime/distributed/ClusterSpec.h"
#include "weir-c/program.h"

#include <memory>
#include <string>

namespace weir::rt {

class LoadedProgram {
public:
  /// INVALID_ARGUMENT [WEIR0389] for what is no such object, or a program of
  /// another task than `task`; otherwise what checkProgram says.
  static Status load(const std::string &bytes, const TaskId &task,
                     std::unique_ptr<LoadedProgram> &result);
  /// Unloads the code; nothing of it runs any more.
  ~LoadedProgram();
  LoadedProgram(const LoadedProgram &) = delete;
  LoadedProgram &operator=(const LoadedProgram &) = delete;

  const WeirProgram &program() const { return *descriptor; }

private:
  LoadedProgram() = default;

  int fd = -1;
  void *handle = nullptr;
  const WeirProgram *descriptor = nullptr;
};

} // namespace weir::rt

#endif // WEIR_RUNTIME_DISTRIBUTED_LOADEDPROGRAM_H

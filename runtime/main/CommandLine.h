//===- CommandLine.h - The commands of a compiled program -------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What an executable made by `weir-compile` does with its arguments. Every
// failure is one line "error: …" on stderr and the exit code 1.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_MAIN_COMMANDLINE_H
#define WEIR_RUNTIME_MAIN_COMMANDLINE_H

#include "runtime/base/Status.h"
#include "runtime/cli/Arguments.h"
#include "runtime/core/Tensor.h"
#include "weir-c/session.h"

#include <string>
#include <vector>

namespace weir::rt {

/// Runs the command that the arguments name; returns the exit code.
int runCommandLine(const WeirProgram &program, int argc,
                   const char *const *argv);

/// Moves the C interface's error into a Status.
Status takeStatus(WeirStatus &status);

/// A session for the commands, with Status instead of WeirStatus.
class Runner {
public:
  explicit Runner(const WeirProgram &program) : program(program) {}
  ~Runner() {
    if (session)
      weir_session_destroy(session);
  }
  Runner(const Runner &) = delete;
  Runner &operator=(const Runner &) = delete;

  /// Creates the session; with the state of `family`, which may be null.
  Status start(const Runner *family = nullptr);

  const WeirEntryDesc &entry(int32_t index) const {
    return program.entries[index];
  }
  Status find(const std::string &name, int32_t &index) const;
  bool hasEntry(const char *name) const;

  /// Runs one step; `fetches` receives the tensors.
  Status run(int32_t index, const WeirView *feeds,
             std::vector<TensorRef> &fetches,
             const WeirRunOptions *options = nullptr) const;

  WeirSession *getSession() const { return session; }

  /// Runs `init`; a feed `seed` of it, if it has one, gets `seed`.
  Status init(int64_t seed);
  /// Runs `save` or `restore` with the checkpoint prefix.
  Status checkpoint(const char *command, const std::string &prefix);

  const WeirProgram &program;

private:
  WeirSession *session = nullptr;
};

/// Takes a trace while it lives, if `path` is not empty.
class TraceScope {
public:
  explicit TraceScope(std::string path);
  /// Writes the trace.
  Status finish();

private:
  std::string path;
};

struct Command {
  const char *name;
  const char *operands; ///< As the help shows them.
  const char *summary;
  const std::vector<Option> &(*options)();
  Status (*run)(const WeirProgram &program, const Arguments &arguments);
};

const Command &describeCommand();
const Command &runCommand();
const Command &trainCommand();
const Command &predictCommand();

} // namespace weir::rt

#endif // WEIR_RUNTIME_MAIN_COMMANDLINE_H

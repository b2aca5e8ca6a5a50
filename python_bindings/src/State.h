//===- State.h - Variables and compiled code of a process -*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A Python variable may be used by several compiled functions, each with a
// session of its own. Its value lives in one place at a time, its *home*: the
// session that used it last, or the variable itself. A step first brings home
// the variables it uses. Functions that share variables and run in turn copy
// them at each turn; entry points of one weir.Program share a session and never
// do.
//
// Threads: steps run without the GIL. Those with variables hold `stateMutex`
// shared; moving or setting a value holds it alone.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_PYTHON_STATE_H
#define WEIR_PYTHON_STATE_H

#include "lib/Driver/Driver.h"
#include "python_bindings/src/Arrays.h"

#include <memory>
#include <string>
#include <vector>

namespace weir::python {

/// Code in memory and a session on it.
struct Code {
  Code(std::unique_ptr<JitProgram> jit, WeirSession *session)
      : jit(std::move(jit)), session(session) {}
  ~Code() { weir_session_destroy(session); }
  Code(const Code &) = delete;
  Code &operator=(const Code &) = delete;

  std::unique_ptr<JitProgram> jit;
  WeirSession *session;
};

/// The state of one weir.Variable.
class VariableState {
public:
  explicit VariableState(std::string name) : name(std::move(name)) {}
  ~VariableState();
  VariableState(const VariableState &) = delete;
  VariableState &operator=(const VariableState &) = delete;

  /// The value as a new array, or None if there is none.
  nb::object get();
  /// A copy of a NumPy array becomes the value.
  void set(nb::handle array);

  const std::string name;

private:
  friend class Executable;
  std::shared_ptr<Code> home; ///< where the value lives, or null:
  WeirTensor *held = nullptr; ///< then here, or nowhere.
};

/// Compiled entry points that Python can run.
class Executable {
public:
  using Used =
      std::pair<std::string, std::vector<std::shared_ptr<VariableState>>>;

  /// `used` has the variables of each entry point, by its name; of a program
  /// that was loaded from a file none, and its session alone holds its state.
  Executable(const Program &program, const CompileOptions &options,
             const std::vector<Used> &used);

  const WeirProgram &program() const { return *code->jit->program(); }
  int32_t entry(const std::string &name) const;

  /// Runs a step; called with the GIL held, releases it while the step runs.
  int32_t run(int32_t entry, const WeirView *feeds, WeirTensor **fetches,
              WeirStatus &status);

  nb::object getVariable(const std::string &name);
  void setVariable(const std::string &name, nb::handle array);

private:
  int32_t runWithVariables(int32_t entry, const WeirView *feeds,
                           WeirTensor **fetches, WeirStatus &status);
  int32_t bringHome(VariableState &variable, WeirStatus &status);

  std::shared_ptr<Code> code;
  /// By the index of the entry point.
  std::vector<std::vector<std::shared_ptr<VariableState>>> variables;
};

} // namespace weir::python

#endif // WEIR_PYTHON_STATE_H
